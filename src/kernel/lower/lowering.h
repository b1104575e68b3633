// The state of tile_to_kernel: scopes, running pointers, tiles in registers. Private to kernel/lower.
//
// A worked example. In `for j by 16 { for i by 6 { for k by 1 carry %c … contract %c, %x, %y } }` on a machine with 8
// lanes, %c : f32 [i 6, j 16 lanes] is 12 values of f32x8 (6 rows of 2 vectors), %x : [i 6] is 6 scalars and
// %y : [j 16 lanes] 2 vectors; one step of k is 2 vector loads, 6 scalar loads, 6 splats and 12 fused multiply-adds.
// The load of %x has a running pointer that was advanced by j's, i's and k's scopes (by 0, Δi · stride and Δk ·
// stride), and row r reads at that pointer + r · stride, a parameter.
#pragma once

#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/builder.h"
#include "kernel/lower/tile_to_kernel.h"
#include "kernel/matrix_atoms.h"
#include "support/matrix_unit.h"
#include "tile/engine_copy.h"
#include "tile/ir.h"

namespace tilewright::kernel::lowering {

using tile::Axis;
using tile::IterId;
using tile::StrideClass;

/// An iterator's current scope. `full`: the tile axes over it hold no coordinate at or past the limit.
struct Scope {
  ValueId base;
  ValueId limit;
  bool full = false;
  std::int64_t length = 0;   ///< where it is full and known to be so long; else 0
  std::int64_t granule = 0;  ///< the base is a multiple of it; 0: it is 0

