// dot_general calls: the grammar. dot_general.h has what is checked of them and the statement that they stand for.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "lang/parser.h"
#include "lang/precedence.h"

namespace tilewright::lang {

bool Parser::at_dot_general() const {
  return peek().kind == LexemeKind::name && peek().text == "dot_general" && peek(1).is("(");
}

/// After the operator. What may follow is what follows any value.
bool Parser::parse_dot_general(Statement& statement) {
  DotForm form;
  auto& [lhs, rhs] = form.operands;
  const std::uint32_t begin = take().span.begin;
  take();  // the '('
  if (!parse_dot_operand(lhs) || !expect(",", "the left operand of 'dot_general'") || !parse_dot_operand(rhs))
    return false;
  while (peek().is(",") && (!form.contracting_span.end || !form.batch_span.end)) {
    take();
    if (!parse_dot_axes(form)) return false;
  }
  if (!expect(")", "the axes of 'dot_general'")) return false;
  form.span = {begin, lexed_.lexemes[position_ - 1].span.end};
  const std::string rest = "the rest stands after 'then', or in a statement of its own";
  if (std::ranges::any_of(infix_table, [&](const Infix& row) { return peek().is(info(row.op).spelling); })) {
    error("L080", peek().span, fmt::format("'{}' after 'dot_general', which is a statement's whole value", peek().text),
          rest);
    return false;
  }
  if (statement.reduction) {
    error("L080", statement.op_span, "'dot_general' sums by itself: its operator is '='", "write '='");
    return false;
  }
  const std::size_t errors = error_count();
  check_dot_general(form, statement, diagnostics_);
  if (error_count() > errors) return false;
  auto [left, right] = dot_general_reads(form, names_beside(form), statement);
  if (!lhs.contracting.empty()) statement.reduction = Monoid::sum;
  const ExprId left_id = add({std::move(left), lhs.span}, 1);
  const ExprId right_id = add({std::move(right), rhs.span}, 1);
  statement.value = add({Apply{ScalarOp::mul, {left_id, right_id}}, form.span}, 2);
  return true;
}

/// `a[:, :]`.
bool Parser::parse_dot_operand(DotOperand& operand) {
  auto name = expect_name("an operand of 'dot_general'");
  if (!name) return false;
  operand.tensor = std::move(*name);
  const std::string& tensor = operand.tensor.name;
  if (!peek().is("[")) {
    error_expected(fmt::format("'[' after the operand '{}'", tensor),
                   fmt::format("write a ':' for each axis: {0}[:, :] for a matrix, {0}[] for a scalar", tensor));
    return false;
  }
  take();
  if (!peek().is("]")) do {
      if (!peek().is(":")) {
        error_expected(fmt::format("':' for an axis of '{}'", tensor),
                       "dot_general takes whole tensors, and axes by number; with indices the sum is written out: c[i, "
                       "j] ++= a[i, k] * b[k, j]");
        return false;
      }
      operand.slots.push_back(take().span);
    } while (accept(","));
  if (!expect("]", fmt::format("the axes of '{}'", tensor))) return false;
  operand.span = {operand.tensor.span.begin, lexed_.lexemes[position_ - 1].span.end};
  return true;
}

/// `contracting = [1] x [0]` or `batch = [0] x [0]`, each once.
bool Parser::parse_dot_axes(DotForm& form) {
  const Lexeme& word = peek();
  const auto is_next = [&](std::string_view wanted, Span seen) {
    return seen.end == 0 && word.kind == LexemeKind::name && word.text == wanted;
  };
  const bool is_contracting = is_next("contracting", form.contracting_span);
  if (!is_contracting && !is_next("batch", form.batch_span)) {
    error_expected(form.contracting_span.end != 0 ? "'batch'"
                   : form.batch_span.end != 0     ? "'contracting'"
                                                  : "'contracting' or 'batch'",
                   "the axes are contracting = [1] x [0] and batch = [0] x [0], of the left operand and the right one");
    return false;
  }
  take();
  if (!expect("=", fmt::format("'{}'", word.text))) return false;
  const auto list = is_contracting ? &DotOperand::contracting : &DotOperand::batch;
  const std::uint32_t begin = peek().span.begin;
  if (!parse_dot_list(form.operands[0].*list)) return false;
  if (peek().kind != LexemeKind::name || peek().text != "x") {
    error_expected("'x' and the right operand's axes",
                   fmt::format("write both operands' lists: {} = [0] x [0]", word.text));
    return false;
  }
  take();
  if (!parse_dot_list(form.operands[1].*list)) return false;
  const Span span{begin, lexed_.lexemes[position_ - 1].span.end};
  (is_contracting ? form.contracting_span : form.batch_span) = span;
  return true;
}

/// `[1, 2]`.
bool Parser::parse_dot_list(std::vector<DotAxis>& axes) {
  if (!peek().is("[")) {
    error_expected("a list of axes", "write numbers in brackets: [1], or [] for none");
    return false;
  }
  take();
  if (accept("]")) return true;
  do {
    const auto axis = parse_dot_axis();
    if (!axis) return false;
    axes.push_back(*axis);
  } while (accept(","));
  return expect("]", "the list of axes");
}

/// A sign is read so that the number can be called what it is, an axis that there is not.
std::optional<DotAxis> Parser::parse_dot_axis() {
  const std::uint32_t begin = peek().span.begin;
  const bool negative = accept("-");
  const Lexeme& number = peek();
  if (number.kind != LexemeKind::integer) {
    error_expected("an axis", "axes are numbers from 0");
    return std::nullopt;
  }
  take();
  std::int64_t value = 0;
  if (std::from_chars(number.text.data(), number.text.data() + number.text.size(), value).ec != std::errc{})
    value = std::numeric_limits<std::int64_t>::max();
  return DotAxis{negative ? -value - (value == 0 ? 1 : 0) : value, {begin, number.span.end}};
}

/// What a made-up iterator must not be called: names of the statement's target and reads, and of the program's tensors.
std::unordered_set<std::string> Parser::names_beside(const DotForm& form) const {
  std::unordered_set<std::string> names = {statement_->target.name};
  for (const Named& iterator : statement_->target_iterators) names.insert(iterator.name);
  for (const DotOperand& operand : form.operands) names.insert(operand.tensor.name);
  for (std::size_t at = 0; peek(at).kind != LexemeKind::newline && peek(at).kind != LexemeKind::end; ++at)
    if (peek(at).kind == LexemeKind::name && peek(at + 1).is("[")) names.emplace(peek(at).text);
  if (program_ == nullptr) return names;
  for (const Named& parameter : program_->parameters) names.insert(parameter.name);
  for (const Statement& statement : program_->statements) names.insert(statement.target.name);
  return names;
}

}  // namespace tilewright::lang
