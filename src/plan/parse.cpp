// Reads the text form of plans with their kernels: docs/ir/plan.md has the grammar, print.cpp writes it. The kernels'
// texts follow the plan's, each from a line that starts with `tile `; they are read first, so that launches find them.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>

#include "plan/ir.h"
#include "support/text_reader.h"

namespace tilewright::plan {
namespace {

constexpr std::string_view syntax_error = "X001";
constexpr std::string_view unknown_name = "P020";
constexpr std::string_view repeated_name = "P021";
constexpr int deepest_block = 64;
constexpr std::size_t most_kernels = 256;

/// The text cut before each line that starts with "tile ". The parts after the first stay at their lines: blank lines
/// stand for what comes before.
std::vector<SourcePtr> split(const SourcePtr& source) {
  const std::string_view text = source->text();
  std::vector<SourcePtr> parts;
  std::string blank;
  std::size_t begin = 0;
  while (true) {
    std::size_t end = text.find("\ntile ", begin);
    end = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view part = text.substr(begin, end - begin);
    parts.push_back(std::make_shared<Source>(source->name(), blank + std::string(part)));
    if (end == text.size() || parts.size() > most_kernels + 1) return parts;
    for (const char c : part)
      if (c == '\n') blank += '\n';
    begin = end;
  }
}

class PlanParser {
 public:
  explicit PlanParser(SourcePtr source) : reader_(std::move(source)) {}

  Result<Plan> run(std::vector<tile::Program> kernels) {
    for (tile::Program& kernel : kernels) {
      const std::string name = kernel.name;
      if (!kernels_.emplace(name, plan_.kernels.add(std::move(kernel))).second)
        return fail(repeated_name, fmt::format("a second kernel is named '{}'", name));
    }
    reader_.expect("plan");
    plan_.name = reader_.name("the plan's name");
    while (parse_parameter()) {
    }
    if (reader_.accept("guard")) plan_.guards = guards();
    plan_.steps = parse_steps();
    if (reader_.ok() && !reader_.at_end()) reader_.fail_here(syntax_error, "expected a step or the end of the text");
    if (!reader_.ok()) return std::unexpected(reader_.take_errors());
    return std::move(plan_);
  }

 private:
  // ---- parts

  template <class IdType>
  IdType find(const std::map<std::string, IdType>& names, std::string_view kind) {
    const Span span = reader_.peek().span;
    const std::string name = reader_.name(fmt::format("the name of a {}", kind));
    if (!reader_.ok()) return {};
    const auto at = names.find(name);
    if (at != names.end()) return at->second;
    reader_.fail_at(span, unknown_name, fmt::format("no {} is named '{}'", kind, name));
    return {};
  }
  PlanTensorId tensor() { return find(tensors_, "tensor"); }

  PlanTensorId declare(Tensor tensor, Span span) {
    const std::string name = tensor.name;
    const PlanTensorId id = plan_.tensors.add(std::move(tensor));
    if (reader_.ok() && !tensors_.emplace(name, id).second)
      reader_.fail_at(span, repeated_name, fmt::format("a second tensor is named '{}'", name));
    return id;
  }

  bool parse_parameter() {
    Tensor tensor;
    if (reader_.accept("output"))
      tensor.role = Role::output;
    else if (!reader_.accept("operand"))
      return false;
    const Span span = reader_.peek().span;
    tensor.name = reader_.name("the name of a tensor");
    reader_.expect(":");
    tensor.dtype = reader_.dtype();
    reader_.expect("rank");
    tensor.rank = static_cast<int>(reader_.integer_in(0, nest::most_axes, "a tensor's rank"));
    declare(std::move(tensor), span);
    return reader_.ok();
  }

  // ---- guards

  std::vector<Guard> guards() {
    return reader_.list([&] { return guard(); });
  }
  Guard guard() {
    if (reader_.accept("align")) return align_guard();
    if (reader_.accept("stride")) return stride_guard();
    CompareGuard compare;
    compare.lhs = reader_.int_expr();
    compare.comparison = comparison();
    compare.rhs = reader_.int_expr();
    return compare;
  }
  Guard align_guard() {
    AlignGuard align;
    reader_.expect("(");
    align.tensor = tensor();
    reader_.expect(")");
    reader_.expect(">=");
    align.bytes = static_cast<std::uint32_t>(
        reader_.integer_in(1, std::numeric_limits<std::uint32_t>::max(), "an alignment in bytes"));
    return align;
  }
  Guard stride_guard() {
    StrideGuard stride;
    reader_.expect("(");
    stride.tensor = tensor();
    reader_.expect(",");
    stride.axis = static_cast<int>(reader_.integer_in(0, 7, "an axis from 0 to 7"));
    reader_.expect(")");
    reader_.expect("is");
    if (reader_.accept("zero"))
      stride.stride = StrideClass::zero;
    else if (reader_.accept("other"))
      stride.stride = StrideClass::other;
    else
      reader_.expect("one");
    return stride;
  }
  Comparison comparison() {
    static constexpr std::array<std::pair<std::string_view, Comparison>, 6> table = {{{"==", Comparison::eq},
                                                                                      {"!=", Comparison::ne},
                                                                                      {"<=", Comparison::le},
                                                                                      {">=", Comparison::ge},
                                                                                      {"<", Comparison::lt},
                                                                                      {">", Comparison::gt}}};
    for (const auto& [spelling, value] : table)
      if (reader_.accept(spelling)) return value;
    reader_.fail_here(syntax_error, "expected a comparison", "write one of == != < <= > >=");
    return Comparison::eq;
  }

