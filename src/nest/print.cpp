// The text form of a nest. docs/ir/nest.md has its grammar; parse.cpp reads it back. Expressions print without
// recursion, so their depth is bounded by memory alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nest/ir.h"
#include "nest/print.h"
#include "support/overloaded.h"
#include "support/text.h"

namespace tilewright::nest {

std::string to_text(const Nest& nest, const Affine& index) {
  std::string text;
  for (const Affine::Term& term : index.terms) {
    const std::string& name = nest.iterators[term.iter].name;
    const std::string_view sign = term.coefficient < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    const std::uint64_t size = term.coefficient < 0 ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                                    : static_cast<std::uint64_t>(term.coefficient);
    text += size == 1 ? fmt::format("{}{}", sign, name) : fmt::format("{}{}*{}", sign, size, name);
  }
  if (text.empty()) return fmt::format("{}", index.constant);
  if (index.constant < 0) return text + fmt::format(" - {}", 0 - static_cast<std::uint64_t>(index.constant));
  return index.constant == 0 ? text : text + fmt::format(" + {}", index.constant);
}

std::string to_text(const Nest& nest, const Read& read) {
  const Tensor& tensor = nest.tensors[read.tensor];
  std::vector<std::string> slots;
  for (const Affine& index : read.index) slots.push_back(to_text(nest, index));
  std::string text = fmt::format("{}[{}]", tensor.name, fmt::join(slots, ", "));
  if (read.otherwise) text += fmt::format(" else {}", to_text(*read.otherwise, tensor.dtype));
  return text;
}

namespace {

/// Everything of one expression but its operands.
std::string head(const Nest& nest, const Expr& expr) {
  const std::string_view type = name(expr.dtype);
  return std::visit(
      Overloaded{[&](const Constant& constant) {
                   return fmt::format("const {} {}", type, to_text(constant.value, expr.dtype));
                 },
                 [&](const ReadValue& value) { return fmt::format("%r{}", value.read.index); },
                 [&](const IterValue& value) { return fmt::format("iter {}", nest.iterators[value.iter].name); },
                 [&](const ExtentValue& extent) { return fmt::format("extent {}", to_text(extent.value)); },
                 [&](const Accumulated&) { return std::string("%acc"); },
                 [&](const CastExpr&) { return fmt::format("cast {}", type); },
                 [&](const ApplyExpr& apply) { return fmt::format("{} {}", info(apply.op).name, type); }},
      expr.node);
}

std::vector<ExprId> operands_of(const Expr& expr) {
  if (const CastExpr* cast = std::get_if<CastExpr>(&expr.node)) return {cast->operand};
  if (const ApplyExpr* apply = std::get_if<ApplyExpr>(&expr.node)) return apply->operands;
  return {};
}

std::string loop_text(const Loop& loop) {
  std::string text = fmt::format("loop {} step {}", loop.name, to_text(loop.step));
  if (loop.parallel) text += " parallel";
  if (loop.vector_width != 0) text += fmt::format(" vectorize {}", loop.vector_width);
  if (loop.unroll != 0) text += fmt::format(" unroll {}", loop.unroll);
  if (loop.threads != 0) text += fmt::format(" threads {}", loop.threads);
  if (loop.in_registers) text += " registers";
  return text;
}

void write_schedule(const Nest& nest, TextWriter& writer) {
  const ScheduleFacts& facts = nest.schedule;
  for (const CachedRead& cache : facts.caches) {
    std::vector<std::string> tiles;
    for (const auto& [iter, size] : cache.tile)
      tiles.push_back(fmt::format("{} = {}", nest.iterators[iter].name, size));
    writer.line(fmt::format("cache %r{} tile ({})", cache.read.index, fmt::join(tiles, ", ")));
  }
  if (facts.threads != 0) writer.line(fmt::format("threads {}", facts.threads));
  if (facts.stages != 0) writer.line(fmt::format("stages {}", facts.stages));
  if (!facts.warps.empty()) writer.line(fmt::format("warps ({})", fmt::join(facts.warps, ", ")));
  if (facts.lanes.valid()) writer.line(fmt::format("lanes {}", nest.iterators[facts.lanes].name));
  if (facts.split != 0)
    writer.line(fmt::format("split {} {}{}", nest.iterators[facts.split_iter].name, facts.split,
                            facts.split_atomics ? " atomics" : ""));
  if (!facts.variant.empty()) writer.line(fmt::format("variant {}", facts.variant));
  if (facts.automatic) writer.line("auto");
}

}  // namespace

std::string to_text(const Nest& nest, ExprId root) {
  // An expression opens when it is first on top of the stack and closes once its operands are written.
  struct Open {
    ExprId id;
    std::size_t next = 0;
  };
  std::string text;
  std::vector<Open> stack{{root}};
  while (!stack.empty()) {
    Open& top = stack.back();
    const Expr& expr = nest.exprs[top.id];
    const std::vector<ExprId> operands = operands_of(expr);
    const bool is_name = std::holds_alternative<ReadValue>(expr.node) || std::holds_alternative<Accumulated>(expr.node);
    if (top.next == 0) text += (is_name ? "" : "(") + head(nest, expr);
    if (top.next < operands.size()) {
      text += ' ';
      stack.push_back({operands[top.next++]});
      continue;
    }
    if (!is_name) text += ')';
    stack.pop_back();
  }
  return text;
}

std::string to_text(const Nest& nest) {
  TextWriter writer;
  std::vector<std::string> axes;
  for (IterId iter : nest.output_index) axes.push_back(nest.iterators[iter].name);
  writer.open(fmt::format("nest {}[{}] : {}", nest.name, fmt::join(axes, ", "), name(nest.output)));
  if (nest.precision != Precision::exact) writer.line(fmt::format("precision {}", name(nest.precision)));
  for (const Tensor& tensor : nest.tensors)
    writer.line(fmt::format("tensor {} : {} rank {}", tensor.name, name(tensor.dtype), tensor.rank));
  for (const Iterator& iterator : nest.iterators)
    writer.line(fmt::format("iter {} {} extent {}", iterator.name,
                            iterator.role == IteratorRole::output ? "output" : "reduction", to_text(iterator.extent)));
  for (std::uint32_t index = 0; index < nest.reads.size(); ++index)
    writer.line(fmt::format("read %r{} = {}", index, to_text(nest, nest.reads[ReadId{index}])));
  if (nest.reduction)
    writer.line(fmt::format("reduce {} in {} from {} {}", name(*nest.reduction), name(nest.accumulate),
                            to_text(nest.identity, nest.accumulate), to_text(nest, nest.value)));
  else
    writer.line(fmt::format("value in {} {}", name(nest.accumulate), to_text(nest, nest.value)));
  writer.line(fmt::format("then {}", to_text(nest, nest.result)));
  for (const Loop& loop : nest.loops) writer.line(loop_text(loop));
  write_schedule(nest, writer);
  writer.close("");
  return writer.take();
}

}  // namespace tilewright::nest
