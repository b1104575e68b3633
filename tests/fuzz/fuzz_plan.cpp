// Any bytes as a plan with its kernels: what parses prints as text that parses to the same text, and the verifier copes
// with it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "holds.h"
#include "plan/ir.h"

namespace {

tilewright::Result<tilewright::plan::Plan> parse(std::string text) {
  return tilewright::plan::parse_plan(std::make_shared<const tilewright::Source>("fuzz", std::move(text)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!plan) {
    HOLDS(!plan.error().empty());
    return 0;
  }
  const auto verified = tilewright::plan::verify(*plan);
  HOLDS(verified.has_value() || !verified.error().empty());
  const std::string text = tilewright::plan::to_text_with_kernels(*plan);
  const auto again = parse(text);
  HOLDS(again.has_value());
  HOLDS(tilewright::plan::to_text_with_kernels(*again) == text);
  return 0;
}
