// dot_general.h's checks and reads, and the text of a call that C++ makes.
#include "lang/dot_general.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "lang/parse.h"
#include "lang/parser.h"

namespace tilewright::lang {
namespace {

constexpr std::array<std::string_view, 2> side_names = {"left", "right"};

std::size_t free_axes(const DotOperand& operand) {
  return operand.slots.size() - operand.contracting.size() - operand.batch.size();
}

class DotCheck {
 public:
  DotCheck(const DotForm& form, const Statement& statement, Diagnostics& diagnostics)
      : form_(form), statement_(statement), diagnostics_(diagnostics) {}

  void run() {
    const std::size_t before = diagnostics_.size();
    for (const DotOperand& operand : form_.operands) check_operand(operand);
    check_lengths("contracting", &DotOperand::contracting, form_.contracting_span);
    check_lengths("batch", &DotOperand::batch, form_.batch_span);
    if (diagnostics_.size() == before) check_target();
  }

 private:
  void error(std::string_view code, Span span, std::string message, std::string remedy) {
    diagnostics_.push_back({std::string(code), std::move(message), std::move(remedy), statement_.source, span});
  }
  std::string_view text(Span span) const {
    return std::string_view(statement_.source->text()).substr(span.begin, span.end - span.begin);
  }

  void check_operand(const DotOperand& operand) {
    if (operand.slots.size() > largest_rank)
      return error("L022", operand.slots[largest_rank],
                   fmt::format("'{}' has rank {}", operand.tensor.name, operand.slots.size()), "ranks are 0 to 8");
    const std::set<std::int64_t> contracting = check_list(operand, operand.contracting, "contracting");
    const std::set<std::int64_t> batch = check_list(operand, operand.batch, "batch");
    for (const DotAxis& axis : operand.batch)
      if (contracting.contains(axis.number))
        error("L083", axis.span,
              fmt::format("axis {} of '{}' is both a contracting and a batch axis", axis.number, operand.tensor.name),
              "leave it in one of the two lists");
  }

  /// The axes of the list that there are.
  std::set<std::int64_t> check_list(const DotOperand& operand, const std::vector<DotAxis>& axes,
                                    std::string_view what) {
    const auto rank = static_cast<std::int64_t>(operand.slots.size());
    std::set<std::int64_t> seen;
    for (const DotAxis& axis : axes) {
      if (axis.number < 0 || axis.number >= rank)
        error("L081", axis.span,
              fmt::format("'{}' has no axis {}: its rank is {}", operand.tensor.name, text(axis.span), rank),
              legal_axes(rank));
      else if (!seen.insert(axis.number).second)
        error("L082", axis.span,
              fmt::format("axis {} of '{}' stands twice among its {} axes", axis.number, operand.tensor.name, what),
              "keep one");
    }
    return seen;
  }

  static std::string legal_axes(std::int64_t rank) {
    if (rank == 0) return "a scalar has no axes: leave its lists empty";
    return rank == 1 ? "its only axis is 0" : fmt::format("its axes are 0 to {}", rank - 1);
  }

  void check_lengths(std::string_view what, std::vector<DotAxis> DotOperand::* list, Span span) {
    const auto& [lhs, rhs] = form_.operands;
    if ((lhs.*list).size() == (rhs.*list).size()) return;
    error("L084", span,
          fmt::format("{} {} ax{}s of the left operand '{}', and {} of the right one, '{}'", (lhs.*list).size(), what,
                      (lhs.*list).size() == 1 ? "i" : "e", lhs.tensor.name, (rhs.*list).size(), rhs.tensor.name),
          "axes go together in pairs: both lists have one length");
  }

  void check_target() {
    const auto& [lhs, rhs] = form_.operands;
    const std::size_t rank = lhs.batch.size() + free_axes(lhs) + free_axes(rhs);
    const std::size_t given = statement_.target_iterators.size();
    if (rank == given) return;
    error("L085", statement_.target.span,
          fmt::format("the result of this 'dot_general' has rank {}, and '{}' has {}", rank, statement_.target.name,
                      given == 1 ? "1 iterator" : fmt::format("{} iterators", given)),
          fmt::format("give it one for each axis: {} of the batch, {} of '{}' and {} of '{}', in this order",
                      lhs.batch.size(), free_axes(lhs), lhs.tensor.name, free_axes(rhs), rhs.tensor.name));
  }

