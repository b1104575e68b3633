// Lowering: a placed tile program becomes one kernel. Of a host, it runs a range of the program's grid points; of a
// GPU, a block of threads runs one point.
//
// Tiles in registers become SSA values: one for each coordinate of the unrolled axes and each vector of the lanes axis.
// Scopes become loops. A loop whose iterator is an axis of tiles runs its full steps without masks and, once, the
// remainder with them; a grid point on the edge takes a masked copy of the body. Addresses are kept as one running
// pointer an access, advanced where a scope is entered; everything that depends on extents and strides alone is a
// parameter that the plan computes.
//
// A GPU's thread adds its own place to the addresses and coordinates of its block; scopes, loops and the tests whether
// steps are full are the block's, so that its threads take one way. docs/ir/tile.md says what threads do together.
//
// Requires: verify(program) in the placed phase; of a host, copies expanded, and no threads. Ensures: verify(kernel).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel/ir.h"
#include "support/int_expr.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::kernel {

/// What the caller passes for a parameter.
struct TensorArgument {
  std::string tensor;  ///< the address of its element (0, …, 0)
};
struct SizeArgument {
  IntExpr value;
  bool is_distance = false;  ///< of addresses, in bytes: modulo 2⁶⁴; else a count, which must fit 63 bits

  /// Nothing where it has no value.
  std::optional<std::int64_t> evaluated(const SymbolValues& values) const {
    return is_distance ? evaluate_modular(value, values) : evaluate(value, values);
  }
};
/// A TensorMap of a tensor whose axes are iterators.
struct TensorMapArgument {
  std::string tensor;
  IntExpr offset;  ///< bytes from its element (0, …, 0) to where the iterators are all 0
  std::int64_t element_bytes = 1;
  std::vector<IntExpr> extents;   ///< innermost first
  std::vector<IntExpr> strides;   ///< bytes, of all axes but the first
  std::vector<std::int64_t> box;  ///< elements along each axis
  bool tf32 = false;              ///< as of a TensorMap
};
/// Memory of the running task: `workspace_bytes` at an address that is a multiple of 64.
struct WorkspaceArgument {};
/// First and one past the last of the grid points to run, in the order of the grid (tile::GridAxis). Of n blocks of a
/// GPU's kernel the one numbered b runs the points begin + b, begin + b + n, … below the end; where it has no end, the
/// first of them.
struct GridBeginArgument {};
struct GridEndArgument {};
using LaunchArgument = std::variant<TensorArgument, SizeArgument, TensorMapArgument, WorkspaceArgument,
                                    GridBeginArgument, GridEndArgument>;

/// A GPU's kernel has its block's threads in `kernel.block` and its shared memory in shared_layout(kernel).bytes; its
/// arguments hold no workspace. One with an end may be launched with fewer blocks than points.
struct LoweredKernel {
  Kernel kernel;
  std::vector<LaunchArgument> arguments;  ///< one a parameter
  /// Points along each grid axis; empty: one point. On a GPU a launch has as many blocks in a row as their product;
  /// where that is more than a grid can have, several launches begin one after the other.
  std::vector<IntExpr> grid;
  IntExpr workspace_bytes = 0;              ///< of one task
  std::optional<std::int64_t> most_points;  ///< that all launches of a call may have; none: as many as 63 bits hold
};

LoweredKernel tile_to_kernel(const tile::Program& program, const HostTarget& target);
LoweredKernel tile_to_kernel(const tile::Program& program, const GpuTarget& target);

}  // namespace tilewright::kernel
