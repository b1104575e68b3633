// Copies of boxes of tensors by the copy engine: which bytes of shared memory are which of the tensor's, and what the
// engine demands of maps, coordinates and addresses (CUDA Driver API, "Tensor Map Object Management"; PTX ISA,
// "cp.async.bulk.tensor"). What a copy does once it is known as pieces is in bulk_copies.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "kernel/print.h"
#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::int64_t box_unit = 16;  ///< bytes, that addresses of rows are multiples of
constexpr std::int64_t swizzled_row = 128;
constexpr std::int64_t most_box = 256;
constexpr std::int64_t most_extent = std::int64_t{1} << 32;
constexpr std::int64_t stride_end = std::int64_t{1} << 40;
constexpr std::uint64_t box_align = 128;
constexpr std::uint64_t swizzled_box_align = 1024;

/// What the engine would not take in the map; "" if nothing.
std::string find_fault(const TensorMap& map, std::size_t rank) {
  if (map.extents.size() != rank) return fmt::format("of {} axes, for boxes of {}", map.extents.size(), rank);
  if (map.box.size() != rank || map.strides.size() + 1 != rank)
    return fmt::format("of {} axes with {} strides and a box of {}", rank, map.strides.size(), map.box.size());
  if (map.element_bytes < 1 || map.element_bytes > 8) return fmt::format("of elements of {} bytes", map.element_bytes);
  if (map.tf32 && map.element_bytes != 4) return fmt::format("that rounds elements of {} bytes", map.element_bytes);
  if (const auto address = reinterpret_cast<std::uint64_t>(map.address); address == 0 || address % box_unit != 0)
    return fmt::format("of memory {} bytes past a multiple of {}", address % box_unit, box_unit);
  for (const std::int64_t extent : map.extents)
    if (extent < 1 || extent > most_extent) return fmt::format("with an extent of {}", extent);
  for (const std::int64_t stride : map.strides)
    if (stride <= 0 || stride >= stride_end || stride % box_unit != 0)
      return fmt::format("with a stride of {} bytes, where multiples of {} are taken", stride, box_unit);
  for (const std::int64_t size : map.box)
    if (size < 1 || size > most_box) return fmt::format("with a box of {} elements along an axis", size);
  const std::int64_t row = map.box[0] * map.element_bytes;
  if (row % box_unit != 0)
    return fmt::format("with rows of {} bytes in its box, where multiples of {} are taken", row, box_unit);
  if (map.swizzled && row > swizzled_row) return fmt::format("with rows of {} bytes in a swizzled box", row);
  return {};
}

/// A box that a thread has the engine copy.
class Box {
 public:
  Box(Block& block, Warp& warp, const Step& step, unsigned lane)
      : block_(block), step_(step), thread_(warp.thread(lane)), lane_(lane), warp_(warp) {}

  void load() {
    shared_ = warp_.words(step_.instruction.a)[lane_];
    BulkCopy copy = start(warp_.words(step_.instruction.b)[lane_], 3);
    copy.bytes = bytes();
    if (!add_rows(copy)) return;
    const std::uint64_t barrier = warp_.words(step_.instruction.c)[lane_];
    const Op& op = *step_.instruction.op;
    if (!std::get<TensorCopy>(op.attribute).multicast) return block_.start_load(std::move(copy), barrier, block_);
    const auto blocks = static_cast<std::uint32_t>(word_of(op.operands.back()));
    each_lane(blocks, [&](unsigned rank) {
      if (Block* to = block_.find_peer(step_, thread_, rank); to != nullptr) block_.start_load(copy, barrier, *to);
    });
  }
  void store() {
    shared_ = warp_.words(step_.instruction.b)[lane_];
    BulkCopy copy = start(warp_.words(step_.instruction.a)[lane_], 2);
    if (add_rows(copy)) block_.start_store(std::move(copy));
  }

 private:
  /// `first`: the operand that is the innermost coordinate.
  BulkCopy start(std::uint64_t map, std::size_t first) {
    const Op& op = *step_.instruction.op;
    map_ = &tensor_map_at(map);
    for (std::size_t axis = 0; axis < map_->extents.size(); ++axis)
      start_.push_back(word_of(op.operands[first + axis]));
    row_ = map_->box[0] * map_->element_bytes;
    const bool loads = op.code == Opcode::tensor_load;
    return {.step = &step_, .thread = thread_, .loads = loads, .tf32 = loads && map_->tf32};
  }

