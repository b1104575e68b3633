// Longest chain of additions of a plan: each launch's tile program is run on chain lengths instead of tiles. A loop
// over a reduction is run twice, and what the second pass adds is added for each further one; a loop over outputs is
// run once, because its passes write different elements. See chain_length.h.
#include "report/chain_length.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "plan/run.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"
#include "tile/walk.h"

namespace tilewright::report {
namespace {

using tile::IterId;
using tile::ValueId;

/// Lengths by the three things that hold values.
struct Lengths {
  std::vector<std::int64_t> values;   ///< by ValueId
  std::vector<std::int64_t> buffers;  ///< by BufferId
  std::vector<std::int64_t> tensors;  ///< by TensorId of the program

  /// this + times · (this − before), entry by entry.
  void extrapolate(const Lengths& before, std::int64_t times) {
    const auto grow = [times](std::vector<std::int64_t>& now, const std::vector<std::int64_t>& then) {
      for (std::size_t i = 0; i < now.size(); ++i) now[i] += times * std::max<std::int64_t>(now[i] - then[i], 0);
    };
    grow(values, before.values);
    grow(buffers, before.buffers);
    grow(tensors, before.tensors);
  }
};

std::int64_t tree_depth(std::int64_t leaves) {
  return leaves <= 1 ? 0 : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(leaves - 1)));
}

class ProgramChains {
 public:
  ProgramChains(const tile::Program& program, SymbolValues symbols, std::vector<std::int64_t> tensors)
      : program_(program), symbols_(std::move(symbols)) {
    lengths_.values.resize(program.values.size());
    lengths_.buffers.resize(program.buffers.size());
    lengths_.tensors = std::move(tensors);
    for (const tile::Iterator& iter : program.iters) scopes_.push_back(value_of(iter.extent));
    for (const tile::GridAxis& axis : program.grid) enter(axis.iter, axis.step);
    tile::walk(program.body, [&](const tile::Op& op) {
      if (const auto* store = std::get_if<tile::Store>(&op.node))
        for (const tile::StoreIndex& slot : store->index) outputs_.insert(slot.iter);
    });
    // A part of a split reduction is an output of its own, but its points are summed.
    tile::walk(program.body, [&](const tile::Op& op) {
      if (const auto* store = std::get_if<tile::Store>(&op.node))
        for (const tile::StoreIndex& slot : store->index)
          if (slot.block) outputs_.erase(slot.iter);
    });
  }

  std::vector<std::int64_t> run() {
    run_block(program_.body);
    return lengths_.tensors;
  }

 private:
  std::int64_t value_of(const IntExpr& expr) const { return evaluate(expr, symbols_).value_or(1); }

  /// Narrows the scope of `iter` to one step; how many steps there are.
  std::int64_t enter(IterId iter, const IntExpr& step) {
    const std::int64_t size = std::max<std::int64_t>(value_of(step), 1);
    std::int64_t& scope = scopes_[iter.index];
    const std::int64_t count = scope / size + (scope % size == 0 ? 0 : 1);
    scope = std::min(scope, size);
    return count;
  }

  /// Points of the axes of `from` that `result` lacks.
  std::int64_t folded_points(ValueId from, ValueId result) const {
    std::int64_t points = 1;
    for (const tile::Axis& axis : program_.values[from].type.axes)
      if (std::ranges::find(program_.values[result].type.axes, axis.iter, &tile::Axis::iter) ==
          program_.values[result].type.axes.end())
        points *= std::min(axis.size, std::max<std::int64_t>(scopes_[axis.iter.index], 1));
    return points;
  }

  std::int64_t threads_along(IterId iter) const { return tile::threads_along(program_, iter); }

  std::int64_t& of(ValueId id) { return lengths_.values[id.index]; }

  void run_block(const tile::Block& block) {
    for (const tile::Op& op : block.ops) run_op(op);
  }

  void run_op(const tile::Op& op) {
    const auto result = [&](std::int64_t length) { of(op.results[0]) = length; };
    std::visit(
        Overloaded{
            [&](const tile::Fill&) { result(0); },
            [&](const tile::Iota&) { result(0); },
            [&](const tile::ExtentValue&) { result(0); },
            [&](const tile::Load& n) { result(lengths_.tensors[n.tensor.index]); },
            [&](const tile::LoadBuffer& n) { result(lengths_.buffers[n.buffer.index]); },
            [&](const tile::Map& n) { result(longest(n.operands) + (n.op == ScalarOp::add ? 1 : 0)); },
            [&](const tile::Cast& n) { result(of(n.operand)); },
            [&](const tile::Mask& n) { result(of(n.operand)); },
            [&](const tile::Reduce& n) { result(of(n.operand) + tree_depth(folded_points(n.operand, op.results[0]))); },
            [&](const tile::Contract& n) {
              const std::int64_t points =
                  std::max(folded_points(n.lhs, op.results[0]), folded_points(n.rhs, op.results[0]));
              result(std::max({of(n.accumulator), of(n.lhs), of(n.rhs)}) + points);
            },
            [&](const tile::ConvertLayout& n) { result(of(n.operand)); },
            [&](const tile::ReduceAcross& n) { result(of(n.operand) + tree_depth(threads_along(n.iter))); },
            [&](const tile::For& n) { run_loop(n, op.results); },
            [&](const tile::If& n) { run_branches(n, op.results); },
            [&](const tile::Allocate& n) { lengths_.buffers[n.buffer.index] = 0; },
            [&](const tile::Copy& n) { store(lengths_.buffers[n.buffer.index], lengths_.tensors[n.tensor.index]); },
            [&](const tile::Store& n) { store(lengths_.tensors[n.tensor.index], of(n.value)); },
            [&](const tile::StoreBuffer& n) { store(lengths_.buffers[n.buffer.index], of(n.value)); },
            [](const tile::Prefetch&) {},
            [](const tile::Barrier&) {},
        },
        op.node);
  }

