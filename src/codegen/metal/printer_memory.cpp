// Addresses, loads and stores. A load or store becomes pieces of at most 16 bytes and four lanes, as wide as its
// alignment allows; masked lanes go one by one.
#include <algorithm>
#include <functional>

#include "codegen/metal/printer.h"

namespace tilewright::codegen::metal {

using kernel::Element;
using kernel::Opcode;

namespace {

constexpr int widest_bytes = 16;

struct Piece {
  int first = 0;  ///< lane
  int lanes = 1;
};

/// Of the lanes of one part, which begins at `begin` of an access so aligned.
std::vector<Piece> pieces_of(int begin, int lanes, int bytes, std::uint32_t align) {
  std::vector<Piece> pieces;
  for (int first = begin; first < begin + lanes;) {
    int count = 1;
    const auto fits = [&](int wider) {
      const int size = wider * bytes;
      return first + wider <= begin + lanes && wider <= most_lanes && size <= widest_bytes &&
             static_cast<std::uint32_t>(size) <= align && first * bytes % size == 0;
    };
    while (fits(2 * count)) count *= 2;
    pieces.push_back({first, count});
    first += count;
  }
  return pieces;
}

}  // namespace

std::string Printer::space_word(ValueId pointer) const {
  switch (classes_.of(pointer).space.value_or(Space::device)) {
    case Space::device:
      return "device";
    case Space::threadgroup:
      return "threadgroup";
    case Space::thread:
      return "thread";
  }
  internal_error("a space without a word");
}

std::string Printer::pointer_type(ValueId pointer, Element element, int lanes, bool writes) const {
  return fmt::format("{} {}{}*", space_word(pointer), writes ? "" : "const ", type_name(element, lanes));
}

/// The number of elements that so many bytes are. As ValueUses::is_divisible sees them.
Expression Printer::elements_of(ValueId bytes, std::int64_t size) {
  const Op* op = uses_.definition(bytes);
  if (size == 1) return operand(bytes, 0, Sign::with);
  if (op == nullptr) {
    for (const auto& [entry, name] : divided_)
      if (entry == ValueUses::Divided{bytes, size}) return {name};
    internal_error("a distance without its number of elements");
  }
  switch (op->code) {
    case Opcode::constant: {
      const std::int64_t elements = std::get<Scalar>(op->attribute).as_int() / size;
      return literal(Element::i64, Scalar::of(elements), Sign::with, false);
    }
    case Opcode::mul: {
      const std::size_t divided = uses_.is_divisible(op->operands[1], size) ? 1 : 0;
      const Expression factor = elements_of(op->operands[divided], size);
      const Expression other = operand(op->operands[1 - divided], 0, Sign::with);
      return factor.text == "1" ? other : infix(other, "*", factor, Binding::multiplicative);
    }
    default:
      return infix(elements_of(op->operands[0], size), op->code == Opcode::add ? "+" : "-",
                   elements_of(op->operands[1], size), Binding::additive);
  }
}

void Printer::print_offset(const Op& op) {
  const ValueId result = op.results[0];
  const AddressClass& own = classes_.of(result);
  const std::int64_t size = bytes_of(own.element);
  Address address = addresses_[op.operands[0].index];
  if (const Scalar* constant = constant_of(op.operands[1]); constant != nullptr && constant->as_int() % size == 0) {
    address.constant += constant->as_int() / size;
    addresses_[result.index] = std::move(address);
    return;
  }
  const bool by_elements = uses_.is_divisible(op.operands[1], size);
  const std::string type = pointer_type(result, own.element, 1, !own.readonly);
  const auto declared = [&](const std::string& text) {
    const std::string name = names_.numbered(hint_of(result, own.name.empty() ? "at" : own.name));
    line(fmt::format("{} {} = {};", type, name, text));
    return Address{name, {}, 0};
  };
  if (by_elements) {
    address.terms.push_back(elements_of(op.operands[1], size));
    addresses_[result.index] = address;
    if (!uses_.is_used_once(result) || address.terms.size() > 2)
      addresses_[result.index] = declared(address_text(result));
    return;
  }
  const std::string bytes = pointer_type(result, Element::i8, 1, !own.readonly);
  addresses_[result.index] = address;
  addresses_[result.index] =
      declared(fmt::format("({})(({}){} + {})", type, bytes, "(" + address_text(result) + ")",
                           within(operand(op.operands[1], 0, Sign::with), Binding::multiplicative)));
}

/// "a + i * 4 + 8"
std::string Printer::address_text(ValueId pointer, std::int64_t further) const {
  const Address& address = addresses_[pointer.index];
  std::string text = address.base;
  for (const Expression& term : address.terms) text += " + " + within(term, Binding::multiplicative);
  const std::int64_t constant = address.constant + further;
  if (constant != 0) text += fmt::format(" {} {}", constant < 0 ? '-' : '+', constant < 0 ? -constant : constant);
  return text;
}

std::string Printer::pointer_text(ValueId pointer) const {
  return address_text(pointer);
}

/// `further`: elements of the access.
std::string Printer::access_text(ValueId pointer, Element element, int lanes, std::int64_t further, bool writes) const {
  const AddressClass& own = classes_.of(pointer);
  const int ratio = bytes_of(element) / bytes_of(own.element);
  const Address& address = addresses_[pointer.index];
  if (element == own.element && lanes == 1) {
    std::string index;
    for (const Expression& term : address.terms)
      index += (index.empty() ? "" : " + ") + (address.terms.size() == 1 && address.constant + further == 0
                                                   ? term.text
                                                   : within(term, Binding::multiplicative));
    const std::int64_t constant = address.constant + further;
    if (index.empty())
      index = fmt::format("{}", constant);
    else if (constant != 0)
      index += fmt::format(" {} {}", constant < 0 ? '-' : '+', constant < 0 ? -constant : constant);
    return fmt::format("{}[{}]", address.base, index);
  }
  const std::string text = address_text(pointer, further * ratio);
  return fmt::format("*({}){}", pointer_type(pointer, element, lanes, writes),
                     text == address.base ? text : "(" + text + ")");
}

void Printer::print_load(const Op& op) {
  const ValueId result = op.results[0];
  const ValueId pointer = op.operands[0];
  const Element element = type(result).element;
  const std::uint32_t align = std::get<kernel::Access>(op.attribute).align;
  const bool is_masked = op.operands.size() > 1;
  const std::vector<int> lanes_of_parts = parts_of(type(result).lanes);
  std::vector<Expression> parts;
  int begin = 0;
  for (const int lanes : lanes_of_parts) {
    std::vector<std::string> texts;
    if (is_masked) {
      const std::string zero =
          literal(element, kernel::is_float(element) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0}), Sign::with, true)
              .text;
      for (int i = begin; i < begin + lanes; ++i)
        texts.push_back(fmt::format("{} ? {} : {}", within(lane(op.operands[1], i), Binding::logical_or),
                                    access_text(pointer, element, 1, i, false), zero));
    } else {
      for (const Piece& piece : pieces_of(begin, lanes, bytes_of(element), align))
        texts.push_back(access_text(pointer, element, piece.lanes, piece.first, false));
    }
    if (texts.size() == 1)
      parts.push_back({texts[0], is_masked ? Binding::conditional : Binding::unary});
    else
      parts.push_back(call(type_name(element, lanes), fmt::format("{}", fmt::join(texts, ", "))));
    begin += lanes;
  }
  const std::string& tensor = classes_.of(pointer).name;
  define(result, std::move(parts), tensor.empty() ? "v" : tensor + "_v", true);
}

