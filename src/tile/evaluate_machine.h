// The state of a tile program being evaluated, and the resolution of its ops into actions on that state. Everything
// that does not change from grid point to grid point (symbols, strides, which element meets which) is resolved once.
// Shared by the evaluate*.cpp files; not for use outside of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/tensor_view.h"
#include "tile/ir.h"

namespace tilewright::tile {

/// Where an iterator stands: [base, limit).
struct Scope {
  std::int64_t base = 0;
  std::int64_t limit = 0;
};

/// Elements of a tile or a buffer: reals or integers by the dtype's class, and for each whether it is unspecified.
struct Cells {
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> poisoned;

  void resize(std::size_t count, DType dtype);
  void copy_element(std::size_t to, const Cells& from, std::size_t at);
  void set(std::size_t at, Scalar value);
  void poison(std::size_t at) { poisoned[at] = 1; }
  Scalar get(std::size_t at) const;
};

using Index = std::array<std::int64_t, nest::most_axes>;  ///< of a tensor; as many entries as its rank are used

struct TensorState {
  TensorView view;
  bool output = false;
  std::vector<std::uint32_t> writer;  ///< of an output, row-major: number of the grid point that wrote it, 0: none yet

  bool contains(const Index& index) const;
  std::size_t row_major(const Index& index) const;
  std::byte* address(const Index& index) const;
};

struct BufferState {
  struct AxisState {
    IterId iter;
    std::int64_t capacity, inner, outer_stride, inner_stride;
    std::int64_t origin;  ///< coordinate that lies at 0
  };
  std::vector<AxisState> axes;
  std::int64_t elements = 0;
  bool shared = false;
  std::vector<Cells> cells;  ///< of each thread of the block; of shared memory one

  /// The element of these coordinates relative to the origin, or −1 where they leave the buffer.
  std::int64_t offset(const std::vector<std::int64_t>& relative) const;
};

struct Machine {
  const Program& program;
  SymbolValues symbols;
  std::vector<std::int64_t> extents;                      ///< by IterId
  std::vector<Scope> scopes;                              ///< by IterId, of the grid point or block
  std::vector<Scope> point_scopes;                        ///< those of the grid point that runs
  std::vector<std::vector<std::int64_t>> thread_offsets;  ///< by thread, then IterId: where it stands in any scope
  std::vector<std::vector<Cells>> tiles;                  ///< by thread, then ValueId
  std::vector<TensorState> tensors;                       ///< by TensorId
  std::vector<BufferState> buffers;                       ///< by BufferId
  std::uint32_t point = 0;                                ///< number of the grid point that runs, from 1
  std::size_t thread = 0;  ///< of the block, that runs; programs without threads have one
  Diagnostics errors;

  const TileType& type(ValueId id) const { return program.values[id].type; }
  /// Where the thread stands.
  Scope scope(IterId id) const {
    const Scope block = scopes[id.index];
    return {block.base + thread_offsets[thread][id.index], block.limit};
  }
  std::size_t threads() const { return thread_offsets.size(); }
  Cells& tile(ValueId id) { return tiles[thread][id.index]; }
  Cells& memory(BufferState& buffer) { return buffer.cells[buffer.shared ? 0 : thread]; }
  /// What an output remembers of the thread that wrote an element; never 0.
  std::uint32_t writer() const {
    return point * static_cast<std::uint32_t>(threads()) + static_cast<std::uint32_t>(thread);
  }
  /// Points of a scope that the threads along the iterator cover, with an axis of so many each.
  std::int64_t covered(IterId id, std::int64_t size) const { return threads_along(program, id) * size; }
  /// Of an expression that stays the same for the whole run; a failure is recorded and gives 1.
  std::int64_t resolve(const IntExpr& expr, std::string_view what);
  /// Records an error of the op and gives false, with which an action stops the run.
  bool stop(std::string_view code, const Op& op, const std::string& message);
  /// "i = 3, j = 5" of an element of a tile of these axes.
  std::string coordinates(const std::vector<Axis>& axes, std::size_t element) const;
  /// Stops unless each axis, of all threads together, is as long as its iterator's scope.
  bool check_coverage(const Op& op, const std::vector<Axis>& axes);
};

/// Runs one op; false stops the evaluation (an error is recorded).
using Action = std::function<bool(Machine&)>;

std::size_t element_count(const std::vector<Axis>& axes);
/// For each element of a tile over `space`, row-major, the element of a tile over `axes` at the same coordinates; axes
/// that the space lacks stand at 0.
std::vector<std::uint32_t> positions_in(const std::vector<Axis>& space, const std::vector<Axis>& axes);
/// For each element of a tile over `space`, how far it stands from the base along the iterator's axis, 0 without it.
std::vector<std::uint32_t> positions_along(const std::vector<Axis>& space, IterId iter);

// Each resolves the ops of one file.
Action resolve_fill(Machine& machine, const Op& op, const Fill& fill);
Action resolve_iota(Machine& machine, const Op& op, const Iota& iota);
Action resolve_extent(Machine& machine, const Op& op, const ExtentValue& extent);
Action resolve_map(Machine& machine, const Op& op, const Map& map);
Action resolve_cast(Machine& machine, const Op& op, const Cast& cast);
Action resolve_mask(Machine& machine, const Op& op, const Mask& mask);
Action resolve_convert_layout(Machine& machine, const Op& op, const ConvertLayout& convert);

Action resolve_reduce(Machine& machine, const Op& op, const Reduce& reduce);
Action resolve_contract(Machine& machine, const Op& op, const Contract& contract);
/// Of all threads at once.
Action resolve_reduce_across(Machine& machine, const Op& op, const ReduceAcross& reduce);

Action resolve_load(Machine& machine, const Op& op, const Load& load);
Action resolve_store(Machine& machine, const Op& op, const Store& store);

Action resolve_allocate(Machine& machine, const Op& op, const Allocate& allocate);
Action resolve_load_buffer(Machine& machine, const Op& op, const LoadBuffer& load);
Action resolve_store_buffer(Machine& machine, const Op& op, const StoreBuffer& store);
Action resolve_copy(Machine& machine, const Op& op, const Copy& copy);

/// Affine index slots in terms of scopes and of positions along axes.
class SlotIndex {
 public:
  SlotIndex(const std::vector<Affine>& slots, const std::vector<Axis>& axes);
  /// Fixes the bases for the current scopes.
  void start(const Machine& machine);
  /// False if an iterator that is no axis stands outside its (then empty) scope: there is nothing to access.
  bool inside(const Machine& machine) const;
  /// The index at these positions along the axes. A slot past 64 bits is left at −1, which is outside of any tensor.
  Index at(const std::int64_t* positions) const;

 private:
  struct Slot {
    std::int64_t constant = 0;
    std::vector<Affine::Term> terms;
    std::vector<std::int64_t> coefficients;  ///< by axis
    __int128 base = 0;
  };
  std::vector<Slot> slots_;
  std::vector<IterId> others_;  ///< iterators of the slots that are no axis
};

/// One element of a tensor into cells: its value, `otherwise` outside of the tensor, poison if an output's element was
/// not written. An index outside without `otherwise` and an element of another grid point stop.
bool load_element(Machine& machine, const Op& op, TensorId tensor, const Index& index,
                  const std::optional<Scalar>& otherwise, Cells& to, std::size_t at);

}  // namespace tilewright::tile
