// Copies of a block's threads into shared memory, for tile_to_kernel.
//
// A worked example. a[i, k] of f32 is contiguous along k; the buffer holds i 128 by k 16, neighbours along i, rows of
// 132. Where a's rows are aligned, a piece is 4 elements along k: 512 pieces, 4 to a row of 16. With 256 threads there
// are two rounds; in the first, thread 5 loads a[i + 1, k + 4 … k + 7] and stores to elements (k 4 … 7) · 132 + 1.
#include <algorithm>
#include <numeric>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"

namespace tilewright::kernel::lowering {
/// The copy's pieces: the buffer's axes, the one along which the tensor's elements are neighbours last, and how many of
/// these are one access.
CopyPieces Lowering::plan_pieces(const tile::Copy& copy, const AccessMap& map) const {
  const tile::Buffer& buffer = program_.buffers[copy.buffer];
  const auto element = bytes_of(buffer.dtype);
  CopyPieces pieces;
  pieces.extents = buffer.axes;
  pieces.lane_bytes = element;
  const auto along = std::ranges::find_if(pieces.extents, [&](const tile::BufferAxis& axis) {
    const auto bytes = map.bytes.find(axis.iter);
    return bytes != map.bytes.end() && bytes->second.is_constant(element);
  });
  const bool has_neighbours = along != pieces.extents.end();
  if (has_neighbours) std::rotate(along, along + 1, pieces.extents.end());
  for (const tile::BufferAxis& axis : pieces.extents)
    for (const tile::BufferLevel& level : tile::levels_of(axis))
      pieces.axes.push_back({level.iter, level.count, level.step, level.apart * element});
  if (!pieces.axes.empty()) {
    PieceAxis& last = pieces.axes.back();
    pieces.along = last.iter;
    pieces.lane_bytes = last.bytes;
    if (has_neighbours) {
      std::int64_t lanes = copy.otherwise ? 1 : std::gcd(last.count, widest_access / element);
      const auto align_with = [&](std::int64_t step) {
        std::int64_t align = std::min(power_in(map.base_align), widest_access);
        for (const auto& [iter, bytes] : map.align) {
          const bool is_axis = std::ranges::find(buffer.axes, iter, &tile::BufferAxis::iter) != buffer.axes.end();
          const std::int64_t base = scopes_.at(iter).granule;
          align = std::min(align, power_in(bytes * (iter == last.iter ? std::gcd(base, step) : is_axis ? 1 : base)));
        }
        return align;
      };
      while (lanes > 1 && align_with(lanes) < lanes * element) lanes /= 2;
      pieces.lanes = lanes;
      last.count /= lanes;
      last.step *= lanes;
      last.bytes *= lanes;
    }
  }
  for (const PieceAxis& axis : pieces.axes) pieces.all *= axis.count;
  return pieces;
}

/// Of the piece of that number.
PiecePlace Lowering::piece_place(const CopyPieces& pieces, ValueId piece) {
  PiecePlace place;
  place.numbers.resize(pieces.axes.size());
  ValueId rest = piece;
  for (std::size_t axis = pieces.axes.size(); axis-- > 0;) {
    const PieceAxis& level = pieces.axes[axis];
    const ValueId count = i32(level.count);
    ValueId at = axis == 0 ? rest : build_.binary(Opcode::urem, rest, count);
    if (axis != 0) rest = build_.binary(Opcode::udiv, rest, count);
    at = build_.convert(Opcode::zext, at, Element::i64);
    place.numbers[axis].thread = at;
    ValueId& point = place.points[level.iter].thread;
    at = build_.mul(at, build_.index(level.step));
    point = point.valid() ? build_.add(point, at) : at;
  }
  return place;
}

/// The piece `further` pieces after the thread's own, as constants on its numbers: nullopt where the sum of their
/// digits would carry. With 256 threads and rows of 16 pieces, 256 further is 16 rows down.
std::optional<PiecePlace> Lowering::place_further(const CopyPieces& pieces, PiecePlace place,
                                                  std::int64_t further) const {
  std::int64_t own = tile::block_threads(program_);  // values that the digits so far leave to the thread's own number
  for (std::size_t axis = pieces.axes.size(); axis-- > 0;) {
    const PieceAxis& level = pieces.axes[axis];
    const std::int64_t digit = further % level.count;
    further /= level.count;
    if (own >= level.count ? own % level.count != 0 || digit != 0 : level.count % own != 0 || digit % own != 0)
      return std::nullopt;
    own = std::max<std::int64_t>(own / level.count, 1);
    place.numbers[axis].constant = digit;
    place.points.at(level.iter).constant += digit * level.step;
  }
  return place;
}

/// i1 (a lane): the piece's coordinates are inside of the block's scopes. Invalid: they all are.
ValueId Lowering::piece_inside(const CopyPieces& pieces, const PiecePlace& place) {
  ValueId inside;
  for (const tile::BufferAxis& axis : pieces.extents) {
    const Scope& scope = scopes_.at(axis.iter);
    if (scope.full && axis.capacity.is_constant(scope.length)) continue;
    const ValueId room = build_.sub(scope.limit, scope.base);
    const PieceStart& point = place.points.at(axis.iter);
    ValueId at = build_.add(point.thread, build_.index(point.constant));
    if (axis.iter != pieces.along || pieces.lanes == 1) {
      inside = all(inside, build_.cmp(Predicate::slt, at, room));
      continue;
    }
    const auto lanes = static_cast<int>(pieces.lanes);
    at = build_.add(build_.splat(at, lanes), build_.iota({Element::i64, static_cast<std::uint16_t>(lanes)}));
    inside = all(inside, build_.cmp(Predicate::slt, at, build_.splat(room, lanes)));
  }
  if (inside.valid() && build_.type(inside).lanes < pieces.lanes)
    inside = build_.splat(inside, static_cast<int>(pieces.lanes));
  return inside;
}

/// i1: every slot of a copy's index lies in the tensor.
ValueId Lowering::piece_in_tensor(const tile::Copy& copy, const PiecePlace& place) {
  ValueId inside;
  for (std::size_t slot = 0; slot < copy.index.size(); ++slot) {
    ValueId index = build_.index(copy.index[slot].constant);
    for (const tile::Affine::Term& term : copy.index[slot].terms) {
      const auto at = place.points.find(term.iter);
      const ValueId block = scopes_.at(term.iter).base;
      ValueId coordinate = block;
      if (at != place.points.end())
        coordinate = build_.add(build_.add(block, at->second.thread), build_.index(at->second.constant));
      index = build_.add(index, build_.mul(coordinate, build_.index(term.coefficient)));
    }
    const std::string extent = program_.tensors[copy.tensor].name + "." + std::to_string(slot);
    inside = all(inside, build_.cmp(Predicate::ult, index, size(IntExpr::symbol(extent))));
  }
  return inside;
}

/// The thread's part of a piece's address in the tensor.
ValueId Lowering::thread_in_tensor(const std::string& key, ValueId pointer, const PiecePlace& place) {
  for (const auto& [iter, bytes] : accesses_.at(key).bytes)
    if (const auto at = place.points.find(iter); at != place.points.end())
      pointer = build_.offset(pointer, build_.mul(at->second.thread, size(bytes)));
  return pointer;
}

/// The constants' part.
ValueId Lowering::further_in_tensor(const std::string& key, ValueId pointer, const PiecePlace& place) {
  for (const auto& [iter, bytes] : accesses_.at(key).bytes)
    if (const auto at = place.points.find(iter); at != place.points.end() && at->second.constant != 0)
      pointer = build_.offset(pointer, size(bytes * at->second.constant));
  return pointer;
}

ValueId Lowering::load_piece(const tile::Copy& copy, const CopyPieces& pieces, const PiecePlace& place) {
  const tile::Buffer& buffer = program_.buffers[copy.buffer];
  const std::string key = access_key(tile::Op{copy, {}});
  const Type type{memory_element(buffer.dtype), static_cast<std::uint16_t>(pieces.lanes)};
  const auto align = static_cast<std::uint32_t>(pieces.lanes * bits(type.element) / 8);
  const ValueId pointer = further_in_tensor(key, thread_in_tensor(key, pointers_.at(key), place), place);
  const ValueId inside = piece_inside(pieces, place);
  if (!copy.otherwise) return build_.load(type, pointer, {align, false}, inside);
  const ValueId in_tensor = piece_in_tensor(copy, place);
  const ValueId otherwise = to_memory(build_, constant_of(build_, buffer.dtype, *copy.otherwise, 1), buffer.dtype);
  if (!in_tensor.valid()) return build_.load(type, pointer, {align, false}, inside);
  const ValueId loaded =
      build_.select(in_tensor, build_.load(type, pointer, {align, false}, all(in_tensor, inside)), otherwise);
  if (!inside.valid()) return loaded;
  const Scalar zero = is_float(type.element) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0});
  return build_.select(inside, loaded, build_.constant(type, zero));
}

