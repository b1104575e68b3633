// The invariants of a plan, checked:
//
//  1. Names. Tensors and kernels have names, unique among their kind; a loop's symbol is unique among the loops around
//     it and no symbol of a tensor. (P001)
//  2. Tables. Every id lies in its table; ranks are 0 to 8; axes of guards lie below the rank; alignments are powers of
//     two. (P002)
//  3. Symbols. An expression's symbols are extents or strides of operands, outputs and workspaces allocated before, in
//     the same steps or ones around them, or loops around it. Guards of the plan see operands and outputs only. (P003)
//  4. Workspace. Each workspace tensor has one Workspace step, with an extent and a stride for each axis; steps use it
//     after that step, in the same steps or ones inside. (P004)
//  5. Launches. Each tensor of the kernel has one argument, of its type and rank; what the kernel writes is an output
//     or workspace, and no other argument of that launch; there are no other arguments. (P005)
//  6. Grids. As many extents as the kernel's grid has axes. (P006)
//  7. Bindings. Every symbol of the kernel that is no extent or stride of its tensors is bound, once; nothing else
//     is. (P007)
//  8. Fills. The tensor is an output or workspace, the value of its type's class. (P008)
//  9. Choices. At least one case; a case without guards is the last. (P009)
// 10. Kernels. Each verifies as a tile program (with its own codes).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "plan/ir.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"
#include "tile/walk.h"

namespace tilewright::plan {
namespace {

/// Symbols of a kernel beyond its tensors' extents and strides.
std::set<std::string> free_symbols(const tile::Program& kernel) {
  std::set<std::string> found;
  const auto add = [&](const IntExpr& expr) {
    for (std::string& symbol : symbols(expr)) {
      const std::optional<TensorSymbol> parsed = parse_tensor_symbol(symbol);
      const bool known = parsed && std::ranges::any_of(kernel.tensors, [&](const tile::Tensor& tensor) {
                           return tensor.name == parsed->tensor && parsed->axis < tensor.strides.size();
                         });
      if (!known) found.insert(std::move(symbol));
    }
  };
  for (const tile::Iterator& iter : kernel.iters) add(iter.extent);
  for (const tile::GridAxis& axis : kernel.grid) add(axis.step);
  for (const tile::Buffer& buffer : kernel.buffers) {
    add(buffer.elements);
    for (const tile::BufferAxis& axis : buffer.axes) {
      add(axis.capacity);
      add(axis.outer_stride);
    }
  }
  tile::walk(kernel.body, [&](const tile::Op& op) {
    if (const auto* extent = std::get_if<tile::ExtentValue>(&op.node)) add(extent->value);
    if (const auto* loop = std::get_if<tile::For>(&op.node)) add(loop->step);
    if (const auto* store = std::get_if<tile::Store>(&op.node))
      for (const tile::StoreIndex& index : store->index)
        if (index.block) add(*index.block);
  });
  return found;
}

class Verifier {
 public:
  explicit Verifier(const Plan& plan) : plan_(plan) {}

  Result<void> run() {
    check_tables();
    // Steps are looked at only where every name and rank can be relied on.
    if (errors_.empty()) {
      Place place;
      for (std::uint32_t i = 0; i < plan_.tensors.size(); ++i)
        if (plan_.tensors[PlanTensorId{i}].role != Role::workspace) place.tensors.insert(PlanTensorId{i});
      check_guards(plan_.guards, place);
      check_steps(plan_.steps, place);
      for (std::uint32_t i = 0; i < plan_.tensors.size(); ++i)
        if (plan_.tensors[PlanTensorId{i}].role == Role::workspace && !allocated_.contains(PlanTensorId{i}))
          error("P004", fmt::format("{} has no workspace step", plan_.tensors[PlanTensorId{i}].name));
    }
    if (errors_.empty()) return {};
    return std::unexpected(std::move(errors_));
  }

 private:
  /// What a step can use: tensors that exist by then, and symbols of the loops around it.
  struct Place {
    std::set<PlanTensorId> tensors;
    std::set<std::string> loops;
  };

  void error(std::string_view code, const std::string& message) {
    errors_.push_back({std::string(code), fmt::format("plan {}: {}", plan_.name, message), "", nullptr, {}});
  }
  const Tensor& tensor(PlanTensorId id) const { return plan_.tensors[id]; }

