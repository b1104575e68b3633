// Contractions by warpgroups' matrix units, for tile_to_kernel.
//
// A worked example. a.shared holds 128 rows of 64 f16, b.shared 64 terms of 256 columns, four panels of 64 × 64. 256
// threads are two warpgroups; each multiplies its 64 rows, 8192 bytes further on in a.shared, with all columns: four
// wgmma of 16 terms, which lie 32 bytes apart in a's rows and 2048 in b's panels. With g = t / 4 % 8 and q = t % 4,
// thread t of a warpgroup's warp w has the sums of rows 16 w + g + 8 p and columns 8 c + 2 q + e: value 4 c + 2 p + e.
#include <algorithm>
#include <span>

#include "kernel/lower/lowering.h"
#include "support/matrix_unit.h"

namespace tilewright::kernel::lowering {

using matrix_unit::row_bytes;

namespace {

/// The order takes the vectors' lanes one behind the other.
bool is_in_vectors(const std::vector<SumLane>& order, int lanes) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t lane = i % static_cast<std::size_t>(lanes);
    if (order[i].lane != static_cast<int>(lane) || order[i].value != order[i - lane].value) return false;
  }
  return true;
}

}  // namespace

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

/// The lanes of the accumulators as the unit numbers them. `number`: of a sum in the thread's row and column, counted
/// from its first.
std::vector<SumLane> Lowering::matrix_order(
    const Registers& tile, const MatrixFactor& rows, const MatrixFactor& columns,
    const std::function<std::int64_t(std::int64_t row, std::int64_t column)>& number) const {
  std::vector<std::pair<std::int64_t, SumLane>> order;
  const int lanes = lanes_of(tile.axes);
  std::size_t value = 0;
  each_position(tile.axes, [&](const Positions& at) {
    for (int lane = 0; lane < lanes; ++lane) {
      std::int64_t row = 0;
      std::int64_t column = 0;
      for (const Axis& axis : tile.axes) {
        const std::int64_t coordinate = axis.offset(axis.lanes ? at.at(axis.iter) * lanes + lane : at.at(axis.iter));
        row += rows.point(axis.iter, coordinate);
        column += columns.point(axis.iter, coordinate);
      }
      order.emplace_back(number(row, column), SumLane{value, lane});
    }
    ++value;
  });
  std::ranges::sort(order, {}, [](const auto& entry) { return entry.first; });
  std::vector<SumLane> sums;
  for (const auto& [place, lane] : order) {
    if (place != static_cast<std::int64_t>(sums.size()))
      internal_error("the tile of " + program_.name + " is not dealt to threads as a matrix unit deals it");
    sums.push_back(lane);
  }
  return sums;
}

/// A product's 64 rows of a factor in registers, from term `term` on: of lane t, rows t / 4 and t / 4 + 8 of its warp's
/// 16, and of both the terms t % 4 and t % 4 + 4 (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk8"). A
/// thread's rows are neighbours in memory, so that it loads those of all products at once.
std::vector<ValueId> Lowering::load_rows(const MatrixFactor& rows, std::int64_t products, std::int64_t term) {
  const std::int64_t element = bits(rows.element) / 8;
  const std::int64_t row = row_bytes / element;  // points
  const std::int64_t own = 2 * products;
  const Type loaded{Element::i32, static_cast<std::uint16_t>(own)};
  const ValueId first = build_.mul(build_.binary(Opcode::udiv, thread_, i32(4)), i32(own));  // point
  const ValueId own_term = build_.binary(Opcode::bit_and, thread_, i32(3));
  const ValueId panel =
      build_.add(build_.mul(build_.binary(Opcode::udiv, first, i32(row)), i32(row_bytes * rows.terms)),
                 build_.mul(own_term, i32(row_bytes)));
  const ValueId column = build_.mul(build_.binary(Opcode::urem, first, i32(row)), i32(element));
  std::vector<ValueId> values;
  for (const std::int64_t further : {term, term + 4}) {
    // The swizzle of the row's 16 bytes is the term's number modulo 8.
    const ValueId swizzle =
        build_.mul(build_.add(own_term, i32(further % matrix_unit::piece_rows)), i32(widest_access));
    const ValueId at =
        build_.add(build_.add(panel, i32(further * row_bytes)), build_.binary(Opcode::bit_xor, column, swizzle));
    const ValueId pointer = build_.offset(matrix_address(rows), build_.convert(Opcode::zext, at, Element::i64));
    values.push_back(build_.load(loaded, pointer, Access{static_cast<std::uint32_t>(own * element), false}));
  }
  std::vector<ValueId> fragments;
  for (std::int64_t product = 0; product < products; ++product) {
    const auto low = static_cast<std::int32_t>(2 * product);
    const auto high = static_cast<std::int32_t>(own + 2 * product);
    fragments.push_back(build_.shuffle(values[0], values[1], {low, low + 1, high, high + 1}));
  }
  return fragments;
}

