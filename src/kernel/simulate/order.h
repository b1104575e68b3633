// What happens before what: clocks of warps, barriers, and releases and acquires of single threads.
//
// A warp counts epochs: one more with each barrier that it comes to and each release of one of its threads. It knows,
// for each warp of its block, up to which epoch that warp's accesses happen before its own; barriers merge what their
// participants know. Of the own warp's it knows what was before its last barrier: between two barriers the threads of a
// warp are as unordered as any. A release at a memory location leaves a note there of what the thread knows, and an
// acquire takes up the notes that are there, for that thread alone until its warp's next barrier.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernel/gpu_attributes.h"

namespace tilewright::kernel::simulator {

constexpr unsigned warp_threads = 32;
constexpr std::size_t scope_count = static_cast<std::size_t>(MemoryScope::system) + 1;

/// One access, as memory remembers it.
struct Mark {
  static constexpr std::uint16_t atomic = 1;
  static constexpr std::uint16_t many = 2;  ///< other threads of the warp as well
  /// By the copy engine or the matrix unit, between whose accesses no fence_async stands.
  static constexpr std::uint16_t async = 4;
  static constexpr std::uint16_t whole_warp = 8;  ///< by what all threads of the warp have started and wait for

  /// Whether it is the thread's own access, and no other's.
  bool is_of(unsigned by) const {
    if ((flags & many) != 0) return false;
    return thread == by || ((flags & whole_warp) != 0 && thread / warp_threads == by / warp_threads);
  }

  std::uint32_t block = 0;
  std::uint32_t epoch = 0;  ///< of the thread's warp; 0 is no access
  std::uint32_t step = 0;   ///< of the program
  std::uint16_t thread = 0;
  std::uint16_t flags = 0;
};

struct Notes;
/// The first `count` notes at a location, taken up in a scope.
struct Acquired {
  const Notes* notes;
  std::size_t count;
  MemoryScope scope;
};

/// What one thread knew at a release: its own accesses up to `epoch`, those of its block's warps, and more notes.
struct Note {
  std::uint32_t block;
  std::uint16_t thread;
  std::uint32_t epoch;
  MemoryScope scope;
  std::vector<std::uint32_t> known;  ///< by warp, the copy engine the last one
  std::vector<Acquired> acquired;
};

/// The notes at one location, in their order.
struct Notes {
  /// What the notes of one block pass on of another location's: from note `index` on, that one's first `count`.
  struct Further {
    struct From {
      std::size_t index;
      std::size_t count;
    };
    const Notes* notes;
    std::uint32_t block;
    MemoryScope scope;
    std::vector<From> from;  ///< ascending in both
  };
  /// Those of one block and scope. Each knows what those before it do.
  struct Chain {
    struct Release {
      std::uint32_t index;
      std::uint32_t epoch;  ///< the latest one until then
    };
    std::vector<std::uint32_t> notes;                                        ///< indices
    std::unordered_map<std::uint32_t, std::vector<Release>> by_thread = {};  ///< and by warp: see warp_key
    static std::uint32_t warp_key(std::uint32_t warp) { return (std::uint32_t{1} << 16) + warp; }
  };
  std::vector<Note> all;
  std::unordered_map<std::uint32_t, std::array<Chain, scope_count>> by_block;
  std::vector<Further> further;
};

/// The locations of a launch. Those of shared memory are found by their block as well.
class Locations {
 public:
  Notes& at(std::uint64_t address) { return find(global_, address); }
  Notes& at_shared(std::uint32_t block, std::uint64_t offset) {
    return find(shared_, (std::uint64_t{block} << 32) | offset);
  }

