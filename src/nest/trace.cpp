// Text of traces. See trace.h.
#include "nest/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nest/print.h"

namespace tilewright::nest {
namespace {

std::string loop_summary(const Nest& nest, const Loop& loop) {
  std::string text = loop.name;
  if (!loop.step.is_constant(1)) text += fmt::format(" step {}", to_text(loop.step));
  text += nest.iterators[loop.iter].role == IteratorRole::output ? " (output" : " (reduction";
  if (loop.parallel) text += ", parallel";
  if (loop.vector_width != 0) text += fmt::format(", vectorize {}", loop.vector_width);
  if (loop.unroll != 0) text += fmt::format(", unroll {}", loop.unroll);
  return text + ")";
}

}  // namespace

std::string_view name(PassKind kind) {
  switch (kind) {
    case PassKind::transform:
      return "transform";
    case PassKind::analysis:
      return "analysis";
    case PassKind::lowering:
      return "lowering";
  }
  internal_error("unknown kind of pass");
}

std::vector<std::int64_t> staged_shape(const Nest& nest, const CachedRead& cache) {
  std::vector<std::int64_t> shape;
  for (const Affine& index : nest.reads[cache.read].index) {
    std::int64_t size = 1;
    for (const Affine::Term& term : index.terms) {
      auto tile = std::ranges::find(cache.tile, term.iter, &std::pair<IterId, std::int64_t>::first);
      const std::int64_t span = tile == cache.tile.end() ? 0 : tile->second - 1;
      std::int64_t reach = 0;
      if (__builtin_mul_overflow(term.coefficient, span, &reach) ||
          __builtin_add_overflow(size, reach < 0 ? -reach : reach, &size))
        size = std::numeric_limits<std::int64_t>::max();
    }
    shape.push_back(size);
  }
  return shape;
}

std::string summarize(const Nest& nest) {
  std::vector<std::string> loops;
  for (const Loop& loop : nest.loops) loops.push_back(loop_summary(nest, loop));
  std::string text = fmt::format("loops {}", loops.empty() ? "none" : fmt::format("{}", fmt::join(loops, ", ")));
  std::vector<std::string> reads;
  for (const Read& read : nest.reads) reads.push_back(to_text(nest, read));
  if (!reads.empty()) text += fmt::format("; reads {}", fmt::join(reads, ", "));
  const ScheduleFacts& facts = nest.schedule;
  for (const CachedRead& cache : facts.caches)
    text +=
        fmt::format("; cache {} {}", to_text(nest, nest.reads[cache.read]), fmt::join(staged_shape(nest, cache), "x"));
  if (facts.threads != 0) text += fmt::format("; threads {}", facts.threads);
  if (facts.stages != 0) text += fmt::format("; stages {}", facts.stages);
  if (!facts.warps.empty()) text += fmt::format("; warps {}", fmt::join(facts.warps, "x"));
  if (facts.split != 0)
    text += fmt::format("; split {} into {}{}", nest.iterators[facts.split_iter].name, facts.split,
                        facts.split_atomics ? " with atomics" : "");
  if (!facts.variant.empty()) text += fmt::format("; variant {}", facts.variant);
  if (facts.automatic) text += "; auto";
  return text;
}

std::string to_text(const Trace& trace) {
  std::string text;
  for (std::size_t index = 0; index < trace.entries.size(); ++index) {
    const TraceEntry& entry = trace.entries[index];
    text += fmt::format("{} {} [{}]{}: {}\n", index + 1, entry.pass, name(entry.kind),
                        entry.line.empty() ? "" : fmt::format(" {}", entry.line), entry.summary);
    for (const std::string& note : entry.notes) text += fmt::format("    note: {}\n", note);
    for (const Provenance& why : entry.provenance) text += fmt::format("    {}: from {}\n", why.decision, why.reason);
  }
  return text;
}

}  // namespace tilewright::nest
