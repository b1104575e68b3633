// Types, access, phase and lanes of one op of a tile program. See verify_op.h; verify.cpp lists the invariants.
#include "tile/verify_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tile/walk.h"

namespace tilewright::tile {
namespace {

const Axis* find_axis(const TileType& type, IterId iter) {
  const auto at = std::ranges::find(type.axes, iter, &Axis::iter);
  return at == type.axes.end() ? nullptr : &*at;
}

bool same_extent(const Axis& a, const Axis& b) {
  return a.size == b.size && a.chunk == b.chunk && a.apart == b.apart;
}

/// The axes of `inner` are among those of `outer`, of the same sizes.
bool broadcasts(const TileType& inner, const TileType& outer) {
  return std::ranges::all_of(inner.axes, [&](const Axis& axis) {
    const Axis* other = find_axis(outer, axis.iter);
    return other && same_extent(*other, axis);
  });
}

bool same_axes(const TileType& a, const TileType& b) {
  return a.axes.size() == b.axes.size() && broadcasts(a, b);
}

/// Whether the operator takes operands of `type` (of select: its two choices).
bool admits(ScalarOp op, DType type) {
  switch (info(op).operands) {
    case OpOperands::arithmetic:
      return !is_boolean(type);
    case OpOperands::comparison:
      return !is_boolean(type) || op == ScalarOp::eq || op == ScalarOp::ne;
    case OpOperands::logical:
      return is_boolean(type);
    case OpOperands::floating:
      return is_floating(type);
    case OpOperands::ordered:  // any and all fold bools by max and min
    case OpOperands::selection:
      return true;
  }
  internal_error("an unknown class of operands");
}

DType result_of(ScalarOp op, DType type) {
  return info(op).operands == OpOperands::comparison ? DType::boolean : type;
}

class OpVerifier {
 public:
  OpVerifier(const Program& program, const Op& op) : program_(program), op_(op) {}

  std::vector<Complaint> run() {
    if (!check_result_count()) return std::move(found_);
    std::visit(Overloaded{
                   [&](const Fill& n) { check_scalar(n.value, result().dtype, "the value"); },
                   [&](const Iota& n) { check_iota(n); },
                   [&](const ExtentValue&) {
                     if (result().dtype != DType::i64 || !result().axes.empty())
                       add("T005", "an extent is an i64 without axes");
                   },
                   [&](const Load& n) {
                     check_access(n.tensor, n.index.size());
                     check_otherwise(n.otherwise, n.tensor);
                     check_dtype(result().dtype, program_.tensors[n.tensor].dtype, "the result", "the tensor");
                   },
                   [&](const LoadBuffer& n) { check_buffer_tile(n.buffer, result()); },
                   [&](const Map& n) { check_map(n); },
                   [&](const Cast& n) { check_same_axes(n.operand); },
                   [&](const Mask& n) { check_mask(n); },
                   [&](const Reduce& n) { check_reduce(n); },
                   [&](const Contract& n) { check_contract(n); },
                   [&](const ConvertLayout& n) { check_convert_layout(n); },
                   [&](const ReduceAcross& n) { check_reduce_across(n); },
                   [](const For&) {},  // structure: verify.cpp
                   [](const If&) {},
                   [](const Allocate&) {},
                   [&](const Copy& n) { check_copy(n); },
                   [&](const Store& n) { check_store(n); },
                   [&](const StoreBuffer& n) { check_buffer_tile(n.buffer, type(n.value)); },
                   [&](const Prefetch& n) {
                     require_placed();
                     check_access(n.tensor, n.index.size());
                     check_dtype(n.type.dtype, program_.tensors[n.tensor].dtype, "the tile", "the tensor");
                   },
                   [&](const Barrier&) {
                     require_placed();
                     if (program_.threads.empty()) add("T013", "a barrier without threads");
                   },
               },
               op_.node);
    if (program_.phase == Phase::placed) check_lanes();
    return std::move(found_);
  }

 private:
  void add(std::string_view code, std::string message) { found_.push_back({code, std::move(message)}); }
  const TileType& type(ValueId id) const { return program_.values[id].type; }
  const TileType& result() const { return type(op_.results.front()); }
  const std::string& name(IterId id) const { return program_.iters[id].name; }