/// A piece's place in shared memory, as the thread's part and the constants' together.
PieceTarget Lowering::piece_target(const tile::Copy& copy, const CopyPieces& pieces, const PiecePlace& place) {
  PieceTarget target{copy.buffer, build_.index(0), 0, widest_access};
  for (std::size_t axis = 0; axis < pieces.axes.size(); ++axis) {
    const std::int64_t bytes = pieces.axes[axis].bytes;
    target.align = std::min(target.align, power_in(bytes));
    target.thread = build_.add(target.thread, build_.mul(place.numbers[axis].thread, build_.index(bytes)));
    target.constant += bytes * place.numbers[axis].constant;
  }
  return target;
}

/// The address `further` bytes behind a piece's start, in the stage that lies so many bytes behind the first (none: in
/// the first). The swizzle exchanges the 16 bytes of a row of 128 by the row's number, which is the bits from 7 up;
/// constants that are a multiple of its period, and others where there is none, are added last.
ValueId Lowering::shared_address(const PieceTarget& target, std::int64_t further, ValueId stage) {
  const bool swizzled = program_.buffers[target.buffer].swizzled;
  const std::int64_t constant = target.constant + further;
  const std::int64_t last = swizzled ? constant / swizzle_align * swizzle_align : constant;
  ValueId place = build_.add(target.thread, build_.index(constant - last));
  if (swizzled) {
    const ValueId row =
        build_.binary(Opcode::bit_and, build_.binary(Opcode::lshr, place, build_.index(7)), build_.index(7));
    place = build_.binary(Opcode::bit_xor, place, build_.binary(Opcode::shl, row, build_.index(4)));
  }
  ValueId pointer = build_.offset(shared_.at(target.buffer), place);
  if (stage.valid()) pointer = build_.offset(pointer, stage);
  return build_.offset(pointer, build_.index(last));
}

