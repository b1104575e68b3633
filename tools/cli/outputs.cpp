// Where -o sends results. See outputs.h.
#include "cli/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "runtime/atomic_file.h"
#include "runtime/npy.h"
#include "runtime/npy_header.h"

namespace tilewright::cli {
namespace {

std::vector<std::string> results_of(const std::vector<Case>& cases) {
  std::vector<std::string> names;
  for (const Case& each : cases)
    for (const std::string& name : each.kernel->result_names()) names.push_back(name);
  return names;
}

Result<void> write_standard_output(const Tensor& tensor) {
  const Result<Tensor> contiguous = tensor.contiguous();
  if (!contiguous) return std::unexpected(contiguous.error());
  const std::string header = npy_header_text(tensor.dtype(), tensor.shape());
  const auto bytes = static_cast<std::size_t>(contiguous->byte_size());
  const bool written = std::fwrite(header.data(), 1, header.size(), stdout) == header.size() &&
                       (bytes == 0 || std::fwrite(contiguous->data(), 1, bytes, stdout) == bytes) &&
                       std::fflush(stdout) == 0;
  if (!written) return fail("C018", "cannot write to standard output");
  return {};
}

}  // namespace

Result<void> write_text(const std::string& path, std::string_view text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return {};
    return fail("C018", "cannot write to standard output");
  }
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return std::unexpected(std::move(file.error()));
  if (Result<void> written = file->write(std::as_bytes(std::span(text))); !written) return written;
  return file->commit();
}

Result<void> check_output(const std::string& path) {
  return path == "-" ? Result<void>() : AtomicFile::check(path);
}

Result<Outputs> Outputs::parse(const std::vector<std::string>& texts, const std::vector<Case>& cases) {
  const std::vector<std::string> results = results_of(cases);
  Outputs outputs;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string prefix = equals == std::string::npos ? "" : text.substr(0, equals);
    const bool named = std::ranges::find(results, prefix) != results.end();
    if (!named && equals != std::string::npos && !prefix.contains('/'))
      return fail("C013", fmt::format("-o {}: there is no result '{}'", text, prefix),
                  fmt::format("there are {}", fmt::join(results, ", ")));
    if (!named && results.size() > 1)
      return fail("C013", fmt::format("-o {}: there are {} results", text, results.size()),
                  "select one kernel with -k and one set of operands with -i, or write -o NAME=FILE for each result");
    File file{named ? prefix : results.front(), named ? text.substr(equals + 1) : text};
    if (file.path.empty()) return fail("C013", fmt::format("-o {}: no file is named", text), "-o NAME=FILE.npy");
    if (std::ranges::find(outputs.files_, file.result, &File::result) != outputs.files_.end())
      return fail("C013", fmt::format("result '{}' goes to two files", file.result), "give -o once for each result");
    if (std::ranges::count(results, file.result) > 1)
      return fail("C013",
                  fmt::format("'{}' is computed {} times, once for each example", file.result,
                              std::ranges::count(results, file.result)),
                  "say with -i which operands are meant");
    outputs.files_.push_back(std::move(file));
  }
  for (const File& file : outputs.files_)
    if (file.path != "-" && std::ranges::count(outputs.files_, file.path, &File::path) > 1)
      return fail("C013", fmt::format("'{}' is given for two results", file.path), "a file for each result");
  if (std::ranges::count(outputs.files_, "-", &File::path) > 1)
    return fail("C011", "standard output ('-') is written more than once", "use '-' for one result");
  return outputs;
}

Result<void> Outputs::check() const {
  for (const File& file : files_)
    if (Result<void> writable = check_output(file.path); !writable) return writable;
  return {};
}

bool Outputs::uses_standard_output() const {
  return std::ranges::find(files_, "-", &File::path) != files_.end();
}

Result<void> Outputs::write(const std::string& result, const Tensor& tensor) const {
  const auto file = std::ranges::find(files_, result, &File::result);
  if (file == files_.end()) return {};
  return file->path == "-" ? write_standard_output(tensor) : write_npy(file->path, tensor);
}

}  // namespace tilewright::cli
