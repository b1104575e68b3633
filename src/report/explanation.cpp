// Explanations of compiled statements. See explanation.h.
#include "report/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "plan/run.h"
#include "report/chain_length.h"
#include "support/overloaded.h"

namespace tilewright::report {
namespace {

std::string bytes_text(double bytes) {
  if (bytes < 10 * 1024) return fmt::format("{:.0f} B", bytes);
  if (bytes < 10 * 1024 * 1024) return fmt::format("{:.1f} KiB", bytes / 1024);
  return fmt::format("{:.1f} MiB", bytes / 1024 / 1024);
}

/// The pass that chose the loops leaves its reasons as notes.
std::string reasons_text(const nest::Trace& trace) {
  std::string text;
  for (const nest::TraceEntry& entry : trace.entries)
    for (const std::string& note : entry.notes) text += fmt::format("  {}: {}\n", entry.pass, note);
  return text.empty() ? "  nothing but the schedule's lines" : text;
}

/// Adds up what the plan allocates and launches for the sizes at hand.
class Follower : public plan::Executor {
 public:
  Follower(const LoweredPlan& plan, const kernel::Occupancy& occupancy) : plan_(plan), occupancy_(occupancy) {}
  Result<std::byte*> allocate(std::int64_t bytes) override {
    workspace += static_cast<double>(bytes);
    return reinterpret_cast<std::byte*>(std::uintptr_t{64});
  }
  Result<void> fill(const TensorView& view, Scalar) override {
    launches += fmt::format("  fill {} values\n", view.element_count());
    return {};
  }
  Result<void> launch(const plan::LaunchCall& call) override {
    const tile::Program& program = plan_.plan.kernels[call.kernel];
    launches += fmt::format("  {} on a grid of {}: {}\n", program.name,
                            call.grid.empty() ? "1" : fmt::format("{}", fmt::join(call.grid, " x ")), tiles(program));
    if (call.kernel.index < occupancy_.kernels.size())
      launches += residency_text(occupancy_.kernels[call.kernel.index],
                                 std::accumulate(call.grid.begin(), call.grid.end(), 1.0, std::multiplies<>()));
    return {};
  }

  double workspace = 0;
  std::string launches;

 private:
  /// Steps of the grid and sizes of the tiles that are stored.
  static std::string tiles(const tile::Program& program) {
    std::vector<std::string> parts;
    for (const tile::GridAxis& axis : program.grid)
      parts.push_back(fmt::format("{} by {}", program.iters[axis.iter].name, to_text(axis.step)));
    std::string text = parts.empty() ? "one task" : fmt::format("tasks of {}", fmt::join(parts, ", "));
    for (const tile::Buffer& buffer : program.buffers) text += fmt::format("; {} staged", buffer.name);
    return text;
  }

  /// What a block takes, how many a multiprocessor runs at once, and how often the device is filled with them.
  std::string residency_text(const kernel::Residency& of, double points) const {
    std::string text =
        fmt::format("    a block: {} threads, {} of shared memory, {}{} registers a thread", of.threads,
                    bytes_text(static_cast<double>(of.shared_bytes)), of.measured ? "" : "at most ", of.registers);
    if (of.local_bytes > 0)
      text += fmt::format(", {} of each thread in memory", bytes_text(static_cast<double>(of.local_bytes)));
    if (of.blocks == 0) return text + fmt::format("; more {} than a multiprocessor has\n", of.limit);
    const std::int64_t threads = of.blocks * of.threads;
    return text + fmt::format(
                      "\n    a multiprocessor: {} at once ({} allow{} no more), {} of {} threads; {:.3g} waves on {}\n",
                      of.blocks == 1 ? "1 block" : fmt::format("{} blocks", of.blocks), of.limit,
                      of.limit.ends_with('s') ? "" : "s", threads, occupancy_.most_threads,
                      points / static_cast<double>(of.blocks * occupancy_.multiprocessors), occupancy_.multiprocessors);
  }

