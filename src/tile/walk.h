// The one traversal and the one rewrite of tile programs. Passes, the verifier and the analyses are lambdas over these.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/overloaded.h"
#include "tile/ir.h"

namespace tilewright::tile {

/// The op's name in the text form: "load", "contract", "for".
std::string_view op_name(const Op& op);

/// True for ops whose elements stand at coordinates, which look at the scopes of their iterators (Load, LoadBuffer,
/// Iota, Mask, Store, StoreBuffer). The others combine elements by position only.
bool has_coordinates(const Op& op);

/// A store's slots as affine indices; those with a block's number have no terms.
std::vector<Affine> index_of(const Store& store);

/// The iterator whose points lie next to each other in the tensor; invalid: none.
IterId contiguous_iter(const Tensor& tensor, const std::vector<Affine>& index);

/// `Node`, const if `Owner` is.
template <class Owner, class Node>
using SameConst = std::conditional_t<std::is_const_v<Owner>, const Node, Node>;

/// Calls `visit` with a reference to the id of each value that the op itself reads: not those that the ops inside its
/// blocks read, nor their yields. `op` is an Op or a const Op.
template <class AnyOp, class Visit>
void for_each_operand(AnyOp& op, Visit&& visit) {
  const auto all = [&](auto& ids) {
    for (auto& id : ids) visit(id);
  };
  std::visit(Overloaded{
                 [](SameConst<AnyOp, Fill>&) {},
                 [](SameConst<AnyOp, Iota>&) {},
                 [](SameConst<AnyOp, ExtentValue>&) {},
                 [](SameConst<AnyOp, Load>&) {},
                 [](SameConst<AnyOp, LoadBuffer>&) {},
                 [&](SameConst<AnyOp, Map>& map) { all(map.operands); },
                 [&](SameConst<AnyOp, Cast>& cast) { visit(cast.operand); },
                 [&](SameConst<AnyOp, Mask>& mask) { visit(mask.operand); },
                 [&](SameConst<AnyOp, Reduce>& reduce) { visit(reduce.operand); },
                 [&](SameConst<AnyOp, Contract>& contract) {
                   visit(contract.accumulator);
                   visit(contract.lhs);
                   visit(contract.rhs);
                 },
                 [&](SameConst<AnyOp, ConvertLayout>& convert) { visit(convert.operand); },
                 [&](SameConst<AnyOp, ReduceAcross>& reduce) { visit(reduce.operand); },
                 [&](SameConst<AnyOp, For>& loop) { all(loop.initial); },
                 [](SameConst<AnyOp, If>&) {},
                 [](SameConst<AnyOp, Allocate>&) {},
                 [](SameConst<AnyOp, Copy>&) {},
                 [&](SameConst<AnyOp, Store>& store) { visit(store.value); },
                 [&](SameConst<AnyOp, StoreBuffer>& store) { visit(store.value); },
                 [](SameConst<AnyOp, Prefetch>&) {},
                 [](SameConst<AnyOp, Barrier>&) {},
             },
             op.node);
}

/// Calls `visit` with each block that the op holds: the body of a For, both branches of an If.
template <class AnyOp, class Visit>
void for_each_block(AnyOp& op, Visit&& visit) {
  if (auto* loop = std::get_if<For>(&op.node)) visit(loop->body);
  if (auto* branch = std::get_if<If>(&op.node)) {
    visit(branch->then_block);
    visit(branch->else_block);
  }
}

/// Calls `visit(op)` for every op of the block and of the blocks inside it: an op before the ops that it holds.
template <class AnyBlock, class Visit>
void walk(AnyBlock& block, Visit&& visit) {
  for (auto& op : block.ops) {
    visit(op);
    for_each_block(op, [&](auto& inner) { walk(inner, visit); });
  }
}

/// `visit(op)` for the op and those that it holds.
template <class AnyOp, class Visit>
void walk_op(AnyOp& op, Visit&& visit) {
  visit(op);
  for_each_block(op, [&](auto& inner) { walk(inner, visit); });
}

/// Bytes that a buffer of a constant size takes of a block's shared memory, up to where another may begin.
std::int64_t shared_room(const Buffer& buffer);
/// The op allocates, fills or stores to shared memory.
bool fills_shared(const Program& program, const Op& op);
/// How many ops at the block's start allocate shared buffers and copy into them; 0 where no copy is among them.
std::size_t staged_ops(const Program& program, const Block& block);

/// Replaces ops. `replace(op)` is called for each op after the ops that it holds were rewritten, in program order, and
/// gives what stands in its place (which may hold the op itself; nothing removes it), or nullopt to keep it. What it
/// gives is not visited again.
void rewrite(Block& block, const std::function<std::optional<std::vector<Op>>(Op&)>& replace);

/// Reads of `from` (operands and yields) in the block and the blocks inside it become reads of `to`.
void replace_uses(Block& block, ValueId from, ValueId to);

}  // namespace tilewright::tile
