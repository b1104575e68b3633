// Contractions by warpgroups' matrix units, for tile_to_kernel.
//
// A worked example. a.shared holds 128 rows of 64 f16, b.shared 64 terms of 256 columns, four panels of 64 × 64. 256
// threads are two warpgroups; each multiplies its 64 rows, 8192 bytes further on in a.shared, with all columns: four
// wgmma of 16 terms, which lie 32 bytes apart in a's rows and 2048 in b's panels. With g = t / 4 % 8 and q = t % 4,
// thread t of a warpgroup's warp w has the sums of rows 16 w + g + 8 p and columns 8 c + 2 q + e: value 4 c + 2 p + e.
#include <algorithm>

#include "kernel/lower/lowering.h"
#include "support/matrix_unit.h"

namespace tilewright::kernel::lowering {

using matrix_unit::row_bytes;

/// Where a factor lies, and which points of it a coordinate is. `sums`: the axes of the accumulators.
MatrixFactor Lowering::matrix_factor(tile::ValueId load, const std::vector<Axis>& sums) const {
  MatrixFactor factor;
  factor.buffer = matrix_loads_.at(load);
  const tile::Buffer& buffer = program_.buffers[factor.buffer];
  const std::int64_t element = bytes_of(buffer.dtype);
  const std::int64_t row = row_bytes / element;
  factor.element = memory_element(buffer.dtype);
  // Points are what threads, or their tiles, lie along.
  const auto is_points = [&](IterId iter) {
    return has_thread_axis(iter) || std::ranges::find(sums, iter, &Axis::iter) != sums.end();
  };
  std::int64_t terms = 1;
  for (const tile::BufferAxis& axis : buffer.axes) {
    const bool is_point = is_points(axis.iter);
    if (!is_point) terms *= axis.capacity.constant();
    const bool neighbours = axis.inner > 1 ? axis.inner_stride == 1 : axis.outer_stride.is_constant(1);
    if (is_point && neighbours && axis.capacity.constant() > 1) factor.transposed = true;
  }
  factor.terms = terms;
  factor.swizzled = buffer.swizzled;
  const std::int64_t panel = row * terms;
  factor.group_bytes = factor.transposed ? panel * element : matrix_unit::rows * row_bytes;
  factor.layout.stride = static_cast<std::int32_t>(matrix_unit::piece_rows * row_bytes);
  if (factor.transposed) factor.layout.leading = static_cast<std::int32_t>(panel * element);
  std::int64_t all_points = 1;
  for (const tile::BufferAxis& axis : buffer.axes)
    if (is_points(axis.iter)) all_points *= axis.capacity.constant();
  factor.pitch = buffer.elements.constant() / (factor.transposed ? terms : all_points) * element;
  // Points as elements of distance say: of a row's points their own, of rows and panels as many as one has.
  const auto points = [&](std::int64_t distance) {
    if (!factor.swizzled) return factor.transposed ? distance : distance / (factor.pitch / element);
    if (!factor.transposed) return distance / row;
    return distance < row ? distance : distance / panel * row;
  };
  for (const tile::BufferAxis& axis : buffer.axes)
    if (is_points(axis.iter))
      factor.points[axis.iter] = {axis.inner, points(axis.outer_stride.constant()), points(axis.inner_stride)};
  return factor;
}

/// The accumulators as the unit numbers them, each a vector of its neighbours along the columns. `number`: of a sum in
/// the thread's row and column, counted from its first.
std::vector<std::size_t> Lowering::matrix_order(
    const Registers& tile, const MatrixFactor& rows, const MatrixFactor& columns,
    const std::function<std::int64_t(std::int64_t row, std::int64_t column)>& number) const {
  std::vector<std::pair<std::int64_t, std::size_t>> order;  // the unit's number, the value's
  const int lanes = lanes_of(tile.axes);
  each_position(tile.axes, [&](const Positions& at) {
    std::int64_t row = 0;
    std::int64_t column = 0;
    for (const Axis& axis : tile.axes) {
      const std::int64_t coordinate = axis.offset(at.at(axis.iter) * (axis.lanes ? lanes : 1));
      row += rows.point(axis.iter, coordinate);
      column += columns.point(axis.iter, coordinate);
    }
    order.emplace_back(number(row, column), order.size());
  });
  std::ranges::sort(order);
  std::vector<std::size_t> values;
  for (const auto& [place, value] : order) {
    if (place != static_cast<std::int64_t>(values.size()) * lanes)
      internal_error("the tile of " + program_.name + " is not dealt to threads as a matrix unit deals it");
    values.push_back(value);
  }
  return values;
}

Registers Lowering::contract_by_warpgroup(const tile::Contract& contract) {
  Registers tile = tiles_.at(contract.accumulator);
  const MatrixFactor rows = matrix_factor(contract.lhs, tile.axes);
  const MatrixFactor columns = matrix_factor(contract.rhs, tile.axes);
  const std::vector<std::size_t> order = matrix_order(tile, rows, columns, [](std::int64_t row, std::int64_t column) {
    return column / 8 * 4 + row / 8 * 2 + column % 8;
  });
  std::vector<ValueId> sums;
  std::vector<Type> types;
  std::int32_t each = 0;  // of a thread
  for (std::size_t value : order) {
    sums.push_back(tile.values[value]);
    types.push_back(build_.type(sums.back()));
    each += types.back().lanes;
  }
  const WarpgroupAtom& atom = *find_wgmma(rows.element);
  const WarpgroupProduct product{2 * each,           rows.element, rows.transposed,
                                 columns.transposed, rows.layout,  columns.layout};
  const ValueId a = build_.offset(matrix_address(rows), build_.mul(warpgroup_, build_.index(rows.group_bytes)));
  const ValueId b = matrix_address(columns);
  const ValueId add = build_.constant({Element::i1, 1}, Scalar::of(std::int64_t{1}));
  sums = build_.gpu_op(Opcode::wgmma_fence, sums, types);
  for (std::int64_t term = 0; term < rows.terms; term += atom.k) {
    std::vector<ValueId> operands{build_.offset(a, build_.index(rows.term_bytes(term))),
                                  build_.offset(b, build_.index(columns.term_bytes(term))), add};
    operands.insert(operands.end(), sums.begin(), sums.end());
    sums = build_.gpu_op(Opcode::wgmma, operands, types, product);
  }
  build_.gpu_op(Opcode::wgmma_commit, {});
  sums = build_.gpu_op(Opcode::wgmma_wait, sums, types, Count{products_ahead_});
  for (std::size_t i = 0; i < order.size(); ++i) tile.values[order[i]] = sums[i];
  return tile;
}

/// In the stage that is read.
ValueId Lowering::matrix_address(const MatrixFactor& factor) {
  const ValueId first = shared_.at(factor.buffer);
  return stage_.valid() && in_ring_.contains(factor.buffer) ? build_.offset(first, stage_) : first;
}

std::int64_t MatrixFactor::point(IterId iter, std::int64_t coordinate) const {
  const auto found = points.find(iter);
  if (found == points.end()) return 0;
  const Points& of = found->second;
  return coordinate / of.inner * of.outer_points + coordinate % of.inner * of.inner_points;
}

std::int64_t MatrixFactor::term_bytes(std::int64_t term) const {
  return term * (!transposed ? bits(element) / 8 : swizzled ? row_bytes : pitch);
}

/// Waits for the products that a loop's last steps have started.
void Lowering::finish_products(std::vector<Registers>& carried) {
  std::vector<ValueId> values = flatten(carried);
  std::vector<Type> types;
  for (ValueId value : values) types.push_back(build_.type(value));
  values = build_.gpu_op(Opcode::wgmma_wait, values, types, Count{0});
  carried = unflatten(std::move(carried), values);
}

}  // namespace tilewright::kernel::lowering
