// The threads of a GPU's block in tile_to_kernel: where each stands, and what they do together.
#include <algorithm>
#include <bit>
#include <numeric>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"
#include "tile/walk.h"

namespace tilewright::kernel::lowering {
namespace {

std::int64_t count_of(const tile::Program& program) {
  return tile::block_threads(program);
}

/// Threads between two neighbours along the axis.
std::int64_t apart(const tile::Program& program, IterId iter) {
  std::int64_t threads = 1;
  for (const tile::ThreadAxis& axis : program.threads) threads = axis.iter == iter ? 1 : threads * axis.count;
  return threads;
}

}  // namespace

/// The thread's number splits into one along each axis, the last fastest.
void Lowering::declare_threads() {
  thread_ = build_.special(Special::thread, Element::i32);
  ValueId rest = thread_;
  for (auto axis = program_.threads.rbegin(); axis != program_.threads.rend(); ++axis) {
    const bool outermost = axis + 1 == program_.threads.rend();
    const ValueId count = i32(axis->count);
    const ValueId place = outermost ? rest : build_.binary(Opcode::urem, rest, count);
    if (!outermost) rest = build_.binary(Opcode::udiv, rest, count);
    const ValueId offset = build_.mul(build_.convert(Opcode::zext, place, Element::i64), build_.index(axis->step));
    thread_granules_[axis->iter] = std::gcd(thread_granules_[axis->iter], axis->step);
    ValueId& sum = thread_offsets_[axis->iter];
    sum = sum.valid() ? build_.add(sum, offset) : offset;
    ValueId& places = thread_places_[axis->iter];  // 0 where all of them are
    places = places.valid() ? build_.binary(Opcode::bit_or, places, place) : place;
  }
  declare_units();
  tile::walk(program_.body, [&](const tile::Op& op) {
    if (const auto* loop = std::get_if<tile::For>(&op.node); loop && loop->stages > 1) allocate_ring(*loop);
  });
  for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
    const tile::BufferId id{static_cast<std::uint32_t>(b)};
    const tile::Buffer& buffer = program_.buffers[id];
    if (shared_.contains(id)) continue;
    if (!buffer.elements.is_constant()) internal_error("a block's buffer " + buffer.name + " has no constant size");
    const std::int64_t bytes = std::max<std::int64_t>(buffer.elements.constant() * bytes_of(buffer.dtype), 1);
    shared_[id] = buffer.space != tile::Space::shared ? build_.local(bytes)
                  : buffer.swizzled                   ? build_.shared(bytes, swizzle_align)
                                                      : build_.shared(bytes);
  }
}

bool Lowering::has_thread_axis(IterId iter) const {
  return tile::find_threads(program_, iter) != nullptr;
}

/// Where the thread stands in the iterator's scope.
ValueId Lowering::base(IterId iter) {
  const ValueId block = scopes_.at(iter).base;
  const auto offset = thread_offsets_.find(iter);
  return offset == thread_offsets_.end() ? block : build_.add(block, offset->second);
}

ValueId Lowering::thread_is_first(IterId iter) {
  return build_.cmp(Predicate::eq, thread_places_.at(iter), i32(0));
}

/// The thread's place, added once to the address at the block's base: scopes move both alike.
ValueId Lowering::thread_pointer(const std::string& key, ValueId pointer) {
  for (const auto& [iter, offset] : thread_offsets_)
    if (const auto bytes = accesses_.at(key).bytes.find(iter); bytes != accesses_.at(key).bytes.end())
      pointer = build_.offset(pointer, build_.mul(offset, distance(bytes->second)));
  return pointer;
}

/// Coordinates count from the block's base in shared memory, from the thread's in its own.
void Lowering::allocate_shared(tile::BufferId buffer) {
  const bool is_shared = program_.buffers[buffer].space == tile::Space::shared;
  for (const auto& [key, map] : accesses_)
    if (map.buffer == buffer) pointers_[key] = is_shared ? thread_pointer(key, shared_.at(buffer)) : shared_.at(buffer);
}

// ---- Alignment ----

/// What the iterator's bases, the thread's too, are multiples of; 0: it stands at 0.
std::int64_t Lowering::granule(IterId iter) const {
  const auto threads = thread_granules_.find(iter);
  return std::gcd(scopes_.at(iter).granule, threads == thread_granules_.end() ? 0 : threads->second);
}