  const LoweredPlan& plan_;
  const kernel::Occupancy& occupancy_;
};

std::string launches_text(const Compilation& compilation, const kernel::Occupancy& occupancy) {
  std::vector<nest::NamedView> views;
  for (std::size_t v = 0; v < compilation.views.operands.size(); ++v)
    views.push_back(
        {compilation.nest.tensors[nest::TensorId{static_cast<std::uint32_t>(v)}].name, compilation.views.operands[v]});
  views.push_back({compilation.nest.name, compilation.views.output});
  Follower follower(*compilation.plan, occupancy);
  if (Result<void> done = plan::run_plan(compilation.plan->plan, views, follower); !done) return render(done.error());
  return fmt::format("{}  workspace {}", follower.launches, bytes_text(follower.workspace));
}

std::string cost_text(const Compilation& compilation, const std::optional<Ceilings>& ceilings) {
  const Cost cost = cost_of(compilation.nest, compilation.views.operands, compilation.views.output);
  const std::string text = fmt::format(
      "  reads {}, writes {}; {:.6g} floating-point operations ({:.3g} a byte)\n"
      "  longest chain of additions: {}\n",
      bytes_text(cost.bytes_read), bytes_text(cost.bytes_written), cost.flops,
      cost.bytes() > 0 ? cost.flops / cost.bytes() : 0.0, chain_length(compilation));
  if (!ceilings) return text;
  const double moving = cost.bytes() / ceilings->bandwidth(cost);
  const double computing = cost.flops / ceilings->flops;
  return text + fmt::format(
                    "  measured here: copy {:.1f} GB/s, read {:.1f} GB/s, write {:.1f} GB/s, f32 {:.1f} GFLOP/s\n"
                    "  at these rates no kernel takes less than {:.4g} ms: {:.4g} ms to move, {:.4g} ms to compute",
                    ceilings->copy / 1e9, ceilings->read / 1e9, ceilings->write / 1e9, ceilings->flops / 1e9,
                    1e3 * std::max(moving, computing), 1e3 * moving, 1e3 * computing);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

constexpr std::string_view page_head = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tilewright explain</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; }
  pre { background: #f4f4f2; color: #222; padding: .8em 1em; overflow-x: auto; font-size: 13px; line-height: 1.4; }
  summary { cursor: pointer; font-weight: 600; margin: .6em 0; }
  h2 { margin-top: 2em; border-bottom: 1px solid #ccc; }
</style>
<h1>tilewright explain</h1>
)";

}  // namespace

Explanation explain(std::string title, const Compilation& compilation, const kernel::Occupancy& occupancy,
                    const std::optional<Ceilings>& ceilings) {
  Explanation result{std::move(title), {}};
  result.sections.push_back({"Choices and reasons", reasons_text(compilation.trace)});
  result.sections.push_back({"Passes", to_text(compilation.trace)});
  result.sections.push_back({"Launches", launches_text(compilation, occupancy)});
  result.sections.push_back({ceilings ? "Cost and floor" : "Cost", cost_text(compilation, ceilings)});
  result.sections.push_back({"Facts", "  " + to_text(compilation.facts)});
  result.sections.push_back({"Plan", to_text(compilation.plan->plan)});
  for (const tile::Program& program : compilation.plan->plan.kernels)
    result.sections.push_back({"Kernel " + program.name, to_text(program), false});
  return result;
}

Explanation explain(std::string title, const FusedProgram& program) {
  return {std::move(title), {{"Fusion", to_text(program)}}};
}

std::string to_text(const std::vector<Explanation>& explanations) {
  std::string text;
  for (const Explanation& explanation : explanations) {
    text += fmt::format("== {}\n\n", explanation.title);
    for (const Explanation::Section& section : explanation.sections)
      text += fmt::format("{}\n{}{}\n", section.title, section.text, section.text.ends_with('\n') ? "" : "\n");
  }
  return text;
}

std::string to_html(const std::vector<Explanation>& explanations) {
  std::string page(page_head);
  for (const Explanation& explanation : explanations) {
    page += fmt::format("<h2>{}</h2>\n", escaped(explanation.title));
    for (const Explanation::Section& section : explanation.sections)
      page += fmt::format("<details{}><summary>{}</summary>\n<pre>{}</pre></details>\n", section.open ? " open" : "",
                          escaped(section.title), escaped(section.text));
  }
  return page + "</html>\n";
}

}  // namespace tilewright::report
