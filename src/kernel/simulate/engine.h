// The asynchronous side of a block: barriers in shared memory that count arrivals and bytes, and copies of whole ranges
// and boxes by the copy engine. Part of block.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernel/simulate/order.h"
#include "kernel/simulate/program.h"

namespace tilewright::kernel::simulator {

class Shadow;
struct GlobalRange;

/// Memory of one access, checked for bounds and alignment; `data` is null after a report.
struct Target {
  std::byte* data = nullptr;
  Shadow* shadow = nullptr;  ///< null: nothing to check
  std::uint64_t offset = 0;  ///< in the shadow
  GlobalRange* range = nullptr;
  bool is_local = false;
};

/// Where a swizzled box, and a factor of wgmma, has the 16 bytes at `address`: of the eight rows of 128 bytes in each
/// 1024, row r has its bytes 16 c at 16 (c xor r).
inline std::uint64_t swizzled_address(std::uint64_t address) {
  return address ^ (address / 128 % 8) * 16;
}

/// A barrier in shared memory. A phase ends when no arrivals and no bytes are outstanding; phases count from 0.
struct PhaseBarrier {
  std::int64_t count = 0;  ///< arrivals that a phase takes
  std::int64_t pending = 0;
  std::int64_t bytes = 0;                             ///< announced, less those that have come
  std::int64_t phase = 0;                             ///< that is under way
  Mark made;                                          ///< its initialisation
  bool is_shown = false;                              ///< to the copy engine
  std::size_t notes = 0;                              ///< at its place when the last phase ended
  std::int64_t loaded = -1;                           ///< the last phase in which bytes of a load have come
  const Step* loader = nullptr;                       ///< that load
  std::unordered_map<unsigned, std::int64_t> waited;  ///< by thread: the phase that it waited for last
};

/// Neighbouring bytes of a copy.
struct CopyPiece {
  Target shared = {};
  Target global = {};        ///< of the bytes inside; none without any
  std::uint64_t bytes = 0;   ///< in shared memory
  std::uint64_t inside = 0;  ///< the first ones of them, which are copied; of a load, the others become 0
};

/// A copy that the engine has been given.
struct BulkCopy {
  const Step* step = nullptr;
  unsigned thread = 0;
  bool loads = false;  ///< to shared memory
  bool tf32 = false;   ///< words are rounded on the way (TensorMap)
  std::vector<CopyPiece> pieces = {};
  std::uint64_t bytes = 0;    ///< of a load: that its barrier counts
  std::uint64_t barrier = 0;  ///< of a load: the barrier's place
  std::uint64_t group = 0;    ///< of a store
  bool has_read = false;      ///< of a store: its source is free
};

struct Engine {
  std::unordered_map<std::uint64_t, PhaseBarrier> barriers;  ///< by their place in shared memory
  std::vector<BulkCopy> loads;
  std::vector<BulkCopy> stores;
  std::unordered_map<unsigned, std::uint64_t> groups;  ///< of stores that a thread has committed
};

}  // namespace tilewright::kernel::simulator
