// Factors for matrix units. See use_matrix_units.h.
#include "tile/passes/use_matrix_units.h"

#include <algorithm>
#include <map>
#include <set>

#include "support/matrix_unit.h"
#include "tile/builder.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t register_bytes = 4;  ///< of elements whose rows of points threads load for a warpgroup's unit

class MatrixUnits {
 public:
  MatrixUnits(Program& program, const nest::Nest& nest, Unit unit) : program_(program), nest_(nest), unit_(unit) {}

  void run() {
    walk(program_.body, [&](const Op& op) {
      for (ValueId result : op.results) makers_[result] = &op;
      if (const auto* copy = std::get_if<Copy>(&op.node)) copies_[copy->buffer] = copy;
    });
    walk(program_.body, [&](Op& op) {
      if (auto* contract = std::get_if<Contract>(&op.node)) take(*contract);
    });
    walk(program_.body, [&](const Op& op) {
      if (const auto* copy = std::get_if<Copy>(&op.node); copy && factors_.contains(copy->buffer)) lay_out(*copy);
    });
    remove_unused(program_.body);
    if (nest_.precision == Precision::tf32x3) add_up_apart();
  }

 private:
  /// The load that a factor comes from.
  ValueId source(ValueId value) const {
    while (true) {
      const Op& op = *makers_.at(value);
      if (const auto* mask = std::get_if<Mask>(&op.node))
        value = mask->operand;
      else if (const auto* cast = std::get_if<Cast>(&op.node))
        value = cast->operand;
      else if (std::holds_alternative<LoadBuffer>(op.node))
        return value;
      else
        internal_error("a factor of a matrix unit is computed: " + to_text(program_, op));
    }
  }

  BufferId buffer_of(ValueId load) const { return std::get<LoadBuffer>(makers_.at(load)->node).buffer; }

  /// Neighbouring threads stand along the columns.
  void take(Contract& contract) {
    contract.unit = unit_;
    contract.lhs = source(contract.lhs);
    contract.rhs = source(contract.rhs);
    const std::vector<BufferAxis>& lhs = program_.buffers[buffer_of(contract.lhs)].axes;
    if (std::ranges::find(lhs, program_.threads.back().iter, &BufferAxis::iter) != lhs.end())
      std::swap(contract.lhs, contract.rhs);
    for (ValueId load : {contract.lhs, contract.rhs}) factors_.insert(buffer_of(load));
    const Copy& rows = *copies_.at(buffer_of(contract.lhs));
    contract.from_registers =
        unit_ == Unit::warpgroup && bytes_of(rows) == register_bytes && lies_in_rows_of_points(rows);
    if (contract.from_registers) rows_.insert(rows.buffer);
    of_rows_.insert(buffer_of(contract.lhs));
  }

  bool is_term(IterId iter) const { return nest_.iterators[iter].role == nest::IteratorRole::reduction; }

  std::int64_t bytes_of(const Copy& copy) const {
    return static_cast<std::int64_t>(size_of(program_.buffers[copy.buffer].dtype));
  }

  /// Neighbours in memory are points.
  bool lies_in_rows_of_points(const Copy& copy) const {
    const IterId along = contiguous_iter(program_.tensors[copy.tensor], copy.index);
    return along.valid() && !is_term(along);
  }

