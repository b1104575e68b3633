// `tilewright build`: a kernel as files that a C program compiles and links.
#include "aot/build.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/cases.h"
#include "cli/load.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"

namespace tilewright::cli {

Outcome run_build(const Options& options) {
  const Result<report::EmitTarget> target = report::emit_target_named(options.target);
  if (!target) return std::unexpected(target.error());
  if (options.outputs.size() > 1) return fail("C013", "build writes into one folder", "give -o once");
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  if (kernels->size() != 1)
    return fail("C015", fmt::format("'{}' has {} kernels", options.files.front(), kernels->size()),
                "say which one with -k");
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::types);
  if (!cases) return std::unexpected(cases.error());
  const Case& each = cases->front();
  const auto files = aot::build(*target, *each.kernel, views_of(each));
  if (!files) return std::unexpected(files.error());
  const std::filesystem::path folder = options.outputs.front();
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // what is wrong with it, the first file's error says
  for (const aot::BuiltFile& file : *files) {
    const std::string path = (folder / file.name).string();
    if (Result<void> written = write_text(path, file.bytes); !written)
      return std::unexpected(std::move(written.error()));
    fmt::print("{}\n", path);
  }
  return ExitCode::right;
}

}  // namespace tilewright::cli
