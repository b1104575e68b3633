// Any bytes as an integer expression: what parses prints as text that parses to the same text.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "holds.h"
#include "support/int_expr.h"
#include "support/text.h"

namespace {

tilewright::Result<tilewright::IntExpr> parse(std::string text) {
  tilewright::TextCursor cursor(std::make_shared<const tilewright::Source>("fuzz", std::move(text)));
  return tilewright::parse_int_expr(cursor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto expr = parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!expr) {
    HOLDS(!expr.error().empty());
    return 0;
  }
  const std::string text = tilewright::to_text(*expr);
  const auto again = parse(text);
  HOLDS(again.has_value());
  HOLDS(tilewright::to_text(*again) == text);
  return 0;
}
