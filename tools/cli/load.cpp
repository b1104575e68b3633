// Files of kernels. See load.h.
#include "cli/load.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lang/parse.h"

namespace tilewright::cli {
namespace {

/// Longer ones are no texts of kernels, so they are not read whole: they may have no end.
constexpr std::size_t longest_text = std::size_t{1} << 26U;

struct Closer {
  int descriptor;
  ~Closer() {
    if (descriptor > STDERR_FILENO) ::close(descriptor);
  }
};

void set_precision(lang::Statement& statement, Precision precision) {
  statement.precision = precision;
  statement.precision_span = statement.target.span;
}

void set_precision(std::variant<lang::Statement, lang::Program>& item, Precision precision) {
  if (auto* statement = std::get_if<lang::Statement>(&item)) set_precision(*statement, precision);
  if (auto* program = std::get_if<lang::Program>(&item))
    for (lang::Statement& statement : program->statements) set_precision(statement, precision);
}

}  // namespace

Result<SourcePtr> read_source(const std::string& path) {
  const bool standard = path == "-";
  const Closer file{standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  const std::string shown = standard ? "standard input" : fmt::format("'{}'", path);
  const auto failure = [&] {
    return fail("C002", fmt::format("cannot read {}: {}", shown, std::strerror(errno)), "name a file of kernels");
  };
  if (file.descriptor < 0) return failure();
  std::string text;
  std::string buffer(1 << 16, '\0');
  // The parser refuses the first NUL byte (L001): nothing after it matters.
  for (std::size_t from = 0; text.find('\0', from) == std::string::npos;) {
    from = text.size();
    if (from > longest_text)
      return fail("C002", fmt::format("{} is longer than {} MiB", shown, longest_text >> 20U),
                  "name a file of kernels");
    const ssize_t count = ::read(file.descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure();
    if (count == 0) break;
    text.append(buffer, 0, static_cast<std::size_t>(count));
  }
  return std::make_shared<const Source>(standard ? "<stdin>" : path, std::move(text));
}

Result<std::vector<Kernel>> load_kernels(const Options& options) {
  const std::string& path = options.files.front();
  Result<SourcePtr> source = read_source(path);
  if (!source) return std::unexpected(std::move(source.error()));
  Diagnostics warnings;
  Result<lang::File> file = lang::parse(*source, warnings);
  if (!file) return std::unexpected(std::move(file.error()));
  if (file->items.empty()) return fail("C003", fmt::format("'{}' has no kernels", path), "write one, as y[i] = x[i]");

  std::vector<std::string> names;
  for (const auto& item : file->items) names.push_back(lang::name_of(item));
  for (const std::string& wanted : options.kernels)
    if (std::ranges::find(names, wanted) == names.end())
      return fail("C004", fmt::format("'{}' has no kernel '{}'", path, wanted),
                  fmt::format("it has {}", fmt::join(names, ", ")));
  std::vector<Kernel> kernels;
  for (auto& item : file->items) {
    const bool selected =
        options.kernels.empty() || std::ranges::find(options.kernels, lang::name_of(item)) != options.kernels.end();
    if (!selected) continue;
    if (options.precision) set_precision(item, *options.precision);
    kernels.emplace_back(std::move(item));
  }
  return kernels;
}

}  // namespace tilewright::cli
