// Tile IR: a structured program over tiles of static shape. Sits between the nest and the kernel IR, and is where
// blocking, staging, masks, layouts and matrix atoms are decided. docs/ir/tile.md is the reference of the text form.
//
// Axes are named. A tile's axes are iterators with sizes, so broadcasting, transposition and the roles of a contraction
// follow from names: `contract %acc[i, j], %a[i, k], %b[k, j]` sums over k because the result lacks it.
//
// Coordinates come from scopes. `grid` and `for` give an iterator a scope [base, limit): at first [0, extent); `for k
// by 64` runs the scope of k in steps, and inside, k's scope is [base, min(base + 64, limit)). An op with the axis (k,
// 64) stands for the coordinates base … base + 63; those at or past the limit are outside. An axis must be at least as
// long as the innermost step over its iterator; an iterator that is no axis of an op stands at its base.
//
// On a GPU a grid point is a block of threads, and an op is what one thread does. `threads k 32 by 4` deals k out: in
// every scope, thread t's coordinates start t · 4 further on than the block's; with several axes of threads along k,
// the sum of theirs. docs/ir/tile.md has an example.
//
//   tile mm
//     tensor a : f32 rank 2 strides (other, one) align 64
//     tensor b : f32 rank 2 strides (other, one) align 64
//     tensor mm : f32 rank 2 strides (other, one) align 64 output
//     iter i extent a.0
//     iter j extent b.1
//     iter k extent a.1
//     grid i by 6, j by 16
//     %zero = fill 0 : f32 [i 6, j 16]
//     %acc = for k by 1 carry %c = %zero {
//       %x = load a[i, k] : f32 [i 6]
//       %y = load b[k, j] : f32 [j 16]
//       %z = contract %c, %x, %y : f32 [i 6, j 16]
//       yield %z
//     }
//     store mm[i, j], %acc
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nest/facts.h"
#include "nest/ir.h"
#include "support/diagnostic.h"
#include "support/dtype.h"
#include "support/id.h"
#include "support/int_expr.h"
#include "support/matrix_unit.h"
#include "support/scalar.h"
#include "support/scalar_op.h"

namespace tilewright::tile {

using nest::Affine;
using nest::IterId;
using nest::StrideClass;
using nest::TensorId;
using ValueId = Id<struct TileValueTag>;
using BufferId = Id<struct TileBufferTag>;

struct Axis {
  IterId iter;
  std::int64_t size = 1;
  /// Placed phase: the axis runs along the lanes of vector registers (at most one a tile); the others are unrolled.
  /// Text form: `[i 6, j 16 lanes]`.
  bool lanes = false;
  /// Position p stands `offset(p)` from the base: in pieces of `chunk` neighbours that lie `apart`; chunk 0: in one
  /// piece. Text form: `[i 8 lanes chunk 4 apart 64]`.
  std::int64_t chunk = 0;
  std::int64_t apart = 0;

  std::int64_t offset(std::int64_t position) const {
    return chunk == 0 ? position : position / chunk * apart + position % chunk;
  }
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// The order of the axes means nothing.
struct TileType {
  DType dtype = DType::f32;
  std::vector<Axis> axes;  ///< each iterator at most once; none: a scalar
  friend bool operator==(const TileType&, const TileType&) = default;
};

/// A parameter. Extents are the symbols "NAME.AXIS", strides (elements) "NAME.sAXIS".
struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<StrideClass> strides;  ///< one an axis
  std::uint32_t align = 1;           ///< of the base address
  bool output = false;
  std::uint32_t stride_align = 1;  ///< of the strides of class other, in bytes
};

struct Iterator {
  std::string name;
  IntExpr extent;
};

/// Where a buffer lives. `task`: memory of one grid point (on a host, of one task), or of one thread of a block.
/// `shared`: memory of the block, whose threads see what each other stored once a barrier lies between.
enum class Space : std::uint8_t { task, shared };

/// One axis of a buffer, a two-level layout mode: the coordinate c relative to the scope in which the buffer was
/// allocated (of shared memory, to the block's) lies at (c / inner) * outer_stride + (c % inner) * inner_stride
/// elements.
struct BufferAxis {
  IterId iter;
  IntExpr capacity;  ///< coordinates held, a multiple of inner
  std::int64_t inner = 1;
  IntExpr outer_stride;
  std::int64_t inner_stride = 1;
};

/// Points of an axis that lie one distance apart in the buffer.
struct BufferLevel {
  IterId iter;
  std::int64_t count = 1;
  std::int64_t step = 1;   ///< points from one to the next
  std::int64_t apart = 0;  ///< elements
};
/// Of an axis of constant capacity and stride, one level or both, the outer first; the inner one where it has several
/// points, the outer one where it has or is the only one.
std::vector<BufferLevel> levels_of(const BufferAxis& axis);

struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  Space space = Space::task;
  std::vector<BufferAxis> axes;
  IntExpr elements;  ///< in all
  /// Of shared memory that a matrix unit reads: in each 1024 bytes, eight rows of 128, the 16 bytes number c of row r
  /// stand at c xor r, so that columns of 16 bytes lie in different banks. Text form: `swizzled`.
  bool swizzled = false;
};

