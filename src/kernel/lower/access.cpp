// Addresses, masks, loads and stores of tile_to_kernel.
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"
#include "support/overloaded.h"
#include "tile/walk.h"

namespace tilewright::kernel::lowering {
namespace {

constexpr std::int64_t line_bytes = 64;  ///< of a cache line

IntExpr stride_bytes(const tile::Tensor& tensor, std::size_t axis) {
  switch (tensor.strides[axis]) {
    case StrideClass::zero:
      return 0;
    case StrideClass::one:
      return bytes_of(tensor.dtype);
    case StrideClass::other:
      break;
  }
  return IntExpr::symbol(tensor.name + ".s" + std::to_string(axis)) * bytes_of(tensor.dtype);
}

/// align · factor where 64 bits hold it, else `align`.
std::int64_t divisor_of_product(std::int64_t align, std::int64_t factor) {
  std::int64_t product = 0;
  const bool fits =
      !__builtin_mul_overflow(align, factor, &product) && product != std::numeric_limits<std::int64_t>::min();
  return fits ? product : align;
}

}  // namespace

IntExpr constant_bytes(const tile::Tensor& tensor, const std::vector<tile::Affine>& index) {
  IntExpr sum = 0;
  for (std::size_t slot = 0; slot < index.size(); ++slot)
    if (index[slot].constant != 0) sum = sum + stride_bytes(tensor, slot) * index[slot].constant;
  return sum;
}

namespace {

std::string affine_key(const std::vector<tile::Affine>& index) {
  std::string key;
  for (const tile::Affine& slot : index) {
    for (const tile::Affine::Term& term : slot.terms)
      key += std::to_string(term.coefficient) + "*" + std::to_string(term.iter.index) + "+";
    key += std::to_string(slot.constant) + ",";
  }
  return key;
}

/// Of a split reduction, into the part's place.
bool stores_part(const tile::Store& store) {
  return std::ranges::any_of(store.index, [](const tile::StoreIndex& slot) { return slot.block.has_value(); });
}

}  // namespace

AccessMap Lowering::tensor_access(tile::TensorId id, const std::vector<tile::Affine>& index) const {
  const tile::Tensor& tensor = program_.tensors[id];
  AccessMap map;
  map.base_align = tensor.align;
  for (std::size_t slot = 0; slot < index.size(); ++slot) {
    const IntExpr stride = stride_bytes(tensor, slot);
    if (stride.is_constant(0)) continue;
    const std::int64_t align =
        tensor.strides[slot] == StrideClass::one ? bytes_of(tensor.dtype) : std::int64_t{tensor.stride_align};
    map.base_align = std::gcd(map.base_align, divisor_of_product(align, index[slot].constant));
    for (const tile::Affine::Term& term : index[slot].terms) {
      IntExpr& bytes = map.bytes[term.iter];
      bytes = bytes + stride * term.coefficient;
      map.align[term.iter] = std::gcd(map.align[term.iter], divisor_of_product(align, term.coefficient));
    }
  }
  return map;
}

/// A coordinate c of a packed axis lies at (c / inner) · outer + (c % inner) · inner_stride. Scopes start at multiples
/// of `inner`, where that is c · (outer / inner): the running pointer's step. Positions inside a tile add the rest. An
/// axis of one panel is c · inner_stride throughout.
AccessMap Lowering::buffer_access(tile::BufferId id) const {
  const tile::Buffer& buffer = program_.buffers[id];
  AccessMap map;
  map.buffer = id;
  map.base_align = 64;
  for (const tile::BufferAxis& axis : buffer.axes) {
    if (axis.inner == 1 && axis.outer_stride.is_constant())
      map.align[axis.iter] = axis.outer_stride.constant() * bytes_of(buffer.dtype);
    else
      map.align[axis.iter] = 1;
    const IntExpr outer = axis.outer_stride * bytes_of(buffer.dtype);
    if (axis.capacity.is_constant(axis.inner)) {
      map.bytes[axis.iter] = axis.inner_stride * bytes_of(buffer.dtype);
      continue;
    }
    map.bytes[axis.iter] = floor_div(outer, axis.inner);
    for (std::int64_t p = 0; p < axis.inner && axis.inner > 1; ++p)
      map.positions[axis.iter].push_back(p * axis.inner_stride * bytes_of(buffer.dtype));
  }
  return map;
}

std::string Lowering::access_key(const tile::Op& op) const {
  if (const auto* load = std::get_if<tile::Load>(&op.node))
    return "t" + std::to_string(load->tensor.index) + ":" + affine_key(load->index);
  if (const auto* prefetch = std::get_if<tile::Prefetch>(&op.node))
    return "t" + std::to_string(prefetch->tensor.index) + ":" + affine_key(prefetch->index);
  if (const auto* store = std::get_if<tile::Store>(&op.node))
    return "t" + std::to_string(store->tensor.index) + ":" + affine_key(tile::index_of(*store));
  if (const auto* copy = std::get_if<tile::Copy>(&op.node))
    return "c" + std::to_string(copy->tensor.index) + ":" + affine_key(copy->index);
  if (const auto* load = std::get_if<tile::LoadBuffer>(&op.node)) return "b" + std::to_string(load->buffer.index);
  if (const auto* store = std::get_if<tile::StoreBuffer>(&op.node)) return "b" + std::to_string(store->buffer.index);
  return {};
}

void Lowering::register_accesses(const tile::Block& block) {
  tile::walk(block, [&](const tile::Op& op) {
    const std::string key = access_key(op);
    if (key.empty() || accesses_.contains(key)) return;
    const auto of_tensor = [&](tile::TensorId tensor, const std::vector<tile::Affine>& index) {
      accesses_[key] = tensor_access(tensor, index);
      pointers_[key] = build_.offset(tensors_.at(tensor), distance(constant_bytes(program_.tensors[tensor], index)));
      if (!std::holds_alternative<tile::Copy>(op.node)) pointers_[key] = thread_pointer(key, pointers_.at(key));
    };
    if (const auto* copy = std::get_if<tile::Copy>(&op.node)) of_tensor(copy->tensor, copy->index);
    if (const auto* load = std::get_if<tile::Load>(&op.node)) of_tensor(load->tensor, load->index);
    if (const auto* prefetch = std::get_if<tile::Prefetch>(&op.node)) of_tensor(prefetch->tensor, prefetch->index);
    if (const auto* store = std::get_if<tile::Store>(&op.node)) of_tensor(store->tensor, tile::index_of(*store));
    const auto of_buffer = [&](tile::BufferId buffer) {
      accesses_[key] = buffer_access(buffer);
      if (workspace_.valid()) pointers_[key] = workspace_;
    };
    if (const auto* load = std::get_if<tile::LoadBuffer>(&op.node)) of_buffer(load->buffer);
    if (const auto* store = std::get_if<tile::StoreBuffer>(&op.node)) of_buffer(store->buffer);
  });
}

ValueId Lowering::position_bytes(const AccessMap& map, const Axis& axis, std::int64_t position) {
  const auto packed = map.positions.find(axis.iter);
  const std::int64_t coordinate = axis.offset(axis.lanes ? position * lanes_of({axis}) : position);
  if (packed != map.positions.end()) return distance(packed->second[static_cast<std::size_t>(coordinate)]);
  const auto bytes = map.bytes.find(axis.iter);
  return bytes == map.bytes.end() ? build_.index(0) : distance(bytes->second * coordinate);
}

/// The address of a tile's vector. With `clamp`, unrolled coordinates outside of their scope take the address of the
/// scope's base, which is always inside: such elements are unspecified, and memory outside is not touched. A thread may
/// stand outside as a whole; threads mask instead.
ValueId Lowering::address(const std::string& key, const Registers& tile, const Positions& at, bool clamp) {
  const AccessMap& map = accesses_.at(key);
  ValueId pointer = pointers_.at(key);
  for (const Axis& axis : tile.axes) {
    const std::int64_t position = at.at(axis.iter);
    if (position == 0) continue;
    ValueId bytes = position_bytes(map, axis, position);
    if (clamp && !has_threads() && !axis.lanes && !scopes_.at(axis.iter).full && build_.constant_int(bytes) != 0)
      bytes = build_.select(is_inside(axis, position), bytes, build_.index(0));
    pointer = build_.offset(pointer, bytes);
  }
  return pointer;
}

ValueId Lowering::is_inside(const Axis& axis, std::int64_t position) {
  const ValueId coordinate = build_.add(base(axis.iter), build_.index(axis.offset(position)));
  return build_.cmp(Predicate::slt, coordinate, scopes_.at(axis.iter).limit);
}

/// Of an iterator that threads lie along: the thread's own point is inside.
ValueId Lowering::is_thread_inside(IterId iter) {
  return build_.cmp(Predicate::slt, base(iter), scopes_.at(iter).limit);
}

/// Both hold; invalid ones always do.
ValueId Lowering::all(ValueId a, ValueId b) {
  if (!a.valid() || !b.valid()) return a.valid() ? a : b;
  const int lanes = std::max(build_.type(a).lanes, build_.type(b).lanes);
  const auto spread = [&](ValueId value) {
    return build_.type(value).lanes < lanes ? build_.splat(value, lanes) : value;
  };
  return build_.binary(Opcode::bit_and, spread(a), spread(b));
}

/// Which elements of a thread's vector its access may touch: i1 a lane, or one i1 for all. Invalid: all of them.
ValueId Lowering::elements_inside(const std::string& key, const Registers& tile, const Positions& at) {
  const AccessMap& map = accesses_.at(key);
  ValueId inside;
  const auto concerns = [&](IterId iter) { return map.bytes.contains(iter) && !scopes_.at(iter).full; };
  for (const Axis& axis : tile.axes)
    if (concerns(axis.iter))
      inside = all(inside, axis.lanes && lanes_of({axis}) > 1 ? lane_mask(axis, at.at(axis.iter))
                                                              : is_inside(axis, at.at(axis.iter)));
  for (const tile::ThreadAxis& threads : program_.threads) {
    const bool is_axis = std::ranges::find(tile.axes, threads.iter, &Axis::iter) != tile.axes.end();
    if (!is_axis && concerns(threads.iter)) inside = all(inside, is_thread_inside(threads.iter));
  }
  return inside;
}

/// How many of the vector's lanes are inside, 0 to all. Invalid where the whole axis is known to be.
ValueId Lowering::lanes_inside(const Axis& axis, std::int64_t position) {
  const Scope& scope = scopes_.at(axis.iter);
  if (scope.full) return {};
  const int lanes = lanes_of({axis});
  const ValueId start = build_.add(base(axis.iter), build_.index(axis.offset(position * lanes)));
  const ValueId remaining = build_.binary(Opcode::smin, build_.sub(scope.limit, start), build_.index(lanes));
  return build_.binary(Opcode::smax, remaining, build_.index(0));
}

/// i1 a lane: the coordinate is inside. Invalid where the whole axis is known to be.
ValueId Lowering::lane_mask(const Axis& axis, std::int64_t position) {
  const ValueId inside = lanes_inside(axis, position);
  if (!inside.valid()) return {};
  const int lanes = lanes_of({axis});
  const ValueId bound = build_.splat(build_.convert(Opcode::trunc, inside, Element::i32), lanes);
  return build_.cmp(Predicate::slt, build_.iota({Element::i32, static_cast<std::uint16_t>(lanes)}), bound);
}

/// Processors mask lanes of 32 and 64 bits; for smaller ones a mask would become a branch a lane. Their ragged vectors
/// pass through a local buffer, element by element.
bool Lowering::masks_by_copy(DType dtype) const {
  return !has_threads() && bits(memory_element(dtype)) < 32;
}

void Lowering::copy_elements(ValueId from, ValueId to, ValueId count, Type element) {
  const ValueId size = build_.index(bits(element.element) / 8);
  const Access access{static_cast<std::uint32_t>(bits(element.element) / 8), false};
  build_.for_loop(build_.index(0), build_.mul(count, size), size, {}, [&](ValueId at, const std::vector<ValueId>&) {
    build_.store(build_.load(element, build_.offset(from, at), access), build_.offset(to, at), access);
    return std::vector<ValueId>{};
  });
}

ValueId Lowering::edge_buffer() {
  if (!edge_buffer_.valid()) edge_buffer_ = build_.local(max_edge_bytes);
  return edge_buffer_;
}

ValueId Lowering::load_by_copy(Type type, ValueId pointer, ValueId count) {
  const Access access{static_cast<std::uint32_t>(bits(type.element) / 8), false};
  const Scalar zero = is_float(type.element) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0});
  build_.store(build_.constant(type, zero), edge_buffer(), access);
  copy_elements(pointer, edge_buffer(), count, type.scalar());
  return build_.load(type, edge_buffer(), access);
}

