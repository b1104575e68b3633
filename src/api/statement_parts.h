// What the public Statement and Program hold: all that their calls said, in order and unchecked.
#pragma once

#include "api/expr_node.h"

#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tilewright/statement.h"

namespace tilewright::v0 {

/// One line of a schedule.
struct LinePart {
  using Argument =
      std::variant<Loop, detail::NamePtr, std::string, std::int64_t>;  ///< a loop, a tensor, a word, a count
  std::string_view name;
  bool is_property = false;
  std::vector<Argument> arguments;
};

struct StatementParts {
  detail::NamePtr target;
  std::vector<detail::NodePtr> target_indices;
  std::optional<Monoid> reduction;
  detail::NodePtr value;
  std::source_location at;
  std::optional<std::vector<IndexRange>> binding;
  std::optional<detail::NodePtr> epilogue;
  std::optional<DType> annotation;
  std::optional<Precision> precision;
  std::vector<std::vector<ExampleOperand>> examples;
  std::vector<LinePart> schedule;
  std::vector<std::string_view> repeated;  ///< calls that may be made once and were made again
};

struct ProgramParts {
  std::string name;
  std::vector<TensorName> parameters;
  std::vector<TensorName> results;
  std::vector<StatementParts> statements;
  std::vector<std::vector<ExampleOperand>> examples;
  std::source_location at;
};

/// Parts that do not change any more, and the kernel that is made of them once.
template <class Parts>
struct Once {
  explicit Once(Parts said) : parts(std::move(said)) {}
  const Parts parts;
  std::once_flag made;
  Result<Kernel> kernel = std::unexpected(Diagnostics{});
};

struct Statement::Inside {
  mutable Once<StatementParts> once;
  explicit Inside(StatementParts parts) : once(std::move(parts)) {}

  static Statement make(StatementParts parts) { return Statement(std::make_shared<const Inside>(std::move(parts))); }
  static const StatementParts& of(const Statement& statement) { return statement.inside_->once.parts; }
};

struct Program::Inside {
  mutable Once<ProgramParts> once;
  explicit Inside(ProgramParts parts) : once(std::move(parts)) {}
};

}  // namespace tilewright::v0
