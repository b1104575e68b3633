// Any bytes as a kernel: what parses prints as text that parses to the same text, and the verifier comes to an end.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "holds.h"
#include "kernel/ir.h"

namespace {

tilewright::SourcePtr source_of(std::string text) {
  return std::make_shared<const tilewright::Source>("fuzz", std::move(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto kernel =
      tilewright::kernel::parse_kernel(source_of(std::string(reinterpret_cast<const char*>(data), size)));
  if (!kernel) {
    HOLDS(!kernel.error().empty());
    return 0;
  }
  const std::string text = tilewright::kernel::to_text(*kernel);
  const auto again = tilewright::kernel::parse_kernel(source_of(text));
  HOLDS(again.has_value());
  HOLDS(tilewright::kernel::to_text(*again) == text);
  const auto verdict = tilewright::kernel::verify(*kernel);
  HOLDS(verdict.has_value() || !verdict.error().empty());
  return 0;
}
