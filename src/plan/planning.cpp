// Nest → plan for any target. See planning.h.
#include "plan/planning.h"

#include <algorithm>
#include <bit>

#include "nest/passes/combine_parts.h"
#include "tile/walk.h"

namespace tilewright::plan {
namespace {

using nest::Facts;
using nest::Nest;

/// A reduction over nothing has no first and last pass over it: such loops stand innermost, and no part is split off.
Nest without_empty_reductions(const Nest& nest, const Facts& facts) {
  bool empty = false;
  for (std::size_t i = 0; i < nest.iterators.size(); ++i) {
    const nest::IterId iter{static_cast<std::uint32_t>(i)};
    empty = empty || (nest.iterators[iter].role == nest::IteratorRole::reduction && facts.size_buckets[i] == 0);
  }
  if (!empty) return nest;
  Nest plain = nest;
  plain.schedule = {};
  plain.schedule.automatic = true;
  plain.loops.clear();
  for (std::size_t i = 0; i < plain.iterators.size(); ++i) {
    const nest::IterId iter{static_cast<std::uint32_t>(i)};
    plain.loops.push_back(nest::Loop{plain.iterators[iter].name, iter});
  }
  return plain;
}

/// The facts of a split's second nest: the parts are row-major; what the epilogue reads is as it was.
Facts combine_facts(const Nest& combine, const Nest& nest, const Facts& facts, const IntExpr& part) {
  Facts result;
  for (const nest::Tensor& tensor : combine.tensors) {
    nest::TensorFacts of_parts{std::vector(static_cast<std::size_t>(tensor.rank), nest::StrideClass::other), 64, 1};
    if (tensor.rank > 0) of_parts.strides.back() = nest::StrideClass::one;
    for (std::size_t t = 0; t < nest.tensors.size(); ++t)
      if (nest.tensors[nest::TensorId{static_cast<std::uint32_t>(t)}].name == tensor.name) of_parts = facts.operands[t];
    result.operands.push_back(of_parts);
  }
  result.output = facts.output;
  for (const nest::Iterator& iter : combine.iterators) {
    std::int64_t bucket = 0;
    for (std::size_t i = 0; i < nest.iterators.size(); ++i)
      if (nest.iterators[nest::IterId{static_cast<std::uint32_t>(i)}].name == iter.name) bucket = facts.size_buckets[i];
    if (iter.role == nest::IteratorRole::reduction) {
      const std::int64_t terms = facts.size_buckets[nest.schedule.split_iter.index];
      const std::int64_t step =
          part.is_constant() ? part.constant() : std::max<std::int64_t>(terms / nest.schedule.split, 1);
      bucket =
          static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(terms / step, 1))));
    }
    result.size_buckets.push_back(bucket);
  }
  return result;
}

/// Symbols of a program that are no extents or strides of its own tensors.
std::vector<std::string> free_symbols(const tile::Program& program) {
  std::vector<std::string> found;
  const auto visit = [&](const IntExpr& expr) {
    for (const std::string& name : symbols(expr)) {
      const std::string tensor = name.substr(0, name.rfind('.'));
      const bool own = std::ranges::any_of(program.tensors, [&](const tile::Tensor& t) { return t.name == tensor; });
      if (!own && std::ranges::find(found, name) == found.end()) found.push_back(name);
    }
  };
  for (const tile::Iterator& iter : program.iters) visit(iter.extent);
  for (const tile::GridAxis& axis : program.grid) visit(axis.step);
  for (const tile::Buffer& buffer : program.buffers) visit(buffer.elements);
  tile::walk(program.body, [&](const tile::Op& op) {
    if (const auto* loop = std::get_if<tile::For>(&op.node)) visit(loop->step);
    if (const auto* value = std::get_if<tile::ExtentValue>(&op.node)) visit(value->value);
    if (const auto* store = std::get_if<tile::Store>(&op.node))
      for (const tile::StoreIndex& slot : store->index)
        if (slot.block) visit(*slot.block);
  });
  return found;
}

class Planning {
 public:
  explicit Planning(const std::function<Result<void>(Unit&)>& run_pipeline) : run_pipeline_(run_pipeline) {}

