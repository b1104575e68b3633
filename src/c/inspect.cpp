// What the C interface says of a compilation: stages, explanations, times.
#include <vector>

#include "c/handles.h"
#include "report/compile_steps.h"
#include "report/cost.h"
#include "report/explanation.h"
#include "report/stages.h"
#include "report/timing.h"

using namespace tilewright;

using tilewright::c::guarded;
using tilewright::c::Operands;
using tilewright::c::require;

tilewright_status tilewright_emit(const tilewright_kernel* kernel, const char* target, const char* stage,
                                  const tilewright_tensor* operands, size_t count, char** bytes, size_t* size,
                                  tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{kernel, "kernel"}, {target, "target"}, {stage, "stage"}, {bytes, "bytes"}}); !given)
      return given;
    const auto chosen = report::emit_target_named(target);
    if (!chosen) return std::unexpected(chosen.error());
    if (const auto known = report::stage_named(stage, *chosen); !known) return std::unexpected(known.error());
    const auto typed = c::with_addresses(operands, count);
    const auto read = Operands::of(*kernel, operands == nullptr ? nullptr : typed.data(), count);
    if (!read) return std::unexpected(read.error());
    const auto steps = report::compile_for(*chosen, kernel->kernel, read->views(kernel->kernel));
    if (!steps) return std::unexpected(steps.error());
    const Result<std::string> text = report::stage_text(stage, *chosen, kernel->kernel, *steps);
    if (!text) return std::unexpected(text.error());
    *bytes = c::exported(*text);
    if (size != nullptr) *size = text->size();
    return {};
  });
}

tilewright_status tilewright_explain(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                     const tilewright_tensor* operands, size_t count, int html, char** text,
                                     tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{engine, "engine"}, {kernel, "kernel"}, {text, "text"}}); !given) return given;
    const auto typed = c::with_addresses(operands, count);
    const auto read = Operands::of(*kernel, operands == nullptr ? nullptr : typed.data(), count);
    if (!read) return std::unexpected(read.error());
    const auto steps = report::compile_steps(engine->engine, kernel->kernel, read->views(kernel->kernel));
    if (!steps) return std::unexpected(steps.error());
    std::vector<report::Explanation> explanations;
    if (kernel->kernel.program() != nullptr) {
      const auto fused = fuse_program(kernel->kernel, types_of(read->views(kernel->kernel)));
      if (!fused) return std::unexpected(fused.error());
      explanations.push_back(report::explain("program " + kernel->kernel.name(), *fused));
    }
    for (const report::CompiledStep& step : *steps) {
      const Result<kernel::Occupancy> occupancy = engine->engine.occupancy(step.compilation);
      if (!occupancy) return std::unexpected(occupancy.error());
      explanations.push_back(
          report::explain(report::title_of(step.name, step.statements), step.compilation, *occupancy, std::nullopt));
    }
    *text = c::exported(html != 0 ? report::to_html(explanations) : report::to_text(explanations));
    return {};
  });
}

tilewright_status tilewright_time(const tilewright_engine* engine, const tilewright_kernel* kernel,
                                  const tilewright_tensor* operands, size_t count, const tilewright_tensor* output,
                                  double seconds, tilewright_timing* timing, tilewright_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto given = require({{engine, "engine"}, {kernel, "kernel"}, {output, "output"}, {timing, "timing"}}); !given)
      return given;
    const auto read = Operands::of(*kernel, operands, count);
    if (!read) return std::unexpected(read.error());
    const auto written = c::borrow(output, kernel->results.front());
    if (!written) return std::unexpected(written.error());
    auto calls = engine->engine.time_into(kernel->kernel, read->named(kernel->kernel), *written, {.seconds = seconds});
    if (!calls) return std::unexpected(std::move(calls.error()));
    const auto compiled = engine->engine.compile(kernel->kernel, read->views(kernel->kernel), false);
    if (!compiled) return std::unexpected(compiled.error());
    const report::Cost cost = report::cost_of(compiled->nest, compiled->views.operands, compiled->views.output);
    const report::Timing summary = report::summarize(std::move(*calls));
    *timing = {summary.median, summary.low, summary.high, summary.calls, cost.flops, cost.bytes()};
    return {};
  });
}
