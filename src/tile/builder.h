// Builds a tile program op by op: names values, infers result types by the axes' names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tile/ir.h"

namespace tilewright::tile {

class Builder {
 public:
  /// Ops go to the end of `block`, which must outlive the builder or the next `into`.
  Builder(Program& program, Block& block) : program_(program), block_(&block) {}

  /// Redirects to another block while `body` runs.
  template <class Body>
  void into(Block& block, Body&& body) {
    Block* outer = std::exchange(block_, &block);
    body();
    block_ = outer;
  }

  ValueId value(TileType type, std::string name = {});
  ValueId fill(Scalar value, TileType type);
  ValueId load(TensorId tensor, std::vector<Affine> index, std::optional<Scalar> otherwise, TileType type);
  /// Result axes: those of the operands, in first-seen order; dtype bool for comparisons and logic, else the operands'.
  ValueId map(ScalarOp op, std::vector<ValueId> operands);
  ValueId cast(ValueId operand, DType to);
  /// Along those of `iters` that are in `axes`, the axes of the result, or that threads lie along.
  ValueId mask(ValueId operand, std::vector<IterId> iters, Scalar value, std::vector<Axis> axes);
  ValueId reduce(ValueId operand, Monoid monoid, std::vector<Axis> axes);
  ValueId contract(ValueId accumulator, ValueId lhs, ValueId rhs);
  ValueId convert_layout(ValueId operand, std::vector<Axis> axes);
  template <class Node>
  ValueId pure(Node node, TileType type) {
    const ValueId result = value(std::move(type));
    block_->ops.push_back(Op{std::move(node), {result}});
    return result;
  }
  template <class Node>
  void effect(Node node) {
    block_->ops.push_back(Op{std::move(node), {}});
  }

  /// `body(carried)` returns the tiles that the loop yields.
  template <class Body>
  std::vector<ValueId> for_loop(IterId iter, IntExpr step, std::vector<ValueId> initial, Body&& body,
                                std::int64_t unroll = 0) {
    For loop{.iter = iter, .step = std::move(step), .unroll = unroll, .initial = initial, .body = {}};
    for (ValueId id : initial) loop.body.arguments.push_back(value(type(id)));
    std::vector<ValueId> yields;
    const std::vector<ValueId> arguments = loop.body.arguments;
    into(loop.body, [&] { yields = body(arguments); });
    loop.body.yields = std::move(yields);
    return structured(std::move(loop), initial);
  }
  /// Each body returns the tiles that the branch yields.
  template <class Then, class Else>
  std::vector<ValueId> if_when(When when, std::vector<IterId> iters, Then&& then_body, Else&& else_body) {
    If branch{when, std::move(iters), {}, {}};
    std::vector<ValueId> yields;
    into(branch.then_block, [&] { yields = then_body(); });
    branch.then_block.yields = yields;
    into(branch.else_block, [&] { branch.else_block.yields = else_body(); });
    return structured(std::move(branch), yields);
  }

  const TileType& type(ValueId id) const { return program_.values[id].type; }
  Program& program() { return program_; }

 private:
  template <class Node>
  std::vector<ValueId> structured(Node node, const std::vector<ValueId>& like) {
    Op op{std::move(node), {}};
    for (ValueId id : like) op.results.push_back(value(type(id)));
    std::vector<ValueId> results = op.results;
    block_->ops.push_back(std::move(op));
    return results;
  }

  Program& program_;
  Block* block_;
};

/// The axes of both, those of `a` first.
std::vector<Axis> join_axes(std::vector<Axis> a, const std::vector<Axis>& b);
const Axis* find_axis(const std::vector<Axis>& axes, IterId iter);

}  // namespace tilewright::tile