/// Of the vectors of a tile over these axes, in bytes.
std::uint32_t Lowering::vector_align(const AccessMap& map, const std::vector<Axis>& axes) const {
  std::int64_t align = std::min(power_in(map.base_align), widest_access);
  for (const auto& [iter, bytes] : map.align) {
    std::int64_t step = granule(iter);
    for (const Axis& axis : axes) {
      if (axis.iter != iter || axis.size == 1) continue;
      const int lanes = lanes_of({axis});
      if (axis.size > lanes) step = std::gcd(step, lanes);
      if (axis.chunk > 0) step = std::gcd(step, axis.apart);
    }
    align = std::min(align, power_in(bytes * step));
  }
  return static_cast<std::uint32_t>(align);
}

// ---- Shared memory ----

/// A tile from shared memory. Where its lanes are not neighbours there but another axis is, vectors along that one are
/// loaded and taken apart.
Registers Lowering::load_shared(const tile::Op& op) {
  Registers tile = make(op.results[0]);
  const std::string key = access_key(op);
  const AccessMap& map = accesses_.at(key);
  const std::int64_t element = bytes_of(tile.dtype);
  const Element stored = memory_element(tile.dtype);
  const int lanes = lanes_of(tile.axes);
  const auto is_dense = [&](const Axis& axis) {
    const auto bytes = map.bytes.find(axis.iter);
    return bytes != map.bytes.end() && bytes->second.is_constant(element);
  };
  const auto lanes_axis = std::ranges::find_if(tile.axes, &Axis::lanes);
  if (lanes > 1) {
    const bool dense = is_dense(*lanes_axis);
    const auto align = dense ? std::max(vector_align(map, tile.axes), static_cast<std::uint32_t>(element))
                             : static_cast<std::uint32_t>(element);
    each_position(tile.axes, [&](const Positions& at) {
      const ValueId pointer = address(key, tile, at, false);
      const Type type{stored, static_cast<std::uint16_t>(lanes)};
      if (dense) {
        tile.values.push_back(from_memory(build_, build_.load(type, pointer, {align, false}), tile.dtype));
        return;
      }
      const ValueId stride = build_.splat(distance(map.bytes.at(lanes_axis->iter)), lanes);
      const ValueId offsets = build_.mul(build_.iota({Element::i64, type.lanes}), stride);
      tile.values.push_back(from_memory(build_, build_.gather(type, pointer, offsets, {align, false}), tile.dtype));
    });
    return tile;
  }
  std::vector<Axis> whole = tile.axes;
  const auto axis = std::ranges::find_if(whole, [&](const Axis& each) { return each.size > 1 && is_dense(each); });
  std::int64_t wide = 1;
  if (axis != whole.end()) {
    wide = std::gcd(axis->chunk > 0 ? axis->chunk : axis->size, widest_access / std::min(element, widest_access));
    axis->lanes = true;  // for the alignment alone
    while (wide > 1 && std::gcd(std::int64_t{vector_align(map, whole)}, wide * element) < wide * element) wide /= 2;
    axis->lanes = false;
  }
  std::map<std::size_t, ValueId> vectors;  // by the offset of their first element
  const auto align = static_cast<std::uint32_t>(wide * element);
  each_position(tile.axes, [&](const Positions& at) {
    Positions first = at;
    const std::int64_t lane = wide > 1 ? at.at(axis->iter) % wide : 0;
    if (wide > 1) first.at(axis->iter) -= lane;
    ValueId& vector = vectors[offset_of(tile, first)];
    if (!vector.valid())
      vector =
          build_.load({stored, static_cast<std::uint16_t>(wide)}, address(key, tile, first, false), {align, false});
    const ValueId value = wide > 1 ? build_.extract(vector, static_cast<int>(lane)) : vector;
    tile.values.push_back(from_memory(build_, value, tile.dtype));
  });
  return tile;
}

// ---- Across threads ----

