// What the attributes of GPU ops are made of: words (a thread's indices, scopes, …) and numbers, and the shape of a GPU
// kernel's block. Part of ir.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernel/types.h"

namespace tilewright::kernel {

/// What `special` gives: the thread's index in its block and the block's size; the block's index in the grid and the
/// grid's size (grids are one row of blocks); the thread's index in its warp and the warp's in its block; the block's
/// index in its cluster.
#define TILEWRIGHT_KERNEL_SPECIALS(X) X(thread) X(threads) X(block) X(blocks) X(lane) X(warp) X(cluster_block)

/// Whose value a thread gets from `warp_shuffle`, the second operand being n: that of lane n, of the lane n below or
/// above its own, or of its own lane's index xor n. A thread whose source is outside of the warp gets its own.
#define TILEWRIGHT_KERNEL_SHUFFLE_MODES(X) X(idx) X(down) X(up) X(by_xor)

/// Over the threads of the warp: whether the condition holds in one, in all, or a bit for each lane.
#define TILEWRIGHT_KERNEL_VOTES(X) X(any) X(all) X(ballot)

/// What `atomic` makes of the old value and its operand; `cas` stores the second operand where the old value is the
/// first.
#define TILEWRIGHT_KERNEL_ATOMIC_OPS(X) X(add) X(smin) X(smax) X(umin) X(umax) X(bit_and) X(bit_or) X(exch) X(cas)

/// How an atomic is ordered with the thread's other accesses, as in the C++ memory model.
#define TILEWRIGHT_KERNEL_ORDERS(X) X(relaxed) X(acquire) X(release) X(acq_rel)

/// The threads that an atomic or fence concerns: those of the block, of the cluster, of the device, or of all devices
/// and the host.
#define TILEWRIGHT_KERNEL_SCOPES(X) X(block) X(cluster) X(device) X(system)

/// A hint about the caches: the line is the first, or last, to go; or is not kept in the first level.
#define TILEWRIGHT_KERNEL_CACHES(X) X(normal) X(evict_first) X(evict_last) X(no_allocate)

#define X(name) name,
enum class Special : std::uint8_t { TILEWRIGHT_KERNEL_SPECIALS(X) };
enum class ShuffleMode : std::uint8_t { TILEWRIGHT_KERNEL_SHUFFLE_MODES(X) };
enum class Vote : std::uint8_t { TILEWRIGHT_KERNEL_VOTES(X) };
enum class AtomicOp : std::uint8_t { TILEWRIGHT_KERNEL_ATOMIC_OPS(X) };
enum class MemoryOrder : std::uint8_t { TILEWRIGHT_KERNEL_ORDERS(X) };
enum class MemoryScope : std::uint8_t { TILEWRIGHT_KERNEL_SCOPES(X) };
enum class CacheHint : std::uint8_t { TILEWRIGHT_KERNEL_CACHES(X) };
#undef X

/// The words of an enumeration above as the text form has them, by value: its names, but `xor`, `and` and `or` for
/// by_xor, bit_and and bit_or.
template <class Word>
std::span<const std::string_view> words();

template <class Word>
std::string_view word_name(Word word) {
  return words<Word>()[static_cast<std::size_t>(word)];
}
template <class Word>
std::optional<Word> word_from_name(std::string_view name) {
  const std::span<const std::string_view> all = words<Word>();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == name) return static_cast<Word>(i);
  return std::nullopt;
}

/// Of atomic.
struct Atomic {
  AtomicOp op = AtomicOp::add;
  MemoryOrder order = MemoryOrder::relaxed;
  MemoryScope scope = MemoryScope::device;
  friend bool operator==(const Atomic&, const Atomic&) = default;
};

/// Of barrier and barrier_arrive: which of the block's 16 barriers, and how many of its threads it waits for; 0 for all
/// (barrier 0 alone).
struct NamedBarrier {
  std::int32_t id = 0;
  std::int32_t threads = 0;
  friend bool operator==(const NamedBarrier&, const NamedBarrier&) = default;
};

/// Of shared.
struct SharedBuffer {
  std::int64_t bytes = 0;
  std::int64_t align = 128;  ///< a power of two, 16 to 1024
  friend bool operator==(const SharedBuffer&, const SharedBuffer&) = default;
};

/// A number that the attribute's kind names: of a wait, how many groups may still be pending; of mbarrier_init, how
/// many arrivals end a phase; of raise_registers and lower_registers, how many a thread has then.
struct Count {
  std::int32_t count = 0;
  friend bool operator==(const Count&, const Count&) = default;
};

/// Of tensor_load and tensor_store: a box of the tensor of a map, at one coordinate an axis.
struct TensorCopy {
  std::int32_t rank = 1;   ///< 1 to 5
  bool multicast = false;  ///< to the blocks of the cluster whose bit the last operand has
  CacheHint cache = CacheHint::normal;
  friend bool operator==(const TensorCopy&, const TensorCopy&) = default;
};

/// Of load_matrix and store_matrix: whether the 8 × 8 matrices are turned on the way.
struct MatrixOrder {
  bool transposed = false;
  friend bool operator==(const MatrixOrder&, const MatrixOrder&) = default;
};

/// How a factor of wgmma lies in shared memory: in pieces of 8 rows of 128 bytes, each at a multiple of 1024, with the
/// 16 bytes number c of row r at place c xor r (the copy engine's 128-byte swizzle). A row is a stretch of the terms of
/// one point, and the next 8 points lie `stride` bytes on; or, transposed, 128 bytes of neighbouring points at one
/// term, the next 8 terms lie `stride` bytes on and the next points `leading`.
struct MatrixLayout {
  std::int32_t leading = 0;
  std::int32_t stride = 1024;
  friend bool operator==(const MatrixLayout&, const MatrixLayout&) = default;
};

/// Of wgmma: a product of 64 × k and k × n elements `of`, k being 32 bytes of them.
struct WarpgroupProduct {
  std::int32_t n = 8;         ///< 8 to 256, a multiple of 8
  Element of = Element::f16;  ///< f32 stands for tf32
  bool transposed_a = false;  ///< the m-axis is the contiguous one in shared memory; of f16 and bf16 alone
  bool transposed_b = false;  ///< the n-axis is
  MatrixLayout a;             ///< where it is in shared memory
  MatrixLayout b;
  friend bool operator==(const WarpgroupProduct&, const WarpgroupProduct&) = default;
};

/// How a GPU kernel is launched.
struct ThreadBlock {
  std::int32_t threads = 128;  ///< in a block, 1 to 1024
  std::int32_t cluster = 1;    ///< blocks in a cluster, 1 to 16
  std::int32_t resident = 0;   ///< blocks that a multiprocessor shall hold at once, which bounds registers; 0: any
  bool in_order = false;  ///< the assembler shall keep the order of the ops as far as it can: the kernel has chosen it
  friend bool operator==(const ThreadBlock&, const ThreadBlock&) = default;
};

}  // namespace tilewright::kernel
