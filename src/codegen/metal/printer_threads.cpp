// What threads do together: barriers, exchanges of a simdgroup, atomics. See printer.h.
#include <array>

#include "codegen/metal/printer.h"

namespace tilewright::codegen::metal {

using kernel::AtomicOp;
using kernel::Element;
using kernel::Opcode;

namespace {

struct Shuffle {
  kernel::ShuffleMode mode;
  std::string_view function;  ///< behind "simd_"
};
constexpr std::array shuffles = {
    Shuffle{kernel::ShuffleMode::idx, "shuffle"},
    Shuffle{kernel::ShuffleMode::down, "shuffle_down"},
    Shuffle{kernel::ShuffleMode::up, "shuffle_up"},
    Shuffle{kernel::ShuffleMode::by_xor, "shuffle_xor"},
};

struct AtomicFunction {
  AtomicOp op;
  std::string_view function;
  bool is_unsigned;
};
constexpr std::array atomics = {
    AtomicFunction{AtomicOp::add, "atomic_fetch_add_explicit", false},
    AtomicFunction{AtomicOp::smin, "atomic_fetch_min_explicit", false},
    AtomicFunction{AtomicOp::smax, "atomic_fetch_max_explicit", false},
    AtomicFunction{AtomicOp::umin, "atomic_fetch_min_explicit", true},
    AtomicFunction{AtomicOp::umax, "atomic_fetch_max_explicit", true},
    AtomicFunction{AtomicOp::bit_and, "atomic_fetch_and_explicit", false},
    AtomicFunction{AtomicOp::bit_or, "atomic_fetch_or_explicit", false},
    AtomicFunction{AtomicOp::exch, "atomic_exchange_explicit", false},
};

}  // namespace

void Printer::print_together(const Op& op) {
  switch (op.code) {
    case Opcode::barrier: {
      // What threads of a block hand each other through the device's memory is seen by them too.
      bool through_device = false;
      for (const kernel::Parameter& parameter : kernel_.parameters)
        through_device = through_device || (kernel::is_pointer(type(parameter.value).element) && !parameter.readonly &&
                                            reads_.contains(parameter.value.index));
      return line(fmt::format("threadgroup_barrier({}mem_flags::mem_threadgroup);",
                              through_device ? "mem_flags::mem_device | " : ""));
    }
    case Opcode::warp_shuffle:
      return print_shuffle(op);
    case Opcode::warp_vote: {
      const auto vote = std::get<kernel::Vote>(op.attribute);
      const std::string condition = operand(op.operands[0], 0).text;
      Expression result = call(vote == kernel::Vote::any ? "simd_any" : "simd_all", condition);
      if (vote == kernel::Vote::ballot) {
        result = call("uint", fmt::format("simd_vote::vote_t(simd_ballot({}))", condition));
        result.is_unsigned = true;
      }
      return define(op.results[0], {result}, "vote", true);
    }
    case Opcode::atomic:
      return print_atomic(op);
    case Opcode::mma: {
      prelude_.need("matrix_product", "float", 2);
      std::string factors;
      for (const ValueId each : op.operands)
        factors += (factors.empty() ? "" : ", ") + operand(each, 0, Sign::any, true).text;
      return define(op.results[0], {call("matrix_product", factors)}, "sums", true);
    }
    default:
      internal_error(fmt::format("{} has no form in Metal's source", kernel::info(op.code).name));
  }
}

void Printer::print_shuffle(const Op& op) {
  const ValueId result = op.results[0];
  const Element element = type(result).element;
  for (const Shuffle& each : shuffles) {
    if (each.mode != std::get<kernel::ShuffleMode>(op.attribute)) continue;
    const bool in_words = kernel::bits(element) == 64;
    if (in_words) prelude_.need(each.function, "long", 1);
    const std::string lanes = constant_of(op.operands[1]) != nullptr
                                  ? operand(op.operands[1], 0).text
                                  : call("ushort", operand(op.operands[1], 0).text).text;
    const std::string function = in_words ? std::string(each.function) : fmt::format("simd_{}", each.function);
    const Expression value = operand(op.operands[0], 0, Sign::with, true);
    return define(result, {call(function, value.text + ", " + lanes)}, "other", true);
  }
}

/// Of 32 bits, in relaxed order: what Metal has, and check_kernel lets through.
void Printer::print_atomic(const Op& op) {
  const ValueId result = op.results[0];
  const Element element = type(result).element;
  const auto how = std::get<kernel::Atomic>(op.attribute);
  for (const AtomicFunction& each : atomics) {
    if (each.op != how.op) continue;
    const std::string_view word = each.is_unsigned ? "uint" : element == Element::f32 ? "float" : "int";
    Expression old =
        call(each.function,
             fmt::format("({} atomic_{}*)({}), {}, memory_order_relaxed", space_word(op.operands[0]), word,
                         address_text(op.operands[0]),
                         operand(op.operands[1], 0, each.is_unsigned ? Sign::without : Sign::with, true).text));
    old.is_unsigned = each.is_unsigned;
    if (!uses_.is_used(result)) return line(old.text + ";");
    return define(result, {old}, "old", true);
  }
  internal_error("an atomic without a function in Metal");
}

}  // namespace tilewright::codegen::metal