void Lowering::store_by_copy(ValueId value, ValueId pointer, ValueId count) {
  const Type type = build_.type(value);
  build_.store(value, edge_buffer(), {static_cast<std::uint32_t>(bits(type.element) / 8), false});
  copy_elements(edge_buffer(), pointer, count, type.scalar());
}

/// How far apart neighbouring lanes lie: zero, one element, or another distance (no lanes: zero).
StrideClass Lowering::lane_stride(tile::TensorId tensor, const std::vector<tile::Affine>& index,
                                  const Registers& tile) const {
  const auto lanes = std::ranges::find_if(tile.axes, &Axis::lanes);
  if (lanes == tile.axes.end()) return StrideClass::zero;
  const AccessMap map = tensor_access(tensor, index);
  const auto bytes = map.bytes.find(lanes->iter);
  if (bytes == map.bytes.end()) return StrideClass::zero;
  return bytes->second.is_constant(bytes_of(tile.dtype)) ? StrideClass::one : StrideClass::other;
}

ValueId Lowering::load_vector(const std::string& key, const Registers& tile, const Positions& at,
                              StrideClass lane_stride, std::uint32_t align, ValueId mask) {
  const int lanes = lanes_of(tile.axes);
  const Type type{memory_element(tile.dtype), static_cast<std::uint16_t>(lanes)};
  const ValueId pointer = address(key, tile, at, true);
  switch (lane_stride) {
    case StrideClass::zero: {
      const ValueId scalar = from_memory(build_, build_.load(type.scalar(), pointer, {align, false}, mask), tile.dtype);
      return build_.splat(scalar, lanes);
    }
    case StrideClass::one:
      if (has_threads() && !mask.valid()) align = vector_align(accesses_.at(key), tile.axes);
      return from_memory(build_, build_.load(type, pointer, {align, false}, mask), tile.dtype);
    case StrideClass::other:
      break;
  }
  const auto axis = std::ranges::find_if(tile.axes, &Axis::lanes);
  const ValueId stride = build_.splat(distance(accesses_.at(key).bytes.at(axis->iter)), lanes);
  const ValueId offsets = build_.mul(build_.iota({Element::i64, type.lanes}), stride);
  if (mask.valid() && build_.type(mask).lanes < lanes) mask = build_.splat(mask, lanes);
  return from_memory(build_, build_.gather(type, pointer, offsets, {align, false}, mask), tile.dtype);
}

