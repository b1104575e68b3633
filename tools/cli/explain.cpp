// `tilewright explain`: what the compiler did with a kernel, and why: passes, form, plan, kernels, memory, and the time
// that nothing can beat.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "cli/cases.h"
#include "cli/ceilings.h"
#include "cli/chain_length.h"
#include "cli/compile_case.h"
#include "cli/device.h"
#include "cli/explanation.h"
#include "cli/load.h"
#include "cli/outputs.h"
#include "cli/subcommands.h"

namespace tilewright::cli {
namespace {

std::string titled(const std::string& title, const std::string& text) {
  return fmt::format("{}\n{}{}\n", title, text, text.ends_with('\n') ? "" : "\n");
}

}  // namespace

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
  std::optional<Ceilings> ceilings;
  if (!engine->is_simulated()) {
    Result<Ceilings> measured = measure_ceilings(*engine);
    if (!measured) return std::unexpected(measured.error());
    ceilings = *measured;
  }
  std::vector<Explanation> explanations;
  for (const Case& each : *cases) {
    const Result<std::vector<CompiledStep>> steps = compile_case(*engine, each);
    if (!steps) return std::unexpected(steps.error());
    for (const CompiledStep& step : *steps) {
      std::string title = step.kernel.name();
      if (each.kernel->program()) title = each.kernel->name() + ": " + title;
      if (const std::string with = describe(each); !with.empty()) title += " with " + with;
      explanations.push_back(explain(std::move(title), step.compilation, ceilings));
    }
  }
  if (!options.html.empty()) {
    if (Result<void> written = write_text(options.html, to_html(explanations)); !written)
      return std::unexpected(std::move(written.error()));
    return ExitCode::right;
  }
  for (const Explanation& explanation : explanations) {
    fmt::print("== {}\n\n", explanation.title);
    for (const Explanation::Section& section : explanation.sections)
      fmt::print("{}", titled(section.title, section.text));
  }
  return ExitCode::right;
}

}  // namespace tilewright::cli
