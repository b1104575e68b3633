// Contractions by the matrix unit of a warp, for tile_to_kernel: fragments that its threads load, and products of them.
//
// A worked example. a.shared holds 128 rows of 64 f16, b.shared 64 terms of 128 columns, two panels of 64 × 64; four
// warps stand two by two, `threads i 2 by 64, j 2 by 64, i 8 by 1, j 4 by 2`. A warp has 64 × 64 sums: four by eight
// products of 16 × 8, with 128 values a thread, of rows g + 8 p and columns 8 c + 2 q + e where g = t / 4 and q = t
// % 4. For each 16 terms it loads four fragments of a, 16 × 16 each, and eight of b, two at a time: a load_matrix takes
// the addresses of 32 rows of 16 bytes, one from each thread. Thread t's for a is row t % 16, piece t / 16 of the two
// that 16 terms are; for b, whose rows are terms, term t % 16 and columns 8 (t / 16) on, turned by the load.
//
// In swizzled memory row r has piece c at c xor r % 8, so that the eight rows of a matrix lie in different banks. Of a
// thread's address r is fixed, and so is the bit of c that tells its matrix from the others of a load: what is left is
// (r' xor c) · 16 for few c, computed once for the block, and constants.
#include <algorithm>
#include <limits>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"
#include "tile/walk.h"