  /// Of a scope inside that begins at any of these steps.
  std::int64_t granule_by(const IntExpr& step) const {
    return std::gcd(granule, step.is_constant() ? step.constant() : 1);
  }
};

inline constexpr std::int64_t warp_threads = 32;
inline constexpr std::int64_t widest_access = 16;                          ///< bytes of a GPU's
inline constexpr std::int64_t swizzle_align = matrix_unit::pattern_bytes;  ///< of buffers that a matrix unit reads

/// What a region yields that is run for its effects.
inline std::vector<ValueId> nothing() {
  return {};
}

/// The largest power of two that divides the value; the widest access for 0.
inline std::int64_t power_in(std::int64_t value) {
  return value == 0 ? widest_access : value & -value;
}

inline std::int64_t bytes_of(DType dtype) {
  return static_cast<std::int64_t>(size_of(dtype));
}

/// A thread's share of a copy that is repeated in place: loads of all of it come before its stores.
inline constexpr std::int64_t rounds_in_place = 16;

/// The longest vector: 64 lanes of 16 bits.
inline constexpr std::int64_t max_edge_bytes = 128;

/// Tile axes of which it is known only at run time whether they are full: the test is made once, innermost, for all.
struct Pending {
  ValueId full;
  std::vector<IterId> iters;
  std::vector<std::int64_t> lengths;  ///< of their scopes, where they are full; none: not known
};

/// How a loop treats the last step of its iterator. none: no tile lies along it here; full: there is no ragged step;
/// deferred: left to a loop inside; branch: each step tests, for itself and what is pending.
enum class Edge : std::uint8_t { none, full, deferred, branch };

/// What the code is for.
struct Machine {
  int vector_lanes = 1;  ///< of the longest vector of the program's lanes
  bool has_fma = false;
  std::optional<ThreadBlock> block;      ///< of a GPU
  Element widest = Element::f64;         ///< float
  std::int64_t most_divided_points = 0;  ///< GpuTarget::max_divided_blocks
  /// Of a block with a warp that tells the copy engine: what each multiplying thread gets of the registers that this
  /// warp, with three more that do nothing, gives back; 0: the warp is alone and gives none.
  std::int32_t consumer_registers = 0;
};

inline constexpr std::int32_t producer_registers = 40;  ///< of a thread that tells the engine

/// Of a program's blocks on a GPU.
Machine machine_of(const tile::Program& program, const GpuTarget& target);

/// A tile in registers. Position along an axis: the coordinate, or along the lanes axis the number of the vector.
struct Registers {
  DType dtype = DType::f32;
  std::vector<Axis> axes;
  std::vector<ValueId> values;  ///< row-major over the axes' positions
};

/// The tiles' values one behind the other, and back into tiles like these.
std::vector<ValueId> flatten(const std::vector<Registers>& tiles);
std::vector<Registers> unflatten(std::vector<Registers> like, const std::vector<ValueId>& values);

/// Positions by iterator; axes that a tile lacks are ignored.
using Positions = std::map<IterId, std::int64_t>;

/// One access map with its running pointer's parts: bytes that a step of an iterator moves the address by.
struct AccessMap {
  std::map<IterId, IntExpr> bytes;       ///< of one point
  std::map<IterId, std::int64_t> align;  ///< a divisor of these
  std::int64_t base_align = 1;           ///< of the address of the points 0, constants included
  std::map<IterId, std::vector<IntExpr>>
      positions;  ///< of the position p along an axis of a packed buffer; else p · bytes
  std::optional<tile::BufferId> buffer;
};

/// Bytes from a tensor's start to where the iterators of an index are all 0.
IntExpr constant_bytes(const tile::Tensor& tensor, const std::vector<tile::Affine>& index);

/// Pieces of a copy along an axis of its buffer, or along one level of it.
struct PieceAxis {
  IterId iter;
  std::int64_t count = 1;
  std::int64_t step = 1;   ///< points between two of them
  std::int64_t bytes = 0;  ///< in shared memory
};

/// The accesses that a copy into shared memory is cut into: `lanes` neighbours along the last axis each.
struct CopyPieces {
  std::vector<PieceAxis> axes;            ///< slowest first
  std::vector<tile::BufferAxis> extents;  ///< the buffer's axes
  IterId along;                           ///< the last one's iterator
  std::int64_t lanes = 1;
  std::int64_t lane_bytes = 0;  ///< between the piece's neighbours in shared memory
  std::int64_t all = 1;
};

/// A number of the thread and a constant.
struct PieceStart {
  ValueId thread;
  std::int64_t constant = 0;
};
/// Where a piece starts: its number along each of the pieces' axes, and the point along each iterator.
struct PiecePlace {
  std::vector<PieceStart> numbers;
  std::map<IterId, PieceStart> points;
};

/// Where a piece lies in shared memory: the thread's and the constants' part of the bytes from the buffer's start, and
/// what the address is a multiple of.
struct PieceTarget {
  tile::BufferId buffer;
  ValueId thread;
  std::int64_t constant = 0;
  std::int64_t align = 1;
};

/// A copy that runs ahead of its step: the pieces, and the thread's own first one in memory and in the first stage.
struct AheadCopy {
  const tile::Copy* copy = nullptr;
  CopyPieces pieces;
  PiecePlace own;
  ValueId from;
  std::int64_t align = 1;  ///< of pieces in shared memory
};

/// A store of vectors that so many neighbouring threads make up together: the tile's axes then, of which one is wider.
struct WideStore {
  std::size_t axis = 0;
  std::int64_t threads = 1;
  std::vector<Axis> axes;
};

/// A factor of a contraction by a matrix unit, in shared memory.
struct MatrixFactor {
  tile::BufferId buffer;
  Element element = Element::f16;
  bool transposed = false;  ///< rows of memory are points
  bool swizzled = true;
  std::int64_t pitch = 0;     ///< bytes from a row of memory to the next, where it is not swizzled
  bool in_registers = false;  ///< threads load it for the warpgroup's unit
  MatrixLayout layout;
  std::int64_t terms = 0;
  std::int64_t group_bytes = 0;  ///< between 64 points and the next
  struct Points {
    std::int64_t inner = 1;
    std::int64_t outer_points = 0, inner_points = 0;
  };
  std::map<IterId, Points> points;  ///< by iterator: how many points a coordinate is, as in a BufferAxis

