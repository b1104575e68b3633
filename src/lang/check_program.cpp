// Checks of programs and files: names across statements.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>

#include "lang/check.h"
#include "lang/check_example.h"

namespace tilewright::lang {
namespace {

class ProgramCheck {
 public:
  ProgramCheck(const Program& program, Diagnostics& diagnostics, const SourcePtr& source)
      : program_(program), diagnostics_(diagnostics), source_(source) {}
  void run();

 private:
  void report(std::string_view code, Span span, std::string message, std::string remedy,
              Severity severity = Severity::error) {
    diagnostics_.push_back({std::string(code), std::move(message), std::move(remedy), source_, span, severity});
  }
  bool is_parameter(const std::string& name) const { return parameters_.contains(name); }
  void check_distinct(const std::vector<Named>& names, std::string_view what);
  void check_reads(const Statement& statement);
  void check_iterators(const Statement& statement);
  void check_target(const Statement& statement);

  const Program& program_;
  Diagnostics& diagnostics_;
  SourcePtr source_;
  std::map<std::string, std::size_t> ranks_;  ///< of targets so far, and of parameters since their first read
  std::set<std::string> assigned_;
  std::unordered_set<std::string_view> parameters_;
};

void ProgramCheck::run() {
  for (const Named& parameter : program_.parameters) parameters_.insert(parameter.name);
  check_distinct(program_.parameters, "parameter");
  check_distinct(program_.results, "result");
  if (program_.results.empty())
    report("L063", program_.name.span, fmt::format("the program '{}' returns nothing", program_.name.name),
           "name at least one target after '->'");
  for (const Statement& statement : program_.statements) {
    check_reads(statement);
    check_iterators(statement);
    check_target(statement);
  }
  for (const Named& result : program_.results)
    if (!assigned_.contains(result.name))
      report("L063", result.span, fmt::format("no statement assigns the result '{}'", result.name),
             "return the target of a statement of this program");
  std::vector<OperandRank> operands;
  for (const Named& parameter : program_.parameters) {
    if (ranks_.contains(parameter.name))
      operands.push_back({parameter.name, ranks_[parameter.name]});
    else
      report("L067", parameter.span, fmt::format("nothing reads the parameter '{}'", parameter.name), "remove it",
             Severity::warning);
  }
  // An example may name an unread parameter, of any rank.
  std::vector<Example> examples = program_.examples;
  for (Example& example : examples)
    std::erase_if(example, [&](const ExampleOperand& operand) {
      return is_parameter(operand.name.name) && !ranks_.contains(operand.name.name);
    });
  check_examples(examples, operands, program_.name, source_, diagnostics_);
}

void ProgramCheck::check_distinct(const std::vector<Named>& names, std::string_view what) {
  std::unordered_set<std::string_view> seen;
  for (const Named& name : names)
    if (!seen.insert(name.name).second)
      report("L064", name.span, fmt::format("the {} '{}' stands twice", what, name.name), "keep one");
}

void ProgramCheck::check_reads(const Statement& statement) {
  for (const Expr& expr : statement.exprs) {
    const auto* read = std::get_if<Read>(&expr.node);
    if (read == nullptr || read->tensor == statement.target.name) continue;
    const std::size_t rank = read->indices.size();
    if (!assigned_.contains(read->tensor) && !is_parameter(read->tensor)) {
      const auto defines = [&](const Statement& other) { return other.target.name == read->tensor; };
      report("L062", read->name_span, fmt::format("'{}' is not defined here", read->tensor),
             std::ranges::any_of(program_.statements, defines) ? "move the statement that assigns it up"
                                                               : "add it to the parameters, or assign it before");
    } else if (const auto [known, is_new] = ranks_.try_emplace(read->tensor, rank); !is_new && known->second != rank) {
      report("L039", expr.span,
             fmt::format("'{}' is read with rank {} here and has rank {} before", read->tensor, rank, known->second),
             "a tensor has one rank");
    }
  }
}

void ProgramCheck::check_iterators(const Statement& statement) {
  for (const std::string& iterator : statement.iterator_order()) {
    const bool is_tensor = is_parameter(iterator) || assigned_.contains(iterator);
    if (!is_tensor) continue;
    Span span = statement.target.span;
    for (const Expr& expr : statement.exprs) {
      const auto* value = std::get_if<IteratorValue>(&expr.node);
      if (value != nullptr && value->iterator == iterator) span = expr.span;
      if (const auto* read = std::get_if<Read>(&expr.node))
        for (const AffineIndex& index : read->indices)
          if (std::ranges::find(index.terms, iterator, &AffineIndex::Term::iterator) != index.terms.end())
            span = index.span;
    }
    report("L031", span, fmt::format("'{}' names both an iterator and a tensor of the program", iterator),
           fmt::format("rename one; a scalar tensor is read as {}[]", iterator));
  }
}

void ProgramCheck::check_target(const Statement& statement) {
  const Named& target = statement.target;
  const bool is_new = assigned_.insert(target.name).second;
  if (is_parameter(target.name))
    report("L061", target.span, fmt::format("'{}' is a parameter and cannot be assigned", target.name),
           "give the target a name of its own");
  else if (!is_new)
    report("L061", target.span, fmt::format("'{}' is assigned twice", target.name), "a program assigns a name once");
  ranks_.try_emplace(target.name, statement.target_iterators.size());
}

}  // namespace

void check_program(const Program& program, Diagnostics& diagnostics, const SourcePtr& source) {
  ProgramCheck(program, diagnostics, source).run();
}

void check_file(const File& file, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const auto& item : file.items) {
    if (names.insert(name_of(item)).second) continue;
    const auto* statement = std::get_if<Statement>(&item);
    const Span span = statement != nullptr ? statement->target.span : std::get<Program>(item).name.span;
    diagnostics.push_back({"L060", fmt::format("a second kernel named '{}' in this file", name_of(item)),
                           "a kernel's name is its target's, unique in its file; rename one", file.source, span});
  }
}

}  // namespace tilewright::lang
