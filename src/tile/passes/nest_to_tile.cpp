// Nest → tile. See the header for the three shapes of reduction.
#include "tile/passes/nest_to_tile.h"

#include <algorithm>
#include <map>
#include <span>

#include "nest/access.h"
#include "support/overloaded.h"
#include "tile/builder.h"

namespace tilewright::tile {
namespace {

using nest::IteratorRole;
using nest::Loop;
using nest::Nest;

/// Rotates the first item that `matches` to the end.
template <class Item, class Matches>
void move_last(std::vector<Item>& items, Matches&& matches) {
  const auto found = std::ranges::find_if(items, matches);
  if (found != items.end()) std::rotate(found, found + 1, items.end());
}

class Lowering {
 public:
  Lowering(const Nest& nest, const nest::Facts& facts) : nest_(nest), build_(program_, program_.body) {
    declare_parameters(facts);
    sort_loops();
  }

  Program run() {
    emit_from(0);
    return std::move(program_);
  }

 private:
  bool is_split() const { return nest_.schedule.split_iter.valid() && nest_.schedule.split > 0; }
  bool is_reduction(IterId iter) const { return nest_.iterators[iter].role == IteratorRole::reduction; }

  void declare_parameters(const nest::Facts& facts) {
    program_.name = is_split() ? nest_.name + ".partial" : nest_.name;
    for (std::size_t t = 0; t < nest_.tensors.size(); ++t) {
      const nest::Tensor& tensor = nest_.tensors[TensorId{static_cast<std::uint32_t>(t)}];
      program_.tensors.add({tensor.name, tensor.dtype, facts.operands[t].strides, facts.operands[t].align, false,
                            stride_align(facts.operands[t])});
    }
    for (const nest::Iterator& iter : nest_.iterators) program_.iters.add({iter.name, iter.extent});
    Tensor output{nest_.name, nest_.output, facts.output.strides, facts.output.align, true, stride_align(facts.output)};
    if (is_split()) {
      output.name += ".partial";
      output.dtype = nest_.accumulate;
      output.strides.assign(nest_.output_index.size() + 1, StrideClass::other);
      output.strides.back() = StrideClass::one;
      output.align = 64;
    }
    output_ = program_.tensors.add(std::move(output));
  }

  /// Hosts load vectors from anywhere, and their facts say nothing of operands' strides.
  std::uint32_t stride_align(const nest::TensorFacts& facts) const { return on_threads() ? facts.stride_align : 1; }
  bool on_threads() const {
    return std::ranges::any_of(nest_.loops, [](const Loop& loop) { return loop.threads > 0; });
  }

  /// An axis of the register tile: of the points between two steps of the loop around it. A loop in registers around
  /// one over threads gives each thread pieces that lie its step apart.
  void add_register_axis(const Loop& loop, std::int64_t around) {
    const auto axis = std::ranges::find(registers_, loop.iter, &Axis::iter);
    const std::int64_t step = loop.step.constant();
    if (axis == registers_.end()) {
      registers_.push_back(Axis{.iter = loop.iter, .size = around / step, .chunk = step > 1 ? 1 : 0, .apart = step});
      if (step == 1) registers_.back().apart = 0;
      return;
    }
    axis->chunk = around;
    axis->size *= around;
  }

  /// Splits the loops into the grid, the threads, the loops proper and the axes of the register tile (lanes last).
  void sort_loops() {
    std::map<IterId, std::int64_t> step_around;
    for (const Loop& loop : nest_.loops) {
      const auto around = step_around.find(loop.iter);
      if (loop.in_registers) {
        add_register_axis(loop,
                          around != step_around.end() ? around->second : nest_.iterators[loop.iter].extent.constant());
        if (!loop.step.is_constant(1)) step_around[loop.iter] = loop.step.constant();
        continue;
      }
      if (loop.threads > 0) {
        program_.threads.push_back({loop.iter, loop.threads, loop.step.constant()});
        step_around[loop.iter] = loop.step.constant();
        if (is_reduction(loop.iter)) shared_reductions_.push_back(loop.iter);
        continue;
      }
      if (loop.parallel && loops_.empty())
        program_.grid.push_back({loop.iter, loop.step});
      else
        loops_.push_back(loop);
      step_around[loop.iter] = loop.step.is_constant() ? loop.step.constant() : 0;
    }
    move_last(registers_, [&](const Axis& a) { return a.iter == nest_.schedule.lanes; });
    for (const Axis& axis : registers_)
      if (!is_reduction(axis.iter))
        accumulator_axes_.push_back(axis);
      else
        reduction_axes_.push_back(axis);
    output_axes_ = accumulator_axes_;
    if (const Axis* lanes = find_axis(reduction_axes_, nest_.schedule.lanes)) accumulator_axes_.push_back(*lanes);
  }

  void emit_from(std::size_t depth) {
    if (!nest_.reduction) return depth == loops_.size() ? emit_plain() : open(depth);
    const auto rest = std::span(loops_).subspan(depth);
    if (std::ranges::any_of(rest, [&](const Loop& l) { return !is_reduction(l.iter); })) return open(depth);
    finish(accumulate(depth, identity_tile(accumulator_axes_)));
  }

