// See command.h.
#include "command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tilewright::cli {
namespace {

/// In the child: standard streams from and to files, so that no pipe can fill up.
[[noreturn]] void become(const std::filesystem::path& folder, std::vector<char*>& arguments,
                         const std::map<std::string, std::string>& variables) {
  const auto open_as = [&](const char* name, int flags, int descriptor) {
    const int file = ::open((folder / name).c_str(), flags, 0600);
    if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
  };
  open_as(".in", O_RDONLY, STDIN_FILENO);
  open_as(".out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  open_as(".err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  ::setenv("TILEWRIGHT_CACHE", "off", 1);
  ::setenv("TILEWRIGHT_CUDA_DRIVER", "no-driver.so", 1);  // as on a machine without a GPU
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

Workplace::Workplace() {
  std::string name = (std::filesystem::temp_directory_path() / "tilewright-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
  folder_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Workplace::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
}

std::string Workplace::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

CommandResult Workplace::run(const std::vector<std::string>& arguments, const std::string& input) const {
  write(".in", input);
  std::vector<std::string> words = {TILEWRIGHT_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) become(folder_, pointers, variables_);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("cannot run the command");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(".out"), read(".err")};
}

}  // namespace tilewright::cli