/// What a warpgroup's unit reads of f32 are 10 bits of mantissa: precision tf32 has them rounded, not cut off. Warps do
/// that to their fragments.
bool Lowering::rounds(const tile::Copy& copy) const {
  const tile::Buffer& buffer = program_.buffers[copy.buffer];
  const bool is_factor = buffer.swizzled || std::ranges::any_of(matrix_loads_, [&](const auto& load) {
                           return load.second == copy.buffer;
                         });
  return is_factor && fragments_.empty() && buffer.dtype == DType::f32;
}

void Lowering::store_piece(const tile::Copy& copy, const CopyPieces& pieces, const PiecePlace& place, ValueId value,
                           ValueId stage) {
  if (rounds(copy)) value = round_to_tf32(build_, value);
  const PieceTarget target = piece_target(copy, pieces, place);
  const auto element = bytes_of(program_.buffers[copy.buffer].dtype);
  const auto address = [&](std::int64_t further) { return shared_address(target, further, stage); };
  const auto access = [&](std::int64_t bytes) { return Access{static_cast<std::uint32_t>(bytes), false}; };
  if (pieces.lanes == 1 || pieces.lane_bytes == element)
    return build_.store(value, address(0), access(std::clamp(target.align, element, pieces.lanes * element)));
  for (int lane = 0; lane < static_cast<int>(pieces.lanes); ++lane)
    build_.store(build_.extract(value, lane), address(lane * pieces.lane_bytes), access(element));
}

/// All threads fill the buffer: its pieces are dealt to the threads' numbers, neighbours in the tensor to neighbours.
/// What is outside of the scopes is 0; where an index leaves the tensor it is the copy's other value.
void Lowering::copy(const tile::Copy& copy) {
  const CopyPieces pieces = plan_pieces(copy, accesses_.at(access_key(tile::Op{copy, {}})));
  const PiecePlace own = piece_place(pieces, thread_);
  // Loads of several rounds come before the stores.
  if (const std::vector<PiecePlace> places = places_in_rounds(pieces, own, rounds_in_place); !places.empty()) {
    std::vector<ValueId> values;
    for (const PiecePlace& place : places) values.push_back(load_piece(copy, pieces, place));
    for (std::size_t round = 0; round < values.size(); ++round) store_piece(copy, pieces, places[round], values[round]);
  } else {
    each_piece(pieces,
               [&](const PiecePlace& place) { store_piece(copy, pieces, place, load_piece(copy, pieces, place)); });
  }
  if (warpgroup_.valid() && program_.buffers[copy.buffer].swizzled) build_.gpu_op(Opcode::fence_async, {});
}

/// The thread's pieces one behind the other, as constants on its first where their number allows it. Empty: there are
/// more than `most` for each thread, or not as many for each thread.
std::vector<PiecePlace> Lowering::places_in_rounds(const CopyPieces& pieces, const PiecePlace& own, std::int64_t most) {
  const std::int64_t threads = tile::block_threads(program_);
  const std::int64_t rounds = (pieces.all + threads - 1) / threads;
  std::vector<PiecePlace> places;
  if (rounds > most || pieces.all % threads != 0) return places;
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::optional<PiecePlace> place = place_further(pieces, own, round * threads);
    if (!place) place = piece_place(pieces, build_.add(thread_, i32(round * threads)));
    places.push_back(*place);
  }
  return places;
}

/// Calls `body` with the places of the thread's pieces, in a loop where there are several.
void Lowering::each_piece(const CopyPieces& pieces, const std::function<void(const PiecePlace&)>& body) {
  const std::int64_t threads = tile::block_threads(program_);
  const auto move = [&](ValueId piece) {
    body(piece_place(pieces, piece));
    return std::vector<ValueId>{};
  };
  if (pieces.all <= threads) {
    const ValueId all_pieces = i32(pieces.all);
    build_.if_then(build_.cmp(Predicate::slt, thread_, all_pieces), [&] { return move(thread_); }, nothing);
    return;
  }
  build_.for_loop(build_.convert(Opcode::zext, thread_, Element::i64), build_.index(pieces.all), build_.index(threads),
                  {}, [&](ValueId piece, const std::vector<ValueId>&) {
                    return move(build_.convert(Opcode::trunc, piece, Element::i32));
                  });
}

}  // namespace tilewright::kernel::lowering
