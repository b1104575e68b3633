// NumPy einsum strings as statements: letters are iterators, the operands a product, what the output lacks is summed.
//
// An ellipsis stands for the axes that its operand has beyond its letters; several align at their last axes. NumPy also
// broadcasts an axis of extent 1 there. Ranks alone cannot show that, so here aligned ellipsis axes share an iterator
// and their extents must agree when operands are bound.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "lang/check.h"
#include "lang/parse.h"

namespace tilewright::lang {
namespace {

constexpr std::size_t largest_operand = 8;

/// The subscripts of one operand or of the output. Letter i stands before the ellipsis where i < ellipsis_at.
struct Subscripts {
  std::vector<Named> letters;
  std::optional<std::size_t> ellipsis_at;
  Span span;
};

class EinsumParser {
 public:
  EinsumParser(std::string_view equation, const std::vector<std::size_t>& ranks, const std::vector<std::string>& names,
               std::string_view target, std::optional<DType> element)
      : source_(std::make_shared<const Source>("einsum", std::string(equation))),
        text_(source_->text()),
        ranks_(ranks),
        names_(names),
        target_(target),
        element_(element) {}

  Result<Statement> run();

 private:
  void error(std::string_view code, Span span, std::string message, std::string remedy) {
    found_.push_back({std::string(code), std::move(message), std::move(remedy), source_, span});
  }
  Span span_at(std::size_t begin, std::size_t end) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void scan();
  void check_operands();
  void infer_output();
  void check_output();
  std::string iterator_name(const std::string& wanted) const;
  std::vector<Named> axes(const Subscripts& subscripts, std::size_t ellipsis_rank) const;
  Statement build() const;

