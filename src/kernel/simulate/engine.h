// The asynchronous side of a block: barriers in shared memory that count arrivals and bytes, and copies of whole ranges
// by the copy engine. Part of block.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernel/simulate/order.h"
#include "kernel/simulate/program.h"

namespace tilewright::kernel::simulator {

/// A barrier in shared memory. A phase ends when no arrivals and no bytes are outstanding; phases count from 0.
struct PhaseBarrier {
  std::int64_t count = 0;  ///< arrivals that a phase takes
  std::int64_t pending = 0;
  std::int64_t bytes = 0;                             ///< announced, less those that have come
  std::int64_t phase = 0;                             ///< that is under way
  Mark made;                                          ///< its initialisation
  bool is_shown = false;                              ///< to the copy engine
  std::size_t notes = 0;                              ///< at its place when the last phase ended
  std::unordered_map<unsigned, std::int64_t> waited;  ///< by thread: the phase that it waited for last
};

/// A copy that the engine has been given.
struct BulkCopy {
  const Step* step = nullptr;
  unsigned thread = 0;
  std::uint64_t shared = 0;  ///< the address of its end in shared memory
  std::uint64_t global = 0;
  std::uint64_t bytes = 0;
  std::uint64_t barrier = 0;  ///< of a load: the place of the barrier that counts its bytes
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