  bool check_result_count() {
    const bool structured = std::holds_alternative<For>(op_.node) || std::holds_alternative<If>(op_.node);
    const bool effect = std::holds_alternative<Allocate>(op_.node) || std::holds_alternative<Copy>(op_.node) ||
                        std::holds_alternative<Store>(op_.node) || std::holds_alternative<StoreBuffer>(op_.node) ||
                        std::holds_alternative<Prefetch>(op_.node) || std::holds_alternative<Barrier>(op_.node);
    const std::size_t expected = effect ? 0 : 1;
    if (structured || op_.results.size() == expected) return true;
    add("T004", fmt::format("{} results; a {} has {}", op_.results.size(), op_name(op_), expected));
    return false;
  }

  void require_placed() {
    if (program_.phase != Phase::placed) add("T008", fmt::format("{} belongs to the placed phase", op_name(op_)));
  }
  void check_scalar(const Scalar& value, DType dtype, std::string_view what) {
    if (value.is_float() != is_floating(dtype)) add("T005", fmt::format("{} is no {}", what, tilewright::name(dtype)));
  }
  void check_dtype(DType received, DType expected, std::string_view what, std::string_view of) {
    if (received != expected)
      add("T005", fmt::format("{} is {}, {} is {}", what, tilewright::name(received), of, tilewright::name(expected)));
  }
  void check_same_axes(ValueId operand) {
    if (!same_axes(type(operand), result())) add("T005", "the operand and the result have different axes");
  }

  void check_iota(const Iota& iota) {
    if (result().dtype != DType::i64) add("T005", "an iota is i64");
    for (const Axis& axis : result().axes)
      if (axis.iter != iota.iter)
        add("T005", fmt::format("an iota of {} has no axis {}", name(iota.iter), name(axis.iter)));
  }

  void check_map(const Map& map) {
    const auto arity = static_cast<std::size_t>(info(map.op).arity);
    if (map.operands.size() != arity)
      return add("T005", fmt::format("{} operands; {} takes {}", map.operands.size(), info(map.op).name, arity));
    for (ValueId operand : map.operands)
      if (!broadcasts(type(operand), result())) add("T005", "an operand has an axis that the result lacks");
    std::size_t first = 0;
    if (map.op == ScalarOp::select) {
      check_dtype(type(map.operands[0]).dtype, DType::boolean, "the condition", "a condition");
      first = 1;
    }
    const DType operand = type(map.operands[first]).dtype;
    for (std::size_t i = first; i < arity; ++i)
      check_dtype(type(map.operands[i]).dtype, operand, "an operand", "the one before");
    if (!admits(map.op, operand))
      add("T005", fmt::format("{} does not take {}", info(map.op).name, tilewright::name(operand)));
    check_dtype(result().dtype, result_of(map.op, operand), "the result", "what the operator gives");
  }

  void check_mask(const Mask& mask) {
    check_scalar(mask.value, result().dtype, "the value");
    check_dtype(type(mask.operand).dtype, result().dtype, "the operand", "the result");
    if (!broadcasts(type(mask.operand), result())) add("T005", "the operand has an axis that the result lacks");
  }

  void check_reduce(const Reduce& reduce) {
    const TileType& operand = type(reduce.operand);
    check_dtype(operand.dtype, result().dtype, "the operand", "the result");
    if (!broadcasts(result(), operand)) add("T005", "the result has an axis that the operand lacks");
    const bool needs_number = reduce.monoid == Monoid::sum || reduce.monoid == Monoid::product;
    if (needs_number && is_boolean(operand.dtype)) add("T005", "a sum or product of bools");
  }

  void check_contract(const Contract& contract) {
    const TileType& accumulator = type(contract.accumulator);
    const TileType& lhs = type(contract.lhs);
    const TileType& rhs = type(contract.rhs);
    check_dtype(accumulator.dtype, result().dtype, "the accumulator", "the result");
    if (!same_axes(accumulator, result())) add("T005", "the accumulator and the result have different axes");
    check_dtype(rhs.dtype, lhs.dtype, "the right side", "the left side");
    if (contract.unit != Unit::scalar) require_placed();
    if (is_boolean(lhs.dtype) || is_boolean(accumulator.dtype) ||
        is_floating(lhs.dtype) != is_floating(accumulator.dtype))
      add("T005", fmt::format("{} times {} into {}", tilewright::name(lhs.dtype), tilewright::name(rhs.dtype),
                              tilewright::name(accumulator.dtype)));
    for (const TileType* side : {&lhs, &rhs}) {
      for (const Axis& axis : side->axes) {
        const Axis* other = find_axis(accumulator, axis.iter);
        if (!other) other = find_axis(side == &lhs ? rhs : lhs, axis.iter);
        if (other && !same_extent(*other, axis))
          add("T005", fmt::format("axis {} has sizes {} and {}", name(axis.iter), axis.size, other->size));
      }
    }
  }

