// `tilewright emit`: what a kernel is at one stage of compilation, as text or, for obj, as bytes.
#include <fmt/format.h>

#include "cli/cases.h"
#include "cli/load.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "report/stages.h"

namespace tilewright::cli {

Outcome run_emit(const Options& options) {
  const Result<report::EmitTarget> target = report::emit_target_named(options.target);
  if (!target) return std::unexpected(target.error());
  const Result<report::StageText> stage = report::stage_named(options.stage, *target);
  if (!stage) return std::unexpected(stage.error());
  if (options.outputs.size() > 1) return fail("C013", "emit writes one file", "give -o once");
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  if (kernels->size() != 1)
    return fail("C015", fmt::format("'{}' has {} kernels", options.files.front(), kernels->size()),
                "say which one with -k");
  const std::string output = options.outputs.empty() ? "-" : options.outputs.front();
  if (Result<void> writable = check_output(output); !writable) return std::unexpected(std::move(writable.error()));
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::types);
  if (!cases) return std::unexpected(cases.error());
  const Case& each = cases->front();
  const auto steps = report::compile_for(*target, *each.kernel, views_of(each));
  if (!steps) return std::unexpected(steps.error());
  const Result<std::string> text = report::stage_text(options.stage, *target, *each.kernel, *steps);
  if (!text) return std::unexpected(text.error());
  if (Result<void> written = write_text(output, *text); !written) return std::unexpected(std::move(written.error()));
  return ExitCode::right;
}

}  // namespace tilewright::cli