  template <class Items>
  void check_names(const Items& items, std::string_view kind) {
    std::set<std::string> seen;
    for (const auto& item : items) {
      if (item.name.empty()) error("P001", fmt::format("a {} has no name", kind));
      if (!seen.insert(item.name).second) error("P001", fmt::format("two {}s are named '{}'", kind, item.name));
    }
  }

  void check_tables() {
    check_names(plan_.tensors, "tensor");
    check_names(plan_.kernels, "kernel");
    for (const Tensor& each : plan_.tensors)
      if (each.rank < 0 || each.rank > nest::most_axes)
        error("P002", fmt::format("{} has rank {}", each.name, each.rank));
    for (const tile::Program& kernel : plan_.kernels)
      if (Result<void> verified = tile::verify(kernel); !verified)
        errors_.insert(errors_.end(), verified.error().begin(), verified.error().end());
  }

  // ---- expressions and guards

  void check_expr(const IntExpr& expr, const Place& place) {
    for (const std::string& symbol : symbols(expr)) {
      if (place.loops.contains(symbol)) continue;
      const std::optional<TensorSymbol> parsed = parse_tensor_symbol(symbol);
      const bool known =
          parsed && std::ranges::any_of(place.tensors, [&](PlanTensorId id) {
            return tensor(id).name == parsed->tensor && parsed->axis < static_cast<std::size_t>(tensor(id).rank);
          });
      if (!known) error("P003", fmt::format("'{}' in '{}' is not known here", symbol, to_text(expr)));
    }
  }
  void check_exprs(const std::vector<IntExpr>& exprs, const Place& place) {
    for (const IntExpr& expr : exprs) check_expr(expr, place);
  }

  /// False: the tensor cannot be looked at further.
  bool check_tensor(PlanTensorId id, const Place& place, std::string_view user) {
    if (!plan_.tensors.contains(id)) {
      error("P002", fmt::format("{} names a tensor that does not exist", user));
      return false;
    }
    if (!place.tensors.contains(id)) error("P004", fmt::format("{} uses {} before it exists", user, tensor(id).name));
    return true;
  }

  void check_guards(const std::vector<Guard>& guards, const Place& place) {
    for (const Guard& guard : guards)
      std::visit(Overloaded{
                     [&](const CompareGuard& g) {
                       check_expr(g.lhs, place);
                       check_expr(g.rhs, place);
                     },
                     [&](const AlignGuard& g) {
                       if (check_tensor(g.tensor, place, "a guard") && !std::has_single_bit(g.bytes))
                         error("P002", fmt::format("{}: not a power of two", to_text(plan_, guard)));
                     },
                     [&](const StrideGuard& g) {
                       if (check_tensor(g.tensor, place, "a guard") && (g.axis < 0 || g.axis >= tensor(g.tensor).rank))
                         error("P002", fmt::format("{}: its rank is {}", to_text(plan_, guard), tensor(g.tensor).rank));
                     },
                 },
                 guard);
  }

  // ---- steps

  void check_steps(const Steps& steps, Place place) {
    for (const Step& step : steps)
      std::visit(Overloaded{
                     [&](const Workspace& n) { check_workspace(n, place); },
                     [&](const Fill& n) { check_fill(n, place); },
                     [&](const Launch& n) { check_launch(n, place); },
                     [&](const Loop& n) { check_loop(n, place); },
                     [&](const Choose& n) { check_choose(n, place); },
                 },
                 step.node);
  }

  void check_workspace(const Workspace& workspace, Place& place) {
    if (!plan_.tensors.contains(workspace.tensor))
      return error("P002", "a workspace step names a tensor that does not exist");
    const Tensor& of = tensor(workspace.tensor);
    if (of.role != Role::workspace) error("P004", fmt::format("{} is no workspace", of.name));
    if (!allocated_.insert(workspace.tensor).second) error("P004", fmt::format("{} is allocated twice", of.name));
    const auto rank = static_cast<std::size_t>(of.rank);
    if (workspace.shape.size() != rank || workspace.strides.size() != rank)
      error("P004", fmt::format("{} of rank {} has {} extents and {} strides", of.name, rank, workspace.shape.size(),
                                workspace.strides.size()));
    check_exprs(workspace.shape, place);
    check_exprs(workspace.strides, place);
    check_expr(workspace.bytes, place);
    place.tensors.insert(workspace.tensor);
  }

