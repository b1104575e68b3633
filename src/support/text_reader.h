// A TextCursor whose first failure sticks: after it every read gives a default value and nothing is accepted, so that a
// parser reads straight through and asks `ok()` where it would loop or build on what it read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/int_expr.h"
#include "support/scalar.h"
#include "support/text.h"

namespace tilewright {

/// A literal whose element type is not known yet.
struct ScalarText {
  bool negative = false;
  Token token;
};

class TextReader {
 public:
  explicit TextReader(SourcePtr source) : cursor_(std::move(source)) {}

  bool ok() const { return errors_.empty(); }
  /// Requires !ok().
  Diagnostics take_errors() { return std::move(errors_); }
  bool at_end() const { return cursor_.at_end(); }
  /// The next token; meaningful while ok().
  const Token& peek() const { return cursor_.peek(); }
  bool next_is(std::string_view text) const { return ok() && cursor_.next_is(text); }
  bool next_is(TokenKind kind) const { return ok() && cursor_.peek().kind == kind; }
  bool accept(std::string_view text) { return ok() && cursor_.accept(text); }

  void expect(std::string_view text);
  std::string name(std::string_view what);
  std::string value(std::string_view what);  ///< of `%name`, without the '%'
  std::int64_t integer(std::string_view what);
  /// One of [least, most], which `what` describes; X001 where it is not.
  std::int64_t integer_in(std::int64_t least, std::int64_t most, std::string_view what);
  DType dtype();  ///< X001: no element type
  IntExpr int_expr();
  /// A number, inf, nan, true or false, with an optional '-'.
  ScalarText scalar_text(std::string_view what);
  /// The literal as an element of `type`; fails where it is none (a fraction for an integer type, a value past its
  /// range, a number for bool).
  Scalar scalar(const ScalarText& text, DType type);

  /// What `item` reads, one or more with ',' between them.
  template <class Item>
  auto list(Item&& item) {
    std::vector<decltype(item())> items;
    do items.push_back(item());
    while (accept(","));
    return items;
  }
  /// The same between brackets; there may be none.
  template <class Item>
  auto bracketed(std::string_view open, std::string_view close, Item&& item) {
    std::vector<decltype(item())> items;
    expect(open);
    if (accept(close)) return items;
    items = list(item);
    expect(close);
    return items;
  }

  /// Fails at the next token, or at `span`; only the first failure counts.
  void fail_here(std::string_view code, std::string message, std::string remedy = {});
  void fail_at(Span span, std::string_view code, std::string message, std::string remedy = {});

 private:
  template <class T>
  T keep(Result<T> result);
  TextCursor cursor_;
  Diagnostics errors_;
};

}  // namespace tilewright