Registers Lowering::load(const tile::Op& op, const tile::Load& load) {
  if (load.otherwise) return load_or_else(op, load);
  Registers tile = make(op.results[0]);
  const StrideClass stride = lane_stride(load.tensor, load.index, tile);
  const std::string key = access_key(op);
  const auto align = static_cast<std::uint32_t>(bytes_of(tile.dtype));
  const auto lanes = std::ranges::find_if(tile.axes, &Axis::lanes);
  if (has_threads()) {
    each_position(tile.axes, [&](const Positions& at) {
      ValueId mask = elements_inside(key, tile, at);
      if (mask.valid() && stride == StrideClass::one && build_.type(mask).lanes < lanes_of(tile.axes))
        mask = build_.splat(mask, lanes_of(tile.axes));
      tile.values.push_back(load_vector(key, tile, at, stride, align, mask));
    });
    return tile;
  }
  each_position(tile.axes, [&](const Positions& at) {
    const bool masked = lanes != tile.axes.end() && stride != StrideClass::zero;
    if (masked && stride == StrideClass::one && masks_by_copy(tile.dtype) && !scopes_.at(lanes->iter).full) {
      const Type type{memory_element(tile.dtype), static_cast<std::uint16_t>(lanes_of(tile.axes))};
      const ValueId count = lanes_inside(*lanes, at.at(lanes->iter));
      tile.values.push_back(from_memory(build_, load_by_copy(type, address(key, tile, at, true), count), tile.dtype));
      return;
    }
    const ValueId mask = masked ? lane_mask(*lanes, at.at(lanes->iter)) : ValueId{};
    tile.values.push_back(load_vector(key, tile, at, stride, align, mask));
  });
  return tile;
}

