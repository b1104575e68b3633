// Rings of stages. See pipeline_copies.h.
#include "tile/passes/pipeline_copies.h"

#include <algorithm>

#include "tile/engine_copy.h"
#include "tile/grid_points.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t most_by_itself = 3;  ///< stages, where the schedule says nothing
constexpr std::int64_t most_of_engine = 8;
constexpr std::int64_t barrier_bytes = stage_barrier_bytes * most_of_engine;

class Pipelining {
 public:
  Pipelining(Program& program, const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target)
      : program_(program),
        asked_(nest.schedule.stages),
        has_two_sums_(nest.precision == Precision::tf32x3),
        facts_(facts),
        target_(target) {
    for (const Buffer& buffer : program.buffers)
      if (buffer.space == Space::shared) all_bytes_ += shared_room(buffer);
  }

  void run(Block& block, bool repeats) {
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
      auto* loop = std::get_if<For>(&block.ops[i].node);
      for_each_block(block.ops[i], [&](Block& inner) { run(inner, repeats || loop); });
      if (!loop || !pipeline(*loop) || !repeats) continue;
      block.ops.insert(block.ops.begin() + static_cast<std::ptrdiff_t>(i), Op{Barrier{}, {}});
      ++i;
    }
  }

 private:
  /// Gives the loop stages, if it can have some. True: its first copies must not come before all threads are done with
  /// what was staged before; those of the engine wait by themselves.
  bool pipeline(For& loop) {
    std::vector<Op>& ops = loop.body.ops;
    const std::size_t head = staged_ops(program_, loop.body);
    if (head == 0 || !loop.step.is_constant() || head >= ops.size()) return false;
    const auto is_barrier = [](const Op& op) { return std::holds_alternative<Barrier>(op.node); };
    if (!is_barrier(ops[head]) || !is_barrier(ops.back()) || head + 1 == ops.size()) return false;
    for (std::size_t i = head; i < ops.size(); ++i) {
      bool fills = false;
      bool loads = false;
      walk_op(ops[i], [&](const Op& op) {
        fills = fills || fills_shared(program_, op);
        loads = loads || std::holds_alternative<Load>(op.node);
      });
      if (fills || (loads && asked_ == 0)) return false;
    }
    const bool by_engine = uses_units(loop.body) && uses_engine(loop);
    const std::int64_t stages = stages_of(loop.body, head, by_engine);
    if (stages < 2) return false;
    loop.stages = stages;
    ops.pop_back();
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(head));
    for (Op& op : ops)
      if (auto* copy = std::get_if<Copy>(&op.node)) copy->by_engine = by_engine;
    return !by_engine;
  }

  /// Coordinates are numbers of 32 bits there, strides go up.
  bool uses_engine(const For& loop) const {
    if (!target_.has_tensor_maps || !can_stage_by_engine(program_, loop)) return false;
    const auto is_short = [&](const Affine::Term& term) { return facts_.size_buckets[term.iter.index] < most_points; };
    return std::ranges::all_of(loop.body.ops, [&](const Op& op) {
      const auto* copy = std::get_if<Copy>(&op.node);
      return copy == nullptr || (!facts_.operands[copy->tensor.index].descends &&
                                 std::ranges::all_of(copy->index, [&](const Affine& slot) {
                                   return std::ranges::all_of(slot.terms, is_short);
                                 }));
    });
  }

  std::int64_t stages_of(const Block& body, std::size_t head, bool by_engine) const {
    if (asked_ > 0) return asked_;
    std::int64_t stage = 0;
    for (std::size_t i = 0; i < head; ++i)
      if (const auto* allocate = std::get_if<Allocate>(&body.ops[i].node))
        stage += shared_room(program_.buffers[allocate->buffer]);
    if (stage == 0) return 1;
    const std::int64_t others = all_bytes_ - stage + (by_engine ? barrier_bytes : 0);
    const std::int64_t half =
        std::min(target_.multiprocessor_shared_bytes / 2 - target_.system_shared_bytes, target_.max_block_shared_bytes);
    const std::int64_t of_two = (half - others) / stage;
    const std::int64_t of_one = (target_.max_block_shared_bytes - others) / stage;
    // A matrix unit's products run one step behind the stage that is read, and want one more.
    const std::int64_t more = uses_units(body) ? 1 : 0;
    const std::int64_t most = by_engine ? most_of_engine : most_by_itself + more;
    const bool alone = by_engine && (has_two_sums_ || points_of_grid(program_, facts_, UnknownSteps::all_points) <=
                                                          target_.multiprocessors);
    return std::clamp<std::int64_t>(of_two >= 2 + more && !alone ? of_two : of_one, 1, most);
  }

  static bool uses_units(const Block& body) {
    bool uses = false;
    walk(body, [&](const Op& op) {
      const auto* contract = std::get_if<Contract>(&op.node);
      uses = uses || (contract && contract->unit == Unit::warpgroup);
    });
    return uses;
  }

  Program& program_;
  std::int64_t asked_;
  bool has_two_sums_;  ///< of each output: no two blocks have the registers
  const nest::Facts& facts_;
  const GpuTarget& target_;
  std::int64_t all_bytes_ = 0;  ///< of shared memory, one stage each
};

}  // namespace

void pipeline_copies(Program& program, const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target) {
  if (target.has_async_copies) Pipelining(program, nest, facts, target).run(program.body, false);
}

}  // namespace tilewright::tile
