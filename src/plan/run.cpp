// Execution of plans. See run.h. Symbols are looked up in the views themselves: a call evaluates a few dozen
// expressions, too few to pay for a table.
#include "plan/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "support/overloaded.h"
#include "support/tensor_symbol.h"

namespace tilewright::plan {
namespace {

class Runner {
 public:
  Runner(const Plan& plan, const std::vector<nest::NamedView>& views, Executor* executor)
      : plan_(plan), executor_(executor), views_(plan.tensors.size()), bound_(plan.tensors.size()) {
    bind(views);
  }

  Result<void> run() {
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    for (const Guard& guard : plan_.guards)
      if (!holds(guard))
        return fail("P101", message(fmt::format("the guard {} does not hold", to_text(plan_, guard))),
                    "this call needs another plan");
    return run(plan_.steps);
  }

  bool all_hold() const { return errors_.empty() && all_hold(plan_.guards); }

 private:
  std::string message(const std::string& text) const { return fmt::format("plan {}: {}", plan_.name, text); }

  void bind(const std::vector<nest::NamedView>& views) {
    for (std::uint32_t i = 0; i < plan_.tensors.size(); ++i) {
      const Tensor& tensor = plan_.tensors[PlanTensorId{i}];
      if (tensor.role == Role::workspace) continue;
      const auto found = std::ranges::find(views, tensor.name, &nest::NamedView::name);
      std::string text;
      if (found == views.end())
        text = fmt::format("no view of {}", tensor.name);
      else if (found->view.dtype != tensor.dtype || found->view.rank() != static_cast<std::size_t>(tensor.rank))
        text = fmt::format("{} is {} of rank {}, not {} of rank {}", tensor.name, name(found->view.dtype),
                           found->view.rank(), name(tensor.dtype), tensor.rank);
      if (!text.empty()) {
        errors_.push_back({"P102", message(text), "", nullptr, {}});
        continue;
      }
      views_[i] = found->view;
      bound_[i] = true;
    }
  }

  // ---- symbols

  std::optional<std::int64_t> symbol(std::string_view text) const {
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop)
      if (loop->symbol == text) return loop->value;
    const std::optional<TensorSymbol> parsed = parse_tensor_symbol(text);
    if (!parsed) return std::nullopt;
    for (std::uint32_t i = 0; i < plan_.tensors.size(); ++i) {
      const TensorView& view = views_[i];
      if (plan_.tensors[PlanTensorId{i}].name == parsed->tensor && bound_[i] && parsed->axis < view.rank())
        return parsed->stride ? view.strides[parsed->axis] : view.shape[parsed->axis];
    }
    return std::nullopt;
  }
  std::optional<std::int64_t> value(const IntExpr& expr) const {
    if (expr.is_constant()) return expr.constant();
    return tilewright::evaluate(expr, [this](std::string_view text) { return symbol(text); });
  }
  Result<std::int64_t> require(const IntExpr& expr, std::string_view what, std::int64_t least) const {
    const std::optional<std::int64_t> found = value(expr);
    if (!found)
      return fail("P103", message(fmt::format("{}, '{}', has no value for these tensors", what, to_text(expr))));
    if (*found < least)
      return fail("P103",
                  message(fmt::format("{}, '{}', is {}; at least {} is possible", what, to_text(expr), *found, least)));
    return *found;
  }
  Result<std::vector<std::int64_t>> require_all(const std::vector<IntExpr>& exprs, std::string_view what,
                                                std::int64_t least) const {
    std::vector<std::int64_t> all;
    for (const IntExpr& expr : exprs) {
      const Result<std::int64_t> found = require(expr, what, least);
      if (!found) return std::unexpected(found.error());
      all.push_back(*found);
    }
    return all;
  }

  // ---- guards

  static bool compare(Comparison comparison, std::int64_t a, std::int64_t b) {
    switch (comparison) {
      case Comparison::eq:
        return a == b;
      case Comparison::ne:
        return a != b;
      case Comparison::lt:
        return a < b;
      case Comparison::le:
        return a <= b;
      case Comparison::gt:
        return a > b;
      case Comparison::ge:
        return a >= b;
    }
    internal_error("an unknown comparison");
  }

  bool holds_stride(const StrideGuard& guard) const {
    const TensorView& view = views_[guard.tensor.index];
    const auto axis = static_cast<std::size_t>(guard.axis);
    if (guard.stride == StrideClass::other || view.shape[axis] <= 1) return true;
    return view.strides[axis] == (guard.stride == StrideClass::one ? 1 : 0);
  }
  /// A comparison of something that has no value does not hold.
  bool holds(const Guard& guard) const {
    return std::visit(Overloaded{
                          [&](const CompareGuard& g) {
                            const auto lhs = value(g.lhs), rhs = value(g.rhs);
                            return lhs && rhs && compare(g.comparison, *lhs, *rhs);
                          },
                          [&](const AlignGuard& g) {
                            return reinterpret_cast<std::uintptr_t>(views_[g.tensor.index].data) % g.bytes == 0;
                          },
                          [&](const StrideGuard& g) { return holds_stride(g); },
                      },
                      guard);
  }
  bool all_hold(const std::vector<Guard>& guards) const {
    return std::ranges::all_of(guards, [&](const Guard& guard) { return holds(guard); });
  }

