// Checks of one statement that need no operands. check_program.cpp has those of programs and files.
#include "lang/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "lang/check_example.h"
#include "lang/parser.h"

namespace tilewright::lang {
namespace {

/// One place where an iterator stands.
struct IteratorUse {
  std::string name;
  Span span;
  bool in_epilogue = false;
  bool is_value = false;     ///< used as a number, not in an index
  bool sets_extent = false;  ///< in an index of a read without 'else', other than of the target
};

/// What all places of one iterator amount to. A table of these keeps the checks linear in the statement's length.
struct IteratorFacts {
  bool in_target = false;
  bool in_index = false;
  bool sets_extent = false;
  const BoundIterator* bound = nullptr;
};

class StatementCheck {
 public:
  StatementCheck(const Statement& statement, Diagnostics& diagnostics)
      : statement_(statement), diagnostics_(diagnostics) {}
  void run();

 private:
  void error(std::string_view code, Span span, std::string message, std::string remedy) {
    diagnostics_.push_back({std::string(code), std::move(message), std::move(remedy), statement_.source, span});
  }
  void collect(ExprId root, bool in_epilogue);
  void collect_read(const Read& read, Span span, bool in_epilogue);
  void collect_facts();
  bool check_target();
  bool check_iterator_count();
  void check_ranks();
  void check_iterator_or_tensor();
  void check_binding();
  void check_reductions();
  void check_extents();
  void check_extent_calls();
  void check_target_reads();
  void check_target_read(const Read& read, Span span, bool in_epilogue);

