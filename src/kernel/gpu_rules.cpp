// One case an op. Sizes of access and limits are those of the PTX ISA; every device since sm_80 has them.
#include "kernel/gpu_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilewright::kernel {

namespace {

constexpr Type i1{Element::i1, 1};
constexpr Type i32{Element::i32, 1};
constexpr Type pointer{Element::ptr, 1};
constexpr Type shared_pointer{Element::ptr_shared, 1};
constexpr std::int64_t max_shared_bytes = std::int64_t{1} << 20;
constexpr int barriers = 16;
constexpr int warp_threads = 32;

class Rules {
 public:
  Rules(const Kernel& kernel, const Op& op) : kernel_(kernel), op_(op) {}

  std::vector<GpuViolation> check() {
    switch (op_.code) {
      case Opcode::special:
        types(result() == i32 || result() == Type{Element::i64, 1}, "an i32 or an i64");
        break;
      case Opcode::shared:
        shared();
        break;
      case Opcode::barrier:
      case Opcode::barrier_arrive:
        barrier();
        break;
      case Opcode::warp_shuffle:
        types(is_word(result()) && operand(0) == result() && operand(1) == i32, "an i32, i64, f32 or f64, and an i32");
        break;
      case Opcode::warp_vote:
        types(operand(0) == i1 && result() == (std::get<Vote>(op_.attribute) == Vote::ballot ? i32 : i1),
              "an i1, to i1; of ballot, to i32");
        break;
      case Opcode::atomic:
        atomic();
        break;
      case Opcode::copy_async:
        copy_async();
        break;
      case Opcode::wait_copies:
        pending();
        break;
      case Opcode::fence:
      case Opcode::commit_copies:
        break;
      default:
        internal_error(fmt::format("no GPU rule for {}", info(op_.code).name));
    }
    return std::move(violations_);
  }

 private:
  Type type(ValueId value) const { return kernel_.values[value].type; }
  Type operand(std::size_t i) const { return type(op_.operands[i]); }
  Type result() const { return type(op_.results[0]); }

  static bool is_word(Type t) {
    return t.lanes == 1 && (bits(t.element) == 32 || bits(t.element) == 64) && !is_pointer(t.element);
  }

  void types(bool hold, std::string remedy) {
    if (!hold) violations_.push_back({"K013", {}, std::move(remedy)});
  }
  void attribute(bool holds, std::string what, std::string remedy) {
    if (!holds) violations_.push_back({"K014", std::move(what), std::move(remedy)});
  }
  bool operands(std::size_t least, std::size_t most, std::string remedy) {
    const std::size_t count = op_.operands.size();
    const bool holds = count >= least && count <= most;
    if (!holds) violations_.push_back({"K011", fmt::format("{} operands", count), std::move(remedy)});
    return holds;
  }

  void shared() {
    types(result() == shared_pointer, "a ptr_shared");
    const SharedBuffer& buffer = std::get<SharedBuffer>(op_.attribute);
    attribute(buffer.bytes > 0 && buffer.bytes <= max_shared_bytes,
              fmt::format("a shared buffer of {} bytes", buffer.bytes), fmt::format("1 to {} bytes", max_shared_bytes));
    const bool fits =
        std::has_single_bit(static_cast<std::uint64_t>(buffer.align)) && buffer.align >= 16 && buffer.align <= 1024;
    attribute(fits, fmt::format("a shared buffer aligned to {}", buffer.align), "a power of two, 16 to 1024");
  }

  /// All threads at barrier 0, or whole warps at another.
  void barrier() {
    const NamedBarrier& barrier = std::get<NamedBarrier>(op_.attribute);
    const std::int32_t threads = kernel_.block->threads;
    if (barrier == NamedBarrier{} && op_.code == Opcode::barrier) return;
    attribute(barrier.id >= 0 && barrier.id < barriers, fmt::format("barrier {}", barrier.id),
              fmt::format("0 to {}", barriers - 1));
    attribute(barrier.threads > 0 && barrier.threads % warp_threads == 0 &&
                  barrier.threads <= (threads + warp_threads - 1) / warp_threads * warp_threads,
              fmt::format("a barrier of {} threads in a block of {}", barrier.threads, threads),
              fmt::format("whole warps of {}, up to the block", warp_threads));
  }

  void atomic() {
    const Atomic& atomic = std::get<Atomic>(op_.attribute);
    const bool swaps = atomic.op == AtomicOp::cas;
    if (!operands(swaps ? 3 : 2, swaps ? 3 : 2, "a pointer and a value; of cas two values")) return;
    const Type t = result();
    const bool any = atomic.op == AtomicOp::add || atomic.op == AtomicOp::exch;
    const bool values = std::ranges::all_of(op_.operands.begin() + 1, op_.operands.end(),
                                            [&](ValueId value) { return type(value) == t; });
    types(is_pointer(operand(0).element) && values && is_word(t) && (any || is_int(t.element)),
          "a pointer, and integers of 32 or 64 bits; add and exch take f32 and f64 too");
  }

  void copy_async() {
    if (!operands(2, 3, "a ptr_shared, a ptr, and for zeros past some bytes an i32")) return;
    types(operand(0) == shared_pointer && operand(1) == pointer && (op_.operands.size() == 2 || operand(2) == i32),
          "a ptr_shared, a ptr, and for zeros past some bytes an i32");
    const std::int64_t bytes = std::get<Bytes>(op_.attribute).bytes;
    attribute(bytes == 4 || bytes == 8 || bytes == 16, fmt::format("a copy of {} bytes", bytes), "4, 8 or 16");
  }

  void pending() {
    const std::int32_t count = std::get<Count>(op_.attribute).count;
    attribute(count >= 0 && count <= 7, fmt::format("{} groups pending", count), "0 to 7");
  }

  const Kernel& kernel_;
  const Op& op_;
  std::vector<GpuViolation> violations_;
};

}  // namespace

std::vector<GpuViolation> check_gpu_op(const Kernel& kernel, const Op& op) {
  return Rules(kernel, op).check();
}

std::string check_block(const ThreadBlock& block) {
  if (block.threads < 1 || block.threads > 1024) return fmt::format("a block of {} threads", block.threads);
  if (block.cluster < 1 || block.cluster > 16) return fmt::format("a cluster of {} blocks", block.cluster);
  if (block.resident < 0 || block.resident > 32) return fmt::format("{} blocks at once", block.resident);
  return {};
}

}  // namespace tilewright::kernel
