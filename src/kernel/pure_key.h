// Tells when two pure ops compute the same value: the key of value numbering, in the builder and in passes/share_ops.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/ir.h"

namespace tilewright::kernel {

/// Opcode, result type, operands and attribute as words; equal keys mean equal values. Float constants differ by bits,
/// so that 0.0 and -0.0 stay apart and a NaN equals itself.
using PureKey = std::vector<std::uint64_t>;

PureKey pure_key(Opcode code, std::span<const ValueId> operands, Type result, const Attribute& attribute);

struct PureKeyHash {
  std::size_t operator()(const PureKey& key) const;
};

using PureTable = std::unordered_map<PureKey, ValueId, PureKeyHash>;

}  // namespace tilewright::kernel
