// Values as text. See printer.h.
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "codegen/metal/printer.h"

namespace tilewright::codegen::metal {

using kernel::Element;
using kernel::Opcode;

namespace {

std::string float_text(float value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string bits_text(Element element, const Scalar& value) {
  std::array<std::byte, 8> bytes{};
  store_scalar(kernel::float_dtype(element), value, bytes.data());
  return fmt::format("uchar({:#04x})", std::to_integer<int>(bytes[0]));
}

/// Of 32 and 64 bits; without a suffix where the context says what it is.
std::string integer_text(Element element, std::int64_t value, bool is_unsigned, bool typed) {
  if (is_unsigned) {
    const std::uint64_t bits = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - kernel::bits(element)));
    return fmt::format("{}u{}", bits, element == Element::i64 && (typed || bits > UINT32_MAX) ? "L" : "");
  }
  if (value == INT64_MIN) return "(-9223372036854775807L - 1L)";
  if (value == INT32_MIN && element != Element::i64) return "(-2147483647 - 1)";
  const bool is_long = element == Element::i64 && (typed || value > INT32_MAX || value < -INT32_MAX);
  return fmt::format("{}{}", value, is_long ? "L" : "");
}

bool is_name(const Expression& expression) {
  if (!expression.is_primary()) return false;
  for (const char c : expression.text)
    if (!(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.')) return false;
  return true;
}

bool is_wide_int(Element element) {
  return kernel::is_int(element) && element != Element::i1;
}

}  // namespace

const Scalar* Printer::constant_of(ValueId value) const {
  const Op* op = uses_.definition(value);
  return op != nullptr && op->code == Opcode::constant ? &std::get<Scalar>(op->attribute) : nullptr;
}

Expression Printer::literal(Element element, const Scalar& value, Sign sign, bool typed) const {
  switch (element) {
    case Element::i1:
      return {value.as_int() != 0 ? "true" : "false"};
    case Element::i8:
    case Element::i16: {
      const std::string_view type = sign == Sign::without ? unsigned_type(element) : scalar_type(element);
      const std::string text = integer_text(element, value.as_int(), sign == Sign::without, false);
      if (!typed) return {text, text.starts_with('-') ? Binding::unary : Binding::primary, sign == Sign::without};
      return {fmt::format("{}({})", type, text), Binding::primary, sign == Sign::without};
    }
    case Element::i32:
    case Element::i64: {
      const std::string text = integer_text(element, value.as_int(), sign == Sign::without, typed);
      return {text, text.starts_with('-') ? Binding::unary : Binding::primary, sign == Sign::without};
    }
    case Element::f8e4m3:
    case Element::f8e5m2:
      return {bits_text(element, value)};
    case Element::f16:
    case Element::bf16:
      return {fmt::format("{}({})", scalar_type(element), float_text(static_cast<float>(value.as_double())))};
    default: {
      const std::string text = float_text(static_cast<float>(value.as_double()));
      return {text, text.starts_with('-') ? Binding::unary : Binding::primary};
    }
  }
}

int Printer::part_lanes(ValueId value, std::size_t part) const {
  return parts_of(type(value).lanes)[part];
}

std::string Printer::type_name(Element element, int lanes, bool is_unsigned) const {
  return vector_type(is_unsigned ? unsigned_type(element) : scalar_type(element), lanes);
}

Expression Printer::with_sign(Expression expression, Element element, int lanes) const {
  if (!is_wide_int(element) || !expression.is_unsigned) return expression;
  return call(type_name(element, lanes), expression.text);
}

Expression Printer::without_sign(Expression expression, Element element, int lanes) const {
  if (!is_wide_int(element) || expression.is_unsigned) return expression;
  Expression result = call(type_name(element, lanes, true), expression.text);
  result.is_unsigned = true;
  return result;
}

Expression Printer::signed_as(Expression expression, Sign sign, Element element, int lanes) const {
  if (sign == Sign::with) return with_sign(std::move(expression), element, lanes);
  return sign == Sign::without ? without_sign(std::move(expression), element, lanes) : expression;
}

Expression Printer::operand(ValueId value, std::size_t part, Sign sign, bool typed) {
  const Element element = type(value).element;
  const int lanes = part_lanes(value, part);
  if (const Scalar* constant = constant_of(value)) {
    const Expression scalar = literal(element, *constant, sign, typed || lanes > 1);
    if (lanes == 1) return scalar;
    Expression vector = call(type_name(element, lanes, scalar.is_unsigned), scalar.text);
    vector.is_unsigned = scalar.is_unsigned;
    return vector;
  }
  Printed& printed = values_[value.index];
  if (printed.parts.empty()) {  // lanes that were put together
    for (std::size_t p = 0, first = 0; first < type(value).lanes; ++p) {
      const auto count = static_cast<std::size_t>(part_lanes(value, p));
      if (count == 1) {
        printed.parts.push_back(printed.lanes[first]);
      } else {
        std::string all;
        for (std::size_t i = 0; i < count; ++i)
          all += (i == 0 ? "" : ", ") + with_sign(printed.lanes[first + i], element, 1).text;
        printed.parts.push_back(call(type_name(element, static_cast<int>(count)), all));
      }
      first += count;
    }
  }
  return signed_as(printed.parts.at(part), sign, element, lanes);
}

Expression Printer::lane(ValueId value, int lane, Sign sign) {
  const Element element = type(value).element;
  if (const Scalar* constant = constant_of(value)) return literal(element, *constant, sign, true);
  const Printed& printed = values_[value.index];
  if (!printed.lanes.empty()) return signed_as(printed.lanes.at(static_cast<std::size_t>(lane)), sign, element, 1);
  const auto part = static_cast<std::size_t>(lane / most_lanes);
  Expression whole = atom(value, part);
  if (part_lanes(value, part) > 1)
    whole.text += fmt::format(".{}", lane_names[static_cast<std::size_t>(lane % most_lanes)]);
  return signed_as(whole, sign, element, 1);
}

Expression Printer::atom(ValueId value, std::size_t part) {
  const Expression expression = operand(value, part);
  if (constant_of(value) != nullptr || is_name(expression)) return expression;
  const Expression named = declare(expression, type(value).element, part_lanes(value, part), hint_of(value, "v"));
  // Lanes that were put together may be wanted whole in several regions.
  if (values_[value.index].lanes.empty()) values_[value.index].parts[part] = named;
  return named;
}

Expression Printer::declare(const Expression& expression, Element element, int lanes, std::string_view hint) {
  const std::string name = names_.numbered(hint);
  line(fmt::format("const {} {} = {};", type_name(element, lanes, expression.is_unsigned && is_wide_int(element)), name,
                   expression.text));
  return {name, Binding::primary, expression.is_unsigned};
}

std::string Printer::hint_of(ValueId value, std::string_view otherwise) const {
  const std::string& own = kernel_.values[value].name;
  return own.empty() ? std::string(otherwise) : legal_name(own);
}

/// Expressions that are used once and are short stay as they are; others get names.
void Printer::define(ValueId value, std::vector<Expression> parts, std::string_view hint, bool always) {
  constexpr std::size_t longest = 64;
  const bool once = uses_.is_used_once(value);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const bool stays = is_name(parts[p]) || (once && parts[p].text.size() <= longest);
    if (always || !stays) parts[p] = declare(parts[p], type(value).element, part_lanes(value, p), hint_of(value, hint));
  }
  values_[value.index] = {std::move(parts), {}};
}

}  // namespace tilewright::codegen::metal