Registers Lowering::load_buffer(const tile::Op& op) {
  if (has_threads()) return load_shared(op);
  Registers tile = make(op.results[0]);
  const std::string key = access_key(op);
  const int lanes = lanes_of(tile.axes);
  const Type type{memory_element(tile.dtype), static_cast<std::uint16_t>(lanes)};
  const auto align = static_cast<std::uint32_t>(bytes_of(tile.dtype));
  each_position(tile.axes, [&](const Positions& at) {
    const ValueId pointer = address(key, tile, at, false);
    tile.values.push_back(from_memory(build_, build_.load(type, pointer, {align, false}), tile.dtype));
  });
  return tile;
}

/// i1 (a lane) for one vector of the tile: every slot of the index lies in the tensor. Slots without `else` never
/// leave.
ValueId Lowering::index_inside(const tile::Load& load, const Registers& tile, const Positions& at) {
  const tile::Tensor& tensor = program_.tensors[load.tensor];
  const int lanes = lanes_of(tile.axes);
  ValueId inside;
  for (std::size_t slot = 0; slot < load.index.size(); ++slot) {
    ValueId index = build_.index(load.index[slot].constant);
    ValueId along_lanes;
    for (const tile::Affine::Term& term : load.index[slot].terms) {
      const Axis* axis = nullptr;
      for (const Axis& candidate : tile.axes)
        if (candidate.iter == term.iter) axis = &candidate;
      std::int64_t position = axis ? at.at(axis->iter) : 0;
      if (axis) position = axis->offset(axis->lanes ? position * lanes : position);
      const ValueId coordinate = build_.add(base(term.iter), build_.index(position));
      const ValueId coefficient = build_.index(term.coefficient);
      index = build_.add(index, build_.mul(coordinate, coefficient));
      if (axis && axis->lanes)
        along_lanes = build_.mul(build_.iota({Element::i64, static_cast<std::uint16_t>(lanes)}),
                                 build_.splat(coefficient, lanes));
    }
    // One unsigned comparison finds both ends: a negative index is a huge one.
    ValueId extent = size(IntExpr::symbol(tensor.name + "." + std::to_string(slot)));
    if (along_lanes.valid()) {
      index = build_.add(build_.splat(index, lanes), along_lanes);
      extent = build_.splat(extent, lanes);
    }
    ValueId here = build_.cmp(Predicate::ult, index, extent);
    if (inside.valid() && build_.type(inside).lanes != build_.type(here).lanes) {
      if (build_.type(here).lanes == 1)
        here = build_.splat(here, lanes);
      else
        inside = build_.splat(inside, lanes);
    }
    inside = inside.valid() ? build_.binary(Opcode::bit_and, inside, here) : here;
  }
  return inside;
}

