// Loops → schedule lines. See written_schedule.h.
#include "nest/written_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "nest/passes/schedule_context.h"
#include "support/matrix_unit.h"

namespace tilewright::nest {
namespace {

using Argument = lang::ScheduleLine::Argument;

Argument word(std::string text) {
  return {std::move(text), {}};
}
Argument count(std::int64_t value) {
  return {value, {}};
}

/// A loop that lines will make. All but the innermost one of an iterator are tiles.
struct Written {
  IterId iter;
  std::int64_t step = 1;
  bool parallel = false;
};

class Writer {
 public:
  Writer(const Nest& nest, ScheduledFor target, const SymbolValues& sizes)
      : nest_(nest), target_(target), sizes_(sizes) {}

  Schedule run() {
    take_loops();
    for (std::uint32_t i = 0; i < nest_.iterators.size(); ++i) fit_to_buffer(IterId{i});
    for (std::uint32_t i = 0; i < nest_.iterators.size(); ++i) add_tiles(IterId{i});
    if (nest_.schedule.split_iter.valid() && nest_.schedule.split > 1)
      add("split", {word(nest_.iterators[nest_.schedule.split_iter].name), count(nest_.schedule.split)});
    if (target_ == ScheduledFor::host) add_order();
    add_caches();
    if (target_ == ScheduledFor::host)
      add_registers();
    else
      add_threads();
    return std::move(lines_);
  }

 private:
  bool is_output(IterId iter) const { return nest_.iterators[iter].role == IteratorRole::output; }
  void add(std::string name, std::vector<Argument> arguments) {
    lines_.push_back(call_line(std::move(name), std::move(arguments)));
  }

  /// The loops outside of registers and threads, less what lines cannot say or need not: the parts of a split, tiles
  /// that are no smaller than those around them, and the innermost loop of a GPU's reduction, where it is no tile.
  void take_loops() {
    std::map<IterId, std::size_t> total, seen;
    const auto counts = [&](const Loop& loop) { return !loop.in_registers && loop.threads == 0 && !is_part(loop); };
    for (const Loop& loop : nest_.loops)
      if (counts(loop)) ++total[loop.iter];
    for (const Loop& loop : nest_.loops) {
      if (!counts(loop)) continue;
      const std::size_t place = ++seen[loop.iter];
      const bool innermost = place == total[loop.iter];
      const std::int64_t step = evaluate(loop.step, sizes_).value_or(1);
      const auto outer = std::ranges::find(loops_.rbegin(), loops_.rend(), loop.iter, &Written::iter);
      const bool is_tile = !innermost || (target_ == ScheduledFor::gpu && step > 1 &&
                                          (is_output(loop.iter) || place == 1 || is_dealt(loop.iter)));
      if (is_tile && (outer == loops_.rend() || step < outer->step)) loops_.push_back({loop.iter, step, loop.parallel});
      if (innermost) loops_.push_back({loop.iter, 0, loop.parallel && !is_tile});
    }
  }

  /// The outermost loop of a split reduction.
  bool is_part(const Loop& loop) const { return loop.parallel && !is_output(loop.iter); }
  /// Threads share the iterator's points.
  bool is_dealt(IterId iter) const {
    return std::ranges::any_of(nest_.loops, [&](const Loop& loop) { return loop.iter == iter && loop.threads > 1; });
  }

  /// A buffer is as large as the outermost tiles of its iterators: those around it go, and there is one at least.
  void fit_to_buffer(IterId iter) {
    std::int64_t staged = 0;
    for (const CachedRead& cache : nest_.schedule.caches)
      for (const auto& [of, size] : cache.tile)
        if (of == iter) staged = std::max(staged, size);
    if (staged == 0) return;
    bool parallel = false;
    std::erase_if(loops_, [&](const Written& loop) {
      const bool around = loop.iter == iter && loop.step > staged;
      parallel = parallel || (around && loop.parallel);
      return around;
    });
    const auto first = std::ranges::find(loops_, iter, &Written::iter);
    if (first == loops_.end()) return;
    first->parallel = first->parallel || parallel;
    if (first->step > 0) return;
    const Written tile{iter, staged, std::exchange(first->parallel, false)};
    loops_.insert(first, tile);
  }

