// `tilewright explain`: what the compiler did with a kernel, and why: passes, form, plan, kernels, memory, and the time
// that nothing can beat.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "cli/cases.h"
#include "cli/device.h"
#include "cli/load.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"
#include "report/ceilings.h"
#include "report/compile_steps.h"
#include "report/explanation.h"

namespace tilewright::cli {
Outcome run_explain(const Options& options) {
  const Result<Engine> engine = open_device(options);
  if (!engine) return std::unexpected(engine.error());
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::types);
  if (!cases) return std::unexpected(cases.error());
  if (!options.html.empty())
    if (Result<void> writable = check_output(options.html); !writable)
      return std::unexpected(std::move(writable.error()));
  std::optional<report::Ceilings> ceilings;
  if (!engine->is_simulated()) {
    Result<report::Ceilings> measured = report::measure_ceilings(*engine);
    if (!measured) return std::unexpected(measured.error());
    ceilings = *measured;
  }
  std::vector<report::Explanation> explanations;
  for (const Case& each : *cases) {
    const auto steps = report::compile_steps(*engine, *each.kernel, views_of(each));
    if (!steps) return std::unexpected(steps.error());
    const std::string with = describe(each).empty() ? "" : " with " + describe(each);
    if (each.kernel->program()) {
      const auto fused = fuse_program(*each.kernel, types_of(views_of(each)));
      if (!fused) return std::unexpected(fused.error());
      explanations.push_back(report::explain("program " + each.kernel->name() + with, *fused));
    }
    for (const report::CompiledStep& step : *steps) {
      std::string title = report::title_of(step.name, step.statements);
      if (each.kernel->program()) title = each.kernel->name() + ": " + title;
      title += with;
      const Result<kernel::Occupancy> occupancy = engine->occupancy(step.compilation);
      if (!occupancy) return std::unexpected(occupancy.error());
      explanations.push_back(report::explain(std::move(title), step.compilation, *occupancy, ceilings));
    }
  }
  warn_of_choices(*engine);
  if (!options.html.empty()) {
    if (Result<void> written = write_text(options.html, report::to_html(explanations)); !written)
      return std::unexpected(std::move(written.error()));
    return ExitCode::right;
  }
  fmt::print("{}", report::to_text(explanations));
  return ExitCode::right;
}

}  // namespace tilewright::cli
