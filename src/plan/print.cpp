// The text form of plans. docs/ir/plan.md has the grammar; parse.cpp reads it back.
#include <fmt/format.h>

#include "plan/ir.h"
#include "support/overloaded.h"
#include "support/text.h"

namespace tilewright::plan {
namespace {

std::string_view spelling(Comparison comparison) {
  switch (comparison) {
    case Comparison::eq:
      return "==";
    case Comparison::ne:
      return "!=";
    case Comparison::lt:
      return "<";
    case Comparison::le:
      return "<=";
    case Comparison::gt:
      return ">";
    case Comparison::ge:
      return ">=";
  }
  internal_error("an unknown comparison");
}

std::string_view name(StrideClass stride) {
  switch (stride) {
    case StrideClass::zero:
      return "zero";
    case StrideClass::one:
      return "one";
    case StrideClass::other:
      return "other";
  }
  internal_error("an unknown stride class");
}

template <class Range, class Text>
std::string joined(const Range& range, Text&& text) {
  std::string all;
  for (const auto& item : range) {
    if (!all.empty()) all += ", ";
    all += text(item);
  }
  return all;
}

std::string joined(const std::vector<IntExpr>& exprs) {
  return joined(exprs, [](const IntExpr& expr) { return to_text(expr); });
}

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan) {}

  std::string run() {
    writer_.open("plan " + plan_.name);
    for (const Tensor& tensor : plan_.tensors)
      if (tensor.role != Role::workspace)
        writer_.line(fmt::format("{} {} : {} rank {}", tensor.role == Role::output ? "output" : "operand", tensor.name,
                                 tilewright::name(tensor.dtype), tensor.rank));
    if (!plan_.guards.empty()) writer_.line("guard " + guards(plan_.guards));
    print(plan_.steps);
    writer_.close("");
    return writer_.take();
  }

  std::string guard(const Guard& guard) const {
    return std::visit(
        Overloaded{
            [](const CompareGuard& g) {
              return fmt::format("{} {} {}", to_text(g.lhs), spelling(g.comparison), to_text(g.rhs));
            },
            [&](const AlignGuard& g) { return fmt::format("align({}) >= {}", tensor_name(g.tensor), g.bytes); },
            [&](const StrideGuard& g) {
              return fmt::format("stride({}, {}) is {}", tensor_name(g.tensor), g.axis, name(g.stride));
            },
        },
        guard);
  }

 private:
  std::string guards(const std::vector<Guard>& all) const {
    return joined(all, [&](const Guard& each) { return guard(each); });
  }
  // Ids outside their table print as "?": what a verifier's message about a broken plan shows.
  std::string tensor_name(PlanTensorId id) const { return plan_.tensors.contains(id) ? plan_.tensors[id].name : "?"; }
  std::string kernel_name(KernelId id) const { return plan_.kernels.contains(id) ? plan_.kernels[id].name : "?"; }
  DType dtype(PlanTensorId id) const { return plan_.tensors.contains(id) ? plan_.tensors[id].dtype : DType::f32; }

  void print(const Steps& steps) {
    for (const Step& step : steps)
      std::visit(
          Overloaded{
              [&](const Workspace& n) { print_workspace(n); },
              [&](const Fill& n) {
                writer_.line(fmt::format("fill {} with {}", tensor_name(n.tensor), to_text(n.value, dtype(n.tensor))));
              },
              [&](const Launch& n) { print_launch(n); },
              [&](const Loop& n) {
                writer_.open(fmt::format("for {} = {} to {} step {} {{", n.symbol, to_text(n.begin), to_text(n.end),
                                         to_text(n.step)));
                print(n.body);
                writer_.close("}");
              },
              [&](const Choose& n) { print_choose(n); },
          },
          step.node);
  }

  void print_workspace(const Workspace& workspace) {
    writer_.line(fmt::format("workspace {} : {} [{}] strides ({}) bytes {}", tensor_name(workspace.tensor),
                             tilewright::name(dtype(workspace.tensor)), joined(workspace.shape),
                             joined(workspace.strides), to_text(workspace.bytes)));
  }

  void print_launch(const Launch& launch) {
    const auto argument = [&](const Launch::Argument& a) {
      const std::string tensor = tensor_name(a.tensor);
      return a.parameter == tensor ? tensor : fmt::format("{} = {}", a.parameter, tensor);
    };
    const auto binding = [](const Launch::Binding& b) { return fmt::format("{} = {}", b.symbol, to_text(b.value)); };
    std::string line = fmt::format("launch {}({})", kernel_name(launch.kernel), joined(launch.arguments, argument));
    if (!launch.grid.empty()) line += " grid " + joined(launch.grid);
    if (!launch.bindings.empty()) line += " with " + joined(launch.bindings, binding);
    writer_.line(line + (launch.parallel ? "" : " serial"));
  }

  void print_choose(const Choose& choose) {
    writer_.open("choose {");
    for (const Choose::Case& each : choose.cases) {
      writer_.open(each.guards.empty() ? "otherwise {" : fmt::format("when {} {{", guards(each.guards)));
      print(each.steps);
      writer_.close("}");
    }
    writer_.close("}");
  }

  const Plan& plan_;
  TextWriter writer_;
};

}  // namespace

Workspace row_major_workspace(const Plan& plan, PlanTensorId tensor, std::vector<IntExpr> shape) {
  std::vector<IntExpr> strides(shape.size());
  IntExpr elements = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = elements;
    elements = shape[axis] * elements;
  }
  const auto size = static_cast<std::int64_t>(size_of(plan.tensors[tensor].dtype));
  return {tensor, std::move(shape), std::move(strides), elements * size};
}

std::string to_text(const Plan& plan) {
  return Printer(plan).run();
}

std::string to_text(const Plan& plan, const Guard& guard) {
  return Printer(plan).guard(guard);
}

std::string to_text_with_kernels(const Plan& plan) {
  std::string text = to_text(plan);
  for (const tile::Program& kernel : plan.kernels) text += "\n" + tile::to_text(kernel);
  return text;
}

}  // namespace tilewright::plan
