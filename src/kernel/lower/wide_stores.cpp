// Stores of what neighbouring threads hold side by side, for tile_to_kernel.
//
// A worked example. Of f16 outputs that a matrix unit has summed, thread q of four has columns 2 q and 2 q + 1 of every
// eight: words that lie 16 bytes apart, a half of what memory moves at once. Four threads exchange four words each, so
// that thread q has the eight columns of number q among 32, and stores 16 bytes instead of four times four:
//
//   thread 0   w00 w01 w02 w03            w00 w10 w20 w30
//   thread 1   w10 w11 w12 w13     →      w01 w11 w21 w31
//   thread 2   w20 w21 w22 w23            w02 w12 w22 w32
//   thread 3   w30 w31 w32 w33            w03 w13 w23 w33
//
// in two rounds: with the thread whose number differs in bit 0, then in bit 1, each gives half of its words.
#include <algorithm>
#include <bit>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"

namespace tilewright::kernel::lowering {
namespace {

constexpr int word_bits = 32;

}  // namespace

/// The widening of a store: along the lanes, by the threads that lie closest. Nullopt: none, or memory is not aligned
/// for it.
std::optional<WideStore> Lowering::wide_store(const std::string& key, const Registers& tile, StrideClass stride) {
  const auto axis = std::ranges::find_if(tile.axes, &Axis::lanes);
  if (!has_threads() || program_.threads.empty() || axis == tile.axes.end() || stride != StrideClass::one)
    return std::nullopt;
  const tile::ThreadAxis& threads = program_.threads.back();
  const std::int64_t lanes = lanes_of(tile.axes);
  const Type type = build_.type(tile.values.front());
  const bool words = type.lanes == lanes && bits(type.element) * static_cast<int>(lanes) == word_bits &&
                     type.element == memory_element(tile.dtype) && bits(type.element) >= 8;
  const bool neighbours = threads.iter == axis->iter && threads.step == lanes && axis->chunk == lanes &&
                          axis->apart == threads.count * lanes && threads.count * word_bits / 8 <= widest_access &&
                          std::has_single_bit(static_cast<std::uint64_t>(threads.count)) &&
                          axis->size % (threads.count * lanes) == 0;
  const bool whole_warps = tile::block_threads(program_) % warp_threads == 0;
  if (!words || !neighbours || !whole_warps || threads.count == 1) return std::nullopt;
  WideStore wide{static_cast<std::size_t>(axis - tile.axes.begin()), threads.count, tile.axes};
  Axis& wider = wide.axes[wide.axis];
  wider.chunk = threads.count * lanes;
  wider.apart = threads.count * wider.chunk;
  const std::int64_t before = std::exchange(thread_granules_.at(axis->iter), other_granules(axis->iter, wider.chunk));
  const std::int64_t align = vector_align(accesses_.at(key), wide.axes);
  thread_granules_.at(axis->iter) = before;
  const std::int64_t bytes = wider.chunk * bytes_of(tile.dtype);
  return align >= std::min(bytes, widest_access) ? std::optional(wide) : std::nullopt;
}

/// What the thread's places along the iterator are multiples of, where the closest threads stand `step` apart.
std::int64_t Lowering::other_granules(IterId iter, std::int64_t step) const {
  for (const tile::ThreadAxis& threads : program_.threads)
    if (threads.iter == iter && &threads != &program_.threads.back()) step = std::gcd(step, threads.step);
  return step;
}

void Lowering::store_wide(const tile::Op& op, const tile::Store& store, const WideStore& wide) {
  const Registers tile = tiles_.at(store.value);
  const std::string key = access_key(op);
  const Axis& axis = tile.axes[wide.axis];
  const std::int64_t lanes = lanes_of(tile.axes);
  const Registers exchanged = exchange(tile, wide);
  // The thread stands where its first wide vector does.
  const auto saved = std::tuple(thread_offsets_, pointers_, thread_granules_);
  const ValueId number = build_.binary(Opcode::urem, thread_, i32(wide.threads));
  const ValueId further =
      build_.mul(build_.convert(Opcode::zext, number, Element::i64), build_.index((wide.threads - 1) * lanes));
  thread_offsets_.at(axis.iter) = build_.add(thread_offsets_.at(axis.iter), further);
  pointers_.at(key) = build_.offset(pointers_.at(key), build_.mul(further, build_.index(bytes_of(tile.dtype))));
  thread_granules_.at(axis.iter) = other_granules(axis.iter, wide.threads * lanes);
  store_tile(op, store, exchanged);
  std::tie(thread_offsets_, pointers_, thread_granules_) = saved;
}

Registers Lowering::exchange(const Registers& tile, const WideStore& wide) {
  Registers result{tile.dtype, wide.axes, {}};
  const IterId iter = tile.axes[wide.axis].iter;
  const auto count = static_cast<std::size_t>(wide.threads);
  const Type narrow = build_.type(tile.values.front());
  const Type word{Element::i32, 1};
  each_position(result.axes, [&](const Positions& at) {
    std::vector<ValueId> words;
    for (std::size_t i = 0; i < count; ++i) {
      Positions from = at;
      from.at(iter) = at.at(iter) * wide.threads + static_cast<std::int64_t>(i);
      words.push_back(build_.bitcast(tile.values[offset_of(tile, from)], word));
    }
    for (std::size_t bit = 1; bit < count; bit *= 2) {
      const ValueId mask = build_.constant(word, Scalar::of(static_cast<std::int64_t>(bit)));
      const ValueId zero = build_.constant(word, Scalar::of(std::int64_t{0}));
      const ValueId is_upper = build_.cmp(Predicate::ne, build_.binary(Opcode::bit_and, thread_, mask), zero);
      for (std::size_t low = 0; low < count; ++low) {
        if ((low & bit) != 0) continue;
        ValueId& a = words[low];
        ValueId& b = words[low | bit];
        const ValueId got = build_.warp_shuffle(ShuffleMode::by_xor, build_.select(is_upper, a, b), mask);
        a = build_.select(is_upper, got, a);
        b = build_.select(is_upper, b, got);
      }
    }
    // Vectors side by side, twice as long each time.
    std::vector<ValueId> parts;
    for (ValueId each : words) parts.push_back(build_.bitcast(each, narrow));
    while (parts.size() > 1) {
      std::vector<ValueId> longer;
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        std::vector<std::int32_t> lanes(2 * static_cast<std::size_t>(build_.type(parts[i]).lanes));
        std::iota(lanes.begin(), lanes.end(), 0);
        longer.push_back(build_.shuffle(parts[i], parts[i + 1], lanes));
      }
      parts = std::move(longer);
    }
    result.values.push_back(parts.front());
  });
  return result;
}

}  // namespace tilewright::kernel::lowering
