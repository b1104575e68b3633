// One case an op. Sizes of access and limits are those of the PTX ISA; every device since sm_80 has them.
#include "kernel/gpu_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernel/matrix_atoms.h"

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
        asynchronous();
    }
    if (info(op_.code).effect == OpEffect::collective)
      attribute(kernel_.block->threads % warp_threads == 0,
                fmt::format("an exchange of a warp in a block of {} threads", kernel_.block->threads),
                fmt::format("whole warps of {}", warp_threads));
    return std::move(violations_);
  }

 private:
  /// mbarriers, the copy engine, clusters and roles.
  void asynchronous() {
    const auto form = [&](std::initializer_list<Type> wanted, std::string remedy) {
      types(std::ranges::equal(op_.operands, wanted, [&](ValueId value, Type t) { return type(value) == t; }),
            std::move(remedy));
    };
    switch (op_.code) {
      case Opcode::mbarrier_init:
        form({shared_pointer}, "a ptr_shared");
        return count(1, (1 << 20) - 1, 1);
      case Opcode::mbarrier_arrive:
        if (operands(1, 2, "a ptr_shared, and an i32 for a block of the cluster"))
          types(operand(0) == shared_pointer && (op_.operands.size() == 1 || operand(1) == i32),
                "a ptr_shared, and an i32 for a block of the cluster");
        return;
      case Opcode::mbarrier_expect:
      case Opcode::mbarrier_wait:
        return form({shared_pointer, i32}, "a ptr_shared and an i32");
      case Opcode::bulk_load:
        return form({shared_pointer, pointer, i32, shared_pointer}, "a ptr_shared, a ptr, an i32 and a ptr_shared");
      case Opcode::bulk_store:
        return form({pointer, shared_pointer, i32}, "a ptr, a ptr_shared and an i32");
      case Opcode::tensor_load:
      case Opcode::tensor_store:
        return tensor();
      case Opcode::wait_bulk:
      case Opcode::wait_bulk_reads:
        return pending();
      case Opcode::cluster_load:
        cluster_access(result());
        return form({shared_pointer, i32}, "a ptr_shared and an i32");
      case Opcode::cluster_store:
        cluster_access(operand(0));
        return types(operand(1) == shared_pointer && operand(2) == i32, "a value, a ptr_shared and an i32");
      case Opcode::elect:
        return types(result() == i1, "an i1");
      case Opcode::raise_registers:
      case Opcode::lower_registers:
        attribute(kernel_.block->resident != 0, "registers moved without knowing how many there are",
                  "say `resident n` behind the block's threads");
        return count(24, 256, 8);
      case Opcode::warp_barrier:
      case Opcode::fence_mbarrier:
      case Opcode::fence_async:
      case Opcode::commit_bulk:
      case Opcode::cluster_arrive:
      case Opcode::cluster_wait:
      case Opcode::wgmma_commit:
      case Opcode::grid_wait:
      case Opcode::grid_launch:
        return;
      default:
        matrices();
    }
  }

  void matrices() {
    switch (op_.code) {
      case Opcode::load_matrix:
        types(operand(0) == shared_pointer, "a ptr_shared");
        return matrix(result());
      case Opcode::store_matrix:
        types(operand(1) == shared_pointer, "a vector and a ptr_shared");
        return matrix(operand(0));
      case Opcode::mma:
        return types(find_mma(operand(0), operand(1), operand(2)) != nullptr && result() == operand(2), mma_forms());
      case Opcode::wgmma:
        return warpgroup();
      case Opcode::wgmma_fence:
      case Opcode::wgmma_wait:
        if (op_.code == Opcode::wgmma_wait) pending();
        return types(accumulators(0), "accumulators, and as many of their types");
      default:
        internal_error(fmt::format("no GPU rule for {}", info(op_.code).name));
    }
  }

  /// Operands from `first` on and results are alike.
  bool accumulators(std::size_t first) const {
    if (op_.operands.size() != first + op_.results.size()) return false;
    for (std::size_t i = 0; i < op_.results.size(); ++i)
      if (type(op_.results[i]) != operand(first + i)) return false;
    return true;
  }

  static constexpr std::int32_t most_distance = 1 << 18;  ///< of pieces of a factor, in its descriptor

  void warpgroup() {
    const WarpgroupProduct& product = std::get<WarpgroupProduct>(op_.attribute);
    const WarpgroupAtom* atom = find_wgmma(product.of);
    attribute(atom != nullptr, fmt::format("a product of {}", name(product.of)), "f16 bf16 f32 i8 f8e4m3 f8e5m2");
    const bool steps = product.n % (product.of == Element::i8 && product.n > 32 ? 16 : 8) == 0;
    attribute(product.n >= 8 && product.n <= 256 && steps, fmt::format("{} columns", product.n),
              "8, 16, …, 256; of i8 in steps of 16 above 32");
    attribute(kernel_.block->threads >= 128, fmt::format("a warpgroup in a block of {}", kernel_.block->threads),
              "a warpgroup is 128 threads");
    if (atom == nullptr || !operands(4, op_.operands.size(), "a, b, whether to add, and accumulators")) return;
    const bool in_registers = operand(0) == atom->a;
    attribute(!(product.transposed_a || product.transposed_b) || bits(product.of) == 16,
              fmt::format("a transposed operand of {}", name(product.of)), "f16 and bf16 can be transposed");
    attribute(!(product.transposed_a && in_registers), "a transposed operand in registers", "leave it as it is");
    int lanes = 0;
    for (ValueId value : op_.results) lanes += type(value).lanes;
    const bool sums = std::ranges::all_of(op_.results, [&](ValueId v) { return type(v).element == atom->c; });
    for (const MatrixLayout& layout : {product.a, product.b})
      attribute(layout.leading >= 0 && layout.stride >= 0 && layout.leading % 16 == 0 && layout.stride % 16 == 0 &&
                    std::max(layout.leading, layout.stride) < most_distance,
                fmt::format("pieces {} and {} bytes apart", layout.leading, layout.stride),
                fmt::format("multiples of 16 below {}", most_distance));
    types(
        (in_registers || operand(0) == shared_pointer) && operand(1) == shared_pointer && operand(2) == i1 &&
            accumulators(3) && sums && lanes == product.n / 2,
        fmt::format("a ptr_shared or {}, a ptr_shared, an i1, and n / 2 lanes of {}", to_text(atom->a), name(atom->c)));
  }

  /// 1, 2 or 4 words of 32 bits a thread.
  void matrix(Type t) {
    const int words = bits(t.element) * t.lanes / 32;
    const bool turns = std::get<MatrixOrder>(op_.attribute).transposed;
    types((turns ? bits(t.element) == 16 : bits(t.element) <= 32) && bits(t.element) >= 8 && !is_pointer(t.element) &&
              bits(t.element) * t.lanes == 32 * words && (words == 1 || words == 2 || words == 4),
          turns ? "2, 4 or 8 lanes of 16 bits" : "32, 64 or 128 bits, of elements of 8, 16 or 32");
  }

  void cluster_access(Type t) {
    const int bytes = bits(t.element) * t.lanes / 8;
    types(bits(t.element) >= 32 && !is_pointer(t.element) && (bytes == 4 || bytes == 8 || bytes == 16),
          "4, 8 or 16 bytes of elements of 32 or 64 bits");
    const Access& access = std::get<Access>(op_.attribute);
    attribute(access.align == static_cast<std::uint32_t>(bytes),
              fmt::format("an access of {} bytes aligned to {}", bytes, access.align), "align it to its width");
    attribute(!access.nontemporal && access.cache == CacheHint::normal, "a hint about shared memory", "leave it out");
  }

  void tensor() {
    const TensorCopy& copy = std::get<TensorCopy>(op_.attribute);
    const bool loads = op_.code == Opcode::tensor_load;
    attribute(copy.rank >= 1 && copy.rank <= 5, fmt::format("a tensor of rank {}", copy.rank), "1 to 5");
    attribute(loads || !copy.multicast, "a store to several blocks", "only loads go to several");
    const std::size_t fixed = loads ? 3 : 2;
    const std::size_t count = fixed + static_cast<std::size_t>(copy.rank) + (copy.multicast ? 1 : 0);
    const std::string remedy = loads ? "a ptr_shared, a map, a ptr_shared, an i32 an axis, and of multicast another"
                                     : "a map, a ptr_shared and an i32 an axis";
    if (!operands(count, count, remedy)) return;
    bool fits = loads ? operand(0) == shared_pointer && operand(1) == pointer && operand(2) == shared_pointer
                      : operand(0) == pointer && operand(1) == shared_pointer;
    for (std::size_t i = fixed; i < count; ++i) fits = fits && operand(i) == i32;
    types(fits, remedy);
  }

  void count(std::int32_t least, std::int32_t most, std::int32_t step) {
    const std::int32_t value = std::get<Count>(op_.attribute).count;
    attribute(value >= least && value <= most && value % step == 0, fmt::format("a count of {}", value),
              fmt::format("{} to {} in steps of {}", least, most, step));
  }

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

std::optional<std::size_t> tensor_map_operand(Opcode code) {
  if (code == Opcode::tensor_load) return 1;
  if (code == Opcode::tensor_store) return 0;
  return std::nullopt;
}

std::string check_block(const ThreadBlock& block) {
  if (block.threads < 1 || block.threads > 1024) return fmt::format("a block of {} threads", block.threads);
  if (block.cluster < 1 || block.cluster > 16) return fmt::format("a cluster of {} blocks", block.cluster);
  if (block.resident < 0 || block.resident > 32) return fmt::format("{} blocks at once", block.resident);
  return {};
}

}  // namespace tilewright::kernel
