// See types.h.
#include "codegen/metal/types.h"

#include <algorithm>

#include "support/diagnostic.h"

namespace tilewright::codegen::metal {

using kernel::Element;

std::string_view scalar_type(Element element) {
  switch (element) {
    case Element::i1:
      return "bool";
    case Element::i8:
      return "char";
    case Element::i16:
      return "short";
    case Element::i32:
      return "int";
    case Element::i64:
      return "long";
    case Element::f8e4m3:
    case Element::f8e5m2:
      return "uchar";
    case Element::f16:
      return "half";
    case Element::bf16:
      return "bfloat";
    case Element::f32:
      return "float";
    case Element::f64:
    case Element::ptr:
    case Element::ptr_shared:
      break;
  }
  internal_error("an element without a type in Metal");
}

std::string_view unsigned_type(Element element) {
  switch (element) {
    case Element::i8:
      return "uchar";
    case Element::i16:
      return "ushort";
    case Element::i32:
      return "uint";
    case Element::i64:
      return "ulong";
    default:
      return scalar_type(element);
  }
}

std::string vector_type(std::string_view scalar, int lanes) {
  return std::string(scalar) + (lanes == 1 ? "" : std::to_string(lanes));
}

std::vector<int> parts_of(int lanes) {
  std::vector<int> parts;
  for (; lanes > 0; lanes -= parts.back()) parts.push_back(std::min(lanes, most_lanes));
  return parts;
}

}  // namespace tilewright::codegen::metal