  std::int64_t point(IterId iter, std::int64_t coordinate) const;  ///< of the iterator's part alone
  std::int64_t points_of(const std::vector<Axis>& axes) const;     ///< that a tile has
  std::int64_t term_bytes(std::int64_t term) const;
  std::int64_t point_bytes() const;  ///< to the next, where it is not swizzled
};

/// Where a thread loads its part of a warp's fragments of a factor from, in bytes from the buffer's start. It does not
/// change in the course of the block.
struct FragmentPlace {
  MatrixFactor factor;
  std::int64_t points = 0;        ///< of the warp
  std::vector<ValueId> by_piece;  ///< swizzled: by the number of 16 bytes in a row, which the thread's row exchanges
  matrix_unit::Unit unit = matrix_unit::Unit::warp;
  bool first = true;  ///< points are rows
};

/// A lane of one of a tile's values.
struct SumLane {
  std::size_t value = 0;
  int lane = 0;
};

/// Shared memory of one stage of a loop, and where in it each buffer that the loop fills begins.
std::int64_t stage_layout(const tile::Program& program, const tile::For& loop,
                          std::map<tile::BufferId, std::int64_t>& offsets);

/// The shared memory of a loop's stages, one behind the other; a stage holds the loop's buffers.
struct Ring {
  std::vector<AheadCopy> copies;
  std::map<std::string, ValueId> readers;  ///< by access_key: the thread's address in the first stage
  std::int64_t stage_bytes = 0;
  std::int64_t stages = 1;
};

/// Which stage of the ring a warp comes to, and whether it has gone round an odd number of times; both i32.
struct RingPlace {
  ValueId slot, parity;
};

/// What the copy engine fills for a loop with stages.
struct EngineRing {
  struct Filled {
    const tile::Copy* copy = nullptr;
    tile::EngineCopy plan;
    bool is_shared = false;  ///< by the cluster's blocks
    ValueId map;
  };
  /// The outputs, which leave through shared memory.
  struct Stored {
    const tile::Store* store = nullptr;
    tile::EngineCopy plan;
    ValueId map;
  };
  const tile::For* loop = nullptr;
  std::vector<Filled> copies;
  std::optional<Stored> stored;
  std::int64_t bytes = 0;        ///< that a step's copies move
  std::int64_t stage_bytes = 0;  ///< from a stage to the next
  ValueId end;                   ///< of the launch's points
  ValueId full, empty;           ///< barriers of the first stage; the others' lie one behind the other
};

class Lowering {
 public:
  Lowering(const tile::Program& program, const Machine& machine);
  LoweredKernel run_points();
  LoweredKernel run_block();

 private:
  // tile_to_kernel.cpp: parameters, scopes, structure.
  bool has_threads() const { return machine_.block.has_value(); }
  /// Of numbers of threads, stages and the like.
  ValueId i32(std::int64_t value) { return build_.constant({Element::i32, 1}, Scalar::of(value)); }
  void declare_tensors();
  void declare_scopes();
  ValueId size(const IntExpr& value);      ///< a count
  ValueId distance(const IntExpr& bytes);  ///< of addresses
  struct SizeParameter {
    ValueId value;
    std::size_t argument = 0;  ///< its place in result_.arguments
  };
  const SizeParameter& size_parameter(const IntExpr& value);
  std::vector<ValueId> point_coordinates(ValueId point, const std::vector<IntExpr>& counts);
  void lower_point(ValueId point, const std::vector<IntExpr>& counts);
  void lower_block(const tile::Block& block);
  void lower_op(const tile::Op& op);
  std::vector<Registers> lower_for(const tile::For& loop);
  std::vector<Registers> lower_for_range(const tile::For& loop, ValueId begin, ValueId end, Edge edge,
                                         std::vector<Registers> carried);
  std::vector<Registers> lower_peeled(const tile::For& loop, std::vector<Registers> carried);
  std::vector<Registers> lower_under_pending(const tile::For& loop, std::vector<Registers> carried);
  ValueId pending_full();
  template <class Body>
  auto with_pending_full(Body&& body);
  bool is_peeled(const tile::For& loop) const;
  bool has_peeled_loop(const tile::Block& block) const;
  std::vector<Registers> lower_if(const tile::If& branch);
  std::vector<Registers> lower_repeated(const tile::For& loop, std::int64_t times, std::vector<Registers> carried);
  std::vector<Registers> lower_in_chunks(const tile::For& loop, std::int64_t times, std::vector<Registers> carried);
  std::int64_t repetitions(const tile::For& loop, std::int64_t length) const;
  std::int64_t copies_inside(const tile::For& loop) const;
  std::vector<Registers> run_ops(const tile::Block& block);
  template <class Body>
  std::vector<ValueId> loop(ValueId begin, ValueId end, ValueId step, std::vector<ValueId> carried, Body&& body);
  void allocate(tile::BufferId buffer);
  template <class Body>
  void in_scope(IterId iter, Scope scope, Body&& body);
  template <class Body>
  void in_scope(IterId iter, Scope scope, ValueId delta, Body&& body);
  bool has_axis(const tile::Block& block, IterId iter) const;
  bool has_loop(const tile::Block& block, IterId iter) const;