Registers Lowering::load_or_else(const tile::Op& op, const tile::Load& load) {
  Registers tile = make(op.results[0]);
  const StrideClass stride = lane_stride(load.tensor, load.index, tile);
  const std::string key = access_key(op);
  const auto align = static_cast<std::uint32_t>(bytes_of(tile.dtype));
  const auto lanes_axis = std::ranges::find_if(tile.axes, &Axis::lanes);
  const int lanes = lanes_of(tile.axes);
  const ValueId otherwise = constant_of(build_, tile.dtype, *load.otherwise, lanes);
  each_position(tile.axes, [&](const Positions& at) {
    ValueId inside = index_inside(load, tile, at);
    for (const Axis& axis : tile.axes) {  // outside coordinates must not touch memory either
      if (axis.lanes || scopes_.at(axis.iter).full || !inside.valid()) continue;
      ValueId here = is_inside(axis, at.at(axis.iter));
      if (build_.type(inside).lanes > 1) here = build_.splat(here, lanes);
      inside = build_.binary(Opcode::bit_and, inside, here);
    }
    if (!inside.valid()) {  // rank 0
      tile.values.push_back(load_vector(key, tile, at, stride, align, {}));
    } else if (build_.type(inside).lanes > 1 || (lanes > 1 && stride != StrideClass::zero)) {
      if (build_.type(inside).lanes == 1) inside = build_.splat(inside, lanes);
      ValueId mask = inside;
      const ValueId in_scope = lane_mask(*lanes_axis, at.at(lanes_axis->iter));
      if (in_scope.valid()) mask = build_.binary(Opcode::bit_and, mask, in_scope);
      // A broadcast along lanes of which some are outside: gather the one address.
      const bool broadcast = stride == StrideClass::zero;
      ValueId value;
      if (broadcast) {
        const Type type{memory_element(tile.dtype), static_cast<std::uint16_t>(lanes)};
        const ValueId zeros = build_.splat(build_.index(0), lanes);
        value = from_memory(build_, build_.gather(type, address(key, tile, at, false), zeros, {align, false}, mask),
                            tile.dtype);
      } else {
        value = load_vector(key, tile, at, stride, align, mask);
      }
      tile.values.push_back(build_.select(inside, value, otherwise));
    } else {
      const ValueId scalar_otherwise = constant_of(build_, tile.dtype, *load.otherwise, 1);
      const Type type{memory_element(tile.dtype), 1};
      const auto loaded = [&](ValueId mask) {
        return from_memory(build_, build_.load(type, address(key, tile, at, false), {align, false}, mask), tile.dtype);
      };
      const ValueId value = has_threads() ? build_.select(inside, loaded(inside), scalar_otherwise)
                                          : build_.if_then(
                                                inside, [&] { return std::vector{loaded({})}; },
                                                [&] { return std::vector{scalar_otherwise}; })[0];
      tile.values.push_back(lanes > 1 ? build_.splat(value, lanes) : value);
    }
  });
  return tile;
}

