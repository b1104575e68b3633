// Kernel IR: flat SSA in structured regions, the code of one thread (GPU) or of one task (host). Everything is in the
// open: addresses, masks, vector widths. A codegen prints each op without deciding anything. docs/ir/kernel.md is the
// reference of the text form.
//
//   kernel axpy(%x: ptr readonly align 64, %y: ptr noalias align 64, %n: i64) {
//     %0 = constant i64 0
//     %8 = constant i64 8
//     for %i = %0 to %n step %8 {
//       %b = mul i64 %i, %4
//       %p = offset ptr %x, %b
//       %v = load f32x8 %p align 4
//       ...
//     }
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/gpu_attributes.h"
#include "kernel/ops.h"
#include "kernel/types.h"
#include "support/diagnostic.h"
#include "support/id.h"
#include "support/scalar.h"

namespace tilewright::kernel {

using ValueId = Id<struct KernelValueTag>;

/// Of load, store, gather, scatter. `align` is a power of two in bytes that the address (each lane's address for gather
/// and scatter) is a multiple of; `nontemporal` bypasses the caches and needs an address aligned to the whole vector.
struct Access {
  std::uint32_t align = 1;
  bool nontemporal = false;
  CacheHint cache = CacheHint::normal;  ///< a hint, which hosts ignore
  friend bool operator==(const Access&, const Access&) = default;
};
struct Lane {
  std::int32_t lane = 0;
  friend bool operator==(const Lane&, const Lane&) = default;
};
struct Lanes {
  std::vector<std::int32_t> lanes;  ///< of shuffle: indices into the concatenation of both operands
  friend bool operator==(const Lanes&, const Lanes&) = default;
};
struct Bytes {
  std::int64_t bytes = 0;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

using Attribute =
    std::variant<std::monostate, Scalar, Lane, Lanes, Predicate, Access, Bytes, SharedBuffer, Special, ShuffleMode,
                 Vote, Atomic, MemoryScope, NamedBarrier, Count, TensorCopy, MatrixOrder, WarpgroupProduct>;

struct Op;

/// A block of ops with its own arguments; the last op is a yield.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<Op> ops;
};

struct Op {
  Opcode code = Opcode::yield;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  Attribute attribute;
  std::vector<Region> regions;
};

struct Value {
  Type type;
  std::string name;  ///< for the printer; unique names are made from it
};

struct Parameter {
  ValueId value;
  bool readonly = false;    ///< a pointer through which nothing is written
  bool noalias = false;     ///< a pointer whose bytes no other parameter reaches
  std::uint32_t align = 1;  ///< of a pointer
  bool tensor_map = false;  ///< of a GPU kernel: the 128 bytes that describe a tensor to the copy engine, by value
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  Table<ValueId, Value> values;
  Region body;                       ///< no arguments; ends in a yield without operands
  std::optional<ThreadBlock> block;  ///< of a GPU kernel, which each thread of each block runs; else a host's
};

std::string to_text(const Kernel& kernel);
Result<Kernel> parse_kernel(SourcePtr source);
/// SSA dominance over regions, operand and result counts and types by the op table, attribute kinds, regions' shapes,
/// alignment as powers of two, no store through a readonly parameter, GPU ops in GPU kernels alone and barriers where
/// all threads come. Codes K0xx; internal callers treat one as a defect.
Result<void> verify(const Kernel& kernel);

}  // namespace tilewright::kernel
