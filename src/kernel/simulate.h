// Runs a GPU kernel on the host with the real semantics of threads, and reports what would go wrong on a device: the
// check of generated kernels where there is no GPU, and a user's tool for finding hazards.
//
// Every thread has its own registers and its own place in the code. The threads of a warp run together while they
// agree, and apart, in the order that the options choose, where they do not; only a barrier, an exchange or an
// asynchronous copy's wait brings threads together. So what a kernel takes for granted without having waited for it is
// a report, in every order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernel/interpret.h"
#include "kernel/ir.h"

namespace tilewright::kernel {

/// Who runs first where threads, warps or blocks are free to, and when an asynchronous copy happens: at its start, or
/// at its wait, or as the seed has it.
enum class SimulationOrder : std::uint8_t { earliest, latest, random };

/// Runs `body(begin, end)` for parts of [0, count) that cover it, at once or one after the other.
using RunParts = std::function<void(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body)>;

struct SimulationOptions {
  SimulationOrder order = SimulationOrder::earliest;
  std::uint64_t seed = 0;  ///< of the order `random`
  /// Follow each byte's writer and readers. Without, accesses are checked for bounds, alignment and the states of their
  /// range, and threads for coming together.
  bool full_checks = true;
  bool counts = true;           ///< keep the counters of costs
  std::size_t max_reports = 8;  ///< after so many the run ends
  /// Not empty: full checks, and counts, are of these blocks alone. The others follow, by `parts` where they cannot
  /// wait for each other: there are no clusters, and no atomics but in shared memory.
  std::vector<std::uint32_t> checked = {};
  RunParts parts = {};
};

/// Memory that pointer arguments may reach.
struct SimulatedRange {
  /// Of a byte: nothing has written it; it has a value; or a block of this launch has written it.
  static constexpr std::uint8_t unwritten = 0;
  static constexpr std::uint8_t given = 1;
  static constexpr std::uint8_t state_of(std::uint32_t block) { return static_cast<std::uint8_t>(2 + block % 254); }

  std::byte* data = nullptr;
  std::int64_t bytes = 0;
  bool writable = true;
  bool written = true;  ///< its bytes have values; if not, reading one before it is written is an error
  /// A state for each byte, where the caller keeps them from launch to launch: then they count, and not `written`. A
  /// launch leaves no state of a block. What two blocks write is found by them also without full checks.
  std::uint8_t* states = nullptr;
};

/// Costs that a device would have. A request is one access of the threads of a warp that come to it together, at most
/// 16 bytes a thread.
struct SimulationCounters {
  std::int64_t thread_ops = 0;  ///< ops executed, summed over threads
  std::int64_t shared_requests = 0;
  std::int64_t bank_conflicts = 0;  ///< wavefronts of shared accesses beyond those of 32 banks without conflicts
  std::int64_t global_requests = 0;
  std::int64_t global_sectors = 0;        ///< of 32 bytes, each counted once a request
  std::int64_t least_global_sectors = 0;  ///< that the bytes of the requests would fill

  SimulationCounters& operator+=(const SimulationCounters& other) {
    thread_ops += other.thread_ops;
    shared_requests += other.shared_requests;
    bank_conflicts += other.bank_conflicts;
    global_requests += other.global_requests;
    global_sectors += other.global_sectors;
    least_global_sectors += other.least_global_sectors;
    return *this;
  }
};

/// A kernel decoded once, to be run many times, also by several threads at once. Borrows the kernel.
class Simulator {
 public:
  /// Error K201 for a kernel of hosts, K208 for an op that is not simulated; a kernel that does not verify gives
  /// verify's errors.
  static Result<Simulator> make(const Kernel& kernel);
  /// Runs `blocks` blocks of the kernel's shape, a cluster's together and else one after the other. Errors: K101 to
  /// K106 as of `interpret` (K104 of shared memory and unwritten ranges too, K106 of a tensor map that is none), K201
  /// for a grid that is not one of whole clusters, K202 to K211 for hazards, each with the op, threads, block and
  /// address. Errors of one op are one report.
  Result<SimulationCounters> run(std::int64_t blocks, std::span<const Argument> arguments,
                                 std::span<const SimulatedRange> memory, const SimulationOptions& options = {}) const;

 private:
  struct Program;
  explicit Simulator(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

Result<SimulationCounters> simulate(const Kernel& kernel, std::int64_t blocks, std::span<const Argument> arguments,
                                    std::span<const SimulatedRange> memory, const SimulationOptions& options = {});

}  // namespace tilewright::kernel
