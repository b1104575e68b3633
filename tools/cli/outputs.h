// Where -o sends results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/cases.h"
#include "runtime/tensor.h"

namespace tilewright::cli {

/// Writes a text whole or not at all; "-" is standard output. R041, C018 as Outputs::write.
Result<void> write_text(const std::string& path, std::string_view text);
/// R041: a path that cannot be written as things stand. Asked before any work; nothing stays of the question.
Result<void> check_output(const std::string& path);

class Outputs {
 public:
  /// C013: -o names a result that no case has, names one twice, leaves out the name where there are several, or a
  /// result is computed by several cases. C011: standard output is named twice.
  static Result<Outputs> parse(const std::vector<std::string>& texts, const std::vector<Case>& cases);

  /// check_output for each file.
  Result<void> check() const;

  bool empty() const { return files_.empty(); }
  /// Standard output carries data, so text goes elsewhere.
  bool uses_standard_output() const;
  /// Writes the result to its file, if it has one. R041: it cannot be written. C018: nor can standard output.
  Result<void> write(const std::string& result, const Tensor& tensor) const;

 private:
  struct File {
    std::string result;
    std::string path;
  };
  std::vector<File> files_;
};

}  // namespace tilewright::cli