  // ---- steps

  Result<void> run(const Steps& steps) {
    for (const Step& step : steps) {
      Result<void> done =
          std::visit(Overloaded{
                         [&](const Workspace& n) { return run(n); },
                         [&](const Fill& n) { return executor_->fill(views_[n.tensor.index], n.value); },
                         [&](const Launch& n) { return run(n); },
                         [&](const Loop& n) { return run(n); },
                         [&](const Choose& n) { return run(n); },
                     },
                     step.node);
      if (!done) return done;
    }
    return {};
  }

  /// One past the last element that the shape and strides reach, in elements; nullopt past 64 bits.
  static std::optional<std::int64_t> reach(const std::vector<std::int64_t>& shape,
                                           const std::vector<std::int64_t>& strides) {
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 0) return 0;
      std::int64_t way = 0;
      if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &way) || __builtin_add_overflow(last, way, &last))
        return std::nullopt;
    }
    if (__builtin_add_overflow(last, 1, &last)) return std::nullopt;
    return last;
  }

  Result<void> run(const Workspace& workspace) {
    const Tensor& tensor = plan_.tensors[workspace.tensor];
    auto shape = require_all(workspace.shape, "an extent of " + tensor.name, 0);
    if (!shape) return std::unexpected(std::move(shape.error()));
    auto strides = require_all(workspace.strides, "a stride of " + tensor.name, 0);
    if (!strides) return std::unexpected(std::move(strides.error()));
    const Result<std::int64_t> bytes = require(workspace.bytes, "the size of " + tensor.name, 0);
    if (!bytes) return std::unexpected(bytes.error());
    const std::optional<std::int64_t> elements = reach(*shape, *strides);
    if (!elements || *elements > *bytes / static_cast<std::int64_t>(size_of(tensor.dtype)))
      return fail("P103", message(fmt::format("{} does not fit its {} bytes", tensor.name, *bytes)));
    const Result<std::byte*> memory = executor_->allocate(std::max<std::int64_t>(*bytes, 1));
    if (!memory) return std::unexpected(memory.error());
    views_[workspace.tensor.index] = {*memory, tensor.dtype, *std::move(shape), *std::move(strides)};
    bound_[workspace.tensor.index] = true;
    return {};
  }

  Result<void> run(const Launch& launch) {
    LaunchCall call;
    call.kernel = launch.kernel;
    call.launch = &launch;
    auto grid = require_all(launch.grid, "a grid of " + plan_.kernels[launch.kernel].name, 0);
    if (!grid) return std::unexpected(std::move(grid.error()));
    call.grid = *std::move(grid);
    if (std::ranges::find(call.grid, 0) != call.grid.end()) return {};
    for (const Launch::Argument& argument : launch.arguments) call.arguments.push_back(views_[argument.tensor.index]);
    for (const Launch::Binding& binding : launch.bindings) {
      const Result<std::int64_t> bound = require(binding.value, binding.symbol, INT64_MIN);
      if (!bound) return std::unexpected(bound.error());
      call.bindings.push_back(*bound);
    }
    return executor_->launch(call);
  }

  Result<void> run(const Loop& loop) {
    const Result<std::int64_t> begin = require(loop.begin, "the begin of " + loop.symbol, INT64_MIN);
    if (!begin) return std::unexpected(begin.error());
    const Result<std::int64_t> end = require(loop.end, "the end of " + loop.symbol, INT64_MIN);
    if (!end) return std::unexpected(end.error());
    const Result<std::int64_t> step = require(loop.step, "the step of " + loop.symbol, 1);
    if (!step) return std::unexpected(step.error());
    for (std::int64_t at = *begin; at < *end;) {
      loops_.push_back({loop.symbol, at});
      Result<void> done = run(loop.body);
      loops_.pop_back();
      if (!done) return done;
      if (__builtin_add_overflow(at, *step, &at)) break;
    }
    return {};
  }

  Result<void> run(const Choose& choose) {
    for (const Choose::Case& each : choose.cases)
      if (all_hold(each.guards)) return run(each.steps);
    return fail("P104", message("no case of a choice holds"), "this call needs another plan");
  }

  struct LoopValue {
    std::string_view symbol;
    std::int64_t value;
  };

  const Plan& plan_;
  Executor* executor_;
  std::vector<TensorView> views_;  ///< by PlanTensorId
  std::vector<bool> bound_;        ///< by PlanTensorId: the view is there
  std::vector<LoopValue> loops_;
  Diagnostics errors_;
};

}  // namespace

bool guards_hold(const Plan& plan, const std::vector<nest::NamedView>& views) {
  return Runner(plan, views, nullptr).all_hold();
}

Result<void> run_plan(const Plan& plan, const std::vector<nest::NamedView>& views, Executor& executor) {
  return Runner(plan, views, &executor).run();
}

}  // namespace tilewright::plan