/// A coordinate of a store: the iterator's coordinate, or with `block` the number of the block of that many points that
/// its scope lies in (`k / 4096`, the part of a split reduction).
struct StoreIndex {
  IterId iter;
  std::optional<IntExpr> block;
};

struct Op;
struct Block {
  std::vector<ValueId> arguments;  ///< the carried tiles of a `for`
  std::vector<Op> ops;
  std::vector<ValueId> yields;
};

// Pure ops.
struct Fill {
  Scalar value;
};
struct Iota {
  IterId iter;
};  ///< i64: the iterator's coordinates along its axis, or its base
struct ExtentValue {
  IntExpr value;
};  ///< i64, no axes
/// The tensor's elements at the affine indices, along the result's axes. Elements of outside coordinates are
/// unspecified and memory is not touched for them. With `otherwise`, inside coordinates whose index leaves the tensor
/// give it.
struct Load {
  TensorId tensor;
  std::vector<Affine> index;
  std::optional<Scalar> otherwise;
};
/// What lies in the buffer at the tile's coordinates, outside ones too: all must lie within the capacities.
struct LoadBuffer {
  BufferId buffer;
};
struct Map {
  ScalarOp op;
  std::vector<ValueId> operands;
};  ///< operands broadcast by name to the result's axes
struct Cast {
  ValueId operand;
};  ///< to the result's dtype
/// The operand, broadcast to the result's axes, with `value` at coordinates outside along iters.
struct Mask {
  ValueId operand;
  std::vector<IterId> iters;
  Scalar value;
};  ///< `value` at coordinates outside along iters
struct Reduce {
  ValueId operand;
  Monoid monoid;
};  ///< folds the axes that the result lacks, as a tree
using matrix_unit::Unit;
/// acc + Σ lhs · rhs over the axes that the accumulator (and so the result) lacks. By another unit than a thread's own
/// (placed phase) the factors are loads from shared buffers, which the unit reads itself, in elements that may be
/// narrower than its sums, and of f32 with 10 bits of mantissa; the tile is dealt to threads as the unit does
/// (docs/ir/tile.md). `from_registers`: threads load lhs for their warpgroup's unit. Text form: `contract %c, %x, %y by
/// warpgroup from registers`.
struct Contract {
  ValueId accumulator, lhs, rhs;
  Unit unit = Unit::scalar;
  bool from_registers = false;
};
struct ConvertLayout {
  ValueId operand;
};  ///< the same tile with the result's lanes (placed phase)
/// Folds the tiles of the threads that differ along the iterator's thread axis only, element by element and in a fixed
/// order; all of them get the result.
struct ReduceAcross {
  ValueId operand;
  IterId iter;
  Monoid monoid;
};
// Structure.
/// Runs the iterator's scope in steps. Results are the last yields, or the initial tiles if the scope is empty.
struct For {
  IterId iter;
  IntExpr step;
  /// Placed phase, of a block's threads: above 1, the copies that open the body run so many steps less one ahead of the
  /// rest, each into the next of as many stages of its buffer. A step waits for its own copies, and the threads for
  /// each other, once, before the rest begins. Text form: `for k by 32 stages 3`.
  std::int64_t stages = 1;
  /// Steps of a block's threads that are repeated in place between two tests; 0: the lowering's choice. Text form: `for
  /// k by 4 unroll 2`.
  std::int64_t unroll = 0;
  std::vector<ValueId> initial;
  Block body;
};
/// `first`: the iterators all stand where the grid point begins (their extents do, where the grid does not split them);
/// `last`: their scopes all reach its end.
enum class When : std::uint8_t { first, last };
struct If {
  When when;
  std::vector<IterId> iters;
  Block then_block, else_block;
};
// Effects.
struct Allocate {
  BufferId buffer;
};  ///< contents unspecified; coordinates start at the current bases
/// Fills the buffer from a tensor over the current scopes of the buffer's iterators; 0 up to the next multiple of
/// `inner`, of shared memory up to the capacities. All threads of the block together fill shared memory; or, with
/// `by_engine`, the copy engine does as one thread of a warp of its own tells it, in a loop with stages whose copies
/// are all such (placed phase; engine_copy.h has which may be). Text form: `copy a[i, k] -> a.shared by engine`.
struct Copy {
  TensorId tensor;
  std::vector<Affine> index;
  BufferId buffer;
  std::optional<Scalar> otherwise;
  bool by_engine = false;
};
/// Stores inside coordinates only. `nontemporal`: past the caches. Of the threads along an axis whose iterator the
/// index lacks (or holds as a block's number), the first one stores. `through`: by way of this shared buffer, out of
/// which the copy engine stores (placed phase; engine_copy.h has which may be). Text form: `store c[i, j], %v through
/// c.shared`.
struct Store {
  TensorId tensor;
  std::vector<StoreIndex> index;
  ValueId value;
  bool nontemporal = false;
  BufferId through = {};
};
/// Stores the whole tile, at outside coordinates too: all must lie within the capacities.
struct StoreBuffer {
  BufferId buffer;
  ValueId value;
};