void Lowering::store(const tile::Op& op, const tile::Store& store) {
  if (store.through.valid()) return store_by_engine(store);
  const Registers tile = tiles_.at(store.value);
  const StrideClass stride = lane_stride(store.tensor, tile::index_of(store), tile);
  if (const auto wide = wide_store(access_key(op), tile, stride); wide && !stores_part(store))
    return store_wide(op, store, *wide);
  store_tile(op, store, tile);
}

/// Of the block of so many points that the iterator's scope lies in: where the grid cuts such, the point's number.
ValueId Lowering::block_number(const tile::StoreIndex& index) {
  const auto number = point_numbers_.find(index.iter);
  if (number != point_numbers_.end() && number->second.step == *index.block) return number->second.value;
  return build_.binary(Opcode::udiv, scopes_.at(index.iter).base, size(*index.block));
}

void Lowering::store_tile(const tile::Op& op, const tile::Store& store, const Registers& tile) {
  const std::vector<tile::Affine> index = tile::index_of(store);
  const StrideClass stride = lane_stride(store.tensor, index, tile);
  const std::string key = access_key(op);
  const auto lanes_axis = std::ranges::find_if(tile.axes, &Axis::lanes);
  const int lanes = lanes_of(tile.axes);
  const auto element_bytes = static_cast<std::uint32_t>(bytes_of(tile.dtype));

  ValueId part = build_.index(0);
  const bool is_part = stores_part(store);
  for (std::size_t slot = 0; slot < store.index.size(); ++slot) {
    if (!store.index[slot].block) continue;
    const ValueId number = block_number(store.index[slot]);
    part = build_.add(part, build_.mul(number, distance(stride_bytes(program_.tensors[store.tensor], slot))));
  }
  each_position(tile.axes, [&](const Positions& at) {
    const ValueId value = to_memory(build_, this->at(tile, at, lanes), tile.dtype);
    ValueId row_inside;
    for (const Axis& axis : tile.axes) {
      if (axis.lanes && lanes > 1) continue;
      if ((axis.size == 1 && !has_threads()) || scopes_.at(axis.iter).full) continue;
      row_inside = all(row_inside, is_inside(axis, at.at(axis.iter)));
    }
    for (const tile::ThreadAxis& threads : program_.threads) {
      const auto slot = std::ranges::find(store.index, threads.iter, &tile::StoreIndex::iter);
      if (std::ranges::find(tile.axes, threads.iter, &Axis::iter) != tile.axes.end()) continue;
      if (slot == store.index.end() || slot->block)
        row_inside = all(row_inside, thread_is_first(threads.iter));
      else if (!scopes_.at(threads.iter).full)
        row_inside = all(row_inside, is_thread_inside(threads.iter));
    }
    const auto write = [&] {
      const ValueId pointer = build_.offset(address(key, tile, at, false), part);
      const ValueId mask = lanes > 1 ? lane_mask(*lanes_axis, at.at(lanes_axis->iter)) : ValueId{};
      if (lanes == 1) {
        build_.store(value, pointer, {element_bytes, false});
      } else if (stride == StrideClass::one && mask.valid() && masks_by_copy(tile.dtype)) {
        store_by_copy(value, pointer, lanes_inside(*lanes_axis, at.at(lanes_axis->iter)));
      } else if (stride == StrideClass::one) {
        const bool stream = store.nontemporal && !mask.valid();
        std::uint32_t align = stream ? element_bytes * static_cast<std::uint32_t>(lanes) : element_bytes;
        if (has_threads() && !mask.valid() && !is_part) align = vector_align(accesses_.at(key), tile.axes);
        build_.store(value, pointer, {align, stream}, mask);
      } else {
        const auto bytes = accesses_.at(key).bytes.find(lanes_axis->iter);
        const ValueId step = bytes == accesses_.at(key).bytes.end() ? build_.index(0) : distance(bytes->second);
        const ValueId offsets =
            build_.mul(build_.iota({Element::i64, static_cast<std::uint16_t>(lanes)}), build_.splat(step, lanes));
        build_.scatter(value, pointer, offsets, {element_bytes, false}, mask);
      }
      return std::vector<ValueId>{};
    };
    if (row_inside.valid())
      build_.if_then(row_inside, write, [] { return std::vector<ValueId>{}; });
    else
      write();
  });
}

