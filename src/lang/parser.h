// The recursive-descent parser under parse(): grammar of language.md over the lexemes of lexer.h. Its parts stand in
// parser.cpp (files, programs, statement heads), parse_expr.cpp (expressions, reads), parse_index.cpp (affine indices)
// parse_dot_general.cpp (dot_general calls) and parse_block.cpp (block entries, schedule lines, examples). Meaning is
// checked after it, in check.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "lang/ast.h"
#include "lang/dot_general.h"
#include "lang/lexer.h"
#include "support/diagnostic.h"

namespace tilewright::lang {

/// Expressions nest at most this deep (each level costs a few stack frames here and in every later pass).
inline constexpr int deepest_nesting = 256;
/// The height of an expression tree, which a long chain of operators also makes: later passes recurse over it.
inline constexpr int tallest_expression = 1000;
inline constexpr std::size_t largest_rank = 8;
inline constexpr std::size_t most_iterators = 256;  ///< of a statement

class Parser {
 public:
  /// Errors (and warnings) of lexer, grammar and checks are added to `diagnostics`.
  Parser(SourcePtr source, Diagnostics& diagnostics);
  File parse_file();

 private:
  // parser.cpp
  const Lexeme& peek(std::size_t ahead = 0) const;
  const Lexeme& take();
  bool accept(std::string_view text);
  bool at_line_end() const;
  /// Adds an error unless its line was reported by the lexer, the statement is given up, or there are too many.
  void error(std::string_view code, Span span, std::string message, std::string remedy);
  /// L011 at the next lexeme: "expected …, found …".
  void error_expected(std::string_view what, std::string remedy = {});
  bool expect(std::string_view text, std::string_view after);
  std::optional<Named> expect_name(std::string_view what);
  std::optional<DType> expect_dtype();
  std::optional<std::int64_t> integer_value(const Lexeme& lexeme);
  std::size_t error_count() const;
  bool line_is_invalid(std::size_t at) const;
  void skip_line();
  void skip_block();
  bool expect_line_end(std::string_view after);

  std::optional<Statement> parse_statement();
  bool parse_head(Statement& statement);
  bool parse_target(Statement& statement);
  bool parse_operator(Statement& statement);
  bool parse_binding(Statement& statement);
  bool parse_binding_list(Statement& statement, std::string_view close);
  bool parse_range(BoundIterator& bound);
  std::optional<Program> parse_program();
  bool parse_program_header(Program& program);
  bool parse_names(std::vector<Named>& names, std::string_view what);
  void parse_program_body(Program& program);

  // parse_dot_general.cpp
  bool at_dot_general() const;
  bool parse_dot_general(Statement& statement);
  bool parse_dot_operand(DotOperand& operand);
  bool parse_dot_axes(DotForm& form);
  bool parse_dot_list(std::vector<DotAxis>& axes);
  std::optional<DotAxis> parse_dot_axis();
  std::unordered_set<std::string> names_beside(const DotForm& form) const;

  // parse_expr.cpp
  ExprId parse_expr(int level = 0);
  ExprId parse_prefix(int level);
  ExprId parse_primary();
  ExprId parse_number(std::uint32_t begin);
  ExprId parse_call();
  ExprId parse_read();
  bool parse_indices(Read& read);
  std::optional<Number> parse_signed_literal();
  std::optional<Number> number_of(const Lexeme& lexeme, bool negative);

  // parse_index.cpp
  std::optional<AffineIndex> parse_index();
  std::optional<AffineIndex> parse_affine_sum();
  std::optional<AffineIndex> parse_affine_product();
  std::optional<AffineIndex> parse_affine_factor();
  void error_not_affine(Span span, std::string message);
  ExprId add(Expr expr, int height);
  int height(ExprId expr) const;
  bool enter_nesting();

  // parse_block.cpp
  void parse_do_block(Statement& statement);
  void parse_block_entry(Statement& statement);
  void parse_precision(Statement& statement);
  void parse_example(std::vector<Example>& examples);
  bool parse_example_operand(ExampleOperand& operand);
  bool parse_extents(ExampleOperand& operand);
  void parse_schedule(Statement& statement);
  std::optional<ScheduleLine> parse_schedule_line();
  bool parse_schedule_arguments(ScheduleLine& line);
  std::optional<ScheduleLine::Argument> parse_schedule_argument(std::string_view line);

  SourcePtr source_;
  Diagnostics& diagnostics_;
  LexedText lexed_;
  std::size_t position_ = 0;
  Statement* statement_ = nullptr;    ///< being built
  const Program* program_ = nullptr;  ///< whose body is being read
  std::vector<int> heights_;          ///< by ExprId of `statement_`
  int nesting_ = 0;
};

/// "'x'", "the end of the line", …: how a message names what it found.
std::string describe(const Lexeme& lexeme);
/// "f64, f32, …".
std::string dtype_names();

}  // namespace tilewright::lang