  const Statement& statement_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, IteratorFacts> facts_;
  std::vector<IteratorUse> uses_;  ///< in the value and the epilogue, in order
  struct ReadUse {
    const Read* read;
    Span span;
    bool in_epilogue;
  };
  std::vector<ReadUse> reads_;
  std::vector<Named> extent_calls_;
  std::set<std::string> reported_;  ///< iterators whose first error hides the ones that follow from it
};

/// Leaves left to right, without recursion.
void StatementCheck::collect(ExprId root, bool in_epilogue) {
  std::vector<ExprId> pending = {root};
  while (!pending.empty()) {
    const Expr& expr = statement_.exprs[pending.back()];
    pending.pop_back();
    if (const auto* apply = std::get_if<Apply>(&expr.node))
      for (ExprId operand : apply->operands | std::views::reverse) pending.push_back(operand);
    else if (const auto* cast = std::get_if<Cast>(&expr.node))
      pending.push_back(cast->operand);
    else if (const auto* read = std::get_if<Read>(&expr.node))
      collect_read(*read, expr.span, in_epilogue);
    else if (const auto* value = std::get_if<IteratorValue>(&expr.node))
      uses_.push_back({value->iterator, expr.span, in_epilogue, true, false});
    else if (const auto* extent = std::get_if<ExtentOf>(&expr.node))
      extent_calls_.push_back({extent->iterator, expr.span});
  }
}

void StatementCheck::collect_read(const Read& read, Span span, bool in_epilogue) {
  reads_.push_back({&read, span, in_epilogue});
  const bool sets_extent = !read.otherwise && read.tensor != statement_.target.name;
  for (const AffineIndex& index : read.indices)
    for (const AffineIndex::Term& term : index.terms)
      uses_.push_back({term.iterator, index.span, in_epilogue, false, sets_extent});
}

void StatementCheck::collect_facts() {
  for (const Named& iterator : statement_.target_iterators) facts_[iterator.name].in_target = true;
  if (statement_.binding)
    for (const BoundIterator& bound : *statement_.binding) facts_[bound.iterator.name].bound = &bound;
  for (const IteratorUse& use : uses_) {
    IteratorFacts& facts = facts_[use.name];
    facts.in_index = facts.in_index || !use.is_value;
    facts.sets_extent = facts.sets_extent || use.sets_extent;
  }
}

void StatementCheck::run() {
  collect(statement_.value, false);
  if (statement_.epilogue) collect(*statement_.epilogue, true);
  if (!check_target()) return;
  collect_facts();
  if (!check_iterator_count()) return;
  check_ranks();
  check_iterator_or_tensor();
  check_target_reads();
  check_binding();
  check_extents();
  check_reductions();
  check_extent_calls();
  std::vector<OperandRank> operands;
  for (const ReadUse& use : reads_)
    if (use.read->tensor != statement_.target.name) operands.push_back({use.read->tensor, use.read->indices.size()});
  check_examples(statement_.examples, operands, statement_.target, statement_.source, diagnostics_);
}

/// False where the target has too many iterators for the other checks to make sense of.
bool StatementCheck::check_target() {
  const auto& iterators = statement_.target_iterators;
  std::unordered_set<std::string_view> seen;
  for (const Named& iterator : iterators) {
    if (seen.insert(iterator.name).second) continue;
    error("L021", iterator.span, fmt::format("the target's iterator '{}' stands twice", iterator.name),
          "give each axis of the target its own iterator; diagonals are for reads");
    break;
  }
  if (iterators.size() <= largest_rank) return true;
  error("L022", iterators[largest_rank].span,
        fmt::format("the target '{}' has rank {}", statement_.target.name, iterators.size()), "ranks are 0 to 8");
  return false;
}

/// False where there are too many iterators for the other checks to make sense of.
bool StatementCheck::check_iterator_count() {
  if (facts_.size() <= most_iterators) return true;
  error("L014", statement_.target.span,
        fmt::format("the statement '{}' has {} iterators", statement_.target.name, facts_.size()),
        fmt::format("at most {}; compute a part of it in a statement of its own", most_iterators));
  return false;
}

void StatementCheck::check_ranks() {
  std::unordered_map<std::string_view, std::size_t> ranks;
  for (const ReadUse& use : reads_) {
    const Read& read = *use.read;
    const std::size_t rank = read.indices.size();
    if (rank > largest_rank)
      error("L022", read.indices[largest_rank].span, fmt::format("'{}' is read with rank {}", read.tensor, rank),
            "ranks are 0 to 8");
    if (read.tensor == statement_.target.name) continue;
    const std::size_t first = ranks.try_emplace(read.tensor, rank).first->second;
    if (first != rank)
      error("L039", use.span,
            fmt::format("'{}' is read with rank {} here and with rank {} before", read.tensor, rank, first),
            "a tensor has one rank");
  }
}

/// L031 at whichever of the two uses comes second.
void StatementCheck::check_iterator_or_tensor() {
  std::unordered_map<std::string_view, Span> tensors = {{statement_.target.name, statement_.target.span}};
  for (const ReadUse& use : reads_) tensors.try_emplace(use.read->tensor, use.read->name_span);
  std::vector<Named> iterators = statement_.target_iterators;
  if (statement_.binding)
    for (const BoundIterator& b : *statement_.binding) iterators.push_back(b.iterator);
  for (const IteratorUse& use : uses_) iterators.push_back({use.name, use.span});
  std::ranges::sort(iterators, {}, [](const Named& n) { return n.span.begin; });
  for (const Named& iterator : iterators) {
    const auto tensor = tensors.find(iterator.name);
    if (tensor == tensors.end() || !reported_.insert(iterator.name).second) continue;
    const Span later = tensor->second.begin > iterator.span.begin ? tensor->second : iterator.span;
    error("L031", later, fmt::format("'{}' names both an iterator and a tensor", iterator.name),
          fmt::format("rename one; a scalar tensor is read as {}[]", iterator.name));
  }
}

void StatementCheck::check_target_reads() {
  for (const ReadUse& use : reads_) {
    if (use.read->tensor != statement_.target.name) continue;
    check_target_read(*use.read, use.span, use.in_epilogue);
    if (use.in_epilogue) continue;
    for (const AffineIndex& index : use.read->indices)
      for (const AffineIndex::Term& term : index.terms) reported_.insert(term.iterator);
  }
}

void StatementCheck::check_target_read(const Read& read, Span span, bool in_epilogue) {
  const auto& own = statement_.target_iterators;
  const bool at_own = std::ranges::equal(read.indices, own, [](const AffineIndex& index, const Named& iterator) {
    return index.bare() != nullptr && *index.bare() == iterator.name;
  });
  std::string own_text;
  for (const Named& iterator : own) own_text += fmt::format("{}{}", own_text.empty() ? "" : ", ", iterator.name);
  const std::string itself = fmt::format("{}[{}]", read.tensor, own_text);
  if (!in_epilogue && at_own) {
    error("L036", span, fmt::format("the target '{}' is read outside 'then'", read.tensor),
          fmt::format("its old contents are never read; in 'then', {} is the finished value", itself));
  } else if (!in_epilogue) {
    error("L029", span,
          fmt::format("the target '{}' is read at other indices: scans and recurrences are not supported", read.tensor),
          "write each step as a statement of its own, into a new tensor");
  } else if (!at_own || read.otherwise) {
    error("L037", span, fmt::format("in 'then' the target '{}' is read at its own iterators only", read.tensor),
          fmt::format("write {}", itself));
  }
}

void StatementCheck::check_binding() {
  if (!statement_.binding || statement_.binding->empty()) return;
  const auto& binding = *statement_.binding;
  std::unordered_set<std::string_view> seen;
  for (const BoundIterator& bound : binding)
    if (!seen.insert(bound.iterator.name).second)
      error("L034", bound.iterator.span, fmt::format("the binding lists '{}' twice", bound.iterator.name),
            "a binding lists every iterator exactly once");
  std::string missing;
  for (const std::string& name : statement_.iterator_order()) {
    if (seen.contains(name) || reported_.contains(name)) continue;
    missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", name);
    reported_.insert(name);
  }
  if (!missing.empty())
    error("L033", {binding.front().iterator.span.begin, binding.back().iterator.span.end},
          fmt::format("the binding leaves out {}", missing), "a binding lists every iterator exactly once");
}

/// Iterators that no read holds and no range bounds.
void StatementCheck::check_extents() {
  std::vector<Named> all = statement_.target_iterators;
  for (const IteratorUse& use : uses_) all.push_back({use.name, use.span});
  if (statement_.binding)
    for (const BoundIterator& b : *statement_.binding) all.push_back(b.iterator);
  for (const Named& iterator : all) {
    const IteratorFacts& facts = facts_[iterator.name];
    if (facts.sets_extent || (facts.bound != nullptr && facts.bound->extent)) continue;
    if (!reported_.insert(iterator.name).second) continue;
    const bool only_value = !facts.in_target && !facts.in_index && facts.bound == nullptr;
    error("L035", iterator.span,
          fmt::format("no read without 'else' holds the iterator '{}', so it has no extent", iterator.name),
          only_value ? fmt::format("a scalar tensor is read as {0}[]; an iterator needs a range: | ({0} in 0 ..< 8)",
                                   iterator.name)
                     : fmt::format("give it a range in the binding, which lists every iterator: {} in 0 ..< 8",
                                   iterator.name));
  }
}

/// '=' reduces nothing, and 'then' comes after the reduction.
void StatementCheck::check_reductions() {
  std::vector<IteratorUse> all = uses_;
  if (statement_.binding)
    for (const BoundIterator& b : *statement_.binding) all.push_back({b.iterator.name, b.iterator.span});
  for (const IteratorUse& use : all) {
    if (facts_[use.name].in_target || (statement_.reduction && !use.in_epilogue)) continue;
    if (!reported_.insert(use.name).second) continue;
    if (!statement_.reduction)
      error("L032", use.span, fmt::format("'=' reduces nothing, but the iterator '{}' is not in the target", use.name),
            fmt::format("reduce with '++=', '*=', 'max=' or 'min=', or add '{}' to the target", use.name));
    else
      error("L038", use.span,
            fmt::format("'then' uses the reduction iterator '{}', which is already reduced", use.name),
            "in 'then' only the target's iterators vary; extent(…) may name any iterator");
  }
}

void StatementCheck::check_extent_calls() {
  for (const Named& call : extent_calls_)
    if (!facts_.contains(call.name))
      error("L040", call.span, fmt::format("'{}' is no iterator of this statement", call.name),
            "extent(…) takes an iterator of the target, of a read or of the binding");
}

}  // namespace

void check_statement(const Statement& statement, Diagnostics& diagnostics) {
  StatementCheck(statement, diagnostics).run();
}

}  // namespace tilewright::lang