  void open(std::size_t depth) {
    const Loop& loop = loops_[depth];
    if (is_reduction(loop.iter)) {
      if (outer_reductions_.empty()) allocate_accumulators(depth);
      outer_reductions_.push_back(loop.iter);
    }
    build_.for_loop(loop.iter, loop.step, {}, [&](const std::vector<ValueId>&) {
      emit_from(depth + 1);
      return std::vector<ValueId>{};
    });
  }

  // ---- Reductions ----

  ValueId identity_tile(std::vector<Axis> axes) {
    return build_.fill(nest_.identity, {nest_.accumulate, std::move(axes)});
  }

  ValueId combine_tiles(ValueId a, ValueId b) { return build_.map(combine(*nest_.reduction), {a, b}); }

  ValueId accumulate(std::size_t depth, ValueId accumulator) {
    if (depth == loops_.size()) return accumulate_tile(accumulator);
    const Loop& loop = loops_[depth];
    const auto deeper = std::span(loops_).subspan(depth + 1);
    const bool second_level =
        std::ranges::any_of(deeper, [&](const Loop& l) { return l.iter == loop.iter && l.unroll == 0; });
    const auto step = [&](const std::vector<ValueId>& carried) {
      if (!second_level) return std::vector{accumulate(depth + 1, carried[0])};
      const ValueId part = accumulate(depth + 1, identity_tile(accumulator_axes_));
      return std::vector{combine_tiles(carried[0], part)};
    };
    return build_.for_loop(loop.iter, loop.step, {accumulator}, step, on_threads() ? loop.unroll : 0)[0];
  }

  std::vector<IterId> reduction_axis_iters() const {
    std::vector<IterId> iters;
    for (const Axis& axis : reduction_axes_) iters.push_back(axis.iter);
    // Threads past the limit add nothing, whether they hold one point or several.
    for (IterId iter : shared_reductions_)
      if (!find_axis(reduction_axes_, iter)) iters.push_back(iter);
    return iters;
  }

  /// One step: the summand's tile joins the accumulator.
  ValueId accumulate_tile(ValueId accumulator) {
    tiles_.clear();
    const std::vector<IterId> folded = reduction_axis_iters();
    const auto* product = std::get_if<nest::ApplyExpr>(&nest_.exprs[nest_.value].node);
    if (product && product->op == ScalarOp::mul && nest_.reduction == Monoid::sum) {
      ValueId factors[2];
      std::vector<Axis> covered;
      for (int side = 0; side < 2; ++side) {
        const ValueId tile = emit(product->operands[static_cast<std::size_t>(side)]);
        factors[side] = build_.mask(tile, folded, zero(nest_.accumulate), build_.type(tile).axes);
        covered = join_axes(std::move(covered), build_.type(factors[side]).axes);
      }
      const bool covers = std::ranges::all_of(
          reduction_axes_, [&](const Axis& axis) { return find_axis(covered, axis.iter) != nullptr; });
      if (covers) return build_.contract(accumulator, factors[0], factors[1]);
    }
    const ValueId summand = emit(nest_.value);
    const std::vector<Axis> axes = join_axes(build_.type(summand).axes, reduction_axes_);
    ValueId masked = build_.mask(summand, folded, nest_.identity, axes);
    std::vector<Axis> kept = axes;
    std::erase_if(kept, [&](const Axis& a) { return !find_axis(accumulator_axes_, a.iter); });
    if (kept.size() != axes.size()) masked = build_.reduce(masked, *nest_.reduction, kept);
    return combine_tiles(accumulator, masked);
  }

  static Scalar zero(DType type) { return is_floating(type) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0}); }

  /// The reduction of this scope is complete: fold lanes, add what earlier passes left, finish or keep.
  void finish(ValueId accumulator) {
    ValueId total = accumulator;
    if (accumulator_axes_.size() != output_axes_.size()) total = build_.reduce(total, *nest_.reduction, output_axes_);
    for (IterId iter : shared_reductions_)
      total = build_.pure(ReduceAcross{total, iter, *nest_.reduction}, build_.type(total));
    if (outer_reductions_.empty()) return store_result(total);
    const ValueId sum = build_.if_when(
        When::first, outer_reductions_, [&] { return std::vector{total}; },
        [&] { return std::vector{combine_tiles(load_accumulator(), total)}; })[0];
    if (!accumulators_.valid()) return store_output(sum);
    build_.if_when(
        When::last, outer_reductions_,
        [&] {
          store_result(sum);
          return std::vector<ValueId>{};
        },
        [&] {
          build_.effect(StoreBuffer{accumulators_, sum});
          return std::vector<ValueId>{};
        });
  }

  // ---- Accumulators in memory ----

  ValueId load_accumulator() {
    const TileType type{nest_.accumulate, output_axes_};
    if (accumulators_.valid()) return build_.pure(LoadBuffer{accumulators_}, type);
    std::vector<Affine> index;
    for (IterId iter : nest_.output_index) index.push_back(Affine{{{iter, 1}}, 0});
    return build_.load(output_, std::move(index), std::nullopt, type);
  }

