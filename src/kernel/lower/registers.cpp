// Computing on tiles in registers for tile_to_kernel.
#include <algorithm>
#include <bit>
#include <optional>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"
#include "tile/passes/place_for_host.h"

namespace tilewright::kernel::lowering {
namespace {

const Axis* find(const std::vector<Axis>& axes, IterId iter) {
  for (const Axis& axis : axes)
    if (axis.iter == iter) return &axis;
  return nullptr;
}

}  // namespace

/// Lanes of a vector along the lanes axis; 1 without one.
int Lowering::lanes_of(const std::vector<Axis>& axes) const {
  for (const Axis& axis : axes)
    if (axis.lanes)
      return static_cast<int>(tile::vector_length(axis.chunk > 0 ? axis.chunk : axis.size, machine_.vector_lanes));
  return 1;
}

std::int64_t Lowering::positions_of(const Axis& axis) const {
  return axis.lanes ? axis.size / lanes_of({axis}) : axis.size;
}

Registers Lowering::make(tile::ValueId id) const {
  const tile::TileType& type = program_.values[id].type;
  return Registers{type.dtype, type.axes, {}};
}

std::size_t Lowering::offset_of(const Registers& tile, const Positions& at) const {
  std::int64_t offset = 0;
  for (const Axis& axis : tile.axes) offset = offset * positions_of(axis) + at.at(axis.iter);
  return static_cast<std::size_t>(offset);
}

/// The tile's vector at positions of a larger tile with `lanes` lanes: a splat where the tile has no lanes.
ValueId Lowering::at(const Registers& tile, const Positions& at, int lanes) {
  const ValueId value = tile.values[offset_of(tile, at)];
  return build_.type(value).lanes == 1 && lanes > 1 ? build_.splat(value, lanes) : value;
}

Registers Lowering::fill(const tile::Op& op, Scalar value) {
  Registers tile = make(op.results[0]);
  const ValueId constant = constant_of(build_, tile.dtype, value, lanes_of(tile.axes));
  each_position(tile.axes, [&](const Positions&) { tile.values.push_back(constant); });
  return tile;
}

Registers Lowering::iota(const tile::Op& op, IterId iter) {
  Registers tile = make(op.results[0]);
  const int lanes = lanes_of(tile.axes);
  each_position(tile.axes, [&](const Positions& at) {
    const std::int64_t position = tile.axes.empty() ? 0 : tile.axes[0].offset(at.at(iter) * lanes);
    ValueId value = build_.add(base(iter), build_.index(position));
    if (lanes > 1)
      value = build_.add(build_.splat(value, lanes), build_.iota({Element::i64, static_cast<std::uint16_t>(lanes)}));
    tile.values.push_back(value);
  });
  return tile;
}

Registers Lowering::map(const tile::Op& op, const tile::Map& map) {
  Registers tile = make(op.results[0]);
  const int lanes = lanes_of(tile.axes);
  std::vector<Registers> operands;
  for (tile::ValueId id : map.operands) operands.push_back(tiles_.at(id));
  const DType dtype = operands.back().dtype;
  each_position(tile.axes, [&](const Positions& at) {
    std::vector<ValueId> values;
    for (const Registers& operand : operands) values.push_back(this->at(operand, at, lanes));
    tile.values.push_back(lower_scalar_op(build_, map.op, dtype, values, machine_.widest));
  });
  return tile;
}

Registers Lowering::cast(const tile::Op& op, const tile::Cast& cast) {
  Registers tile = make(op.results[0]);
  const Registers operand = tiles_.at(cast.operand);
  each_position(tile.axes, [&](const Positions& at) {
    const ValueId value = this->at(operand, at, lanes_of(tile.axes));
    tile.values.push_back(lower_cast(build_, value, operand.dtype, tile.dtype));
  });
  return tile;
}

Registers Lowering::mask(const tile::Op& op, const tile::Mask& mask) {
  Registers tile = make(op.results[0]);
  const Registers operand = tiles_.at(mask.operand);
  const int lanes = lanes_of(tile.axes);
  const ValueId outside = constant_of(build_, tile.dtype, mask.value, lanes);
  each_position(tile.axes, [&](const Positions& at) {
    ValueId value = this->at(operand, at, lanes);
    for (IterId iter : mask.iters) {
      const Axis* axis = find(tile.axes, iter);
      if ((!axis && !has_thread_axis(iter)) || scopes_.at(iter).full) continue;
      const ValueId inside = !axis         ? is_thread_inside(iter)
                             : axis->lanes ? lane_mask(*axis, at.at(iter))
                                           : is_inside(*axis, at.at(iter));
      value = build_.select(inside, value, outside);
    }
    tile.values.push_back(value);
  });
  return tile;
}

/// Folds the lanes of one vector as a tree; a scalar.
ValueId Lowering::fold_lanes(ValueId vector, ScalarOp combine, DType dtype) {
  std::optional<ValueId> odd;  // what halving left over
  for (int lanes = build_.type(vector).lanes; lanes > 1; lanes /= 2) {
    if (lanes % 2 == 1) {
      const ValueId last = build_.shuffle(vector, vector, {lanes - 1});
      odd = odd ? lower_scalar_op(build_, combine, dtype, {*odd, last}) : last;
    }
    std::vector<std::int32_t> low, high;
    for (int lane = 0; lane < lanes / 2; ++lane) {
      low.push_back(lane);
      high.push_back(lane + lanes / 2);
    }
    const ValueId a = build_.shuffle(vector, vector, low);
    const ValueId b = build_.shuffle(vector, vector, high);
    vector = lower_scalar_op(build_, combine, dtype, {a, b});
  }
  return odd ? lower_scalar_op(build_, combine, dtype, {vector, *odd}) : vector;
}

Registers Lowering::reduce(const tile::Op& op, const tile::Reduce& reduce) {
  Registers tile = make(op.results[0]);
  const Registers operand = tiles_.at(reduce.operand);
  const ScalarOp fold = combine(reduce.monoid);
  std::vector<Axis> folded = operand.axes;
  std::erase_if(folded, [&](const Axis& axis) { return find(tile.axes, axis.iter) != nullptr; });
  const bool across_lanes = std::ranges::any_of(folded, &Axis::lanes);
  each_position(tile.axes, [&](const Positions& at) {
    std::vector<ValueId> terms;
    each_position(folded, [&](const Positions& inner) {
      Positions both = at;
      both.insert(inner.begin(), inner.end());
      terms.push_back(operand.values[offset_of(operand, both)]);
    });
    while (terms.size() > 1) {
      std::vector<ValueId> next;
      for (std::size_t i = 0; i + 1 < terms.size(); i += 2)
        next.push_back(lower_scalar_op(build_, fold, tile.dtype, {terms[i], terms[i + 1]}));
      if (terms.size() % 2 == 1) next.push_back(terms.back());
      terms = std::move(next);
    }
    tile.values.push_back(across_lanes ? fold_lanes(terms[0], fold, tile.dtype) : terms[0]);
  });
  return tile;
}

Registers Lowering::contract(const tile::Contract& contract) {
  Registers tile = tiles_.at(contract.accumulator);
  const Registers lhs = tiles_.at(contract.lhs);
  const Registers rhs = tiles_.at(contract.rhs);
  std::vector<Axis> folded;
  for (const Registers* side : {&lhs, &rhs})
    for (const Axis& axis : side->axes)
      if (!find(tile.axes, axis.iter) && !find(folded, axis.iter)) folded.push_back(axis);
  if (has_threads()) return contract_by_threads(std::move(tile), lhs, rhs, folded);
  const int lanes = lanes_of(tile.axes);
  const bool fuse = is_floating(tile.dtype) && machine_.has_fma;
  each_position(folded, [&](const Positions& inner) {
    each_position(tile.axes, [&](const Positions& at) {
      Positions both = at;
      both.insert(inner.begin(), inner.end());
      const ValueId a = this->at(lhs, both, lanes);
      const ValueId b = this->at(rhs, both, lanes);
      ValueId& sum = tile.values[offset_of(tile, at)];
      sum = fuse ? build_.fma(a, b, sum) : build_.add(sum, build_.mul(a, b));
    });
  });
  return tile;
}

/// A GPU's multiprocessor reads one register of each parity a cycle, and keeps an operand that the next instruction
/// reads again. So products are taken one by one on a way that changes one factor at a time: along a row of the tile
/// and back along the next. Rows run along outputs that are neighbours in a
/// vector that was loaded: the registers of those alternate in parity as the sums can; of a factor whose terms are
/// neighbours they do not.
Registers Lowering::contract_by_threads(Registers tile, const Registers& lhs, const Registers& rhs,
                                        const std::vector<Axis>& folded) {
  const int lanes = lanes_of(tile.axes);
  const bool fuse = is_floating(tile.dtype);
  std::vector<Axis> axes = tile.axes;
  const auto along = std::ranges::find_if(axes, [](const Axis& axis) { return axis.size > 1 && axis.chunk != 1; });
  if (lanes == 1 && along != axes.end() && axes.back().chunk == 1) std::rotate(along, along + 1, axes.end());
  std::vector<Positions> places;
  each_position(axes, [&](const Positions& at) { places.push_back(at); });
  const std::size_t row = axes.empty() ? 1 : static_cast<std::size_t>(positions_of(axes.back()));
  std::vector<std::vector<ValueId>> sums;  // by place and lane
  for (const Positions& at : places) {
    const ValueId sum = tile.values[offset_of(tile, at)];
    sums.emplace_back();
    for (int lane = 0; lane < lanes; ++lane) sums.back().push_back(lanes > 1 ? build_.extract(sum, lane) : sum);
  }
  const auto scalar = [&](const Registers& side, const Positions& at, int lane) {
    const ValueId value = side.values[offset_of(side, at)];
    return build_.type(value).lanes > 1 ? build_.extract(value, lane) : value;
  };
  const std::size_t across = row * static_cast<std::size_t>(lanes);
  const std::size_t down = places.size() / row;
  std::size_t rows_so_far = 0;
  each_position(folded, [&](const Positions& inner) {
    for (std::size_t r = 0; r < down; ++r, ++rows_so_far)
      for (std::size_t c = 0; c < across; ++c) {
        const std::size_t column = rows_so_far % 2 == 1 ? across - 1 - c : c;
        const std::size_t place = r * row + column / static_cast<std::size_t>(lanes);
        const int lane = static_cast<int>(column % static_cast<std::size_t>(lanes));
        Positions both = places[place];
        both.insert(inner.begin(), inner.end());
        const ValueId a = scalar(lhs, both, lane);
        const ValueId b = scalar(rhs, both, lane);
        ValueId& sum = sums[place][static_cast<std::size_t>(lane)];
        sum = fuse ? build_.fma(a, b, sum) : build_.add(sum, build_.mul(a, b));
      }
  });
  for (std::size_t place = 0; place < places.size(); ++place) {
    ValueId& value = tile.values[offset_of(tile, places[place])];
    if (lanes == 1) value = sums[place][0];
    for (int lane = 0; lane < lanes && lanes > 1; ++lane)
      value = build_.insert(value, sums[place][static_cast<std::size_t>(lane)], lane);
  }
  return tile;
}

/// Rows to columns of m × m blocks of `unit` lanes, in each m · unit lanes of m vectors, m a power of two: log2 m
/// rounds in which rows r and r + m/2 interleave their blocks. One round rotates the bits of row and column by one.
std::vector<ValueId> Lowering::transpose_blocks(std::vector<ValueId> rows, int unit) {
  const auto m = static_cast<int>(rows.size());
  const int lanes = build_.type(rows[0]).lanes;
  std::vector<std::int32_t> low, high;
  for (int span = 0; span < lanes; span += m * unit)
    for (int block = 0; block < m / 2; ++block)
      for (const int row : {0, lanes})
        for (int lane = 0; lane < unit; ++lane) {
          low.push_back(row + span + block * unit + lane);
          high.push_back(row + span + (block + m / 2) * unit + lane);
        }
  for (int round = 1; round < m; round *= 2) {
    std::vector<ValueId> next;
    for (int r = 0; r < m / 2; ++r) {
      const ValueId a = rows[static_cast<std::size_t>(r)];
      const ValueId b = rows[static_cast<std::size_t>(r + m / 2)];
      next.push_back(build_.shuffle(a, b, low));
      next.push_back(build_.shuffle(a, b, high));
    }
    rows = std::move(next);
  }
  return rows;
}

/// Rows to columns of an n × n block, n a power of two. Processors shuffle within 16 bytes more cheaply than across
/// them: squares of 16 bytes first, each in its place, then the squares change places as wholes.
std::vector<ValueId> Lowering::transpose_square(const std::vector<ValueId>& rows) {
  const std::size_t n = rows.size();
  const auto in_16_bytes = static_cast<std::size_t>(std::max(128 / bits(build_.type(rows[0]).element), 1));
  const std::size_t side = std::min(n, in_16_bytes);
  std::vector<std::vector<ValueId>> groups;
  for (std::size_t first = 0; first < n; first += side)
    groups.push_back(transpose_blocks(
        {rows.begin() + static_cast<std::ptrdiff_t>(first), rows.begin() + static_cast<std::ptrdiff_t>(first + side)},
        1));
  std::vector<ValueId> columns(n);
  for (std::size_t within = 0; within < side; ++within) {
    std::vector<ValueId> squares;
    for (const std::vector<ValueId>& group : groups) squares.push_back(group[within]);
    squares = transpose_blocks(std::move(squares), static_cast<int>(side));
    for (std::size_t square = 0; square < squares.size(); ++square) columns[square * side + within] = squares[square];
  }
  return columns;
}

Registers Lowering::convert_layout(const tile::Op& op, const tile::ConvertLayout& convert) {
  Registers tile = make(op.results[0]);
  const Registers operand = tiles_.at(convert.operand);
  const auto from = std::ranges::find_if(operand.axes, &Axis::lanes);
  const auto to = std::ranges::find_if(tile.axes, &Axis::lanes);
  const int from_lanes = lanes_of(operand.axes);
  const int to_lanes = lanes_of(tile.axes);
  std::map<ValueId, std::vector<ValueId>> squares;  // transposed blocks by their first row
  // One block of to_lanes rows a vector of the result; squares go through the interleaving network, others lane by
  // lane.
  each_position(tile.axes, [&](const Positions& at) {
    const std::int64_t column = from == operand.axes.end() ? 0 : at.count(from->iter) ? at.at(from->iter) : 0;
    std::vector<ValueId> rows;
    for (int row = 0; row < to_lanes; ++row) {
      Positions source = at;
      if (to != tile.axes.end()) source[to->iter] = at.at(to->iter) * to_lanes + row;
      if (from != operand.axes.end()) source[from->iter] = column / from_lanes;
      rows.push_back(operand.values[offset_of(operand, source)]);
    }
    const int lane = static_cast<int>(column % from_lanes);
    if (to_lanes == 1) {
      tile.values.push_back(from_lanes == 1 ? rows[0] : build_.extract(rows[0], lane));
    } else if (from_lanes == to_lanes) {
      std::vector<ValueId>& square = squares[rows[0]];
      if (square.empty()) square = transpose_square(rows);
      tile.values.push_back(square[static_cast<std::size_t>(lane)]);
    } else {
      ValueId vector = build_.splat(from_lanes == 1 ? rows[0] : build_.extract(rows[0], lane), to_lanes);
      for (int row = 1; row < to_lanes; ++row) {
        const ValueId source = rows[static_cast<std::size_t>(row)];
        vector = build_.insert(vector, from_lanes == 1 ? source : build_.extract(source, lane), row);
      }
      tile.values.push_back(vector);
    }
  });
  return tile;
}

}  // namespace tilewright::kernel::lowering