  // threads.cpp: what the threads of a block are and do together.
  void declare_threads();
  ValueId base(IterId iter);
  ValueId thread_is_first(IterId iter);
  bool has_thread_axis(IterId iter) const;
  void allocate_shared(tile::BufferId buffer);
  std::uint32_t vector_align(const AccessMap& map, const std::vector<Axis>& axes) const;
  std::int64_t granule(IterId iter) const;
  Registers load_shared(const tile::Op& op);
  ValueId thread_pointer(const std::string& key, ValueId pointer);
  Registers reduce_across(const tile::Op& op, const tile::ReduceAcross& reduce);
  ValueId shuffle_across(ValueId value, std::int64_t distance);
  ValueId fold_in_shared(ValueId value, DType dtype, ScalarOp fold, std::int64_t count, std::int64_t apart);

  // copies.cpp: what they copy into shared memory.
  void copy(const tile::Copy& copy);
  std::vector<PiecePlace> places_in_rounds(const CopyPieces& pieces, const PiecePlace& own, std::int64_t most);
  void each_piece(const CopyPieces& pieces, const std::function<void(const PiecePlace&)>& body);
  ValueId thread_in_tensor(const std::string& key, ValueId pointer, const PiecePlace& place);
  ValueId further_in_tensor(const std::string& key, ValueId pointer, const PiecePlace& place);
  PieceTarget piece_target(const tile::Copy& copy, const CopyPieces& pieces, const PiecePlace& place);
  ValueId shared_address(const PieceTarget& target, std::int64_t further, ValueId stage = {});
  CopyPieces plan_pieces(const tile::Copy& copy, const AccessMap& map) const;
  PiecePlace piece_place(const CopyPieces& pieces, ValueId piece);
  std::optional<PiecePlace> place_further(const CopyPieces& pieces, PiecePlace place, std::int64_t further) const;
  ValueId piece_inside(const CopyPieces& pieces, const PiecePlace& place);
  ValueId piece_in_tensor(const tile::Copy& copy, const PiecePlace& place);
  bool rounds(const tile::Copy& copy) const;
  ValueId load_piece(const tile::Copy& copy, const CopyPieces& pieces, const PiecePlace& place);
  void store_piece(const tile::Copy& copy, const CopyPieces& pieces, const PiecePlace& place, ValueId value,
                   ValueId stage = {});

  // stages.cpp: copies that run ahead of their step.
  bool has_stages(const tile::Block& block) const;
  void allocate_ring(const tile::For& loop);
  void lower_point_in_stages();
  void detach(Registers& tile);
  std::vector<Registers> lower_staged(const tile::For& loop, std::vector<Registers> carried);
  bool holds_zeros_outside(const tile::For& loop) const;
  bool overlaps_products(const tile::For& loop) const;
  Ring plan_ring(const tile::For& loop);
  ValueId next_stage(const Ring& ring, ValueId stage);
  void start_copies(const tile::For& loop, const Ring& ring, ValueId first, ValueId stage);
  void copy_ahead(const AheadCopy& ahead, ValueId moved, ValueId stage);
  void copy_through_registers(const AheadCopy& ahead, ValueId stage);
  bool is_tested(const AheadCopy& ahead) const;
  std::int64_t async_bytes(const AheadCopy& ahead) const;
  void copy_piece_async(const AheadCopy& ahead, const PiecePlace& place, ValueId from, ValueId stage);
  ValueId valid_bytes(const AheadCopy& ahead, const PiecePlace& place, std::int64_t lane, std::int64_t bytes);
  std::vector<Registers> run_step(const tile::For& loop, const Ring& ring, Scope scope, ValueId stage,
                                  const std::vector<Registers>& carried);

