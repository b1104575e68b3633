// Look-ups in the op table of ops.h.
#include "kernel/ops.h"

#include <array>

namespace tilewright::kernel {

namespace {

constexpr std::array ops = {
#define X(enumerator, name, operands, results, rule, effect, attribute) \
  OpInfo{name, operands, results, OpRule::rule, OpEffect::effect, OpAttribute::attribute},
    TILEWRIGHT_KERNEL_OPS(X)
#undef X
};

constexpr std::array predicates = {
#define X(enumerator) std::string_view{#enumerator},
    TILEWRIGHT_KERNEL_PREDICATES(X)
#undef X
};

constexpr std::array attributes = {
#define X(enumerator) std::string_view{#enumerator},
    TILEWRIGHT_KERNEL_ATTRIBUTES(X)
#undef X
};

}  // namespace

std::string_view name(OpAttribute attribute) {
  return attributes[static_cast<std::size_t>(attribute)];
}

const OpInfo& info(Opcode code) {
  return ops[static_cast<std::size_t>(code)];
}

std::optional<Opcode> opcode_from_name(std::string_view name) {
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (ops[i].name == name) return static_cast<Opcode>(i);
  return std::nullopt;
}

std::string_view name(Predicate predicate) {
  return predicates[static_cast<std::size_t>(predicate)];
}

std::optional<Predicate> predicate_from_name(std::string_view name) {
  for (std::size_t i = 0; i < predicates.size(); ++i)
    if (predicates[i] == name) return static_cast<Predicate>(i);
  return std::nullopt;
}

bool is_float_predicate(Predicate predicate) {
  return predicate >= Predicate::oeq;
}

}  // namespace tilewright::kernel
