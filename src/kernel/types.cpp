// Element and value types of the kernel IR, from the table in types.h.
#include "kernel/types.h"

#include <array>
#include <charconv>

#include "support/diagnostic.h"

namespace tilewright::kernel {

namespace {

struct ElementInfo {
  std::string_view name;
  int bits;
};

constexpr std::array elements = {
#define X(enumerator, text, bits) ElementInfo{text, bits},
    TILEWRIGHT_KERNEL_ELEMENTS(X)
#undef X
};

const ElementInfo& info(Element element) {
  return elements[static_cast<std::size_t>(element)];
}

std::optional<Element> element_from_text(std::string_view text) {
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (elements[i].name == text) return static_cast<Element>(i);
  return std::nullopt;
}

}  // namespace

std::string_view name(Element element) {
  return info(element).name;
}

int bits(Element element) {
  return info(element).bits;
}

bool is_float(Element element) {
  return element >= Element::f8e4m3 && element <= Element::f64;
}

bool is_int(Element element) {
  return element <= Element::i64;
}

bool is_pointer(Element element) {
  return element == Element::ptr || element == Element::ptr_shared;
}

std::string to_text(Type type) {
  std::string text(name(type.element));
  if (type.lanes != 1) text += "x" + std::to_string(type.lanes);
  return text;
}

std::optional<Type> type_from_text(std::string_view text) {
  const std::size_t cross = text.find('x');
  const std::optional<Element> element = element_from_text(text.substr(0, cross));
  if (!element) return std::nullopt;
  if (cross == std::string_view::npos) return Type{*element, 1};
  const std::string_view digits = text.substr(cross + 1);
  std::uint16_t lanes = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), lanes);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  // One spelling a type: a scalar has no lane count, and a count has no leading zero.
  if (!whole || lanes < 2 || lanes > max_lanes || digits.front() == '0') return std::nullopt;
  return Type{*element, lanes};
}

Element register_element(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return Element::f64;
    case DType::f32:
      return Element::f32;
    case DType::f16:
      return Element::f16;
    case DType::bf16:
      return Element::bf16;
    case DType::f8e4m3:
      return Element::f8e4m3;
    case DType::f8e5m2:
      return Element::f8e5m2;
    case DType::i8:
    case DType::u8:
      return Element::i8;
    case DType::i32:
    case DType::u32:
      return Element::i32;
    case DType::i64:
      return Element::i64;
    case DType::boolean:
      return Element::i1;
  }
  internal_error("register_element of an unknown dtype");
}

Element memory_element(DType dtype) {
  return dtype == DType::boolean ? Element::i8 : register_element(dtype);
}

DType float_dtype(Element element) {
  switch (element) {
    case Element::f8e4m3:
      return DType::f8e4m3;
    case Element::f8e5m2:
      return DType::f8e5m2;
    case Element::f16:
      return DType::f16;
    case Element::bf16:
      return DType::bf16;
    case Element::f32:
      return DType::f32;
    case Element::f64:
      return DType::f64;
    case Element::i1:
    case Element::i8:
    case Element::i16:
    case Element::i32:
    case Element::i64:
    case Element::ptr:
    case Element::ptr_shared:
      break;
  }
  internal_error("float_dtype of an element that is no float");
}

std::int64_t wrap_to(Element element, std::int64_t value) {
  const int width = bits(element);
  if (width == 64) return value;
  if (width == 1) return value & 1;
  const auto shift = static_cast<unsigned>(64 - width);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift;
}

}  // namespace tilewright::kernel
