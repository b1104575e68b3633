// The table of schedule passes and the runner over it. See schedule_table.h.
#include "nest/passes/schedule_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/schedule_lines.h"
#include "nest/passes/cache_reads.h"
#include "nest/passes/parallelize_loop.h"
#include "nest/passes/reorder_loops.h"
#include "nest/passes/set_automatic.h"
#include "nest/passes/set_stages.h"
#include "nest/passes/set_threads.h"
#include "nest/passes/set_variant.h"
#include "nest/passes/set_warps.h"
#include "nest/passes/split_reduction.h"
#include "nest/passes/tile_loop.h"
#include "nest/passes/unroll_loop.h"
#include "nest/passes/vectorize_loop.h"

namespace tilewright::nest {
namespace {

constexpr PassKind transform = PassKind::transform;
constexpr PassKind analysis = PassKind::analysis;

constexpr std::array<SchedulePass, 12> table = {{
    {"tile", tile_loop, "split a loop into an outer loop over tiles and an inner loop over one tile", transform},
    {"cache", cache_reads, "plan a staged buffer for each access map of a tensor", analysis},
    {"threads", set_threads, "set the threads of a block", analysis},
    {"parallel", parallelize_loop, "run an output loop across blocks or cores", transform},
    {"reorder", reorder_loops, "permute loops among their places", transform},
    {"vectorize", vectorize_loop, "compute neighbouring points of a loop as lanes", transform},
    {"unroll", unroll_loop, "repeat a loop's body between two tests", transform},
    {"split", split_reduction, "divide a reduction into parts that are combined at the end", transform},
    {"stages", set_stages, "set the depth of the copy pipeline", analysis},
    {"warps", set_warps, "lay warps over the tile", analysis},
    {"variant", set_variant, "choose the lowering variant", analysis},
    {"auto", set_automatic, "let the scheduler fill in what is not said", analysis},
}};

Result<void> apply_line(Nest& nest, const lang::ScheduleLine& line, const SourcePtr& source, Trace& trace) {
  if (Diagnostics malformed = lang::check_schedule_line(line, source); has_errors(malformed))
    return std::unexpected(std::move(malformed));
  auto pass = std::ranges::find(table, line.name.name, &SchedulePass::name);
  if (pass == table.end()) internal_error(fmt::format("the schedule line '{}' has no pass", line.name.name));
  TraceEntry entry;
  entry.pass = line.name.name;
  entry.description = pass->description;
  entry.kind = pass->kind;
  ScheduleContext context{line, source, entry};
  entry.line = context.line_text();
  if (Result<void> done = pass->run(nest, context); !done) return done;
  if (Result<void> sound = verify(nest); !sound)
    internal_error(fmt::format("after {}: {}\n{}", entry.line, render(sound.error()), to_text(nest)));
  entry.summary = summarize(nest);
  entry.text = to_text(nest);
  trace.entries.push_back(std::move(entry));
  return {};
}

}  // namespace

std::span<const SchedulePass> schedule_passes() {
  return table;
}

Result<void> apply_schedule(Nest& nest, const lang::Statement& statement, Trace& trace) {
  if (!statement.schedule) {
    nest.schedule.automatic = true;
    return {};
  }
  for (const lang::ScheduleLine& line : *statement.schedule)
    if (Result<void> done = apply_line(nest, line, statement.source, trace); !done) return done;
  return {};
}

}  // namespace tilewright::nest
