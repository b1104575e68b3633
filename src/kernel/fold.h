// The arithmetic of integer elements on constants: what the builder folds and what the interpreter's scalar semantics
// are tested against.
#pragma once

#include <cstdint>
#include <optional>

#include "kernel/ops.h"
#include "kernel/types.h"

namespace tilewright::kernel {

/// `a op b` on integers of `element` (kept as wrap_to keeps them), wrapped. nullopt for an op that is no integer
/// arithmetic, and for a division by zero or a shift out of range, which are left to run time.
std::optional<std::int64_t> fold_binary(Opcode code, Element element, std::int64_t a, std::int64_t b);
/// neg and abs.
std::optional<std::int64_t> fold_unary(Opcode code, Element element, std::int64_t a);
/// An integer predicate; nullopt for a float predicate.
std::optional<bool> fold_cmp(Predicate predicate, Element element, std::int64_t a, std::int64_t b);

/// The value of an integer of `element` read without a sign.
std::uint64_t unsigned_value(Element element, std::int64_t value);

}  // namespace tilewright::kernel
