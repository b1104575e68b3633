// cache(t, …). See cache_reads.h.
#include "nest/passes/cache_reads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nest/print.h"

namespace tilewright::nest {
namespace {

/// More than the caches of any core, and than the shared memory of any block: those have limits of their own.
constexpr std::int64_t most_staged_bytes = std::int64_t{1} << 26;

Result<TensorId> find_tensor(const Nest& nest, const ScheduleContext& context, std::size_t argument) {
  std::vector<std::string> names;
  for (std::uint32_t index = 0; index < nest.tensors.size(); ++index) {
    if (nest.tensors[TensorId{index}].name == context.name_at(argument)) return TensorId{index};
    names.push_back(nest.tensors[TensorId{index}].name);
  }
  return context.fail_at(
      argument, "N023", fmt::format("'{}' reads no tensor '{}'", nest.name, context.name_at(argument)),
      names.empty() ? "the statement reads no tensor" : fmt::format("it reads {}", fmt::join(names, ", ")));
}

/// The size of the outermost tile of the iterator, or 0.
std::int64_t tile_of(const Nest& nest, IterId iter) {
  const std::string& name = nest.iterators[iter].name;
  if (loop_place(nest, name + ".in") == nest.loops.size()) return 0;
  return nest.loops[loop_place(nest, name)].step.constant();
}

Result<CachedRead> plan_read(const Nest& nest, const ScheduleContext& context, std::size_t argument, ReadId read) {
  CachedRead plan{.read = read, .tile = {}};
  for (const Affine& index : nest.reads[read].index)
    for (const Affine::Term& term : index.terms) {
      if (std::ranges::find(plan.tile, term.iter, &std::pair<IterId, std::int64_t>::first) != plan.tile.end()) continue;
      const std::string& name = nest.iterators[term.iter].name;
      const std::int64_t size = tile_of(nest, term.iter);
      if (size == 0)
        return context.fail_at(
            argument, "N024",
            fmt::format("{} cannot be cached: '{}' is not tiled", to_text(nest, nest.reads[read]), name),
            fmt::format("write tile({}, n) before this line", name));
      plan.tile.emplace_back(term.iter, size);
    }
  return plan;
}

/// N030: a buffer that no memory of a core or a block could hold.
Result<void> check_size(const Nest& nest, const ScheduleContext& context, std::size_t argument,
                        const CachedRead& plan) {
  const Read& read = nest.reads[plan.read];
  const DType dtype = nest.tensors[read.tensor].dtype;
  const std::vector<std::int64_t> shape = staged_shape(nest, plan);
  std::int64_t bytes = static_cast<std::int64_t>(size_of(dtype));
  bool fits = true;
  for (const std::int64_t size : shape) fits = fits && !__builtin_mul_overflow(bytes, size, &bytes);
  if (fits && bytes <= most_staged_bytes) return {};
  return context.fail_at(argument, "N030",
                         fmt::format("the buffer of {} is {} {}, {} bytes", to_text(nest, read), name(dtype),
                                     fmt::join(shape, "x"), fits ? std::to_string(bytes) : "more than 2^63"),
                         fmt::format("a staged buffer has at most {} bytes: give smaller tiles", most_staged_bytes));
}

void explain(const Nest& nest, const CachedRead& plan, ScheduleContext& context) {
  const Read& read = nest.reads[plan.read];
  std::vector<std::string> reasons;
  for (const auto& [iter, size] : plan.tile)
    reasons.push_back(fmt::format("{} by {}", nest.iterators[iter].name, size));
  context.entry.provenance.push_back(
      {fmt::format("buffer of {} is {} {}", to_text(nest, read), name(nest.tensors[read.tensor].dtype),
                   plan.tile.empty() ? "one element" : fmt::format("{}", fmt::join(staged_shape(nest, plan), "x"))),
       reasons.empty() ? "its constant indices" : fmt::format("the tiles of {}", fmt::join(reasons, ", "))});
}

}  // namespace

Result<void> cache_reads(Nest& nest, ScheduleContext& context) {
  for (std::size_t argument = 0; argument < context.line.arguments.size(); ++argument) {
    Result<TensorId> tensor = find_tensor(nest, context, argument);
    if (!tensor) return std::unexpected(std::move(tensor.error()));
    for (const CachedRead& cache : nest.schedule.caches)
      if (nest.reads[cache.read].tensor == *tensor)
        return context.fail_at(argument, "N025", fmt::format("'{}' is cached twice", context.name_at(argument)),
                               "name each tensor once");
    for (std::uint32_t index = 0; index < nest.reads.size(); ++index) {
      if (nest.reads[ReadId{index}].tensor != *tensor) continue;
      Result<CachedRead> plan = plan_read(nest, context, argument, ReadId{index});
      if (!plan) return std::unexpected(std::move(plan.error()));
      if (Result<void> fits = check_size(nest, context, argument, *plan); !fits) return fits;
      explain(nest, *plan, context);
      nest.schedule.caches.push_back(std::move(*plan));
    }
  }
  return {};
}

}  // namespace tilewright::nest