  // engine_copies.cpp: copies that the copy engine does, and the roles of warps.
  void declare_maps(const tile::For& loop);
  ValueId declare_map(tile::TensorId tensor, const std::vector<tile::Affine>& index, const tile::EngineCopy& plan,
                      bool tf32);
  void run_roles();
  void run_points_of_block();
  bool has_engine_loop(const tile::Block& block) const;
  void produce(const tile::Block& block);
  void produce_stages(const tile::For& loop);
  void start_boxes(const EngineRing::Filled& filled, std::int64_t part, ValueId full, ValueId stage);
  std::vector<ValueId> box_coordinates(const tile::EngineCopy& plan, const tile::EngineCopy::Box& box);
  void cluster_barrier();
  std::int64_t cluster() const { return machine_.block->cluster; }
  std::vector<Registers> consume(const tile::For& loop, std::vector<Registers> carried);
  void release(ValueId slot, ValueId condition);
  ValueId ring_barrier(ValueId first, ValueId slot);
  ValueId in_slot(ValueId slot, std::int64_t bytes);
  RingPlace next_place(const RingPlace& place);
  void barrier();

  // engine_stores.cpp: outputs through shared memory.
  void store_by_engine(const tile::Store& store);
  void finish_engine_stores();

  // matrices.cpp: what their matrix units do.
  Registers contract_by_warpgroup(const tile::Contract& contract);
  MatrixFactor matrix_factor(tile::ValueId load, const std::vector<Axis>& sums) const;
  std::vector<SumLane> matrix_order(
      const Registers& tile, const MatrixFactor& rows, const MatrixFactor& columns,
      const std::function<std::int64_t(std::int64_t row, std::int64_t column)>& number) const;
  std::vector<ValueId> load_rows(const MatrixFactor& rows, std::int64_t products, std::int64_t term);
  std::vector<Type> types_of(std::span<const ValueId> values) const;
  void through_registers(Opcode code, Attribute attribute, std::vector<ValueId>& sums,
                         std::vector<std::vector<ValueId>>& fragments);
  ValueId matrix_address(const MatrixFactor& factor);
  void finish_products(std::vector<Registers>& carried);

  // warp_matrices.cpp: products that warps compute of fragments that they load.
  void declare_units();
  FragmentPlace fragment_place(tile::ValueId load, const std::vector<Axis>& sums, tile::Unit unit, bool first);
  std::vector<ValueId> load_fragments(const FragmentPlace& place, std::int64_t term, const MmaAtom& atom);
  ValueId load_rows(const FragmentPlace& place, std::int64_t point, std::int64_t term, Type type);
  ValueId load_elements(const FragmentPlace& place, std::int64_t point, std::int64_t term, const MmaAtom& atom);
  ValueId rounded(const FragmentPlace& place, ValueId value);
  Registers contract_by_warp(const tile::Contract& contract);

  // access.cpp: addresses, masks, loads and stores.
  void register_accesses(const tile::Block& block);
  AccessMap tensor_access(tile::TensorId tensor, const std::vector<tile::Affine>& index) const;
  AccessMap buffer_access(tile::BufferId buffer) const;
  std::string access_key(const tile::Op& op) const;
  ValueId address(const std::string& key, const Registers& tile, const Positions& at, bool clamp);
  ValueId position_bytes(const AccessMap& map, const Axis& axis, std::int64_t position);
  ValueId is_inside(const Axis& axis, std::int64_t position);
  ValueId is_thread_inside(IterId iter);
  ValueId all(ValueId a, ValueId b);
  ValueId elements_inside(const std::string& key, const Registers& tile, const Positions& at);
  ValueId lanes_inside(const Axis& axis, std::int64_t position);
  ValueId lane_mask(const Axis& axis, std::int64_t position);
  bool masks_by_copy(DType dtype) const;
  void copy_elements(ValueId from, ValueId to, ValueId count, Type element);
  ValueId edge_buffer();
  ValueId load_by_copy(Type type, ValueId pointer, ValueId count);
  void store_by_copy(ValueId value, ValueId pointer, ValueId count);
  Registers load(const tile::Op& op, const tile::Load& load);
  Registers load_buffer(const tile::Op& op);
  ValueId load_vector(const std::string& key, const Registers& tile, const Positions& at, StrideClass lane_stride,
                      std::uint32_t align, ValueId mask);
  Registers load_or_else(const tile::Op& op, const tile::Load& load);
  ValueId index_inside(const tile::Load& load, const Registers& tile, const Positions& at);
  StrideClass lane_stride(tile::TensorId tensor, const std::vector<tile::Affine>& index, const Registers& tile) const;
  void store(const tile::Op& op, const tile::Store& store);
  ValueId block_number(const tile::StoreIndex& index);
  void store_tile(const tile::Op& op, const tile::Store& store, const Registers& tile);
  void store_buffer(const tile::Op& op, const tile::StoreBuffer& store);
  void prefetch(const tile::Op& op, const tile::Prefetch& prefetch);