  void lay_out(const Copy& copy) {
    Buffer& buffer = program_.buffers[copy.buffer];
    const auto cache = std::ranges::find_if(nest_.schedule.caches, [&](const nest::CachedRead& each) {
      const nest::Read& read = nest_.reads[each.read];
      return read.tensor == copy.tensor && read.index == copy.index && read.otherwise == copy.otherwise;
    });
    const std::int64_t element = bytes_of(copy);
    const std::int64_t row = matrix_unit::row_bytes / element;
    const bool through_registers = rows_.contains(copy.buffer);
    const bool turned = (matrix_unit::can_turn(unit_, element) || through_registers) && lies_in_rows_of_points(copy);
    std::int64_t terms = 1;
    std::int64_t points = 1;
    for (const auto& [iter, size] : cache->tile) (is_term(iter) ? terms : points) *= size;
    buffer.axes.clear();
    if (!through_registers && !matrix_unit::is_swizzled(unit_, element, turned))
      // A thread has neighbours along the terms of rows, and along the points of columns.
      return pad(buffer, *cache, turned, turned ? points : terms, of_rows_.contains(copy.buffer) == turned);
    std::int64_t inner_terms = 1;
    std::int64_t inner_points = 1;
    for (auto entry = cache->tile.rbegin(); entry != cache->tile.rend(); ++entry) {
      const auto [iter, size] = *entry;
      BufferAxis axis{iter, size, 1, 0, 1};
      std::int64_t& inner = is_term(iter) ? inner_terms : inner_points;
      if (!turned)
        axis.outer_stride = inner * (is_term(iter) ? 1 : row);
      else if (is_term(iter))
        axis.outer_stride = inner * row;
      else if (inner >= row)
        axis.outer_stride = inner / row * row * terms;
      else if (inner * size <= row)
        axis.outer_stride = inner;
      else
        axis = {iter, size, row / inner, row * terms, inner};
      inner *= size;
      buffer.axes.insert(buffer.axes.begin(), axis);
    }
    buffer.elements = row * (turned ? terms * ((points + row - 1) / row) : points);
    buffer.swizzled = true;
  }

  /// Rows of so many elements and some more, of points where it is turned. `apart`: the elements that a thread loads
  /// are of several rows.
  void pad(Buffer& buffer, const nest::CachedRead& cache, bool turned, std::int64_t elements, bool apart) {
    const std::int64_t element = static_cast<std::int64_t>(size_of(buffer.dtype));
    const std::int64_t lines = (elements * element + matrix_unit::row_bytes - 1) / matrix_unit::row_bytes;
    const std::int64_t row =
        (lines * matrix_unit::row_bytes + matrix_unit::row_padding(unit_, element, apart)) / element;
    std::int64_t inner_in_row = 1;
    std::int64_t rows = 1;
    for (auto entry = cache.tile.rbegin(); entry != cache.tile.rend(); ++entry) {
      const auto [iter, size] = *entry;
      const bool in_row = is_term(iter) != turned;
      buffer.axes.insert(buffer.axes.begin(), BufferAxis{iter, size, 1, in_row ? inner_in_row : rows * row, 1});
      (in_row ? inner_in_row : rows) *= size;
    }
    buffer.elements = rows * row;
  }

  /// Each contraction sums from 0, and its sums are added to those before.
  void add_up_apart() {
    rewrite(program_.body, [&](Op& op) -> std::optional<std::vector<Op>> {
      const auto* contract = std::get_if<Contract>(&op.node);
      if (!contract) return std::nullopt;
      Block block;
      Builder build(program_, block);
      Contract from_zero = *contract;
      from_zero.accumulator = build.fill(Scalar::of(0.0F), build.type(contract->accumulator));
      const ValueId sums = build.pure(from_zero, build.type(contract->accumulator));
      block.ops.push_back(Op{Map{ScalarOp::add, {contract->accumulator, sums}}, op.results});
      return std::move(block.ops);
    });
  }

  void remove_unused(Block& block) {
    std::set<ValueId> used;
    walk(block, [&](const Op& op) {
      for_each_operand(op, [&](ValueId id) { used.insert(id); });
      for_each_block(op, [&](const Block& inner) { used.insert(inner.yields.begin(), inner.yields.end()); });
    });
    bool removed = false;
    rewrite(block, [&](Op& op) -> std::optional<std::vector<Op>> {
      const bool plain = std::holds_alternative<Mask>(op.node) || std::holds_alternative<Cast>(op.node);
      if (!plain || used.contains(op.results[0])) return std::nullopt;
      removed = true;
      return std::vector<Op>{};
    });
    if (removed) remove_unused(block);
  }

  Program& program_;
  const nest::Nest& nest_;
  Unit unit_;
  std::map<ValueId, const Op*> makers_;
  std::map<BufferId, const Copy*> copies_;
  std::set<BufferId> factors_;
  std::set<BufferId> rows_;     ///< of factors that go through registers
  std::set<BufferId> of_rows_;  ///< of factors whose points are rows of the product
};

}  // namespace

void use_matrix_units(Program& program, const nest::Nest& nest) {
  if (const std::optional<Unit> unit = matrix_unit::unit_named(nest.schedule.variant))
    MatrixUnits(program, nest, *unit).run();
}

}  // namespace tilewright::tile