  std::int64_t longest(const std::vector<ValueId>& ids) {
    std::int64_t length = 0;
    for (ValueId id : ids) length = std::max(length, of(id));
    return length;
  }

  static void store(std::int64_t& place, std::int64_t length) { place = std::max(place, length); }

  void run_loop(const tile::For& loop, const std::vector<ValueId>& results) {
    const std::vector<std::int64_t> outer = scopes_;
    const std::int64_t count = enter(loop.iter, loop.step);
    std::vector<std::int64_t> carried;
    for (ValueId id : loop.initial) carried.push_back(of(id));
    const auto pass = [&] {
      for (std::size_t c = 0; c < carried.size(); ++c) of(loop.body.arguments[c]) = carried[c];
      run_block(loop.body);
      for (std::size_t c = 0; c < carried.size(); ++c) carried[c] = of(loop.body.yields[c]);
    };
    const bool sums = !outputs_.contains(loop.iter);
    if (count > 0) pass();
    if (count > 1 && sums) {
      const Lengths before = lengths_;
      const std::vector<std::int64_t> carried_before = carried;
      pass();
      lengths_.extrapolate(before, count - 2);
      for (std::size_t c = 0; c < carried.size(); ++c)
        carried[c] += (count - 2) * std::max<std::int64_t>(carried[c] - carried_before[c], 0);
    }
    for (std::size_t c = 0; c < carried.size(); ++c) of(results[c]) = carried[c];
    scopes_ = outer;
  }

  void run_branches(const tile::If& branches, const std::vector<ValueId>& results) {
    const Lengths before = lengths_;
    run_block(branches.then_block);
    std::vector<std::int64_t> yields;
    for (ValueId id : branches.then_block.yields) yields.push_back(of(id));
    const Lengths taken = std::exchange(lengths_, before);
    run_block(branches.else_block);
    for (std::size_t y = 0; y < results.size(); ++y)
      of(results[y]) = std::max(yields[y], of(branches.else_block.yields[y]));
    const auto join = [](std::vector<std::int64_t>& mine, const std::vector<std::int64_t>& other) {
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], other[i]);
    };
    join(lengths_.buffers, taken.buffers);
    join(lengths_.tensors, taken.tensors);
  }

  const tile::Program& program_;
  SymbolValues symbols_;
  std::vector<std::int64_t> scopes_;  ///< points of each iterator's current scope
  std::set<IterId> outputs_;          ///< iterators whose points are stored apart
  Lengths lengths_;
};

/// Follows a plan without computing anything.
class PlanChains : public plan::Executor {
 public:
  explicit PlanChains(const plan::Plan& plan) : plan_(plan), lengths_(plan.tensors.size(), 0) {}

  Result<std::byte*> allocate(std::int64_t) override { return reinterpret_cast<std::byte*>(std::uintptr_t{64}); }
  Result<void> fill(const TensorView&, Scalar) override { return {}; }
  Result<void> launch(const plan::LaunchCall& call) override {
    const tile::Program& program = plan_.kernels[call.kernel];
    std::vector<std::size_t> arguments;  // of the launch, by the program's tensors
    std::vector<std::int64_t> tensors;
    for (const tile::Tensor& tensor : program.tensors) {
      const auto argument = std::ranges::find(call.launch->arguments, tensor.name, &plan::Launch::Argument::parameter);
      arguments.push_back(static_cast<std::size_t>(argument - call.launch->arguments.begin()));
      tensors.push_back(lengths_[argument->tensor.index]);
    }
    const std::vector<std::int64_t> after = ProgramChains(program, symbols_of(call), std::move(tensors)).run();
    for (std::size_t t = 0; t < after.size(); ++t)
      lengths_[call.launch->arguments[arguments[t]].tensor.index] = after[t];
    return {};
  }

  std::int64_t longest() const { return *std::ranges::max_element(lengths_); }

 private:
  static SymbolValues symbols_of(const plan::LaunchCall& call) {
    return [&call](std::string_view name) -> std::optional<std::int64_t> {
      for (std::size_t b = 0; b < call.bindings.size(); ++b)
        if (call.launch->bindings[b].symbol == name) return call.bindings[b];
      const auto symbol = parse_tensor_symbol(name);
      if (!symbol) return std::nullopt;
      for (std::size_t a = 0; a < call.arguments.size(); ++a)
        if (call.launch->arguments[a].parameter == symbol->tensor && symbol->axis < call.arguments[a].rank())
          return symbol->stride ? call.arguments[a].strides[symbol->axis] : call.arguments[a].shape[symbol->axis];
      return std::nullopt;
    };
  }

  const plan::Plan& plan_;
  std::vector<std::int64_t> lengths_;  ///< by PlanTensorId
};

}  // namespace

std::int64_t chain_length(const Compilation& compilation) {
  const plan::Plan& plan = compilation.plan->plan;
  std::vector<nest::NamedView> views;
  for (std::size_t v = 0; v < compilation.views.operands.size(); ++v)
    views.push_back(
        {compilation.nest.tensors[nest::TensorId{static_cast<std::uint32_t>(v)}].name, compilation.views.operands[v]});
  views.push_back({compilation.nest.name, compilation.views.output});
  PlanChains chains(plan);
  if (Result<void> done = plan::run_plan(plan, views, chains); !done) return 1;
  return std::max<std::int64_t>(chains.longest(), 1);
}

}  // namespace tilewright::report