  // wide_stores.cpp: stores of what neighbouring threads hold side by side.
  std::optional<WideStore> wide_store(const std::string& key, const Registers& tile, StrideClass stride);
  std::int64_t other_granules(IterId iter, std::int64_t step) const;
  void store_wide(const tile::Op& op, const tile::Store& store, const WideStore& wide);
  Registers exchange(const Registers& tile, const WideStore& wide);

  // registers.cpp: computing on tiles.
  int lanes_of(const std::vector<Axis>& axes) const;
  std::int64_t positions_of(const Axis& axis) const;
  Registers make(tile::ValueId id) const;
  template <class Body>
  void each_position(const std::vector<Axis>& axes, Body&& body) const;
  std::size_t offset_of(const Registers& tile, const Positions& at) const;
  ValueId at(const Registers& tile, const Positions& at, int lanes);
  Registers fill(const tile::Op& op, Scalar value);
  Registers iota(const tile::Op& op, IterId iter);
  Registers map(const tile::Op& op, const tile::Map& map);
  Registers cast(const tile::Op& op, const tile::Cast& cast);
  Registers mask(const tile::Op& op, const tile::Mask& mask);
  Registers reduce(const tile::Op& op, const tile::Reduce& reduce);
  Registers contract(const tile::Contract& contract);
  Registers contract_by_threads(Registers tile, const Registers& lhs, const Registers& rhs,
                                const std::vector<Axis>& folded);
  Registers convert_layout(const tile::Op& op, const tile::ConvertLayout& convert);
  ValueId fold_lanes(ValueId vector, ScalarOp combine, DType dtype);
  std::vector<ValueId> transpose_blocks(std::vector<ValueId> rows, int unit);
  std::vector<ValueId> transpose_square(const std::vector<ValueId>& rows);

