// Runs the threads of Metal functions that a host's compiler has compiled with the shim (shim/metal_stdlib): threads of
// a threadgroup as fibers, one after the other up to where they wait for each other. Every access is checked: inside of
// a buffer or an array, written before it is read, in no race with another thread's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shim/machine_interface.h"

namespace tilewright::metal_shim {

/// Memory that a launch may reach. Of a writable one, bytes count as written from their first store on, by any launch.
class Buffer {
 public:
  /// `granule`: bytes of an element, that are noted together.
  Buffer(std::byte* data, std::size_t bytes, std::size_t granule, bool readonly);

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// All of it was written before, by nobody who races.
  void note_written();
  /// Whether a launch has written the granule of that byte.
  bool is_written(std::size_t byte) const { return readonly_ || notes_[byte / granule_].writer != 0; }

 private:
  friend class Machine;
  /// Of a granule: who has written and read it last.
  struct Note {
    std::uint64_t writer = 0;  ///< 0: nobody; else a number of its own for each thread, launch and barrier
    std::uint64_t reader = 0;
  };
  std::byte* data_;
  std::size_t bytes_;
  std::size_t granule_;
  bool readonly_;
  std::vector<Note> notes_;
};

struct Launch {
  using Entry = void (*)(const tw_thread*);
  Entry entry = nullptr;
  std::vector<std::byte*> arguments;  ///< by number of the function's buffers
  std::vector<Buffer*> reach;         ///< what they may reach
  unsigned groups = 1;
  std::vector<unsigned> only;  ///< threadgroups that run, in order; empty: all
  unsigned threads = 1;        ///< of a threadgroup
  bool backwards = false;      ///< the last threads come first
  std::size_t most_threadgroup_bytes = 32 << 10;
};

class Fibers;

class Machine {
 public:
  Machine();
  ~Machine();
  /// What went wrong first, and where; empty: nothing.
  std::string run(const Launch& launch);

  /// What compiled source calls, of the machine that runs.
  static tw_machine* interface();

 private:
  static constexpr unsigned simd_width = 32;
  enum class State : std::uint8_t { ready, at_barrier, at_exchange, done };
  struct Thread {
    State state = State::ready;
    int line = 0;
    tw_exchange_kind kind = tw_shuffle;
    const float* factors = nullptr;  ///< of a product: two elements of a, of b and of c
    float* product = nullptr;
    unsigned operand = 0;
    unsigned bytes = 0;
    std::uint64_t own = 0;
    std::uint64_t result = 0;
  };
  struct Array {
    std::size_t offset = 0, bytes = 0;
  };
  struct Cell {  ///< of threadgroup memory, by byte
    std::uint64_t writer = 0;
    std::uint64_t reader = 0;
  };

  std::string run_group(const Launch& launch, unsigned group);
  void exchange_in(unsigned simdgroup);
  void multiply_in(unsigned simdgroup);
  bool resolve_exchanges();
  std::string stuck() const;
  void fault(std::string what);

  void access(const std::byte* address, std::size_t bytes, bool writes);
  bool access_array(const std::byte* address, std::size_t bytes, bool writes);
  bool access_buffer(const std::byte* address, std::size_t bytes, bool writes);
  void wait_at_barrier(int flags, int line);
  void exchange(const void* own, unsigned bytes, tw_exchange_kind kind, unsigned operand, void* result, int line);
  void* array(unsigned index, std::size_t bytes);
  /// Of the thread that runs, since its last barrier.
  std::uint64_t now() const;
  std::string place() const;

  static void run_thread(void* machine);

  const Launch* launch_ = nullptr;
  std::unique_ptr<Fibers> fibers_;
  std::vector<Thread> threads_;
  std::vector<tw_thread> arguments_;
  std::vector<Array> arrays_;
  std::vector<std::byte> memory_;
  std::byte* threadgroup_ = nullptr;
  std::vector<Cell> cells_;
  std::uint64_t epoch_ = 0;  ///< of barriers, over all groups and launches
  std::uint64_t group_begin_ = 0, launch_begin_ = 0;
  unsigned group_ = 0, current_ = 0;
  bool device_barrier_ = false;
  std::string fault_;
};

}  // namespace tilewright::metal_shim