  Result<PlannedKernels> run(const Nest& nest, const Facts& facts) {
    plan_.name = nest.name;
    for (const nest::Tensor& tensor : nest.tensors)
      plan_.tensors.add({tensor.name, tensor.dtype, tensor.rank, Role::operand});
    plan_.tensors.add({nest.name, nest.output, static_cast<int>(nest.output_index.size()), Role::output});
    if (Result<void> added = add_nest(nest, facts); !added) return std::unexpected(std::move(added.error()));
    if (const Result<void> sound = verify(plan_); !sound)
      internal_error("make_plan: " + render(sound.error()) + "\n" + to_text(plan_));
    return PlannedKernels{std::move(plan_), std::move(kernels_)};
  }

 private:
  Result<void> add_nest(const Nest& unscheduled, const Facts& facts) {
    Unit unit{without_empty_reductions(unscheduled, facts), facts, {}, {}, {}};
    if (Result<void> lowered = run_pipeline_(unit); !lowered) return lowered;
    const Nest& nest = unit.nest;
    for (nest::OperandCopy& copy : unit.copies)
      if (Result<void> added = add_copy(copy); !added) return added;
    const bool split = nest.schedule.split_iter.valid() && nest.schedule.split > 0;
    const IntExpr part = split ? unit.program.grid.front().step : IntExpr(0);
    if (split) add_parts(nest, part);
    launch(std::move(unit.program));
    kernels_.push_back(std::move(unit.lowered));
    if (!split) return {};
    const Nest combine = nest::combine_parts(nest);
    return add_nest(combine, combine_facts(combine, nest, unit.facts, part));
  }

  /// A copy of an operand, in a workspace of its name.
  Result<void> add_copy(nest::OperandCopy& made) {
    const Nest& copy = made.nest;
    std::vector<IntExpr> shape;
    for (nest::IterId iter : copy.output_index) shape.push_back(copy.iterators[iter].extent);
    const PlanTensorId tensor =
        plan_.tensors.add({copy.name, copy.output, static_cast<int>(shape.size()), Role::workspace});
    IntExpr bytes = made.elements * static_cast<std::int64_t>(size_of(copy.output));
    plan_.steps.push_back({Workspace{tensor, std::move(shape), std::move(made.strides), std::move(bytes)}});
    return add_nest(copy, made.facts);
  }

  /// The workspace that the parts of a split reduction go to.
  void add_parts(const Nest& nest, const IntExpr& part) {
    std::vector<IntExpr> shape{ceil_div(nest.iterators[nest.schedule.split_iter].extent, part)};
    for (nest::IterId iter : nest.output_index) shape.push_back(nest.iterators[iter].extent);
    const PlanTensorId tensor =
        plan_.tensors.add({nest.name + ".partial", nest.accumulate, static_cast<int>(shape.size()), Role::workspace});
    plan_.steps.push_back({row_major_workspace(plan_, tensor, std::move(shape))});
  }

  void launch(tile::Program program) {
    Launch step;
    for (const tile::Tensor& tensor : program.tensors) step.arguments.push_back({tensor.name, find(tensor.name)});
    for (const std::string& symbol : free_symbols(program)) step.bindings.push_back({symbol, IntExpr::symbol(symbol)});
    for (const tile::GridAxis& axis : program.grid)
      step.grid.push_back(ceil_div(program.iters[axis.iter].extent, axis.step));
    step.kernel = plan_.kernels.add(std::move(program));
    plan_.steps.push_back({std::move(step)});
  }

  PlanTensorId find(const std::string& name) const {
    for (std::size_t t = 0; t < plan_.tensors.size(); ++t)
      if (const PlanTensorId id{static_cast<std::uint32_t>(t)}; plan_.tensors[id].name == name) return id;
    internal_error("the plan has no tensor " + name);
  }

  const std::function<Result<void>(Unit&)>& run_pipeline_;
  Plan plan_;
  std::vector<kernel::LoweredKernel> kernels_;
};

}  // namespace

Result<PlannedKernels> make_plan(const nest::Nest& nest, const nest::Facts& facts,
                                 const std::function<Result<void>(Unit&)>& run_pipeline) {
  return Planning(run_pipeline).run(nest, facts);
}

}  // namespace tilewright::plan