  SourcePtr source_;
  std::string_view text_;
  const std::vector<std::size_t>& ranks_;
  const std::vector<std::string>& names_;
  std::string_view target_;
  std::optional<DType> element_;  ///< of all operands, where NumPy's types are asked for
  std::vector<Subscripts> operands_;
  std::optional<Subscripts> output_;
  std::size_t broadcast_rank_ = 0;  ///< of the longest ellipsis
  Diagnostics found_;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Result<Statement> EinsumParser::run() {
  if (ranks_.size() != names_.size()) internal_error("parse_einsum: as many names as ranks are needed");
  scan();
  if (found_.empty()) check_operands();
  if (!found_.empty()) return std::unexpected(std::move(found_));
  if (output_)
    check_output();
  else
    infer_output();
  if (!found_.empty()) return std::unexpected(std::move(found_));
  Statement statement = build();
  check_statement(statement, found_);
  if (!found_.empty()) return std::unexpected(std::move(found_));
  return statement;
}

/// Cuts the string at commas and '->'. Blanks count for nothing.
void EinsumParser::scan() {
  operands_.emplace_back();
  Subscripts* current = &operands_.back();
  std::size_t start = 0;
  const auto close = [&](std::size_t end) { current->span = span_at(start, end); };
  for (std::size_t at = 0; at < text_.size(); ++at) {
    const char c = text_[at];
    if (is_letter(c)) {
      current->letters.push_back({std::string(1, c), span_at(at, at + 1)});
    } else if (c == ',' && !output_) {
      close(at);
      start = at + 1;
      current = &operands_.emplace_back();
    } else if (text_.substr(at).starts_with("->") && !output_) {
      close(at);
      start = at + 2;
      current = &output_.emplace();
      ++at;
    } else if (text_.substr(at).starts_with("...")) {
      if (current->ellipsis_at)
        error("L072", span_at(at, at + 3), "a second ellipsis in one operand", "keep one '...'");
      current->ellipsis_at = current->letters.size();
      at += 2;
    } else if (c == '.') {
      std::size_t end = at;
      while (end < text_.size() && text_[end] == '.') ++end;
      error("L072", span_at(at, end), "an ellipsis is three points without blanks", "write '...'");
      at = end - 1;
    } else if (c != ' ' && c != '\t') {
      error("L070", span_at(at, at + 1),
            c > ' ' && c <= '~' ? fmt::format("'{}' has no place here in an einsum string", c)
                                : fmt::format("byte 0x{:02x} in an einsum string", static_cast<unsigned char>(c)),
            "it holds letters, ',', one '->', '...' and blanks");
      return;
    }
  }
  close(text_.size());
}

void EinsumParser::check_operands() {
  if (operands_.size() != ranks_.size())
    return error("L071", span_at(0, text_.size()),
                 fmt::format("the string has {} operand{}, but {} {} given", operands_.size(),
                             operands_.size() == 1 ? "" : "s", ranks_.size(), ranks_.size() == 1 ? "is" : "are"),
                 "separate one group of letters for each operand with ','");
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const Subscripts& operand = operands_[i];
    const std::size_t letters = operand.letters.size();
    if (ranks_[i] > largest_operand)
      error("L022", operand.span, fmt::format("'{}' has rank {}", names_[i], ranks_[i]), "ranks are 0 to 8");
    else if (operand.ellipsis_at ? letters > ranks_[i] : letters != ranks_[i])
      error("L073", operand.span,
            fmt::format("'{}' has rank {}, but {} letter{} name its axes", names_[i], ranks_[i], letters,
                        letters == 1 ? "" : "s"),
            operand.ellipsis_at ? "at most one letter for each axis"
                                : "one letter for each axis, or '...' for the others");
    else if (operand.ellipsis_at)
      broadcast_rank_ = std::max(broadcast_rank_, ranks_[i] - letters);
  }
}

/// NumPy's implicit output: the ellipsis, then the letters that stand once in all operands, in ASCII order.
void EinsumParser::infer_output() {
  std::map<std::string, std::vector<Named>> seen;
  for (const Subscripts& operand : operands_)
    for (const Named& letter : operand.letters) seen[letter.name].push_back(letter);
  output_.emplace();
  if (broadcast_rank_ > 0) output_->ellipsis_at = 0;
  for (const auto& [letter, places] : seen)
    if (places.size() == 1) output_->letters.push_back(places.front());
}

void EinsumParser::check_output() {
  const auto& letters = output_->letters;
  for (auto it = letters.begin(); it != letters.end(); ++it) {
    const auto has = [&](const Subscripts& operand) {
      return std::ranges::find(operand.letters, it->name, &Named::name) != operand.letters.end();
    };
    if (std::ranges::find(letters.begin(), it, it->name, &Named::name) != it)
      error("L074", it->span, fmt::format("the output index '{}' stands twice", it->name),
            "give each axis of the output its own letter");
    else if (std::ranges::none_of(operands_, has))
      error("L075", it->span, fmt::format("no operand has the output index '{}'", it->name),
            "an output index comes from an operand");
  }
  if (broadcast_rank_ > 0 && !output_->ellipsis_at)
    error("L076", output_->span, "the operands' ellipsis axes are missing from the output",
          "write '...' in the output");
}

/// `wanted`, or with underscores where an operand or the target is called that.
std::string EinsumParser::iterator_name(const std::string& wanted) const {
  std::string name = wanted;
  while (name == target_ || std::ranges::find(names_, name) != names_.end()) name += '_';
  return name;
}

/// The iterators of the axes in order; an ellipsis of `ellipsis_rank` axes takes the last of the broadcast ones.
std::vector<Named> EinsumParser::axes(const Subscripts& subscripts, std::size_t ellipsis_rank) const {
  std::vector<Named> result;
  for (std::size_t i = 0; i <= subscripts.letters.size(); ++i) {
    if (subscripts.ellipsis_at == i)
      for (std::size_t axis = broadcast_rank_ - ellipsis_rank; axis < broadcast_rank_; ++axis)
        result.push_back({iterator_name(fmt::format("e{}", axis)), subscripts.span});
    if (i < subscripts.letters.size())
      result.push_back({iterator_name(subscripts.letters[i].name), subscripts.letters[i].span});
  }
  return result;
}

Statement EinsumParser::build() const {
  const bool is_logical = element_ == DType::boolean;
  const ScalarOp times = is_logical ? ScalarOp::logical_and : ScalarOp::mul;
  Statement statement;
  if (element_ == DType::i8 || element_ == DType::u8) statement.annotation = element_;
  statement.source = source_;
  statement.span = span_at(0, text_.size());
  statement.op_span = output_->span;
  statement.target = {std::string(target_), output_->span};
  statement.target_iterators = axes(*output_, broadcast_rank_);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const Subscripts& operand = operands_[i];
    Read read;
    read.tensor = names_[i];
    read.name_span = operand.span;
    for (Named& axis : axes(operand, operand.ellipsis_at ? ranks_[i] - operand.letters.size() : 0))
      read.indices.push_back({{{std::move(axis.name), 1}}, 0, axis.span});
    const ExprId factor = statement.exprs.add({std::move(read), operand.span});
    const Span product{0, operand.span.end};
    statement.value = i == 0 ? factor : statement.exprs.add({Apply{times, {statement.value, factor}}, product});
  }
  if (statement.iterator_order().size() > statement.target_iterators.size())
    statement.reduction = is_logical ? Monoid::max : Monoid::sum;
  return statement;
}

}  // namespace

Result<Statement> parse_einsum(std::string_view equation, const std::vector<std::size_t>& ranks,
                               const std::vector<std::string>& names, std::string_view target,
                               std::optional<DType> element) {
  return EinsumParser(equation, ranks, names, target, element).run();
}

}  // namespace tilewright::lang
