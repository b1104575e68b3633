// Decodes one UTF-8 character. See utf8.h.
#include "support/utf8.h"

#include <array>

namespace tilewright {
namespace {

/// One row for each length of a sequence of several bytes: which lead bytes announce it, and the code points it may
/// hold. A smaller code point would be an overlong form.
struct SequenceForm {
  unsigned lead_mask;
  unsigned lead;
  std::size_t bytes;
  char32_t lowest;
  char32_t highest;
};
constexpr std::array forms = {
    SequenceForm{0xE0, 0xC0, 2, 0x80, 0x7FF},
    SequenceForm{0xF0, 0xE0, 3, 0x800, 0xFFFF},
    SequenceForm{0xF8, 0xF0, 4, 0x10000, 0x10FFFF},
};

}  // namespace

Utf8Character utf8_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(text[at + offset]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true, lead};
  for (const SequenceForm& form : forms) {
    if ((lead & form.lead_mask) != form.lead) continue;
    if (text.size() - at < form.bytes) return {};
    char32_t code_point = lead & ~form.lead_mask;
    for (std::size_t i = 1; i < form.bytes; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return {};
      code_point = code_point << 6 | (byte(i) & 0x3Fu);
    }
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (code_point < form.lowest || code_point > form.highest || surrogate) return {};
    return {form.bytes, true, code_point};
  }
  return {};
}

}  // namespace tilewright