void Lowering::store_buffer(const tile::Op& op, const tile::StoreBuffer& store) {
  const Registers tile = tiles_.at(store.value);
  const std::string key = access_key(op);
  const int lanes = lanes_of(tile.axes);
  const auto align = static_cast<std::uint32_t>(bytes_of(tile.dtype));
  each_position(tile.axes, [&](const Positions& at) {
    const ValueId value = to_memory(build_, this->at(tile, at, lanes), tile.dtype);
    build_.store(value, address(key, tile, at, false), {align, false});
  });
}

/// One hint a cache line where lanes are contiguous; elements that are scattered along the lanes are left alone.
void Lowering::prefetch(const tile::Op& op, const tile::Prefetch& prefetch) {
  const Registers tile{prefetch.type.dtype, prefetch.type.axes, {}};
  if (lane_stride(prefetch.tensor, prefetch.index, tile) != StrideClass::one) return;
  const std::int64_t vector_bytes = lanes_of(tile.axes) * bytes_of(tile.dtype);
  const auto lanes = std::ranges::find_if(tile.axes, &Axis::lanes);
  const std::string key = access_key(op);
  each_position(tile.axes, [&](const Positions& at) {
    if (at.at(lanes->iter) * vector_bytes % line_bytes < vector_bytes) build_.prefetch(address(key, tile, at, false));
  });
}

}  // namespace tilewright::kernel::lowering
