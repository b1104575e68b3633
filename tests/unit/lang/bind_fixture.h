// Binding one statement of text, for the tests of bind.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/bind.h"
#include "lang/parse.h"

namespace tilewright::lang {

/// Keeps the file alive that its typed statement points into.
struct Bound {
  File file;
  Result<TypedStatement> typed = std::unexpected(Diagnostics{});

  const Statement& statement() const { return std::get<Statement>(file.items.at(0)); }
};

inline std::unique_ptr<Bound> bind_text(std::string_view text, const std::vector<OperandType>& operands) {
  auto bound = std::make_unique<Bound>();
  Result<File> file = parse(std::make_shared<const Source>("test.tw", std::string(text) + "\n"));
  if (!file) {
    ADD_FAILURE() << render(file.error());
    return bound;
  }
  bound->file = std::move(*file);
  bound->typed = bind(bound->statement(), operands);
  return bound;
}

inline OperandType operand(std::string name, DType dtype, std::vector<std::int64_t> shape = {}) {
  return {std::move(name), dtype, std::move(shape)};
}

struct BindError {
  std::string_view text;
  std::vector<OperandType> operands;
  std::string_view code;
  std::string_view at;  ///< the text under the span
  std::string_view message;
};

/// The statement fails with exactly this one error.
inline void expect_error(const BindError& expected) {
  SCOPED_TRACE(expected.text);
  const std::unique_ptr<Bound> bound = bind_text(expected.text, expected.operands);
  ASSERT_FALSE(bound->typed.has_value());
  const Diagnostics& errors = bound->typed.error();
  ASSERT_EQ(errors.size(), 1U) << render(errors);
  EXPECT_EQ(errors[0].code, expected.code) << render(errors);
  EXPECT_EQ(errors[0].message, expected.message);
  EXPECT_FALSE(errors[0].remedy.empty());
  ASSERT_TRUE(errors[0].source);
  const Span span = errors[0].span;
  EXPECT_EQ(errors[0].source->text().substr(span.begin, span.end - span.begin), expected.at);
}

}  // namespace tilewright::lang