  /// A buffer over the output points of the scope around loop `depth`, row-major with the lanes innermost.
  void allocate_accumulators(std::size_t depth) {
    if (nest::accumulates_in_output(nest_)) return;
    Buffer buffer{"accumulators", nest_.accumulate, Space::task, {}, 1};
    std::vector<IterId> order = nest_.output_index;
    move_last(order, [&](IterId iter) { return iter == nest_.schedule.lanes; });
    for (auto iter = order.rbegin(); iter != order.rend(); ++iter) {
      const Axis* axis = find_axis(output_axes_, *iter);
      const IntExpr granule = axis ? axis->size : 1;
      const IntExpr span = span_at(*iter, depth);  // no buffer is empty, not even that of a nest without outputs
      const IntExpr capacity = ceil_div(span.is_constant() ? max(span, 1) : span, granule) * granule;
      buffer.axes.insert(buffer.axes.begin(), BufferAxis{*iter, capacity, 1, buffer.elements, 1});
      buffer.elements = buffer.elements * capacity;
    }
    accumulators_ = program_.buffers.add(std::move(buffer));
    build_.effect(Allocate{accumulators_});
  }

  /// How many points of `iter` the scope before loop `depth` holds at most.
  IntExpr span_at(IterId iter, std::size_t depth) const {
    IntExpr span = nest_.iterators[iter].extent;
    for (const GridAxis& axis : program_.grid)
      if (axis.iter == iter) span = min(axis.step, span);
    for (std::size_t d = 0; d < depth; ++d)
      if (loops_[d].iter == iter) span = loops_[d].step;
    return span;
  }

  // ---- Results ----

  void emit_plain() {
    tiles_.clear();
    store_result(emit(nest_.value));
  }

  void store_result(ValueId accumulated) {
    if (is_split()) return store_output(accumulated);
    tiles_.clear();
    accumulated_ = accumulated;
    store_output(emit(nest_.result));
  }

  void store_output(ValueId value) {
    std::vector<StoreIndex> index;
    if (is_split()) index.push_back({nest_.schedule.split_iter, program_.grid.front().step});
    for (IterId iter : nest_.output_index) index.push_back({iter, std::nullopt});
    if (build_.type(value).axes.size() != output_axes_.size())
      value = build_.mask(value, {}, zero(build_.type(value).dtype), output_axes_);
    build_.effect(Store{output_, std::move(index), value});
  }

  // ---- Expressions ----

  ValueId emit(nest::ExprId id) {
    if (const auto found = tiles_.find(id); found != tiles_.end()) return found->second;
    const nest::Expr& expr = nest_.exprs[id];
    const ValueId tile = std::visit(
        Overloaded{[&](const nest::Constant& c) { return build_.fill(c.value, {expr.dtype, {}}); },
                   [&](const nest::ReadValue& r) { return emit_read(r.read); },
                   [&](const nest::IterValue& i) { return build_.pure(Iota{i.iter}, {DType::i64, axes_of({i.iter})}); },
                   [&](const nest::ExtentValue& e) { return build_.pure(ExtentValue{e.value}, {DType::i64, {}}); },
                   [&](const nest::Accumulated&) { return accumulated_; },
                   [&](const nest::CastExpr& c) { return build_.cast(emit(c.operand), expr.dtype); },
                   [&](const nest::ApplyExpr& a) {
                     std::vector<ValueId> operands;
                     for (nest::ExprId operand : a.operands) operands.push_back(emit(operand));
                     return build_.map(a.op, std::move(operands));
                   }},
        expr.node);
    return tiles_[id] = tile;
  }

  std::vector<Axis> axes_of(const std::vector<IterId>& iters) const {
    std::vector<Axis> axes;
    for (const Axis& axis : registers_)
      if (std::ranges::find(iters, axis.iter) != iters.end()) axes.push_back(axis);
    return axes;
  }

  ValueId emit_read(nest::ReadId id) {
    const nest::Read& read = nest_.reads[id];
    std::vector<IterId> iters;
    for (const Affine& slot : read.index)
      for (const Affine::Term& term : slot.terms) iters.push_back(term.iter);
    return build_.load(read.tensor, read.index, read.otherwise, {nest_.tensors[read.tensor].dtype, axes_of(iters)});
  }

  const Nest& nest_;
  Program program_;
  Builder build_;
  TensorId output_;
  std::vector<Loop> loops_;
  std::vector<Axis> registers_, reduction_axes_, accumulator_axes_, output_axes_;
  std::vector<IterId> outer_reductions_;
  std::vector<IterId> shared_reductions_;  ///< reduction iterators that threads share
  BufferId accumulators_;
  std::map<nest::ExprId, ValueId> tiles_;  ///< of the block under construction
  ValueId accumulated_;
};

}  // namespace

Program nest_to_tile(const nest::Nest& nest, const nest::Facts& facts) {
  return Lowering(nest, facts).run();
}

}  // namespace tilewright::tile