namespace tilewright::kernel::lowering {
namespace {

using matrix_unit::piece_rows;
using matrix_unit::row_bytes;

constexpr std::int64_t piece_bytes = 16;
constexpr std::size_t row_pieces = static_cast<std::size_t>(row_bytes / piece_bytes);
constexpr std::int64_t quarter_terms = 4;  ///< that threads stand along, where they load single elements

}  // namespace

/// What lies still while the block runs: which loads units do themselves, and where warps read them.
void Lowering::declare_units() {
  tile::walk(program_.body, [&](const tile::Op& op) {
    if (const auto* load = std::get_if<tile::LoadBuffer>(&op.node)) matrix_loads_[op.results[0]] = load->buffer;
  });
  std::set<tile::ValueId> factors;
  tile::walk(program_.body, [&](const tile::Op& op) {
    const auto* contract = std::get_if<tile::Contract>(&op.node);
    if (!contract || contract->unit == tile::Unit::scalar) return;
    factors.insert({contract->lhs, contract->rhs});
    result_.most_points = std::numeric_limits<std::int32_t>::max();
    const std::vector<Axis>& sums = program_.values[contract->accumulator].type.axes;
    if (contract->unit != tile::Unit::warpgroup) {
      fragments_[contract->lhs] = fragment_place(contract->lhs, sums, contract->unit, true);
      fragments_[contract->rhs] = fragment_place(contract->rhs, sums, contract->unit, false);
    } else if (!warpgroup_.valid()) {
      // From the warp's first thread: so is it known to be one number for all of them.
      const ValueId own = build_.binary(Opcode::udiv, thread_, i32(matrix_unit::threads));
      warpgroup_ = build_.convert(Opcode::zext, build_.warp_shuffle(ShuffleMode::idx, own, i32(0)), Element::i64);
    }
  });
  std::erase_if(matrix_loads_, [&](const auto& load) { return !factors.contains(load.first); });
}

/// `first`: of the factor whose points are rows.
FragmentPlace Lowering::fragment_place(tile::ValueId load, const std::vector<Axis>& sums, tile::Unit unit, bool first) {
  FragmentPlace place;
  place.unit = unit;
  place.first = first;
  place.factor = matrix_factor(load, sums);
  const MatrixFactor& factor = place.factor;
  const auto bits_of = [&](ValueId value, std::int64_t shift, std::int64_t mask) {
    const ValueId shifted = shift == 0 ? value : build_.binary(Opcode::lshr, value, build_.index(shift));
    return build_.binary(Opcode::bit_and, shifted, build_.index(mask));
  };
  const ValueId thread = build_.convert(Opcode::zext, thread_, Element::i64);
  // The warp's first point, by the axes of threads that tell warps from each other.
  place.points = 1;
  for (const tile::BufferAxis& axis : program_.buffers[factor.buffer].axes)
    if (factor.points.contains(axis.iter)) place.points *= axis.capacity.constant();
  ValueId point = build_.index(0);
  std::int64_t inside = 1;
  for (auto axis = program_.threads.rbegin(); axis != program_.threads.rend(); inside *= axis->count, ++axis) {
    if (inside < warp_threads || !factor.points.contains(axis->iter)) continue;
    place.points /= axis->count;
    const ValueId number = build_.binary(Opcode::urem, build_.binary(Opcode::udiv, thread, build_.index(inside)),
                                         build_.index(axis->count));
    point = build_.add(point, build_.mul(number, build_.index(factor.point(axis->iter, axis->step))));
  }
  if (!factor.swizzled) {
    ValueId along_points = bits_of(thread, 2, piece_rows - 1);
    ValueId along_terms = bits_of(thread, 0, quarter_terms - 1);
    if (unit == tile::Unit::simdgroup) {  // as simdgroup_place has it
      const auto joined = [&](ValueId upper, ValueId lower) {
        return build_.add(build_.mul(upper, build_.index(4)), lower);
      };
      const ValueId row = joined(bits_of(thread, 4, 1), bits_of(thread, 1, 3));
      const ValueId column = joined(bits_of(thread, 3, 1), build_.mul(bits_of(thread, 0, 1), build_.index(2)));
      along_points = first ? row : column;
      along_terms = first ? column : row;
    }
    along_points = build_.add(point, along_points);
    place.by_piece = {build_.add(build_.mul(along_points, build_.index(factor.point_bytes())),
                                 build_.mul(along_terms, build_.index(factor.term_bytes(1))))};
    return place;
  }
  const ValueId row = bits_of(thread, 0, piece_rows - 1);
  // Of a load's matrices, those of the first factor go along points and then along terms, the second's the other way.
  const ValueId inner = bits_of(thread, 3, 1);
  const ValueId outer = bits_of(thread, 4, 1);
  const ValueId further_points = first ? inner : place.points > piece_rows ? outer : build_.index(0);
  const ValueId further_terms = first ? outer : inner;
  ValueId start, piece;
  if (factor.transposed) {
    const ValueId block =
        build_.add(build_.binary(Opcode::lshr, point, build_.index(3)), further_points);  // of eight points
    const ValueId term = build_.add(build_.mul(further_terms, build_.index(piece_rows)), row);
    start =
        build_.add(build_.mul(build_.binary(Opcode::lshr, block, build_.index(3)), build_.index(factor.group_bytes)),
                   build_.mul(term, build_.index(row_bytes)));
    piece = bits_of(block, 0, row_pieces - 1);
  } else {
    const ValueId own = build_.add(build_.add(point, build_.mul(further_points, build_.index(piece_rows))), row);
    start = build_.mul(own, build_.index(row_bytes));
    piece = further_terms;
  }
  for (std::size_t c = 0; c < row_pieces; ++c) {
    const ValueId exchanged = build_.binary(Opcode::bit_xor, build_.binary(Opcode::bit_xor, piece, row),
                                            build_.index(static_cast<std::int64_t>(c)));
    place.by_piece.push_back(build_.add(start, build_.mul(exchanged, build_.index(piece_bytes))));
  }
  return place;
}

std::int64_t MatrixFactor::point_bytes() const {
  return transposed ? bits(element) / 8 : pitch;
}

/// The thread's part of what the warp holds of points from `point` and terms from `term` on, counted from its first:
/// matrices of eight rows of swizzled memory.
ValueId Lowering::load_rows(const FragmentPlace& place, std::int64_t point, std::int64_t term, Type type) {
  const MatrixFactor& factor = place.factor;
  std::int64_t piece = factor.term_bytes(term) / piece_bytes;
  std::int64_t further = point * row_bytes;
  if (factor.transposed) {
    const std::int64_t block = point / piece_rows;
    piece = block % static_cast<std::int64_t>(row_pieces);
    further = block / static_cast<std::int64_t>(row_pieces) * factor.group_bytes + factor.term_bytes(term);
  }
  const ValueId start = build_.offset(matrix_address(factor), place.by_piece[static_cast<std::size_t>(piece)]);
  const ValueId from = build_.offset(start, build_.index(further));
  return rounded(place, build_.gpu_op(Opcode::load_matrix, {from}, {type}, MatrixOrder{factor.transposed})[0]);
}

/// Of f32 a warp's unit looks at 10 bits of the mantissa: it would cut off the others.
ValueId Lowering::rounded(const FragmentPlace& place, ValueId value) {
  const bool rounds = place.unit == tile::Unit::warp && place.factor.element == Element::f32;
  return rounds ? round_to_tf32(build_, value) : value;
}

/// The same of other memory, element by element or two neighbours at once. Of a warp's product the elements are words:
/// rows eight apart, then terms four apart. Of a simdgroup's they are neighbours along terms, or of the second factor
/// along points, and become f32.
ValueId Lowering::load_elements(const FragmentPlace& place, std::int64_t point, std::int64_t term,
                                const MmaAtom& atom) {
  const MatrixFactor& factor = place.factor;
  const Type type = place.first ? atom.a : atom.b;
  const bool is_simdgroup = place.unit == tile::Unit::simdgroup;
  const auto bytes = static_cast<std::uint32_t>(bits(factor.element) / 8);
  const ValueId start = build_.offset(matrix_address(factor), place.by_piece[0]);
  const auto load = [&](std::int64_t points, std::int64_t terms, std::uint16_t lanes) {
    const std::int64_t further = (point + points) * factor.point_bytes() + factor.term_bytes(term + terms);
    return build_.load({factor.element, lanes}, build_.offset(start, build_.index(further)), {bytes * lanes, false});
  };
  const auto widened = [&](ValueId value) {
    if (!is_simdgroup) return rounded(place, value);
    return factor.element == type.element ? value : build_.convert(Opcode::fconvert, value, type.element);
  };
  if (is_simdgroup && place.first != factor.transposed) return widened(load(0, 0, type.lanes));
  const std::int64_t rows = (place.first ? atom.m : atom.n) / piece_rows;
  ValueId fragment;
  for (int e = 0; e < type.lanes; ++e) {
    const ValueId element = is_simdgroup ? load(place.first ? 0 : e, place.first ? e : 0, 1)
                                         : load(e % rows * piece_rows, e / rows * quarter_terms, 1);
    if (type.lanes == 1) return widened(element);
    fragment = e == 0 ? build_.splat(element, type.lanes) : build_.insert(fragment, element, e);
  }
  return widened(fragment);
}

/// The fragments of the warp's points at so many terms as one product has.
std::vector<ValueId> Lowering::load_fragments(const FragmentPlace& place, std::int64_t term, const MmaAtom& atom) {
  const Type type = place.first ? atom.a : atom.b;
  const std::int64_t each = place.first ? atom.m : atom.n;
  const bool pairs = place.factor.swizzled && !place.first && place.points > each;
  std::vector<ValueId> fragments;
  for (std::int64_t point = 0; point < place.points; point += pairs ? 2 * each : each) {
    if (!place.factor.swizzled) {
      fragments.push_back(load_elements(place, point, term, atom));
    } else if (!pairs) {
      fragments.push_back(load_rows(place, point, term, type));
    } else {
      const ValueId pair = load_rows(place, point, term, {type.element, static_cast<std::uint16_t>(2 * type.lanes)});
      for (int half = 0; half < 2; ++half) {
        std::vector<std::int32_t> lanes(type.lanes);
        std::iota(lanes.begin(), lanes.end(), half * type.lanes);
        fragments.push_back(build_.shuffle(pair, pair, lanes));
      }
    }
  }
  return fragments;
}

Registers Lowering::contract_by_warp(const tile::Contract& contract) {
  Registers tile = tiles_.at(contract.accumulator);
  const FragmentPlace& rows = fragments_.at(contract.lhs);
  const FragmentPlace& columns = fragments_.at(contract.rhs);
  // A simdgroup's threads widen what they load.
  const Element sums_element = memory_element(tile.dtype);
  const MmaAtom* atom =
      find_mma(rows.unit, rows.unit == tile::Unit::simdgroup ? sums_element : rows.factor.element, sums_element);
  if (atom == nullptr) internal_error("no warp multiplies the factors of " + program_.name);
  const std::int64_t across = columns.points / atom->n;
  const std::vector<SumLane> order =
      matrix_order(tile, rows.factor, columns.factor, [&](std::int64_t row, std::int64_t column) {
        return (row / piece_rows * across + column / atom->n) * 2 + column % atom->n;
      });
  // A product's sums are those of one thread's row, or of two that lie eight apart.
  const std::int64_t down = rows.points / atom->m;
  const bool two = atom->m > piece_rows;
  const auto place = [&](std::int64_t i, std::int64_t j, std::int64_t half) {
    return order[static_cast<std::size_t>((((two ? 2 * i + half : i) * across) + j) * 2)].value;
  };
  std::vector<ValueId> sums;
  for (std::int64_t i = 0; i < down; ++i)
    for (std::int64_t j = 0; j < across; ++j) {
      const ValueId upper = tile.values[place(i, j, 0)];
      sums.push_back(two ? build_.shuffle(upper, tile.values[place(i, j, 1)], {0, 1, 2, 3}) : upper);
    }
  std::vector<ValueId> a = load_fragments(rows, 0, *atom);
  std::vector<ValueId> b = load_fragments(columns, 0, *atom);
  for (std::int64_t term = 0; term < rows.factor.terms; term += atom->k) {
    // The next fragments are on their way while these are multiplied.
    std::vector<ValueId> next_a, next_b;
    if (term + atom->k < rows.factor.terms) {
      next_a = load_fragments(rows, term + atom->k, *atom);
      next_b = load_fragments(columns, term + atom->k, *atom);
    }
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) {
        ValueId& sum = sums[i * b.size() + j];
        sum = build_.gpu_op(Opcode::mma, {a[i], b[j], sum}, {atom->c})[0];
      }
    a = std::move(next_a);
    b = std::move(next_b);
  }
  for (std::int64_t i = 0; i < down; ++i)
    for (std::int64_t j = 0; j < across; ++j) {
      const ValueId sum = sums[static_cast<std::size_t>(i * across + j)];
      tile.values[place(i, j, 0)] = two ? build_.shuffle(sum, sum, {0, 1}) : sum;
      if (two) tile.values[place(i, j, 1)] = build_.shuffle(sum, sum, {2, 3});
    }
  return tile;
}

}  // namespace tilewright::kernel::lowering