  void check_fill(const Fill& fill, const Place& place) {
    if (!check_tensor(fill.tensor, place, "a fill")) return;
    const Tensor& of = tensor(fill.tensor);
    if (of.role == Role::operand) error("P008", fmt::format("a fill writes the operand {}", of.name));
    if (fill.value.is_float() != is_floating(of.dtype))
      error("P008", fmt::format("the value that fills {} is no {}", of.name, name(of.dtype)));
  }

  void check_launch(const Launch& launch, const Place& place) {
    if (!plan_.kernels.contains(launch.kernel)) return error("P002", "a launch names a kernel that does not exist");
    const tile::Program& kernel = plan_.kernels[launch.kernel];
    const std::string user = "launch " + kernel.name;
    for (const Launch::Argument& argument : launch.arguments)
      if (!check_tensor(argument.tensor, place, user)) return;
    check_arguments(launch, kernel, user);
    check_exprs(launch.grid, place);
    if (launch.grid.size() != kernel.grid.size())
      error("P006",
            fmt::format("{}: {} grid extents for a grid of {} axes", user, launch.grid.size(), kernel.grid.size()));
    std::set<std::string> unbound = free_symbols(kernel);
    for (const Launch::Binding& binding : launch.bindings) {
      check_expr(binding.value, place);
      if (unbound.erase(binding.symbol) == 0)
        error("P007", fmt::format("{}: the kernel has no symbol '{}' to bind", user, binding.symbol));
    }
    for (const std::string& symbol : unbound) error("P007", fmt::format("{}: '{}' is not bound", user, symbol));
  }

  void check_arguments(const Launch& launch, const tile::Program& kernel, const std::string& user) {
    for (const tile::Tensor& parameter : kernel.tensors) {
      const auto is_it = [&](const Launch::Argument& argument) { return argument.parameter == parameter.name; };
      const auto count = std::ranges::count_if(launch.arguments, is_it);
      if (count != 1) {
        error("P005", fmt::format("{}: {} arguments for {}", user, count, parameter.name));
        continue;
      }
      const PlanTensorId id = std::ranges::find_if(launch.arguments, is_it)->tensor;
      const Tensor& received = tensor(id);
      if (received.dtype != parameter.dtype || static_cast<std::size_t>(received.rank) != parameter.strides.size())
        error("P005",
              fmt::format("{}: {} is {} of rank {}; {} is {} of rank {}", user, received.name, name(received.dtype),
                          received.rank, parameter.name, name(parameter.dtype), parameter.strides.size()));
      if (!parameter.output) continue;
      if (received.role == Role::operand) error("P005", fmt::format("{} writes the operand {}", user, received.name));
      if (std::ranges::count(launch.arguments, id, &Launch::Argument::tensor) != 1)
        error("P005", fmt::format("{}: {} is written and is another argument too", user, received.name));
    }
    for (const Launch::Argument& argument : launch.arguments)
      if (std::ranges::none_of(kernel.tensors, [&](const tile::Tensor& p) { return p.name == argument.parameter; }))
        error("P005", fmt::format("{}: the kernel has no tensor '{}'", user, argument.parameter));
  }

  void check_loop(const Loop& loop, const Place& place) {
    for (const IntExpr* expr : {&loop.begin, &loop.end, &loop.step}) check_expr(*expr, place);
    if (loop.step.is_constant() && loop.step.constant() < 1)
      error("P003", fmt::format("the step of {} is {}; it must be positive", loop.symbol, loop.step.constant()));
    Place inside = place;
    if (loop.symbol.empty() || parse_tensor_symbol(loop.symbol) || !inside.loops.insert(loop.symbol).second)
      error("P001", fmt::format("'{}' cannot name a loop here", loop.symbol));
    check_steps(loop.body, std::move(inside));
  }

  void check_choose(const Choose& choose, const Place& place) {
    if (choose.cases.empty()) error("P009", "a choice without a case");
    for (std::size_t i = 0; i < choose.cases.size(); ++i) {
      const Choose::Case& each = choose.cases[i];
      if (each.guards.empty() && i + 1 != choose.cases.size())
        error("P009", "a case without guards before the last one");
      check_guards(each.guards, place);
      check_steps(each.steps, place);
    }
  }

  const Plan& plan_;
  std::set<PlanTensorId> allocated_;
  Diagnostics errors_;
};

}  // namespace

Result<void> verify(const Plan& plan) {
  return Verifier(plan).run();
}

}  // namespace tilewright::plan