  void check_reduce_across(const ReduceAcross& reduce) {
    const TileType& operand = type(reduce.operand);
    check_dtype(operand.dtype, result().dtype, "the operand", "the result");
    check_same_axes(reduce.operand);
    const bool needs_number = reduce.monoid == Monoid::sum || reduce.monoid == Monoid::product;
    if (needs_number && is_boolean(operand.dtype)) add("T005", "a sum or product of bools");
    if (std::ranges::count(program_.threads, reduce.iter, &ThreadAxis::iter) != 1)
      add("T013", fmt::format("{} has no axis of threads, or several", name(reduce.iter)));
    if (find_axis(operand, reduce.iter))
      add("T013", fmt::format("the tile has an axis {} itself; reduce it first", name(reduce.iter)));
  }

  void check_convert_layout(const ConvertLayout& convert) {
    require_placed();
    check_same_axes(convert.operand);
    check_dtype(type(convert.operand).dtype, result().dtype, "the operand", "the result");
  }

  void check_access(TensorId id, std::size_t slots) {
    const Tensor& tensor = program_.tensors[id];
    if (slots != tensor.strides.size())
      add("T007", fmt::format("{} index slots; {} has rank {}", slots, tensor.name, tensor.strides.size()));
  }
  void check_otherwise(const std::optional<Scalar>& value, TensorId tensor) {
    if (value) check_scalar(*value, program_.tensors[tensor].dtype, "the value of otherwise");
  }

  void check_copy(const Copy& copy) {
    require_placed();
    check_access(copy.tensor, copy.index.size());
    check_otherwise(copy.otherwise, copy.tensor);
    check_dtype(program_.buffers[copy.buffer].dtype, program_.tensors[copy.tensor].dtype, "the buffer", "the tensor");
  }

  void check_store(const Store& store) {
    const Tensor& tensor = program_.tensors[store.tensor];
    const TileType& value = type(store.value);
    check_access(store.tensor, store.index.size());
    check_dtype(value.dtype, tensor.dtype, "the value", "the tensor");
    if (!tensor.output) add("T007", fmt::format("{} is no output", tensor.name));
    std::set<IterId> seen;
    for (const StoreIndex& slot : store.index) {
      if (!seen.insert(slot.iter).second) add("T007", fmt::format("{} stands in two slots", name(slot.iter)));
      if (slot.block && slot.block->is_constant() && slot.block->constant() < 1)
        add("T010", fmt::format("a block of {} points", slot.block->constant()));
    }
    for (const Axis& axis : value.axes) {
      const auto slot = std::ranges::find(store.index, axis.iter, &StoreIndex::iter);
      if (slot == store.index.end() || slot->block)
        add("T007", fmt::format("no slot holds the value's axis {}", name(axis.iter)));
    }
  }

  void check_buffer_tile(BufferId id, const TileType& tile) {
    const Buffer& buffer = program_.buffers[id];
    check_dtype(tile.dtype, buffer.dtype, "the tile", "the buffer");
    for (const Axis& axis : tile.axes)
      if (std::ranges::find(buffer.axes, axis.iter, &BufferAxis::iter) == buffer.axes.end())
        add("T007", fmt::format("the buffer has no axis {}", name(axis.iter)));
  }

  void check_lanes() {
    if (std::holds_alternative<ConvertLayout>(op_.node) || std::holds_alternative<For>(op_.node)) return;
    std::vector<Axis> known;
    const auto check = [&](ValueId id) {
      for (const Axis& axis : type(id).axes) {
        const auto other = std::ranges::find(known, axis.iter, &Axis::iter);
        if (other == known.end())
          known.push_back(axis);
        else if (other->lanes != axis.lanes)
          add("T012", fmt::format("axis {} runs along lanes in one tile and not in another", name(axis.iter)));
      }
    };
    for_each_operand(op_, check);
    for (ValueId id : op_.results) check(id);
  }

  const Program& program_;
  const Op& op_;
  std::vector<Complaint> found_;
};

}  // namespace

std::vector<Complaint> complaints(const Program& program, const Op& op) {
  return OpVerifier(program, op).run();
}

}  // namespace tilewright::tile
