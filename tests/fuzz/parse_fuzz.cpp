// libFuzzer entry of the front end: any bytes through parse, format and the printer. What parses must format, and the
// formatted text must parse and be a fixed point.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lang/parse.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const auto source = std::make_shared<const Source>("fuzz", text);
  const auto file = lang::parse(source);
  if (!file) {
    render(file.error());
    return 0;
  }
  for (const auto& item : file->items)
    if (const auto* statement = std::get_if<lang::Statement>(&item)) {
      const auto printed = std::make_shared<const Source>("printed", lang::to_text(*statement));
      if (!lang::parse(printed)) std::abort();
    }
  const auto once = lang::format(source);
  if (!once) std::abort();
  const auto twice = lang::format(std::make_shared<const Source>("formatted", *once));
  if (!twice || *twice != *once) std::abort();
  return 0;
}