  const tile::Program& program_;
  Machine machine_;
  Builder build_;
  LoweredKernel result_;
  ValueId begin_;                             ///< the first point of the launch
  ValueId thread_;                            ///< the thread's number in its block, i32
  std::map<IterId, ValueId> thread_places_;   ///< i32: the thread's number along the iterator's thread axis
  std::map<IterId, ValueId> thread_offsets_;  ///< points from the block's base to the thread's
  std::map<tile::BufferId, ValueId> shared_;  ///< shared memory of buffers; of those of a ring, in its first stage
  std::map<IterId, std::int64_t> thread_granules_;  ///< what these are multiples of
  ValueId warpgroup_;  ///< the number of the thread's warpgroup, where a matrix unit needs it
  std::map<tile::ValueId, tile::BufferId> matrix_loads_;  ///< loads that the unit does itself
  std::map<tile::ValueId, FragmentPlace> fragments_;      ///< of those, a warp's
  std::set<tile::BufferId> in_ring_;                      ///< buffers of a loop with stages
  ValueId stage_;                                         ///< bytes from the first stage to the one that is read
  std::optional<EngineRing> engine_;                      ///< the block has a warp more, which tells the engine
  RingPlace place_;                                       ///< with an engine, the role's
  bool produces_ = false;                                 ///< the code is that warp's
  bool reads_stages_ = false;                             ///< threads load from what the engine fills
  std::int32_t products_ahead_ = 0;                       ///< groups of products that a step leaves unfinished
  std::map<std::int64_t, ValueId> exchanges_;             ///< shared memory that partial results pass through, by bytes
  std::map<std::string, SizeParameter> sizes_;            ///< by the text of their expression
  std::map<tile::TensorId, ValueId> tensors_;
  ValueId workspace_;
  ValueId edge_buffer_;  ///< local memory that ragged vectors of small elements pass through
  std::map<tile::BufferId, IntExpr> buffer_offsets_;
  std::map<IterId, Scope> scopes_;
  std::map<IterId, Scope> point_scopes_;  ///< the scopes of the grid point
  struct PointNumber {
    IntExpr step;
    ValueId value;
  };
  std::map<IterId, PointNumber> point_numbers_;  ///< of iterators that one axis of the grid cuts, along it
  std::vector<Pending> pending_;
  std::map<std::string, AccessMap> accesses_;  ///< by access_key
  std::map<std::string, ValueId> pointers_;    ///< running, by access_key
  std::map<tile::ValueId, Registers> tiles_;
  std::map<tile::TensorId, ValueId> part_bytes_;  ///< address of the part in a split reduction's output
};

/// A loop around which the place in the engine's ring goes too.
template <class Body>
std::vector<ValueId> Lowering::loop(ValueId begin, ValueId end, ValueId step, std::vector<ValueId> carried,
                                    Body&& body) {
  if (!engine_) return build_.for_loop(begin, end, step, std::move(carried), body);
  carried.insert(carried.end(), {place_.slot, place_.parity});
  const auto take_place = [&](std::vector<ValueId> values) {
    place_.parity = values.back();
    values.pop_back();
    place_.slot = values.back();
    values.pop_back();
    return values;
  };
  return take_place(build_.for_loop(begin, end, step, std::move(carried), [&](ValueId i, std::vector<ValueId> values) {
    std::vector<ValueId> next = body(i, take_place(std::move(values)));
    next.insert(next.end(), {place_.slot, place_.parity});
    return next;
  }));
}

template <class Body>
void Lowering::each_position(const std::vector<Axis>& axes, Body&& body) const {
  Positions positions;
  for (const Axis& axis : axes) positions[axis.iter] = 0;
  while (true) {
    body(static_cast<const Positions&>(positions));
    std::size_t axis = axes.size();
    while (axis > 0 && ++positions[axes[axis - 1].iter] == positions_of(axes[axis - 1]))
      positions[axes[--axis].iter] = 0;
    if (axis == 0) return;
  }
}

/// Runs `body` where all pending tile axes are known to be full.
template <class Body>
auto Lowering::with_pending_full(Body&& body) {
  const std::map<IterId, Scope> scopes = scopes_;
  const std::vector<Pending> pending = std::exchange(pending_, {});
  for (const Pending& one : pending)
    for (std::size_t i = 0; i < one.iters.size(); ++i) {
      scopes_.at(one.iters[i]).full = true;
      if (i < one.lengths.size()) scopes_.at(one.iters[i]).length = one.lengths[i];
    }
  auto result = body();
  scopes_ = scopes;
  pending_ = pending;
  return result;
}

template <class Body>
void Lowering::in_scope(IterId iter, Scope scope, Body&& body) {
  in_scope(iter, scope, build_.sub(scope.base, scopes_.at(iter).base), body);
}

/// Advances the running pointers that depend on `iter` to the new base, `delta` further, runs `body`, and restores.
template <class Body>
void Lowering::in_scope(IterId iter, Scope scope, ValueId delta, Body&& body) {
  const Scope outer = scopes_.at(iter);
  const std::map<std::string, ValueId> pointers = pointers_;
  for (auto& [key, pointer] : pointers_) {
    const auto bytes = accesses_.at(key).bytes.find(iter);
    if (bytes != accesses_.at(key).bytes.end())
      pointer = build_.offset(pointer, build_.mul(delta, distance(bytes->second)));
  }
  scopes_.at(iter) = scope;
  body();
  scopes_.at(iter) = outer;
  pointers_ = pointers;
}

}  // namespace tilewright::kernel::lowering