Registers Lowering::contract_by_warpgroup(const tile::Contract& contract) {
  Registers tile = tiles_.at(contract.accumulator);
  MatrixFactor rows = matrix_factor(contract.lhs, tile.axes);
  const MatrixFactor columns = matrix_factor(contract.rhs, tile.axes);
  const WarpgroupAtom& atom = *find_wgmma(rows.element);
  rows.in_registers = contract.from_registers;
  // Of rows in registers a thread has neighbours, two for each product of 64.
  const std::int64_t apart = rows.in_registers ? 1 : matrix_unit::piece_rows;
  const std::int64_t own_columns = columns.points_of(tile.axes);
  const std::vector<SumLane> order = matrix_order(tile, rows, columns, [&](std::int64_t row, std::int64_t column) {
    const std::int64_t product = row / apart / 2;
    return product * own_columns * 2 + column / 8 * 4 + row / apart % 2 * 2 + column % 8;
  });
  const std::int64_t products = rows.points_of(tile.axes) / 2;
  const std::size_t each = order.size() / static_cast<std::size_t>(products);  // sums of a product
  // Vectors that are neighbours of one product stay whole.
  const int lanes = lanes_of(tile.axes);
  const bool whole = is_in_vectors(order, lanes);
  std::vector<ValueId> sums;
  for (std::size_t i = 0; i < order.size(); i += whole ? static_cast<std::size_t>(lanes) : 1) {
    const ValueId value = tile.values[order[i].value];
    sums.push_back(whole || lanes == 1 ? value : build_.extract(value, order[i].lane));
  }
  const std::size_t each_value = sums.size() / static_cast<std::size_t>(products);
  std::vector<std::vector<ValueId>> fragments;  // by step of terms
  for (std::int64_t term = 0; rows.in_registers && term < rows.terms; term += atom.k)
    fragments.push_back(load_rows(rows, products, term));
  reads_stages_ = reads_stages_ || rows.in_registers;
  // Sums of nothing are not read.
  const bool is_first = std::ranges::all_of(sums, [&](ValueId sum) { return build_.is_zero(sum); });
  through_registers(Opcode::wgmma_fence, {}, sums, fragments);
  const WarpgroupProduct product{static_cast<std::int32_t>(2 * each),
                                 rows.element,
                                 rows.transposed && !rows.in_registers,
                                 columns.transposed,
                                 rows.layout,
                                 columns.layout};
  const ValueId b = matrix_address(columns);
  ValueId a;
  if (!rows.in_registers)
    a = build_.offset(matrix_address(rows), build_.mul(warpgroup_, build_.index(rows.group_bytes)));
  const auto adds = [&](std::int64_t term) {
    return build_.constant({Element::i1, 1}, Scalar::of(std::int64_t{is_first && term == 0 ? 0 : 1}));
  };
  for (std::int64_t term = 0; term < rows.terms; term += atom.k)
    for (std::size_t number = 0; number < static_cast<std::size_t>(products); ++number) {
      const auto own = std::span(sums).subspan(number * each_value, each_value);
      std::vector<ValueId> operands{rows.in_registers ? fragments[static_cast<std::size_t>(term / atom.k)][number]
                                                      : build_.offset(a, build_.index(rows.term_bytes(term))),
                                    build_.offset(b, build_.index(columns.term_bytes(term))), adds(term)};
      operands.insert(operands.end(), own.begin(), own.end());
      std::ranges::copy(build_.gpu_op(Opcode::wgmma, operands, types_of(own), product), own.begin());
    }
  build_.gpu_op(Opcode::wgmma_commit, {});
  // Products read their factors from registers until they are done.
  through_registers(Opcode::wgmma_wait, Count{products_ahead_}, sums, fragments);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const SumLane& lane = order[whole ? i * static_cast<std::size_t>(lanes) : i];
    ValueId& value = tile.values[lane.value];
    value = whole || lanes == 1 ? sums[i] : build_.insert(value, sums[i], lane.lane);
  }
  return tile;
}

std::vector<Type> Lowering::types_of(std::span<const ValueId> values) const {
  std::vector<Type> types;
  for (ValueId value : values) types.push_back(build_.type(value));
  return types;
}

/// An op that orders what products hold in registers: their sums, and factors.
void Lowering::through_registers(Opcode code, Attribute attribute, std::vector<ValueId>& sums,
                                 std::vector<std::vector<ValueId>>& fragments) {
  std::vector<ValueId> all = sums;
  for (const std::vector<ValueId>& some : fragments) all.insert(all.end(), some.begin(), some.end());
  all = build_.gpu_op(code, all, types_of(all), std::move(attribute));
  auto next = std::ranges::copy_n(all.begin(), std::ssize(sums), sums.begin()).in;
  for (std::vector<ValueId>& some : fragments) next = std::ranges::copy_n(next, std::ssize(some), some.begin()).in;
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

std::int64_t MatrixFactor::points_of(const std::vector<Axis>& axes) const {
  std::int64_t count = 1;
  for (const Axis& axis : axes)
    if (points.contains(axis.iter)) count *= axis.size;
  return count;
}

std::int64_t MatrixFactor::term_bytes(std::int64_t term) const {
  return term * (!transposed ? bits(element) / 8 : swizzled ? row_bytes : pitch);
}

/// Waits for the products that a loop's last steps have started.
void Lowering::finish_products(std::vector<Registers>& carried) {
  std::vector<ValueId> values = flatten(carried);
  values = build_.gpu_op(Opcode::wgmma_wait, values, types_of(values), Count{0});
  carried = unflatten(std::move(carried), values);
}

}  // namespace tilewright::kernel::lowering
