// Printing and parsing of layouts. See text.h.
#include "layout/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "support/text.h"

namespace tilewright::layout {
namespace {

constexpr std::string_view depth_error = "X003";
constexpr std::string_view congruence_error = "X103";
constexpr std::string_view extent_error = "X107";
constexpr int deepest = 32;

Result<Tuple> parse_tuple_at(TextCursor& cursor, int depth);

Result<Tuple> parse_list(TextCursor& cursor, int depth) {
  if (depth == deepest) return cursor.error_here(depth_error, fmt::format("a tuple nested more than {} deep", deepest));
  std::vector<Tuple> modes;
  while (!cursor.next_is(")")) {
    if (!modes.empty())
      if (auto comma = cursor.expect(","); !comma) return std::unexpected(std::move(comma.error()));
    auto mode = parse_tuple_at(cursor, depth + 1);
    if (!mode) return mode;
    modes.push_back(*std::move(mode));
  }
  cursor.take();
  return Tuple::list(std::move(modes));
}

Result<Tuple> parse_leaf(TextCursor& cursor) {
  const bool braced = cursor.accept("{");
  auto leaf = parse_int_expr(cursor);
  if (!leaf) return std::unexpected(std::move(leaf.error()));
  if (braced)
    if (auto end = cursor.expect("}"); !end) return std::unexpected(std::move(end.error()));
  return Tuple(*std::move(leaf));
}

Result<Tuple> parse_tuple_at(TextCursor& cursor, int depth) {
  return cursor.accept("(") ? parse_list(cursor, depth) : parse_leaf(cursor);
}

bool has_negative_leaf(const Tuple& tuple) {
  return std::ranges::any_of(leaves(tuple),
                             [](const IntExpr& leaf) { return leaf.is_constant() && leaf.constant() < 0; });
}

/// BITS "," BASE "," SHIFT ")" "o", after "swizzle" "(".
Result<Swizzle> parse_swizzle(TextCursor& cursor) {
  const Span begin = cursor.peek().span;
  std::int64_t values[3] = {};
  for (std::int64_t& value : values) {
    if (&value != values)
      if (auto comma = cursor.expect(","); !comma) return std::unexpected(std::move(comma.error()));
    auto parsed = cursor.expect_int("a number of bits");
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    value = *parsed;
  }
  const Span end = cursor.peek().span;
  for (std::string_view text : {")", "o"})
    if (auto found = cursor.expect(text); !found) return std::unexpected(std::move(found.error()));
  auto swizzle = Swizzle::make(values[0], values[1], values[2]);
  if (!swizzle) {
    Diagnostic& diagnostic = swizzle.error().front();
    diagnostic.source = cursor.source();
    diagnostic.span = {begin.begin, end.begin};
  }
  return swizzle;
}

}  // namespace

std::string to_text(const Tuple& tuple) {
  if (tuple.is_leaf()) {
    const std::string text = tilewright::to_text(tuple.leaf());
    return text.starts_with('(') ? fmt::format("{{{}}}", text) : text;
  }
  std::string text = "(";
  for (const Tuple& mode : tuple.modes()) {
    if (text.size() > 1) text += ',';
    text += to_text(mode);
  }
  return text + ")";
}

std::string to_text(const Layout& layout) {
  return fmt::format("{}:{}", to_text(layout.shape()), to_text(layout.stride()));
}

std::string to_text(const SwizzledLayout& layout) {
  const Swizzle& swizzle = layout.swizzle;
  if (swizzle.bits() == 0) return to_text(layout.layout);
  return fmt::format("swizzle({},{},{}) o {}", swizzle.bits(), swizzle.base(), swizzle.shift(), to_text(layout.layout));
}

Result<Tuple> parse_tuple(TextCursor& cursor) {
  return parse_tuple_at(cursor, 0);
}

Result<Layout> parse_layout(TextCursor& cursor) {
  const Span begin = cursor.peek().span;
  auto shape = parse_tuple(cursor);
  if (!shape) return std::unexpected(std::move(shape.error()));
  const Span colon = cursor.peek().span;
  const Span of_shape{begin.begin, colon.begin};
  if (auto found = cursor.expect(":"); !found) return std::unexpected(std::move(found.error()));
  auto stride = parse_tuple(cursor);
  if (!stride) return std::unexpected(std::move(stride.error()));
  if (!are_congruent(*shape, *stride))
    return fail(congruence_error,
                fmt::format("shape {} and stride {} do not nest alike", to_text(*shape), to_text(*stride)),
                "give each extent one stride, in the same parentheses", cursor.source(), of_shape);
  if (has_negative_leaf(*shape))
    return fail(extent_error, fmt::format("shape {} has a negative extent", to_text(*shape)),
                "extents are 0 or more; strides may be negative", cursor.source(), of_shape);
  return Layout(*std::move(shape), *std::move(stride));
}

Result<SwizzledLayout> parse_swizzled_layout(TextCursor& cursor) {
  Swizzle swizzle;
  if (cursor.next_is("swizzle")) {
    cursor.take();
    if (auto open = cursor.expect("("); !open) return std::unexpected(std::move(open.error()));
    auto parsed = parse_swizzle(cursor);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    swizzle = *parsed;
  }
  auto layout = parse_layout(cursor);
  if (!layout) return std::unexpected(std::move(layout.error()));
  return SwizzledLayout{swizzle, *std::move(layout)};
}

}  // namespace tilewright::layout