  const DotForm& form_;
  const Statement& statement_;
  Diagnostics& diagnostics_;
};

/// The operand read at the pairs' iterators and, along its other axes, at `free`, one each.
Read read_of(const DotOperand& operand, const DotGeneral& pairs, std::span<const Named> free) {
  Read read{operand.tensor.name, {}, std::nullopt, operand.tensor.span};
  for (const Span slot : operand.slots) read.indices.push_back({{}, 0, slot});
  const auto put = [&](const std::vector<DotAxis>& axes, const std::vector<std::string>& iterators) {
    for (std::size_t pair = 0; pair < axes.size(); ++pair)
      read.indices[static_cast<std::size_t>(axes[pair].number)] = {{{iterators[pair], 1}}, 0, axes[pair].span};
  };
  put(operand.batch, pairs.batch);
  put(operand.contracting, pairs.contracting);
  auto next = free.begin();
  for (AffineIndex& index : read.indices)
    if (index.terms.empty()) index.terms = {{(next++)->name, 1}};
  return read;
}

}  // namespace

void check_dot_general(const DotForm& form, const Statement& statement, Diagnostics& diagnostics) {
  DotCheck(form, statement, diagnostics).run();
}

std::array<Read, 2> dot_general_reads(const DotForm& form, const std::unordered_set<std::string>& taken,
                                      Statement& statement) {
  const auto& [lhs, rhs] = form.operands;
  const std::span<const Named> target = statement.target_iterators;
  DotGeneral pairs;
  for (std::size_t pair = 0; pair < lhs.batch.size(); ++pair) pairs.batch.push_back(target[pair].name);
  for (std::size_t pair = 0; pair < lhs.contracting.size(); ++pair) {
    std::string name = fmt::format("k{}", pair);
    while (taken.contains(name)) name += '_';
    pairs.contracting.push_back(std::move(name));
  }
  std::array<Read, 2> reads = {read_of(lhs, pairs, target.subspan(lhs.batch.size(), free_axes(lhs))),
                               read_of(rhs, pairs, target.last(free_axes(rhs)))};
  statement.dot_general = std::move(pairs);
  return reads;
}

namespace {

/// n0, n1, …
void add_iterators(std::vector<std::string>& all, char letter, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) all.push_back(fmt::format("{}{}", letter, i));
}

/// How many axes are in no list; where the lists are wrong, anything: that is said first.
std::size_t free_axes(const DotSide& side) {
  const std::size_t listed = side.contracting.size() + side.batch.size();
  return side.rank - std::min(side.rank, listed);
}

std::string text_of(const DotCall& call) {
  std::vector<std::string> iterators;
  add_iterators(iterators, 'n', call.lhs.batch.size());
  add_iterators(iterators, 'i', free_axes(call.lhs));
  add_iterators(iterators, 'j', free_axes(call.rhs));
  const auto slots = [](std::size_t rank) { return std::vector<std::string_view>(rank, ":"); };
  std::string text =
      fmt::format("result{}[{}] = dot_general(a[{}], b[{}], contracting = [{}] x [{}], batch = [{}] x [{}])",
                  call.result_type ? fmt::format(":{}", name(*call.result_type)) : "", fmt::join(iterators, ", "),
                  fmt::join(slots(call.lhs.rank), ", "), fmt::join(slots(call.rhs.rank), ", "),
                  fmt::join(call.lhs.contracting, ", "), fmt::join(call.rhs.contracting, ", "),
                  fmt::join(call.lhs.batch, ", "), fmt::join(call.rhs.batch, ", "));
  if (call.precision != Precision::exact) text += fmt::format(" do:\n  precision: {}\n", name(call.precision));
  return text;
}

}  // namespace

Result<Statement> parse_dot_general(const DotCall& call) {
  Diagnostics found;
  const auto check_rank = [&](std::string_view side, std::size_t rank) {
    if (rank > largest_rank)
      found.push_back({"L022",
                       fmt::format("the {} operand of dot_general has rank {}", side, rank),
                       "ranks are 0 to 8",
                       nullptr,
                       {}});
  };
  check_rank(side_names[0], call.lhs.rank);
  check_rank(side_names[1], call.rhs.rank);
  if (!found.empty()) return std::unexpected(std::move(found));
  auto file = parse(std::make_shared<const Source>("dot_general", text_of(call)));
  if (!file) return std::unexpected(std::move(file.error()));
  return std::get<Statement>(std::move(file->items.front()));
}

}  // namespace tilewright::lang
