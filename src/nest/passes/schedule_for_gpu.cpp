// Completes a nest's loops for a GPU: dispatches on its form, then writes the loops.
#include "nest/passes/schedule_for_gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "nest/passes/gpu_schedule.h"
#include "nest/passes/pair_factors.h"
#include "nest/passes/unit_figures.h"
#include "support/matrix_unit.h"

namespace tilewright::nest {
namespace gpu_schedule {

std::int64_t aligned_elements(const TensorFacts& facts, DType dtype) {
  std::int64_t bytes = std::min<std::int64_t>(facts.align, vector_bytes);
  for (const StrideClass stride : facts.strides)
    if (stride == StrideClass::other) bytes = std::min<std::int64_t>(bytes, facts.stride_align);
  return std::max<std::int64_t>(bytes / static_cast<std::int64_t>(size_of(dtype)), 1);
}

namespace {

bool starts_aligned(const Read& read) {
  return std::ranges::all_of(read.index, [](const Affine& slot) { return slot.constant == 0; });
}

}  // namespace

std::int64_t Problem::vector_along(IterId iter, const Read* main) const {
  std::int64_t widest = 1, aligned = vector_bytes;
  const bool stores = output_stride_along(nest, facts, iter) == StrideClass::one;
  const auto consider = [&](const TensorFacts& tensor, DType dtype) {
    aligned = std::min(aligned, aligned_elements(tensor, dtype));
    widest = std::max(widest, static_cast<std::int64_t>(size_of(dtype)));
  };
  if (stores) consider(facts.output, nest.output);
  for (const Read& read : nest.reads) {
    if (stride_along(nest, facts, read, iter) != StrideClass::one) continue;
    const DType dtype = nest.tensors[read.tensor].dtype;
    widest = std::max(widest, static_cast<std::int64_t>(size_of(dtype)));
    if ((!main && !stores) || &read == main)
      if (starts_aligned(read)) consider(facts.operands[read.tensor.index], dtype);
  }
  if (!stores && !main && nest.reads.size() == 0) aligned = 1;
  return std::min(aligned, vector_bytes / widest);
}

std::int64_t Problem::bytes_of(const std::vector<CachedRead>& caches) const {
  std::int64_t bytes = 0;
  for (const CachedRead& cache : caches) {
    auto size = static_cast<std::int64_t>(size_of(nest.tensors[nest.reads[cache.read].tensor].dtype));
    for (const auto& [iter, points] : cache.tile) size *= points;
    bytes += size;
  }
  return bytes;
}

std::optional<Contraction> wide_contraction(const Problem& p) {
  const auto contraction = as_contraction(p.nest);
  const auto wide = [&](const std::vector<IterId>& iters) { return p.points(iters) > 1; };
  if (!contraction || !wide(contraction->m) || !wide(contraction->n) || p.points(p.reductions) == 0)
    return std::nullopt;
  return contraction;
}

void deal_rest(const Problem& p, Choice& choice, const std::vector<IterId>& iters) {
  for (auto iter = iters.rbegin(); iter != iters.rend(); ++iter) {
    const std::int64_t left = p.threads() / choice.threads();
    const std::int64_t threads = std::min(left, p.bucket(*iter));
    if (threads <= 1) continue;
    choice.dealt[*iter].threads = threads;
    choice.thread_order.insert(choice.thread_order.begin(), *iter);
  }
}

std::int64_t blocks_of(const Problem& p, const Choice& choice) {
  std::int64_t blocks = 1;
  for (IterId iter : p.outputs) {
    const std::int64_t points = choice.points(iter);
    blocks *= std::max<std::int64_t>((p.bucket(iter) + points - 1) / points, 1);
    if (blocks > (std::int64_t{1} << 40)) break;
  }
  return blocks;
}

void add_grid(const Problem&, Choice& choice, const std::vector<IterId>& iters) {
  for (IterId iter : iters) choice.levels.push_back({iter, choice.points(iter), true});
}

namespace {

/// Without matrix units.
Choice choose(const Problem& p) {
  if (p.reductions.empty()) return choose_map(p);
  if (const auto contraction = wide_contraction(p)) return choose_contraction(p, *contraction);
  return choose_reduction(p);
}

/// By matrix units, where the schedule asks for them, or says nothing and they are quicker.
Result<std::optional<Choice>> choose_units(const Problem& p) {
  const std::string& variant = p.nest.schedule.variant;
  const bool demanded = matrix_unit::unit_named(variant).has_value();
  if (!demanded && (!p.nest.schedule.automatic || !variant.empty())) return std::nullopt;
  if (const auto contraction = demanded ? as_contraction(p.nest) : wide_contraction(p))
    return choose_matrix_product(p, *contraction, demanded);
  if (!demanded) return std::nullopt;
  return fail("N053", fmt::format("{} is no sum of products, which variant '{}' is for", p.nest.name, variant),
              "leave the variant out");
}

/// The largest divisor of `value` that is at most `most`.
std::int64_t divisor(std::int64_t value, std::int64_t most) {
  most = std::clamp<std::int64_t>(most, 1, value);
  while (value % most != 0) --most;
  return most;
}

/// A tile of so many points, dealt out as near to `like` as it divides.
Dealt deal_tile(std::int64_t points, const Dealt& like) {
  Dealt dealt;
  dealt.chunk = divisor(points, like.chunk);
  dealt.threads = divisor(points / dealt.chunk, like.threads);
  dealt.pieces = points / (dealt.chunk * dealt.threads);
  return dealt;
}

/// What a schedule block says of one iterator's loops.
struct Written {
  std::vector<std::int64_t> tiles;  ///< constant steps, outermost first
  std::int64_t lanes = 0;           ///< of vectorize
  std::int64_t unroll = 0;
};

std::map<IterId, Written> written_loops(const Nest& nest) {
  std::map<IterId, Written> written;
  for (const Loop& loop : nest.loops) {
    const bool is_tiled = std::ranges::find(nest.loops, loop.name + ".in", &Loop::name) != nest.loops.end();
    if (is_tiled && loop.step.is_constant()) written[loop.iter].tiles.push_back(loop.step.constant());
    if (loop.vector_width > 1) written[loop.iter].lanes = loop.vector_width;
    if (loop.unroll > 0) written[loop.iter].unroll = loop.unroll;
  }
  return written;
}

/// The block's threads as the schedule asks: each iterator's pieces become threads, or threads pieces, while that comes
/// nearer; never more than asked for.
void fit_threads(const Problem& p, Choice& choice) {
  if (p.nest.schedule.threads == 0 && p.nest.schedule.warps.empty() && choice.threads() <= p.target.max_block_threads)
    return;
  const std::int64_t most = p.threads();
  for (auto iter = choice.thread_order.rbegin(); iter != choice.thread_order.rend(); ++iter) {
    Dealt& dealt = choice.dealt.at(*iter);
    const std::int64_t others = choice.threads() / dealt.threads;
    const std::int64_t points = dealt.threads * dealt.pieces;
    if (others > most) {
      dealt = {1, dealt.chunk, points};
      continue;
    }
    dealt.threads = divisor(points, most / others);
    dealt.pieces = points / dealt.threads;
  }
}

/// Tiles that the automatic choice, which goes by the extents, deals to few threads may leave each with more outputs
/// than it has registers for: their pieces become threads while the block has room for more.
void spread_outputs(const Problem& p, Choice& choice) {
  constexpr std::int64_t most = 128;  // accumulators of a thread
  std::int64_t held = 1;
  for (IterId iter : p.outputs)
    if (const auto found = choice.dealt.find(iter); found != choice.dealt.end())
      held *= found->second.chunk * found->second.pieces;
  for (auto iter = choice.thread_order.rbegin(); iter != choice.thread_order.rend() && held > most; ++iter) {
    Dealt& dealt = choice.dealt.at(*iter);
    if (p.nest.iterators[*iter].role != IteratorRole::output) continue;
    const std::int64_t room = std::max<std::int64_t>(p.threads() / choice.threads(), 1);
    const std::int64_t factor = divisor(dealt.pieces, std::min(room, (held + most - 1) / most));
    dealt.threads *= factor;
    dealt.pieces /= factor;
    held /= factor;
  }
}

/// The order in which the schedule writes the loops of these iterators, the outermost first.
std::vector<IterId> written_order(const Nest& nest, const std::vector<IterId>& iters) {
  std::vector<IterId> order;
  for (const bool parallel : {true, false})
    for (const Loop& loop : nest.loops)
      if (loop.parallel == parallel && std::ranges::find(iters, loop.iter) != iters.end() &&
          std::ranges::find(order, loop.iter) == order.end())
        order.push_back(loop.iter);
  return order;
}

/// Keeps what the schedule says: tiles of output iterators are the block's, in the order of their loops; the innermost
/// tile of a reduction is what is staged or added in one step, those around it are loops; cached reads and no others
/// are staged. What it leaves out is as it would be without it. Output loops that stand inside of reductions move out:
/// a block has its outputs in registers.
Choice complete(const Problem& p) {
  const Choice automatic = choose(p);
  std::map<IterId, Written> written = written_loops(p.nest);
  Choice choice;
  choice.lanes = automatic.lanes;
  choice.dealt = automatic.dealt;
  choice.thread_order = automatic.thread_order;
  choice.caches = p.nest.schedule.caches;
  const auto deal = [&](IterId iter, std::int64_t points) {
    if (points == 1) {
      choice.dealt.erase(iter);
      std::erase(choice.thread_order, iter);
      if (choice.lanes == iter) choice.lanes = {};
      return;
    }
    Dealt like = choice.dealt.contains(iter) ? choice.dealt.at(iter) : Dealt{};
    if (written[iter].lanes > 0) like.chunk = written[iter].lanes, choice.lanes = iter;
    choice.dealt[iter] = deal_tile(points, like);
    if (std::ranges::find(choice.thread_order, iter) == choice.thread_order.end())
      choice.thread_order.insert(choice.thread_order.begin(), iter);
  };
  for (IterId iter : p.outputs) {
    if (!written[iter].tiles.empty())
      deal(iter, written[iter].tiles.front());
    else if (written[iter].lanes > 0)
      deal(iter, choice.points(iter) * written[iter].lanes);
  }
  // Threads share a reduction's terms in one step of its innermost loop; terms that a thread takes together divide it.
  // Where factors are staged, such a step must not begin in the middle of a staged tile and end behind it.
  const auto step_of = [&](const std::vector<std::int64_t>& tiles) {
    std::int64_t step = tiles.back();
    if (!choice.caches.empty())
      for (std::int64_t tile : tiles) step = std::gcd(step, tile);
    return step;
  };
  for (IterId iter : p.reductions) {
    const std::vector<std::int64_t>& tiles = written[iter].tiles;
    const auto dealt = choice.dealt.find(iter);
    if (dealt != choice.dealt.end() && dealt->second.threads == 1 && written[iter].lanes == 0) {
      if (!tiles.empty()) dealt->second.chunk = divisor(step_of(tiles), dealt->second.chunk);
      continue;
    }
    if (dealt == choice.dealt.end() && written[iter].lanes == 0) continue;
    const std::int64_t lanes = std::max<std::int64_t>(written[iter].lanes, 1);
    deal(iter, !tiles.empty() ? step_of(tiles) : std::max(choice.points(iter) / lanes, std::int64_t{1}) * lanes);
  }
  spread_outputs(p, choice);
  fit_threads(p, choice);
  add_grid(p, choice, written_order(p.nest, p.outputs));
  const std::vector<IterId> reductions = written_order(p.nest, p.reductions);
  std::size_t depth = 0;
  for (IterId iter : reductions) depth = std::max(depth, written[iter].tiles.size());
  for (std::size_t level = 0; level < depth; ++level)
    for (IterId iter : reductions)
      if (const auto& tiles = written[iter].tiles; level < tiles.size() && tiles[level] > choice.points(iter))
        choice.levels.push_back({iter, tiles[level]});
  for (IterId iter : reductions) {
    const std::int64_t points = choice.points(iter);
    const bool staged = !choice.caches.empty() && !written[iter].tiles.empty() && written[iter].tiles.back() > points &&
                        (!choice.dealt.contains(iter) || choice.dealt.at(iter).threads == 1);
    const std::int64_t steps = staged ? written[iter].tiles.back() / points : 0;
    choice.levels.push_back(
        {iter, points, false, written[iter].unroll > 0 ? written[iter].unroll : std::min<std::int64_t>(steps, 8)});
  }
  if (p.nest.schedule.split_iter.valid() && p.nest.schedule.split > 1) choice.split = p.nest.schedule.split_iter;
  const std::int64_t asked = p.nest.schedule.threads > 0 || !p.nest.schedule.warps.empty() ? p.threads() : 0;
  choice.reasons.push_back(fmt::format(
      "form: as written; {} threads a block{}", choice.threads(),
      asked > choice.threads() ? fmt::format(" of {} asked for: its tiles are not dealt to more", asked) : ""));
  return choice;
}

/// The split that a schedule asks for: a part is whole steps of the loops inside of it, so there may be fewer parts.
void add_split(const Problem& p, Choice& choice) {
  std::int64_t granule = 1;
  for (const Level& level : choice.levels)
    if (level.iter == choice.split && level.step.is_constant()) granule = std::max(granule, level.step.constant());
  const IntExpr pieces = ceil_div(p.nest.iterators[choice.split].extent, granule);
  const IntExpr part = max(ceil_div(pieces, p.nest.schedule.split), 1) * granule;
  choice.levels.insert(choice.levels.begin(), Level{choice.split, part, true});
}

/// Writes the choice as the nest's loops.
void write_loops(Nest& nest, const Choice& choice) {
  std::map<IterId, std::string> names;
  const auto add = [&](IterId iter, IntExpr step) -> Loop& {
    std::string& name = names[iter];
    name = name.empty() ? nest.iterators[iter].name : name + ".in";
    nest.loops.push_back(Loop{name, iter, std::move(step)});
    return nest.loops.back();
  };
  nest.loops.clear();
  for (const Level& level : choice.levels) {
    Loop& loop = add(level.iter, level.step);
    loop.parallel = level.parallel;
    loop.unroll = level.unroll;
  }
  const auto each = [&](auto&& write) {
    for (IterId iter : choice.thread_order)
      if (const auto found = choice.dealt.find(iter); found != choice.dealt.end()) write(iter, found->second);
  };
  each([&](IterId iter, const Dealt& dealt) {
    if (dealt.groups > 1) add(iter, dealt.points() / dealt.groups).threads = dealt.groups;
  });
  each([&](IterId iter, const Dealt& dealt) {
    const std::int64_t threads = dealt.outer * dealt.threads;
    if (dealt.pieces <= 1 || threads <= 1) return;
    Loop& loop = add(iter, threads * dealt.chunk);
    loop.in_registers = true;
    loop.unroll = dealt.pieces;
  });
  each([&](IterId iter, const Dealt& dealt) {
    if (dealt.outer > 1) add(iter, dealt.threads * dealt.chunk).threads = dealt.outer;
  });
  each([&](IterId iter, const Dealt& dealt) {
    if (dealt.threads > 1) add(iter, dealt.chunk).threads = dealt.threads;
  });
  each([&](IterId iter, const Dealt& dealt) {
    const std::int64_t points = dealt.outer * dealt.threads > 1 ? dealt.chunk : dealt.chunk * dealt.pieces;
    if (points <= 1) return;
    Loop& loop = add(iter, 1);
    loop.in_registers = true;
    (iter == choice.lanes ? loop.vector_width : loop.unroll) = points;
  });
}

constexpr std::int64_t register_bytes = 4;

/// N058: the nest holds numbers of a type that the target lacks.
Result<void> check_types(const Problem& p) {
  if (p.target.has_f64) return {};
  const auto is_double = [](const auto& each) { return each.dtype == DType::f64; };
  std::string what;
  if (const auto read = std::ranges::find_if(p.nest.tensors, is_double); read != p.nest.tensors.end())
    what = fmt::format("the operand {} of {} is", read->name, p.nest.name);
  else if (p.nest.output == DType::f64)
    what = fmt::format("the result of {} is", p.nest.name);
  else if (std::ranges::any_of(p.nest.exprs, is_double))
    what = fmt::format("a value that {} computes is", p.nest.name);
  if (what.empty()) return {};
  return fail("N058", fmt::format("{} f64, which {} lacks", what, p.target.arch),
              "any other type: f32, by cast(f32, ...) or from operands of it");
}

/// N050: a block of that many threads is not to be had.
Result<void> check_threads(const Problem& p) {
  const std::int64_t warp = p.target.warp_threads;
  const std::int64_t most = p.target.max_block_threads;
  const std::vector<std::int64_t>& warps = p.nest.schedule.warps;
  const std::int64_t asked = p.nest.schedule.threads;
  const auto refuse = [&](const std::string& what, std::string remedy) {
    return fail("N050", fmt::format("the schedule of {} asks for {}", p.nest.name, what), std::move(remedy));
  };
  if (asked > most)
    return refuse(fmt::format("{} threads, and a block of {} has at most {}", asked, p.target.arch, most),
                  fmt::format("threads = {} to {}", warp, most));
  if (asked % warp != 0)
    return refuse(
        fmt::format("{} thread{}, and a block of {} has whole warps of {}", asked, asked == 1 ? "" : "s", p.target.arch,
                    warp),
        fmt::format("threads = {}, or another multiple of {} up to {}", (asked + warp - 1) / warp * warp, warp, most));
  if (warps.empty()) return {};
  const std::string said = fmt::format("{} warps", fmt::join(warps, " x "));
  std::int64_t all = 1;
  for (const std::int64_t each : warps)
    if (__builtin_mul_overflow(all, each, &all)) all = INT64_MAX;
  if (all > most / warp)
    return refuse(
        fmt::format("{}, and a block of {} has at most {} of {} threads", said, p.target.arch, most / warp, warp),
        fmt::format("warps(m, n) with m * n up to {}", most / warp));
  if (warps.size() > 2 && warps[2] > 1)
    return refuse(fmt::format("{}, and a block of {} has one warp along the terms", said, p.target.arch),
                  "warps(m, n); split(k, n) divides the terms");
  if (asked > 0 && asked != all * warp)
    return refuse(fmt::format("{} threads and for {}, which have {}", asked, said, all * warp),
                  "leave one of the two lines out");
  return {};
}

Result<void> check_schedule(const Problem& p) {
  const std::string& variant = p.nest.schedule.variant;
  if (!variant.empty() && !matrix_unit::unit_named(variant) && variant != scalar_variant)
    return fail("N053", fmt::format("variant '{}' of {} is not to be had on {}", variant, p.nest.name, p.target.arch),
                fmt::format("{}; or leave the variant out", variants_text(p.target)));
  constexpr std::int64_t most_stages = 8;
  if (p.nest.schedule.stages > most_stages)
    return fail("N055", fmt::format("the schedule of {} asks for {} stages", p.nest.name, p.nest.schedule.stages),
                fmt::format("stages = 1 to {}", most_stages));
  return check_threads(p);
}

/// A thread keeps the sums of its outputs in registers until the terms are through.
Result<void> check_registers(const Problem& p, const Choice& choice) {
  if (p.reductions.empty()) return {};
  std::int64_t sums = 1;
  for (IterId iter : p.outputs)
    if (const auto found = choice.dealt.find(iter); found != choice.dealt.end())
      if (__builtin_mul_overflow(sums, found->second.chunk * found->second.pieces, &sums)) sums = INT64_MAX;
  const auto bytes = static_cast<std::int64_t>(size_of(p.nest.accumulate));
  const std::int64_t most =
      std::min<std::int64_t>(p.target.max_thread_registers, p.target.multiprocessor_registers / choice.threads()) *
      register_bytes / std::max(bytes, register_bytes);
  if (sums <= most) return {};
  return fail(
      "N051",
      fmt::format("the tiles of {} leave each of {} threads {} values of {} to sum, and a thread of such a block "
                  "of {} has registers for at most {}",
                  p.nest.name, choice.threads(), sums, name(p.nest.accumulate), p.target.arch, most),
      "give smaller tiles of the output, or the same tiles more threads");
}

}  // namespace
}  // namespace gpu_schedule

Result<Reasons> schedule_for_gpu(Nest& nest, const Facts& facts, const GpuTarget& target, std::size_t rank) {
  using namespace gpu_schedule;
  const std::optional<std::string> paired = pair_factors(nest, facts);
  const Problem problem(nest, facts, target, rank);
  if (Result<void> known = check_types(problem); !known) return std::unexpected(std::move(known.error()));
  if (Result<void> fits = check_schedule(problem); !fits) return std::unexpected(std::move(fits.error()));
  Result<std::optional<Choice>> units = choose_units(problem);
  if (!units) return std::unexpected(std::move(units.error()));
  if (nest.schedule.split <= 1) nest.schedule.split = 0, nest.schedule.split_iter = {};  // one part is no split
  Choice choice = *units ? **std::move(units) : nest.schedule.automatic ? choose(problem) : complete(problem);
  if (!nest.schedule.automatic)
    if (Result<void> fits = check_registers(problem, choice); !fits) return std::unexpected(std::move(fits.error()));
  if (choice.split.valid() && choice.part == 0) {
    add_split(problem, choice);
  } else if (choice.split.valid()) {
    nest.schedule.split_iter = choice.split;
    nest.schedule.split =
        std::max<std::int64_t>(problem.bucket(choice.split) / std::max<std::int64_t>(choice.part, 1), 2);
  }
  nest.schedule.lanes = choice.lanes;
  nest.schedule.caches = choice.caches;
  if (!choice.variant.empty()) nest.schedule.variant = choice.variant;
  write_loops(nest, choice);
  if (paired) choice.reasons.push_back(*paired);
  if (nest.schedule.stages > 1 && !target.has_async_copies)
    choice.reasons.push_back(fmt::format("stages: one, since {} has no asynchronous copies", target.arch));
  return std::move(choice.reasons);
}

}  // namespace tilewright::nest
