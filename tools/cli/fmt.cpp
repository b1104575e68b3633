// `tilewright fmt`: the canonical layout of files, printed, compared (--check) or written (--write).
#include <fmt/format.h>

#include "cli/load.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "lang/parse.h"

namespace tilewright::cli {

Outcome run_fmt(const Options& options) {
  if (options.check && options.write) return fail("C001", "--check and --write exclude each other", "give one of them");
  Diagnostics errors;
  bool differs = false;
  for (const std::string& path : options.files) {
    if (options.write && path == "-") return fail("C001", "--write cannot rewrite standard input", "name a file");
    const Result<SourcePtr> source = read_source(path);
    const Result<std::string> text = source ? lang::format(*source) : std::unexpected(source.error());
    if (!text) {
      errors.insert(errors.end(), text.error().begin(), text.error().end());
      continue;
    }
    const bool changed = *text != (*source)->text();
    differs |= changed;
    if (!options.check && !options.write) fmt::print("{}", *text);
    if (options.check && changed) fmt::print("{}\n", (*source)->name());
    if (options.write && changed)
      if (Result<void> written = write_text(path, *text); !written) return std::unexpected(std::move(written.error()));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return options.check && differs ? ExitCode::wrong : ExitCode::right;
}

}  // namespace tilewright::cli