  void add_tiles(IterId iter) {
    std::string name = nest_.iterators[iter].name;
    for (const Written& loop : loops_) {
      if (loop.iter != iter || loop.step == 0) continue;
      add("tile", {word(name), count(loop.step)});
      name += ".in";
    }
  }

  /// The loops' names in their order.
  std::vector<std::string> names() const {
    std::map<IterId, std::string> latest;
    std::vector<std::string> result;
    for (const Written& loop : loops_) {
      std::string& name = latest[loop.iter];
      name = name.empty() ? nest_.iterators[loop.iter].name : name + ".in";
      result.push_back(name);
    }
    return result;
  }

  void add_order() {
    const std::vector<std::string> order = names();
    std::vector<std::string> untouched;  // as tiles alone leave them
    for (const IteratorRole role : {IteratorRole::output, IteratorRole::reduction})
      for (std::uint32_t i = 0; i < nest_.iterators.size(); ++i) {
        if (nest_.iterators[IterId{i}].role != role) continue;
        std::string name = nest_.iterators[IterId{i}].name;
        for (const Written& loop : loops_)
          if (loop.iter == IterId{i}) untouched.push_back(std::exchange(name, name + ".in"));
      }
    if (order == untouched) return;
    std::vector<Argument> arguments;
    for (const std::string& name : order) arguments.push_back(word(name));
    add("reorder", std::move(arguments));
  }

  void add_caches() {
    std::vector<Argument> tensors;
    for (const CachedRead& cache : nest_.schedule.caches) {
      const std::string& name = nest_.tensors[nest_.reads[cache.read].tensor].name;
      const bool known = std::ranges::any_of(
          tensors, [&](const Argument& argument) { return std::get<std::string>(argument.value) == name; });
      if (!known) tensors.push_back(word(name));
    }
    if (!tensors.empty()) add("cache", std::move(tensors));
  }

  void add_registers() {
    std::map<IterId, std::string> innermost;
    const std::vector<std::string> all = names();
    for (std::size_t i = 0; i < loops_.size(); ++i) innermost[loops_[i].iter] = all[i];
    for (const Loop& loop : nest_.loops) {
      if (!loop.in_registers) continue;
      if (loop.vector_width > 1) add("vectorize", {word(innermost[loop.iter]), count(loop.vector_width)});
      if (loop.unroll > 1) add("unroll", {word(innermost[loop.iter]), count(loop.unroll)});
    }
    for (std::size_t i = 0; i < loops_.size(); ++i)
      if (loops_[i].parallel && is_output(loops_[i].iter)) add("parallel", {word(all[i])});
  }

  void add_threads() {
    constexpr std::int64_t warp = 32;
    const ScheduleFacts& facts = nest_.schedule;
    if (facts.stages > 0) lines_.push_back(property_line("stages", count(facts.stages)));
    if (!facts.variant.empty()) lines_.push_back(property_line("variant", word(facts.variant)));
    if (matrix_unit::unit_named(facts.variant)) return;  // as many as the unit needs for the tiles
    std::int64_t threads = 1;
    for (const Loop& loop : nest_.loops) threads *= std::max<std::int64_t>(loop.threads, 1);
    if (threads % warp == 0) lines_.push_back(property_line("threads", count(threads)));
  }

  const Nest& nest_;
  ScheduledFor target_;
  const SymbolValues& sizes_;
  std::vector<Written> loops_;
  Schedule lines_;
};

}  // namespace

Schedule write_schedule(const Nest& nest, ScheduledFor target, const SymbolValues& sizes) {
  return Writer(nest, target, sizes).run();
}

lang::ScheduleLine call_line(std::string name, std::vector<lang::ScheduleLine::Argument> arguments) {
  return {{std::move(name), {}}, std::move(arguments), false, {}};
}

lang::ScheduleLine property_line(std::string name, lang::ScheduleLine::Argument value) {
  return {{std::move(name), {}}, {std::move(value)}, true, {}};
}

}  // namespace tilewright::nest
