// Any bytes as a tile program: what parses prints as text that parses to the same text, and the verifier copes with it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "holds.h"
#include "tile/ir.h"

namespace {

tilewright::Result<tilewright::tile::Program> parse(std::string text) {
  return tilewright::tile::parse_program(std::make_shared<const tilewright::Source>("fuzz", std::move(text)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto program = parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!program) {
    HOLDS(!program.error().empty());
    return 0;
  }
  const auto verified = tilewright::tile::verify(*program);
  HOLDS(verified.has_value() || !verified.error().empty());
  const std::string text = tilewright::tile::to_text(*program);
  const auto again = parse(text);
  HOLDS(again.has_value());
  HOLDS(tilewright::tile::to_text(*again) == text);
  return 0;
}