  // ---- steps

  Steps parse_steps() {
    Steps steps;
    if (++depth_ > deepest_block)
      reader_.fail_here(syntax_error, fmt::format("blocks nested more than {} deep", deepest_block));
    while (parse_step(steps)) {
    }
    --depth_;
    return steps;
  }
  Steps parse_closed_steps() {
    reader_.expect("{");
    if (!reader_.ok()) return {};
    Steps steps = parse_steps();
    reader_.expect("}");
    return steps;
  }

  bool parse_step(Steps& steps) {
    if (reader_.accept("workspace"))
      steps.push_back({workspace()});
    else if (reader_.accept("fill"))
      steps.push_back({fill()});
    else if (reader_.accept("launch"))
      steps.push_back({launch()});
    else if (reader_.accept("for"))
      steps.push_back({loop()});
    else if (reader_.accept("choose"))
      steps.push_back({choose()});
    else
      return false;
    return reader_.ok();
  }

  Workspace workspace() {
    Workspace step;
    Tensor declared;
    declared.role = Role::workspace;
    const Span span = reader_.peek().span;
    declared.name = reader_.name("the name of a tensor");
    reader_.expect(":");
    declared.dtype = reader_.dtype();
    const auto expr = [&] { return reader_.int_expr(); };
    step.shape = reader_.bracketed("[", "]", expr);
    reader_.expect("strides");
    step.strides = reader_.bracketed("(", ")", expr);
    reader_.expect("bytes");
    step.bytes = reader_.int_expr();
    declared.rank = static_cast<int>(step.shape.size());
    step.tensor = declare(std::move(declared), span);
    return step;
  }

  Fill fill() {
    Fill step;
    step.tensor = tensor();
    reader_.expect("with");
    const ScalarText literal = reader_.scalar_text("a value to fill with");
    if (reader_.ok()) step.value = reader_.scalar(literal, plan_.tensors[step.tensor].dtype);
    return step;
  }

  Launch::Argument argument() {
    const Span span = reader_.peek().span;
    std::string name = reader_.name("a tensor");
    if (reader_.accept("=")) return {std::move(name), tensor()};
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) reader_.fail_at(span, unknown_name, fmt::format("no tensor is named '{}'", name));
    return {name, at == tensors_.end() ? PlanTensorId{} : at->second};
  }
  Launch launch() {
    Launch step;
    step.kernel = find(kernels_, "kernel");
    step.arguments = reader_.bracketed("(", ")", [&] { return argument(); });
    if (reader_.accept("grid")) step.grid = reader_.list([&] { return reader_.int_expr(); });
    if (reader_.accept("with"))
      step.bindings = reader_.list([&] {
        Launch::Binding binding;
        binding.symbol = reader_.name("a symbol");
        reader_.expect("=");
        binding.value = reader_.int_expr();
        return binding;
      });
    step.parallel = !reader_.accept("serial");
    return step;
  }

  Loop loop() {
    Loop step;
    step.symbol = reader_.name("the loop's symbol");
    reader_.expect("=");
    step.begin = reader_.int_expr();
    reader_.expect("to");
    step.end = reader_.int_expr();
    reader_.expect("step");
    step.step = reader_.int_expr();
    step.body = parse_closed_steps();
    return step;
  }

  Choose choose() {
    Choose step;
    reader_.expect("{");
    while (reader_.accept("when")) {
      Choose::Case each;
      each.guards = guards();
      each.steps = parse_closed_steps();
      step.cases.push_back(std::move(each));
    }
    if (reader_.accept("otherwise")) step.cases.push_back({{}, parse_closed_steps()});
    reader_.expect("}");
    return step;
  }

  TextReader reader_;
  Plan plan_;
  std::map<std::string, PlanTensorId> tensors_;
  std::map<std::string, KernelId> kernels_;
  int depth_ = 0;
};

}  // namespace

Result<Plan> parse_plan(SourcePtr source) {
  const std::vector<SourcePtr> parts = split(source);
  if (parts.size() > most_kernels + 1)
    return fail(syntax_error, fmt::format("more than {} kernels", most_kernels), "", source);
  std::vector<tile::Program> kernels;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Result<tile::Program> kernel = tile::parse_program(parts[i]);
    if (!kernel) return std::unexpected(std::move(kernel.error()));
    kernels.push_back(*std::move(kernel));
  }
  return PlanParser(parts.front()).run(std::move(kernels));
}

}  // namespace tilewright::plan
