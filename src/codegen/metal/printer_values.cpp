// Pure ops as expressions. See printer.h.
#include <array>
#include <optional>

#include "codegen/metal/printer.h"

namespace tilewright::codegen::metal {

using kernel::Element;
using kernel::Opcode;
using kernel::Predicate;

namespace {

struct Infix {
  Opcode code;
  std::string_view sign;
  Binding binding;
};
constexpr std::array infixes = {
    Infix{Opcode::add, "+", Binding::additive},       Infix{Opcode::sub, "-", Binding::additive},
    Infix{Opcode::mul, "*", Binding::multiplicative}, Infix{Opcode::fdiv, "/", Binding::multiplicative},
    Infix{Opcode::bit_and, "&", Binding::bit_and},    Infix{Opcode::bit_or, "|", Binding::bit_or},
    Infix{Opcode::bit_xor, "^", Binding::bit_xor},
};
/// Of booleans.
constexpr std::array logicals = {
    Infix{Opcode::bit_and, "&&", Binding::logical_and},
    Infix{Opcode::bit_or, "||", Binding::logical_or},
    Infix{Opcode::bit_xor, "!=", Binding::equality},
};

const Infix* infix_of(Opcode code) {
  for (const Infix& each : infixes)
    if (each.code == code) return &each;
  return nullptr;
}

struct Comparison {
  std::string_view sign;
  Binding binding;
  Sign operands;
};
/// By predicate; uno has no sign.
Comparison comparison_of(Predicate predicate) {
  switch (predicate) {
    case Predicate::eq:
    case Predicate::oeq:
      return {"==", Binding::equality, Sign::with};
    case Predicate::ne:
    case Predicate::une:
      return {"!=", Binding::equality, Sign::with};
    case Predicate::slt:
    case Predicate::olt:
      return {"<", Binding::relational, Sign::with};
    case Predicate::sle:
    case Predicate::ole:
      return {"<=", Binding::relational, Sign::with};
    case Predicate::sgt:
    case Predicate::ogt:
      return {">", Binding::relational, Sign::with};
    case Predicate::sge:
    case Predicate::oge:
      return {">=", Binding::relational, Sign::with};
    case Predicate::ult:
      return {"<", Binding::relational, Sign::without};
    case Predicate::ule:
      return {"<=", Binding::relational, Sign::without};
    case Predicate::ugt:
      return {">", Binding::relational, Sign::without};
    case Predicate::uge:
      return {">=", Binding::relational, Sign::without};
    case Predicate::uno:
      break;
  }
  return {};
}

/// The function of floats to integers.
std::string to_integer(Element element, bool is_signed) {
  switch (element) {
    case Element::i8:
      return is_signed ? "to_char" : "to_uchar";
    case Element::i32:
      return is_signed ? "to_int" : "to_uint";
    case Element::i64:
      return is_signed ? "to_long" : "to_ulong";
    default:
      internal_error("a float converted to an integer that no statement has");
  }
}

}  // namespace

void Printer::print_pure(const Op& op) {
  const ValueId result = op.results[0];
  switch (op.code) {
    case Opcode::constant:
      return;
    case Opcode::offset:
      return print_offset(op);
    case Opcode::insert:
    case Opcode::shuffle:
    case Opcode::extract:
      return put_lanes(op);
    case Opcode::special:
      values_[result.index].parts = {special(op)};
      return;
    default:
      break;
  }
  if (op.code == Opcode::bitcast && type(op.operands[0]).lanes != type(result).lanes) return put_lanes(op);
  if (kernel::is_pointer(type(result).element))  // the only other op on pointers
    internal_error("a choice between pointers has no form in Metal's source");
  std::vector<Expression> parts;
  for (std::size_t p = 0; p < parts_of(type(result).lanes).size(); ++p) parts.push_back(pure(op, p));
  define(result, std::move(parts), op.code == Opcode::cmp ? "is" : "v");
}

Expression Printer::pure(const Op& op, std::size_t part) {
  const ValueId result = op.results[0];
  const Element element = type(result).element;
  const int lanes = part_lanes(result, part);
  switch (op.code) {
    case Opcode::iota: {
      std::string all;
      for (int i = 0; i < lanes; ++i) {
        const std::int64_t value = std::int64_t{most_lanes} * static_cast<std::int64_t>(part) + i;
        const Scalar scalar = kernel::is_float(element) ? Scalar::of(static_cast<double>(value)) : Scalar::of(value);
        all += (i == 0 ? "" : ", ") + literal(element, scalar, Sign::with, false).text;
      }
      return call(type_name(element, lanes), all);
    }
    case Opcode::splat:
      if (lanes == 1) return operand(op.operands[0], 0);
      return call(type_name(element, lanes), operand(op.operands[0], 0, Sign::with, true).text);
    case Opcode::cmp:
      return compared(op, part);
    case Opcode::select:
      return chosen(op, part);
    default:
      return kernel::info(op.code).rule == kernel::OpRule::convert || op.code == Opcode::bitcast ? converted(op, part)
                                                                                                 : arithmetic(op, part);
  }
}

Expression Printer::arithmetic(const Op& op, std::size_t part) {
  const ValueId result = op.results[0];
  const Element element = type(result).element;
  const int lanes = part_lanes(result, part);
  const bool is_float = kernel::is_float(element);
  const auto in = [&](std::size_t i, Sign sign = Sign::with, bool typed = false) {
    return operand(op.operands[i], part, sign, typed);
  };
  const auto function = [&](std::string_view name, std::size_t arity, Sign sign = Sign::with) {
    std::string arguments;
    for (std::size_t i = 0; i < arity; ++i) arguments += (i == 0 ? "" : ", ") + in(i, sign, true).text;
    Expression result_text = call(name, arguments);
    result_text.is_unsigned = sign == Sign::without;
    return result_text;
  };
  switch (op.code) {
    case Opcode::neg:
      if (is_float) return {"-" + within(in(0), Binding::primary), Binding::unary};
      return with_sign({"-" + within(in(0, Sign::without, true), Binding::primary), Binding::unary, true}, element,
                       lanes);
    case Opcode::abs:
      if (is_float) return function("fabs", 1);
      prelude_.need("absolute", scalar_type(element), lanes);
      return function("absolute", 1);
    case Opcode::fma:
      return function("fma", 3);
    case Opcode::sqrt:
      return function("precise::sqrt", 1);
    case Opcode::sdiv:
    case Opcode::udiv:
    case Opcode::srem:
    case Opcode::urem:
      return divided(op, part);
    case Opcode::smin:
      return function("min", 2);
    case Opcode::smax:
      return function("max", 2);
    case Opcode::umin:
      return function("min", 2, Sign::without);
    case Opcode::umax:
      return function("max", 2, Sign::without);
    case Opcode::fmin:
      prelude_.need("minimum", scalar_type(element), lanes);
      return function("minimum", 2);
    case Opcode::fmax:
      prelude_.need("maximum", scalar_type(element), lanes);
      return function("maximum", 2);
    case Opcode::shl:
    case Opcode::lshr:
    case Opcode::ashr:
      return shifted(op, part);
    default:
      break;
  }
  const Infix* sign = infix_of(op.code);
  if (sign == nullptr) internal_error(fmt::format("{} has no form in Metal's source", kernel::info(op.code).name));
  if (element == Element::i1) return logical(op, part);
  if (is_float) return infix(in(0), sign->sign, in(1), sign->binding);
  return wrapped(op, sign->sign, sign->binding, part);
}

/// Integers. What may wrap is computed without a sign, small scalars in 32 bits.
Expression Printer::wrapped(const Op& op, std::string_view sign, Binding binding, std::size_t part) {
  const ValueId result = op.results[0];
  const Element element = type(result).element;
  const int lanes = part_lanes(result, part);
  const bool is_bitwise = binding >= Binding::bit_and;
  const Expression a = operand(op.operands[0], part, Sign::any, lanes > 1);
  const Expression b = operand(op.operands[1], part, Sign::any, lanes > 1);
  if (kernel::bits(element) < 32 && lanes == 1) {
    const auto word = [&](const Expression& e) { return call("uint", e.text); };
    return call(scalar_type(element), infix(word(a), sign, word(b), binding).text);
  }
  const bool known = a.is_unsigned || b.is_unsigned;
  if ((is_bitwise && !known) || (!is_bitwise && !uses_.may_wrap(result) && !known))
    return infix(operand(op.operands[0], part, Sign::with), sign, operand(op.operands[1], part, Sign::with), binding);
  Expression bits =
      infix(operand(op.operands[0], part, Sign::without), sign, operand(op.operands[1], part, Sign::without), binding);
  bits.is_unsigned = true;
  return bits;
}

Expression Printer::divided(const Op& op, std::size_t part) {
  const ValueId result = op.results[0];
  const Element element = type(result).element;
  const int lanes = part_lanes(result, part);
  const bool is_signed = op.code == Opcode::sdiv || op.code == Opcode::srem;
  const bool is_quotient = op.code == Opcode::sdiv || op.code == Opcode::udiv;
  // Numbers of points and of bytes are not negative.
  const bool is_count = element == Element::i64 && lanes == 1 && !uses_.may_wrap(result);
  const Sign sign = is_signed || is_count ? Sign::with : Sign::without;
  const Scalar* divisor = constant_of(op.operands[1]);
  const bool safe = divisor != nullptr && divisor->as_int() != 0 && divisor->as_int() != -1;
  if (safe || (!is_signed && !uses_.may_wrap(result))) {
    Expression quotient = infix(operand(op.operands[0], part, sign), is_quotient ? "/" : "%",
                                operand(op.operands[1], part, sign), Binding::multiplicative);
    if (kernel::bits(element) < 32 && lanes == 1)
      quotient = call(is_signed ? scalar_type(element) : unsigned_type(element), quotient.text);
    quotient.is_unsigned = sign == Sign::without;
    return quotient;
  }
  // One lane after the other.
  const std::string_view scalar = is_signed ? scalar_type(element) : unsigned_type(element);
  const std::string_view function = is_quotient ? "divide" : "remainder";
  prelude_.need(function, scalar, 1);
  const auto one = [&](int lane) {
    const int at = static_cast<int>(part) * most_lanes + lane;
    return call(function, this->lane(op.operands[0], at, sign).text + ", " + this->lane(op.operands[1], at, sign).text)
        .text;
  };
  std::string all = one(0);
  for (int i = 1; i < lanes; ++i) all += ", " + one(i);
  Expression quotient = lanes == 1 ? Expression{all} : call(type_name(element, lanes, !is_signed), all);
  quotient.is_unsigned = !is_signed;
  return quotient;
}

Expression Printer::compared(const Op& op, std::size_t part) {
  const auto predicate = std::get<Predicate>(op.attribute);
  if (predicate == Predicate::uno) {
    const auto is_nan = [&](std::size_t i) { return call("isnan", operand(op.operands[i], part).text); };
    if (op.operands[0] == op.operands[1]) return is_nan(0);
    return infix(is_nan(0), "||", is_nan(1), Binding::logical_or);
  }
  Comparison how = comparison_of(predicate);
  // Of equality the sign does not matter: as the operands are.
  const bool is_equality = predicate == Predicate::eq || predicate == Predicate::ne;
  if (is_equality && (operand(op.operands[0], part).is_unsigned || operand(op.operands[1], part).is_unsigned))
    how.operands = Sign::without;
  // Of 8 and 16 bits literals need their type: what is promoted has a sign.
  const bool typed = how.operands == Sign::without && kernel::bits(type(op.operands[0]).element) < 32;
  return infix(operand(op.operands[0], part, how.operands, typed), how.sign,
               operand(op.operands[1], part, how.operands, typed), how.binding);
}

Expression Printer::chosen(const Op& op, std::size_t part) {
  const ValueId condition = op.operands[0];
  const Expression yes = operand(op.operands[1], part, Sign::with, true);
  const Expression no = operand(op.operands[2], part, Sign::with, true);
  if (type(condition).lanes == 1) {
    const Expression test = operand(condition, 0);
    return {fmt::format("{} ? {} : {}", within(test, Binding::logical_or), within(yes, Binding::additive),
                        within(no, Binding::additive)),
            Binding::conditional};
  }
  if (part_lanes(condition, part) == 1) {
    const Expression test = operand(condition, part);
    return {fmt::format("{} ? {} : {}", within(test, Binding::logical_or), within(yes, Binding::additive),
                        within(no, Binding::additive)),
            Binding::conditional};
  }
  return call("select", fmt::format("{}, {}, {}", no.text, yes.text, operand(condition, part).text));
}

Expression Printer::converted(const Op& op, std::size_t part) {
  const ValueId from = op.operands[0];
  const ValueId result = op.results[0];
  const Element source = type(from).element;
  const Element element = type(result).element;
  const int lanes = part_lanes(result, part);
  const std::string to = type_name(element, lanes);
  switch (op.code) {
    case Opcode::trunc:
      if (element == Element::i1) {
        const std::string one = lanes == 1 ? "1" : type_name(source, lanes) + "(1)";
        const std::string zero = lanes == 1 ? "0" : type_name(source, lanes) + "(0)";
        const Expression low = infix(operand(from, part, Sign::with), "&", {one}, Binding::bit_and);
        return {fmt::format("({}) != {}", low.text, zero), Binding::equality};
      }
      return call(to, operand(from, part, Sign::any, true).text);
    case Opcode::sext:
      if (source == Element::i1) return {"-" + call(to, operand(from, part).text).text, Binding::unary};
      return call(to, operand(from, part, Sign::with, true).text);
    case Opcode::zext:
      if (source == Element::i1) return call(to, operand(from, part).text);
      return call(to, operand(from, part, Sign::without, true).text);
    case Opcode::fconvert:
    case Opcode::sitofp:
      return call(to, operand(from, part, Sign::with, true).text);
    case Opcode::uitofp:
      return call(to, operand(from, part, Sign::without, true).text);
    case Opcode::fptosi:
    case Opcode::fptoui: {
      const bool is_signed = op.code == Opcode::fptosi;
      const std::string function = to_integer(element, is_signed);
      prelude_.need(function, "float", 1);
      std::string all;
      for (int i = 0; i < lanes; ++i)
        all += (i == 0 ? "" : ", ") + call(function, lane(from, static_cast<int>(part) * most_lanes + i).text).text;
      Expression integer = lanes == 1 ? Expression{all} : call(type_name(element, lanes, !is_signed), all);
      integer.is_unsigned = !is_signed;
      return integer;
    }
    default: {
      if (scalar_type(source) == scalar_type(element)) return operand(from, part);
      return call("as_type<" + to + ">", operand(from, part, Sign::with, true).text);
    }
  }
}

/// By less than the bits: what is more, the kernel IR leaves open and C++ does not.
Expression Printer::shifted(const Op& op, std::size_t part) {
  const ValueId result = op.results[0];
  const Element element = type(result).element;
  const int lanes = part_lanes(result, part);
  const Sign sign = op.code == Opcode::ashr ? Sign::with : Sign::without;
  const Scalar* known = constant_of(op.operands[1]);
  const int bits = kernel::bits(element);
  Expression amount = operand(op.operands[1], part, lanes > 1 ? sign : Sign::any, lanes > 1);
  if (known == nullptr || known->as_int() < 0 || known->as_int() >= bits) {
    const std::string mask = lanes == 1
                                 ? fmt::format("{}", bits - 1)
                                 : fmt::format("{}({})", type_name(element, lanes, amount.is_unsigned), bits - 1);
    amount = infix(amount, "&", {mask}, Binding::bit_and);
  }
  Expression value = operand(op.operands[0], part, sign, true);
  const bool small = bits < 32 && lanes == 1;
  Expression moved = infix(value, op.code == Opcode::shl ? "<<" : ">>", amount, Binding::shift);
  if (small) moved = call(sign == Sign::with ? scalar_type(element) : unsigned_type(element), moved.text);
  moved.is_unsigned = sign == Sign::without;
  return moved;
}

Expression Printer::logical(const Op& op, std::size_t part) {
  for (const Infix& each : logicals)
    if (each.code == op.code)
      return infix(operand(op.operands[0], part), each.sign, operand(op.operands[1], part), each.binding);
  internal_error(fmt::format("{} of booleans has no form in Metal's source", kernel::info(op.code).name));
}

/// Vectors that are put together from lanes: nothing is written until they are used whole.
void Printer::put_lanes(const Op& op) {
  const ValueId result = op.results[0];
  const Type to = type(result);
  const Type from = type(op.operands[0]);
  std::vector<Expression> lanes;
  switch (op.code) {
    case Opcode::extract:
      lanes.push_back(lane(op.operands[0], std::get<kernel::Lane>(op.attribute).lane));
      break;
    case Opcode::insert:
      for (int i = 0; i < to.lanes; ++i)
        lanes.push_back(i == std::get<kernel::Lane>(op.attribute).lane ? atom(op.operands[1], 0)
                                                                       : lane(op.operands[0], i));
      break;
    case Opcode::shuffle:
      for (const std::int32_t i : std::get<kernel::Lanes>(op.attribute).lanes)
        lanes.push_back(i < from.lanes ? lane(op.operands[0], i) : lane(op.operands[1], i - from.lanes));
      break;
    default: {  // bitcast to fewer or more lanes
      const int wide = kernel::bits(to.element) / kernel::bits(from.element);
      const int narrow = kernel::bits(from.element) / kernel::bits(to.element);
      if (wide > most_lanes || narrow > most_lanes)
        internal_error("a bitcast of elements that differ by more than four has no form in Metal's source");
      for (int i = 0; i < to.lanes; ++i) {
        if (wide > 1) {
          std::string all;
          for (int k = 0; k < wide; ++k)
            all += (k == 0 ? "" : ", ") + lane(op.operands[0], i * wide + k, Sign::with).text;
          lanes.push_back(
              call("as_type<" + type_name(to.element, 1) + ">", call(type_name(from.element, wide), all).text));
        } else {
          const Expression pieces = declare(
              call("as_type<" + type_name(to.element, narrow) + ">", lane(op.operands[0], i / narrow, Sign::with).text),
              to.element, narrow, "v");
          for (int k = 0; k < narrow; ++k)
            lanes.push_back({pieces.text + "." + lane_names[static_cast<std::size_t>(k)]});
          i += narrow - 1;
        }
      }
    }
  }
  values_[result.index] = {{}, std::move(lanes)};
}

Expression Printer::special(const Op& op) {
  const auto what = std::get<kernel::Special>(op.attribute);
  const auto asked = [&](std::string& name, std::string_view wanted, std::string_view attribute) {
    if (name.empty()) {
      name = names_.unique(wanted);
      attributes_.insert(fmt::format("uint {} [[{}]]", name, attribute));
    }
    return name;
  };
  std::string text;
  switch (what) {
    case kernel::Special::thread:
      text = asked(thread_, "thread_index", "thread_index_in_threadgroup");
      break;
    case kernel::Special::threads:
      text = fmt::format("{}u", kernel_.block->threads);
      break;
    case kernel::Special::block:
      text = asked(block_, "group", "threadgroup_position_in_grid");
      break;
    case kernel::Special::blocks:
      text = asked(blocks_, "groups", "threadgroups_per_grid");
      break;
    case kernel::Special::lane:
      text = asked(lane_, "simd_lane", "thread_index_in_simdgroup");
      break;
    case kernel::Special::warp:
      text = asked(warp_, "simd_group", "simdgroup_index_in_threadgroup");
      break;
    case kernel::Special::cluster_block:
      text = "0u";
      break;
  }
  if (type(op.results[0]).element == Element::i64) return call("long", text);
  return {text, Binding::primary, true};
}

}  // namespace tilewright::codegen::metal
