// Runs the built `tilewright` as a process of its own, in a private folder, with no cache on disk unless the test wants
// one.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewright::cli {

struct CommandResult {
  int exit_code = -1;  ///< 128 + signal where it was killed
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// A folder that is gone with this object; commands run in it.
class Workplace {
 public:
  Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace();

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;  ///< empty where there is no such file
  /// For the commands that are run from now on.
  void set_variable(const std::string& name, const std::string& value) { variables_[name] = value; }
  CommandResult run(const std::vector<std::string>& arguments, const std::string& input = "") const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> variables_;
};

}  // namespace tilewright::cli