  std::int32_t word_of(ValueId value) const {
    const std::uint32_t place = block_.grid().program().decoded.places[value.index];
    return warp_.machine.lanes<std::int32_t>(place)[lane_];
  }

  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(std::accumulate(map_->box.begin() + 1, map_->box.end(), row_, std::multiplies()));
  }

  /// The box's rows, of its innermost axis, one behind the other in shared memory.
  bool add_rows(BulkCopy& copy) {
    if (!is_right(copy)) return false;
    const std::int64_t rows = static_cast<std::int64_t>(bytes()) / row_;
    for (std::int64_t row = 0; row < rows; ++row)
      if (!add_row(copy, row)) return false;
    return true;
  }

  bool is_right(const BulkCopy& copy) {
    const std::int64_t begin = start_[0] * map_->element_bytes;
    if (begin % box_unit != 0) {
      block_.grid().report(
          "K102", &step_,
          fmt::format("thread {} of block {} copies a box from coordinate {} of the innermost axis on, which is at no "
                      "multiple of {} bytes",
                      thread_, block_.index(), start_[0], box_unit));
      return false;
    }
    const std::uint64_t align = map_->swizzled ? swizzled_box_align : box_align;
    return block_.reach(step_, thread_, true, shared_, bytes(), copy.loads, align).data != nullptr;
  }

  bool add_row(BulkCopy& copy, std::int64_t row) {
    std::uint64_t global = reinterpret_cast<std::uint64_t>(map_->address);
    bool is_inside = true;
    std::int64_t left = row;
    for (std::size_t axis = 1; axis < map_->box.size(); ++axis) {
      const std::int64_t at = start_[axis] + left % map_->box[axis];
      left /= map_->box[axis];
      is_inside = is_inside && at >= 0 && at < map_->extents[axis];
      global += static_cast<std::uint64_t>(at) * static_cast<std::uint64_t>(map_->strides[axis - 1]);
    }
    const std::int64_t begin = start_[0] * map_->element_bytes;
    const std::int64_t first = std::clamp<std::int64_t>(-begin, 0, row_);
    const std::int64_t last = std::clamp<std::int64_t>(map_->extents[0] * map_->element_bytes - begin, 0, row_);
    for (std::int64_t at = 0; at < row_;) {
      const std::int64_t size = map_->swizzled ? box_unit : (at < first ? first : row_) - at;
      const std::int64_t inside = is_inside && at >= first ? std::clamp<std::int64_t>(last - at, 0, size) : 0;
      const std::int64_t taken = copy.loads ? size : inside;
      const std::uint64_t dense = shared_ + static_cast<std::uint64_t>(row * row_ + at);
      if (taken != 0 && !block_.add_piece(copy, map_->swizzled ? swizzled_address(dense) : dense,
                                          global + static_cast<std::uint64_t>(begin + at),
                                          static_cast<std::uint64_t>(taken), static_cast<std::uint64_t>(inside)))
        return false;
      at += size;
    }
    return true;
  }

  Block& block_;
  const Step& step_;
  unsigned thread_, lane_;
  Warp& warp_;
  const TensorMap* map_ = nullptr;
  std::uint64_t shared_ = 0;
  std::vector<std::int64_t> start_;  ///< the coordinates
  std::int64_t row_ = 0;             ///< bytes
};

void tensor_load(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { Box(block, warp, step, lane).load(); });
}

void tensor_store(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { Box(block, warp, step, lane).store(); });
}

}  // namespace

Behaviour tensor_behaviour(Opcode code) {
  switch (code) {
    case Opcode::tensor_load:
      return {tensor_load};
    case Opcode::tensor_store:
      return {tensor_store};
    default:
      return {};
  }
}

Result<void> check_tensor_maps(const Program& program, std::span<const std::int64_t> words) {
  for (const MapUse& use : program.map_uses) {
    const auto word = static_cast<std::uint64_t>(words[use.parameter]);
    const std::string fault = word == 0 ? "at address 0" : find_fault(tensor_map_at(word), use.rank);
    if (!fault.empty())
      return fail("K106", fmt::format("kernel {} is given a tensor map {} for {}", program.kernel->name, fault,
                                      value_text(*program.kernel, program.kernel->parameters[use.parameter].value)));
  }
  return {};
}

std::uint64_t global_granule(const Program& program, std::span<const std::int64_t> words) {
  std::uint64_t granule = program.global_granule;
  for (const MapUse& use : program.map_uses) {
    const TensorMap& map = tensor_map_at(static_cast<std::uint64_t>(words[use.parameter]));
    granule = std::gcd(granule, static_cast<std::uint64_t>(map.extents[0] * map.element_bytes));
  }
  return granule;
}

}  // namespace tilewright::kernel::simulator
