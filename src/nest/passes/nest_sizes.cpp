// Questions of schedulers. See nest_sizes.h.
#include "nest/passes/nest_sizes.h"

#include <algorithm>

namespace tilewright::nest {

NestSizes::NestSizes(const Nest& nest_in, const Facts& facts_in) : nest(nest_in), facts(facts_in) {
  for (std::size_t i = 0; i < nest.iterators.size(); ++i) {
    const IterId iter{static_cast<std::uint32_t>(i)};
    if (nest.iterators[iter].role == IteratorRole::reduction) reductions.push_back(iter);
  }
  outputs = nest.output_index;
}

std::int64_t NestSizes::points(const std::vector<IterId>& iters) const {
  std::int64_t product = 1;
  for (IterId iter : iters) {
    const std::int64_t extent = bucket(iter);
    if (extent == 0) return 0;
    product = product > (std::int64_t{1} << 38) ? product : product * extent;
  }
  return product;
}

IterId NestSizes::largest(const std::vector<IterId>& iters) const {
  IterId best;
  for (IterId iter : iters)
    if (!best.valid() || bucket(iter) >= bucket(best)) best = iter;
  return best;
}

IterId NestSizes::output_lanes() const {
  for (auto iter = outputs.rbegin(); iter != outputs.rend(); ++iter)
    if (output_stride_along(nest, facts, *iter) == StrideClass::one) return *iter;
  for (auto iter = outputs.rbegin(); iter != outputs.rend(); ++iter)
    for (const Read& read : nest.reads)
      if (stride_along(nest, facts, read, *iter) == StrideClass::one) return *iter;
  return outputs.empty() ? IterId{} : outputs.back();
}

IterId NestSizes::crossing(IterId lanes, std::int64_t least) const {
  for (const Read& read : nest.reads) {
    if (read.otherwise || stride_along(nest, facts, read, lanes) != StrideClass::other) continue;
    for (IterId iter : outputs)
      if (iter != lanes && bucket(iter) >= least && stride_along(nest, facts, read, iter) == StrideClass::one)
        return iter;
  }
  return {};
}

const Read* NestSizes::main_read() const {
  const Read* best = nullptr;
  std::int64_t most = 0;
  for (ReadId id : reads_below(nest, nest.value)) {
    const Read& read = nest.reads[id];
    std::vector<IterId> iters;
    for (std::size_t i = 0; i < nest.iterators.size(); ++i)
      if (const IterId iter{static_cast<std::uint32_t>(i)}; depends_on(read, iter)) iters.push_back(iter);
    const std::int64_t moved = points(iters);
    if (!best || moved > most) best = &read;
    most = std::max(most, moved);
  }
  return best;
}

IterId NestSizes::contiguous_in(const Read* read) const {
  if (!read) return {};
  for (const std::vector<IterId>* group : {&reductions, &outputs})
    for (auto iter = group->rbegin(); iter != group->rend(); ++iter)
      if (bucket(*iter) > 1 && stride_along(nest, facts, *read, *iter) == StrideClass::one) return *iter;
  return {};
}

std::vector<CachedRead> NestSizes::staged_crossing(IterId lanes, IterId cross,
                                                   const std::function<std::int64_t(IterId)>& points_of) const {
  std::vector<CachedRead> caches;
  for (std::size_t r = 0; r < nest.reads.size(); ++r) {
    const ReadId id{static_cast<std::uint32_t>(r)};
    const Read& read = nest.reads[id];
    if (read.otherwise || stride_along(nest, facts, read, cross) != StrideClass::one ||
        stride_along(nest, facts, read, lanes) != StrideClass::other)
      continue;
    CachedRead staged{id, {}};
    for (IterId iter : outputs)
      if (depends_on(read, iter)) staged.tile.emplace_back(iter, points_of(iter));
    caches.push_back(std::move(staged));
  }
  return caches;
}

}  // namespace tilewright::nest
