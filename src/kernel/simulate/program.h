// A GPU kernel made ready to be simulated: the decoded instructions of a warp, each with how its threads execute it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/interpret/decode.h"
#include "kernel/shared_memory.h"
#include "kernel/tensor_map.h"

namespace tilewright::kernel::simulator {

using interpreter::Instruction;

class Block;
struct Warp;
struct Step;

/// Executes a step for the threads of `mask`.
using Action = void (*)(Block& block, Warp& warp, const Step& step, std::uint32_t mask);

enum class StepKind : std::uint8_t {
  across,    ///< one call of the instruction's handler for all threads, also those that are elsewhere: see program.cpp
  each,      ///< one call a thread
  flow,      ///< loops, branches, moves
  act,       ///< an action of the threads that are here
  together,  ///< an action of all threads of the warp, which wait for each other here
  poll,      ///< an action that tells which threads stay, until a barrier's phase ends
};

struct Step {
  Instruction instruction;
  StepKind kind = StepKind::across;
  bool shared = false;  ///< the access is to shared memory
  std::uint32_t index = 0;
  std::uint32_t align = 1;         ///< of an access
  std::uint32_t result_bytes = 0;  ///< a thread, as the following
  std::uint32_t a_bytes = 0;
  std::uint32_t b_bytes = 0;
  std::uint32_t c_bytes = 0;
  std::uint32_t d_bytes = 0;
  Action action = nullptr;
};

/// A buffer of shared memory. Pointers into it carry its number, so that an access beyond its end is none to the next
/// buffer: number + 1 in the bits from 40 up, and below them 2³⁸ + the address in the block's memory, of which small
/// steps below zero leave the number alone.
struct Buffer {
  ValueId pointer;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  static constexpr unsigned number_shift = 40;
  static constexpr std::uint64_t base = std::uint64_t{1} << 38;
  static constexpr std::uint64_t address_mask = (std::uint64_t{1} << number_shift) - 1;
};

/// A copy of boxes of a tensor.
struct MapUse {
  std::size_t parameter = 0;  ///< the map
  std::size_t rank = 1;
};

struct Program {
  const Kernel* kernel = nullptr;
  interpreter::Decoded decoded;
  std::vector<Step> steps;
  std::vector<Buffer> buffers;
  std::vector<MapUse> map_uses;
  bool has_bulk_loads = false;
  std::uint64_t shared_bytes = 0;
  std::uint64_t shared_granule = 1;  ///< divides every access to shared memory
  std::uint64_t global_granule = 1;
  std::unordered_map<std::uint32_t, std::uint64_t> buffer_pointers;  ///< by value: what a `shared` gives
};

/// Does one of the ops that move lanes (extract, insert, splat, iota, shuffle, bitcast) for all threads of a warp; null
/// for others.
interpreter::Handler lane_handler(Opcode code, Element element);

/// Error K208 for an op that is not simulated. Requires a GPU kernel that verifies.
Result<Program> make_program(const Kernel& kernel);

/// The map that a parameter's word is the address of.
inline const TensorMap& tensor_map_at(std::uint64_t word) {
  return *reinterpret_cast<const TensorMap*>(word);
}
/// Error K106 for a map that the copy engine would not take, or of another rank than its copies.
Result<void> check_tensor_maps(const Program& program, std::span<const std::int64_t> words);
/// Divides every access to global memory, also those of the boxes of the maps.
std::uint64_t global_granule(const Program& program, std::span<const std::int64_t> words);

/// The action of an op of memory or of GPUs, and whether the warp does it together. Null for others.
struct Behaviour {
  Action action = nullptr;
  StepKind kind = StepKind::act;
};
Behaviour access_behaviour(Opcode code);     ///< load, store, gather, scatter, prefetch
Behaviour exchange_behaviour(Opcode code);   ///< special, shared, shuffles, votes, elect, roles
Behaviour order_behaviour(Opcode code);      ///< barriers, atomics, fences
Behaviour copy_behaviour(Opcode code);       ///< asynchronous copies
Behaviour phase_behaviour(Opcode code);      ///< barriers in shared memory
Behaviour bulk_behaviour(Opcode code);       ///< the copy engine: ranges, groups and fences
Behaviour tensor_behaviour(Opcode code);     ///< the copy engine: boxes of tensors
Behaviour cluster_behaviour(Opcode code);    ///< the barrier of a cluster
Behaviour matrix_behaviour(Opcode code);     ///< load_matrix, store_matrix, mma
Behaviour warpgroup_behaviour(Opcode code);  ///< wgmma, its fence, commit and wait

}  // namespace tilewright::kernel::simulator
