// Any bytes as a .tw file: parsing ends with statements or errors that have a code and a message; what parses can be
// formatted, and formatting what is formatted changes nothing; each of its statements prints as text that parses.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "holds.h"
#include "lang/parse.h"

namespace {

tilewright::SourcePtr source_of(std::string text) {
  return std::make_shared<const tilewright::Source>("fuzz.tw", std::move(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto file = tilewright::lang::parse(source_of(text));
  const auto once = tilewright::lang::format(source_of(text));
  HOLDS(file.has_value() == once.has_value());
  if (!file) {
    HOLDS(!file.error().empty());
    for (const auto& diagnostic : file.error()) {
      HOLDS(!diagnostic.code.empty());
      HOLDS(!diagnostic.message.empty());
    }
    HOLDS(!tilewright::render(file.error()).empty());
    return 0;
  }
  for (const auto& item : file->items) {
    if (const auto* statement = std::get_if<tilewright::lang::Statement>(&item)) {
      HOLDS(tilewright::lang::parse(source_of(tilewright::lang::to_text(*statement))).has_value());
    }
  }
  const auto twice = tilewright::lang::format(source_of(*once));
  HOLDS(twice.has_value());
  HOLDS(*once == *twice);
  return 0;
}