 private:
  Notes& find(std::unordered_map<std::uint64_t, Notes*>& map, std::uint64_t key) {
    Notes*& notes = map[key];
    if (notes == nullptr) notes = &notes_.emplace_back();
    return *notes;
  }
  std::deque<Notes> notes_;  ///< stay where they are: others point to them
  std::unordered_map<std::uint64_t, Notes*> global_;
  std::unordered_map<std::uint64_t, Notes*> shared_;
};

/// What the participants of a barrier know together.
struct Meeting {
  std::vector<std::uint32_t> known;
  std::vector<Acquired> acquired;
};

/// The order as the threads of one block see it.
class Order {
 public:
  Order(std::uint32_t block, std::size_t warps, std::uint32_t cluster_blocks);

  Mark mark(unsigned thread, std::uint32_t step, std::uint16_t flags = 0) const {
    return {block_, epochs_[thread / warp_threads], step, static_cast<std::uint16_t>(thread), flags};
  }
  /// Of what the copy engine writes: a participant of its own, which releases at barriers in shared memory.
  Mark engine_mark(std::uint32_t step) const {
    return {block_, epochs_.back(), step, static_cast<std::uint16_t>((epochs_.size() - 1) * warp_threads), 0};
  }
  /// Whether the access happens before what `thread` does now.
  bool before(const Mark& access, unsigned thread) const {
    if (access.epoch == 0) return true;
    if (access.block == block_) {
      if (access.is_of(thread)) return true;
      if (access.epoch <= known(thread / warp_threads)[access.thread / warp_threads]) return true;
    }
    return has_acquired_ && is_acquired(access, thread);
  }

  /// A warp comes to a barrier, and leaves what it knows.
  void arrive(std::size_t warp, Meeting& meeting);
  /// A warp leaves a barrier that is complete.
  void leave(std::size_t warp, const Meeting& meeting);

  /// As `release` and `acquire`, for all threads of a warp that come together.
  void release_warp(std::size_t warp, Notes& location, MemoryScope scope);
  void acquire_warp(std::size_t warp, const Notes& location, std::size_t count, MemoryScope scope);

  /// A thread's atomic at a location, after which others' releases and its own are in place.
  void atomic(unsigned thread, Notes& location, MemoryOrder order, MemoryScope scope);
  void fence(unsigned thread, MemoryScope scope);
  /// Orders what the thread has done before what the copy engine is told to do.
  void fence_async(unsigned thread);
  /// Whether an access of the block's threads lacks such a fence of its thread.
  bool is_unfenced(const Mark& access) const;
  void release_by_engine(Notes& location, MemoryScope scope);
  void release(unsigned thread, Notes& location, MemoryScope scope);
  void acquire(unsigned thread, const Notes& location, std::size_t count, MemoryScope scope);

 private:
  const std::uint32_t* known(std::size_t warp) const { return known_.data() + warp * epochs_.size(); }
  std::uint32_t* known(std::size_t warp) { return known_.data() + warp * epochs_.size(); }
  bool is_acquired(const Mark& access, unsigned thread) const;
  bool covers(const Acquired& acquired, const Mark& access) const;
  void search_at(const Acquired& next) const;
  bool reaches(MemoryScope scope, std::uint32_t block) const;
  Note note(unsigned thread, MemoryScope scope) const;
  void take_up_threads(std::size_t warp, std::vector<Acquired>& all) const;
  void publish(Notes& location, Note note);

  std::uint32_t block_;
  std::uint32_t cluster_blocks_;
  std::vector<std::uint32_t> epochs_;                            ///< by warp
  std::vector<std::uint32_t> known_;                             ///< by warp, by warp
  std::vector<std::vector<Acquired>> warps_;                     ///< taken up before the warp's last barrier
  std::unordered_map<unsigned, std::vector<Acquired>> threads_;  ///< since then, by thread
  std::unordered_map<unsigned, std::vector<Acquired>> seen_;     ///< by relaxed atomics, until a fence
  std::unordered_map<unsigned, Note> fenced_;                    ///< what relaxed atomics publish
  std::vector<std::uint32_t> async_fences_;                      ///< by thread: the epoch of its last fence_async
  bool has_acquired_ = false;
  mutable std::vector<Acquired> search_;  ///< of is_acquired: what is looked at, and is to be
};

}  // namespace tilewright::kernel::simulator