/// The value of the thread whose number differs from this one's by the bit `distance`.
ValueId Lowering::shuffle_across(ValueId value, std::int64_t distance) {
  const ValueId lane = i32(distance);
  const Element element = build_.type(value).element;
  if (bits(element) >= 32) return build_.warp_shuffle(ShuffleMode::by_xor, value, lane);
  // Exchanges move words.
  const Element narrow = !is_float(element) ? element : bits(element) == 16 ? Element::i16 : Element::i8;
  ValueId word = is_float(element) ? build_.convert(Opcode::bitcast, value, narrow) : value;
  word = build_.warp_shuffle(ShuffleMode::by_xor, build_.convert(Opcode::zext, word, Element::i32), lane);
  word = build_.convert(Opcode::trunc, word, narrow);
  return is_float(element) ? build_.convert(Opcode::bitcast, word, element) : word;
}

/// Folds what `count` threads hold whose numbers lie `apart`, through shared memory, in the order of their numbers.
ValueId Lowering::fold_in_shared(ValueId value, DType dtype, ScalarOp fold, std::int64_t count, std::int64_t apart) {
  const std::int64_t element = bytes_of(dtype);
  const auto align = static_cast<std::uint32_t>(element);
  const Type type{memory_element(dtype), 1};
  ValueId& memory = exchanges_[element];
  if (!memory.valid()) memory = build_.shared(count_of(program_) * element);
  const auto address = [&](ValueId thread) {
    return build_.offset(memory, build_.mul(build_.convert(Opcode::zext, thread, Element::i64), build_.index(element)));
  };
  // What was exchanged here before has been read by now.
  barrier();
  build_.store(to_memory(build_, value, dtype), address(thread_), {align, false});
  barrier();
  // The first of them: the thread's number without its place along the axis.
  const ValueId place = build_.binary(Opcode::urem, build_.binary(Opcode::udiv, thread_, i32(apart)), i32(count));
  const ValueId first = address(build_.sub(thread_, build_.mul(place, i32(apart))));
  std::vector<ValueId> terms;
  for (std::int64_t i = 0; i < count; ++i) {
    const ValueId from = build_.offset(first, build_.index(i * apart * element));
    terms.push_back(from_memory(build_, build_.load(type, from, {align, false}), dtype));
  }
  while (terms.size() > 1) {
    std::vector<ValueId> next;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2)
      next.push_back(lower_scalar_op(build_, fold, dtype, {terms[i], terms[i + 1]}));
    if (terms.size() % 2 == 1) next.push_back(terms.back());
    terms = std::move(next);
  }
  return terms[0];
}

/// Threads of one warp exchange by shuffles: in round r, threads whose numbers differ in bit r add what they hold, so
/// that all of them get the same sum. Warps exchange through shared memory.
Registers Lowering::reduce_across(const tile::Op& op, const tile::ReduceAcross& reduce) {
  Registers tile = make(op.results[0]);
  const Registers operand = tiles_.at(reduce.operand);
  const ScalarOp fold = combine(reduce.monoid);
  const std::int64_t count = tile::find_threads(program_, reduce.iter)->count;
  const std::int64_t distance = apart(program_, reduce.iter);
  // Whole warps take part, and powers of two fill them.
  const bool by_bits = std::has_single_bit(static_cast<std::uint64_t>(count)) &&
                       std::has_single_bit(static_cast<std::uint64_t>(distance)) &&
                       count_of(program_) % warp_threads == 0;
  const std::int64_t within = by_bits ? std::clamp<std::int64_t>(warp_threads / distance, 1, count) : 1;
  const int lanes = lanes_of(tile.axes);
  each_position(tile.axes, [&](const Positions& at) {
    const ValueId whole = operand.values[offset_of(operand, at)];
    ValueId result = whole;
    for (int lane = 0; lane < lanes; ++lane) {
      ValueId value = lanes > 1 ? build_.extract(whole, lane) : whole;
      for (std::int64_t bit = distance; bit < distance * within; bit *= 2)
        value = lower_scalar_op(build_, fold, tile.dtype, {value, shuffle_across(value, bit)});
      if (within < count) value = fold_in_shared(value, tile.dtype, fold, count / within, distance * within);
      result = lanes > 1 ? build_.insert(result, value, lane) : value;
    }
    tile.values.push_back(result);
  });
  return tile;
}

}  // namespace tilewright::kernel::lowering
