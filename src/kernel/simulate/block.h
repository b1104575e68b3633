// One block: its warps, shared memory and barriers, and the accesses of its threads.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/simulate/engine.h"
#include "kernel/simulate/grid.h"

namespace tilewright::kernel::simulator {

/// A product of a warp's rows that has not been waited for.
struct StartedProduct {
  const Step* step = nullptr;
  std::uint32_t number = 0;            ///< in the pattern that its accumulators hold
  std::uint64_t group = 0;             ///< of wgmma_commit
  std::vector<std::uint32_t> sums;     ///< what they will hold: each thread's words, one thread's behind the other's
  std::vector<std::uint64_t> sources;  ///< addresses in shared memory that it reads, 16 bytes each
};

struct Warp {
  Warp(std::size_t frame_bytes, unsigned index, std::uint32_t exist)
      : machine(frame_bytes), index(index), exist(exist) {}

  std::uint64_t* words(std::uint32_t place) { return machine.lanes<std::uint64_t>(place); }
  unsigned thread(unsigned lane) const { return index * warp_threads + lane; }

  interpreter::Machine machine;  ///< the registers of all its threads
  unsigned index;
  std::uint32_t exist;  ///< the threads, a bit each
  std::uint32_t runnable = 0;
  std::uint32_t waiting = 0;                     ///< at a step that they do together
  std::uint32_t polling = 0;                     ///< until a phase of a barrier in shared memory ends
  bool blocked = false;                          ///< all at a barrier
  std::array<std::uint32_t, warp_threads> at{};  ///< the next step, by thread
  // Of warpgroups' products.
  std::vector<StartedProduct> products;
  std::uint64_t product_groups = 0;  ///< committed
  std::uint32_t last_product = 0;
  bool is_fenced = false;  ///< wgmma_fence has shown what registers hold
  // At the barrier of the cluster: how often it has arrived, and waited.
  std::uint32_t cluster_arrivals = 0;
  std::uint32_t cluster_waits = 0;
  bool waits_for_cluster = false;
};

/// Calls `visit(lane)` for each bit.
template <class Visit>
void each_lane(std::uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// An asynchronous copy of one thread that has not been waited for.
struct Copy {
  const Step* step = nullptr;
  std::uint64_t to = 0;    ///< in shared memory
  std::uint64_t from = 0;  ///< an address
  std::uint64_t bytes = 0;
  std::uint64_t valid = 0;  ///< that are copied; the rest is 0
  std::uint64_t group = 0;
  bool delivered = false;
};

struct Cluster;

class Block {
 public:
  Block(Grid& grid, std::uint32_t index);
  /// Has to happen before the first step.
  void join(Cluster& cluster) { cluster_ = &cluster; }
  /// To the start of another block, in the same memory.
  void restart(std::uint32_t index);

  bool is_done() const;
  /// Runs one warp that can go on for a while; false if there is none.
  bool advance();
  /// Reports what threads wait for that will not come.
  void report_stuck();

  // For the actions.
  Grid& grid() { return grid_; }
  Order& order() { return *order_; }
  /// Whether anything asks for the order: else what threads release and acquire is not taken down.
  bool is_ordered() const { return grid_.options().full_checks; }
  std::uint32_t index() const { return index_; }
  unsigned threads() const { return threads_; }
  unsigned warp_count() const { return static_cast<unsigned>(warps_.size()); }

  using Target = simulator::Target;
  /// `align`: 0 for the step's.
  Target reach(const Step& step, unsigned thread, bool shared, std::uint64_t address, std::uint64_t bytes, bool writes,
               std::uint64_t align = 0);
  /// Where address a of a warp's accesses is: `data + (a - begin)`.
  struct Stretch {
    std::byte* data = nullptr;
    std::uint64_t begin = 0;
  };
  /// The memory of one access of all threads of the mask, where all are right and nothing is to be taken down; nullopt
  /// where each is to be looked at.
  std::optional<Stretch> reach_together(const Step& step, std::uint32_t mask, const std::uint64_t* addresses,
                                        std::uint64_t bytes, bool writes);
  /// Takes down that the block has given the bytes a value; of an atomic, that others may read.
  void note_value(const Target& target, std::uint64_t bytes, bool atomic = false);
  /// The memory to read from, or to write to, with the access taken down; null after a report that leaves no value.
  const std::byte* read(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes,
                        std::uint64_t align = 0);
  std::byte* write(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes,
                   std::uint64_t align = 0);
  void report(const Step& step, unsigned thread, const Target& target, const Finding& finding);
  /// Where no shadow is kept: a read of what nothing has written, or an access to what another block has.
  void check_states(const Step& step, unsigned thread, const Target& target, std::uint64_t bytes, bool writes);
  void report_if(const Step& step, unsigned thread, const Target& target, const Finding& finding) {
    if (finding.hazard != Hazard::none) report(step, thread, target, finding);
  }
  std::string place_text(const Target& target, std::uint64_t offset) const;

  /// Counts one request of `bytes` a thread.
  void count(const Step& step, std::uint32_t mask, const std::uint64_t* addresses, std::uint64_t bytes);

  /// A warp comes to a barrier, to wait there or not.
  void arrive(Warp& warp, const Step& step, bool waits);

  // The cluster: other blocks, and the barrier of all.
  /// The block of this rank; null after a report.
  Block* find_peer(const Step& step, unsigned thread, std::int64_t rank);
  /// What lies in this block where `target` lies in the shared memory of another.
  Target same_place(const Target& target);
  /// Who barriers in shared memory order: the block's threads, or the cluster's.
  MemoryScope phase_scope() const;
  void arrive_at_cluster(Warp& warp, const Step& step);
  void wait_for_cluster(Warp& warp, const Step& step);

  // Barriers in shared memory, and the copy engine.
  Engine& engine() { return engine_; }
  std::uint64_t shared_place(const Target& target) const;
  Notes& notes_at(std::uint64_t place);
  /// Ends the phase of the barrier if nothing is outstanding.
  void end_phase(std::uint64_t place);
  /// Adds `bytes` bytes at an address in shared memory to a copy, the first `inside` of which are at `global`; false
  /// after a report.
  bool add_piece(BulkCopy& copy, std::uint64_t shared, std::uint64_t global, std::uint64_t bytes, std::uint64_t inside);
  /// Into `to`, whose pieces and barrier lie where they are given in this block.
  void start_load(BulkCopy copy, std::uint64_t barrier_address, Block& to);
  void start_store(BulkCopy copy);
  /// The thread's stores but those of its latest `pending` groups have read their source, and are done if `whole`.
  void end_stores(unsigned thread, std::uint64_t pending, bool whole);
  /// Ends one of the loads under way; false if there is none.
  bool end_a_load();
  /// Reports products of warpgroups that nothing has waited for.
  void report_left_products();
  /// What is left to do when all threads have ended.
  void leave_copies();

  std::vector<Copy>& copies(unsigned thread) { return copies_[thread]; }
  std::uint64_t& groups(unsigned thread) { return groups_[thread]; }

 private:
  struct Barrier {
    const Step* step = nullptr;  ///< where its first participant stands
    std::uint32_t threads = 0;   ///< that it waits for
    std::uint32_t arrived = 0;
    std::vector<Warp*> waiters;
    std::uint64_t warps = 0;  ///< that have arrived, a bit each
    Meeting meeting;
  };
  void lock_source(const BulkCopy& copy, const Target& from, std::uint64_t bytes, const Mark& mark);
  void end_load(std::size_t index);
  void end_cluster_phase();
  Notes& cluster_notes();
  void free_source(const BulkCopy& copy);
  void end_store(const BulkCopy& copy);
  bool can_run(const Warp& warp) const { return warp.runnable != 0 || is_gathered(warp); }
  bool is_gathered(const Warp& warp) const;
  void run(Warp& warp);
  void run_group(Warp& warp, std::uint32_t mask, std::uint32_t at, std::int64_t turns);
  void run_together(Warp& warp);
  std::uint32_t flow(Warp& warp, const Step& step, std::uint32_t& mask, std::uint32_t at);
  std::uint32_t part(Warp& warp, std::uint32_t& mask, std::uint32_t jumping, std::uint32_t target, std::uint32_t next);
  void run_each(Warp& warp, const Step& step, std::uint32_t mask);
  void leave_group(Warp& warp, std::uint32_t mask, std::uint32_t at);
  bool are_states_right(const GlobalRange& range, std::uint32_t mask, const std::uint64_t* addresses,
                        std::uint64_t bytes, bool writes) const;
  std::uint8_t own_state() const { return SimulatedRange::state_of(index_); }
  Target reach_shared(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes);
  Target reach_local(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes, bool writes);
  void set_constants(Warp& warp);
  std::string waiting_text(const Warp& warp) const;
  void count_banks(std::uint32_t mask, const std::uint64_t* addresses, std::uint64_t skip, std::uint64_t bytes);
  void count_sectors(std::uint32_t mask, const std::uint64_t* addresses, std::uint64_t skip, std::uint64_t bytes);

  Grid& grid_;
  Cluster* cluster_ = nullptr;
  std::uint32_t index_;
  unsigned threads_;
  std::vector<Warp> warps_;
  std::vector<std::uint64_t> shared_storage_;
  std::byte* shared_ = nullptr;
  std::optional<Shadow> shared_shadow_;
  std::optional<Order> order_;
  Engine engine_;
  std::array<Barrier, 16> barriers_;
  std::vector<std::vector<Copy>> copies_;  ///< by thread
  std::vector<std::uint64_t> groups_;      ///< committed, by thread
  std::vector<std::byte> locals_;          ///< by thread, one local behind the other
  std::vector<bool> locals_written_;
  std::uint64_t locals_begin_ = 0;
  std::uint64_t thread_locals_ = 0;  ///< bytes of one thread
  std::vector<std::uint64_t> local_offsets_;
};

/// Blocks that run together, and the barrier of their warps.
struct Cluster {
  std::vector<Block> blocks;  ///< by rank
  std::uint32_t phase = 0;    ///< of the barrier, that is under way
  std::size_t arrived = 0;    ///< warps
  std::size_t notes = 0;      ///< of arrivals, when the last phase ended
};

}  // namespace tilewright::kernel::simulator