/// A hint that the tensor's elements at the tile's coordinates are used soon; outside ones may be named too.
struct Prefetch {
  TensorId tensor;
  std::vector<Affine> index;
  TileType type;
};

/// All threads of the block wait for each other; what they stored to shared memory before is seen after.
struct Barrier {};

struct Op {
  std::variant<Fill, Iota, ExtentValue, Load, LoadBuffer, Map, Cast, Mask, Reduce, Contract, ConvertLayout,
               ReduceAcross, For, If, Allocate, Copy, Store, StoreBuffer, Prefetch, Barrier>
      node;
  std::vector<ValueId> results;  ///< one for pure ops, as many as yields for For and If
};

struct Value {
  TileType type;
  std::string name;
};

struct GridAxis {
  IterId iter;
  IntExpr step;
  /// Of a GPU's grid, on one axis at most: in the order of the points, so many of the axis come one after the other
  /// before the last of the other axes goes on. Text form: `grid i by 128 band 8, j by 256`.
  std::int64_t band = 1;
  /// As many of them, which divide the band, are one cluster of blocks: what the copy engine copies for all of these
  /// alike, each block copies a part of. Text form: `grid i by 128 band 8 cluster 2, j by 256`.
  std::int64_t cluster = 1;
};

/// Threads of a block along an iterator: thread t stands t · step further on than the block. An iterator may have
/// several such axes.
struct ThreadAxis {
  IterId iter;
  std::int64_t count = 1;
  std::int64_t step = 1;
};

/// What the verifier lets a program contain; a pass moves it on.
enum class Phase : std::uint8_t { value, placed };

struct Program {
  std::string name;
  Phase phase = Phase::value;
  Table<TensorId, Tensor> tensors;
  Table<IterId, Iterator> iters;
  Table<BufferId, Buffer> buffers;
  Table<ValueId, Value> values;
  std::vector<GridAxis> grid;       ///< outermost first; points run in parallel, in any order; the last one fastest
  std::vector<ThreadAxis> threads;  ///< of a GPU's block; a thread's number is row-major over them
  Block body;
};

std::string to_text(const Program& program);
/// The op's line in that text (the first, of a For or an If), without its indentation: what messages quote.
std::string to_text(const Program& program, const Op& op);
Result<Program> parse_program(SourcePtr source);
/// The axis of the grid that has a band; null: none.
const GridAxis* find_band(const Program& program);
/// Blocks in a cluster.
std::int64_t cluster_blocks(const Program& program);
/// The first axis of threads along the iterator; null: none.
const ThreadAxis* find_threads(const Program& program, IterId iter);
/// Of all axes along the iterator: the product of the counts.
std::int64_t threads_along(const Program& program, IterId iter);
/// Threads of a block: the product of the counts.
std::int64_t block_threads(const Program& program);
/// The invariants of this file for the program's phase (listed at the top of verify.cpp). Codes T0xx.
Result<void> verify(const Program& program);

}  // namespace tilewright::tile