void Printer::print_store(const Op& op) {
  const ValueId value = op.operands[0];
  const ValueId pointer = op.operands[1];
  const Element element = type(value).element;
  const std::uint32_t align = std::get<kernel::Access>(op.attribute).align;
  const bool is_masked = op.operands.size() > 2;
  int begin = 0;
  const std::vector<int> lanes_of_parts = parts_of(type(value).lanes);
  for (std::size_t p = 0; p < lanes_of_parts.size(); ++p) {
    const int lanes = lanes_of_parts[p];
    if (is_masked) {
      for (int i = begin; i < begin + lanes; ++i)
        line(fmt::format("if ({}) {} = {};", lane(op.operands[2], i).text, access_text(pointer, element, 1, i, true),
                         lane(value, i, Sign::with).text));
    } else {
      const std::vector<Piece> pieces = pieces_of(begin, lanes, bytes_of(element), align);
      for (const Piece& piece : pieces) {
        std::string text;
        if (pieces.size() == 1) {
          text = operand(value, p, Sign::with, true).text;
        } else if (piece.lanes == 1) {
          text = lane(value, piece.first, Sign::with).text;
        } else {
          for (int i = 0; i < piece.lanes; ++i)
            text += (i == 0 ? "" : ", ") + lane(value, piece.first + i, Sign::with).text;
          text = call(type_name(element, piece.lanes), text).text;
        }
        line(fmt::format("{} = {};", access_text(pointer, element, piece.lanes, piece.first, true), text));
      }
    }
    begin += lanes;
  }
}

namespace {

/// Of bytes behind a pointer, by a cast.
std::string by_bytes(const std::string& type, const std::string& bytes, const std::string& base,
                     const std::string& offset) {
  return fmt::format("*({})(({})({}) + {})", type, bytes, base, offset);
}

}  // namespace

void Printer::print_gather(const Op& op) {
  const ValueId result = op.results[0];
  const ValueId pointer = op.operands[0];
  const Element element = type(result).element;
  const std::string access = pointer_type(pointer, element, 1, false);
  const std::string bytes = pointer_type(pointer, Element::i8, 1, false);
  const std::string zero =
      literal(element, kernel::is_float(element) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0}), Sign::with, true)
          .text;
  std::vector<Expression> lanes;
  const std::string& tensor = classes_.of(pointer).name;
  for (int i = 0; i < type(result).lanes; ++i) {
    std::string text =
        by_bytes(access, bytes, address_text(pointer), within(lane(op.operands[1], i, Sign::with), Binding::unary));
    if (op.operands.size() > 2) text = fmt::format("{} ? {} : {}", lane(op.operands[2], i).text, text, zero);
    lanes.push_back(declare({text, Binding::conditional}, element, 1, tensor.empty() ? "v" : tensor + "_v"));
  }
  values_[result.index] = {{}, std::move(lanes)};
}

void Printer::print_scatter(const Op& op) {
  const ValueId value = op.operands[0];
  const ValueId pointer = op.operands[1];
  const Element element = type(value).element;
  const std::string access = pointer_type(pointer, element, 1, true);
  const std::string bytes = pointer_type(pointer, Element::i8, 1, true);
  for (int i = 0; i < type(value).lanes; ++i) {
    const std::string text =
        by_bytes(access, bytes, address_text(pointer), within(lane(op.operands[2], i, Sign::with), Binding::unary));
    const std::string test = op.operands.size() > 3 ? fmt::format("if ({}) ", lane(op.operands[3], i).text) : "";
    line(fmt::format("{}{} = {};", test, text, lane(value, i, Sign::with).text));
  }
}

}  // namespace tilewright::codegen::metal
