// Prefetches of outputs before the loops whose results are added to them.
#include "tile/passes/prefetch_sums.h"

#include <iterator>

#include "tile/walk.h"

namespace tilewright::tile {
namespace {

bool contracts(const Block& block) {
  bool found = false;
  walk(block, [&](const Op& op) { found = found || std::holds_alternative<Contract>(op.node); });
  return found;
}

void prefetch_in(Program& program, Block& block) {
  std::vector<Op> hints;
  std::size_t loop = block.ops.size();  // the last one that contracts
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    for_each_block(block.ops[i], [&](Block& inner) { prefetch_in(program, inner); });
    const auto* carries = std::get_if<For>(&block.ops[i].node);
    if (carries && contracts(carries->body)) loop = i;
  }
  if (loop == block.ops.size()) return;
  const auto visit = [&](const Op& op) {
    const auto* load = std::get_if<Load>(&op.node);
    if (!load || !program.tensors[load->tensor].output) return;
    hints.push_back(Op{Prefetch{load->tensor, load->index, program.values[op.results[0]].type}, {}});
  };
  for (std::size_t i = loop + 1; i < block.ops.size(); ++i) {
    visit(block.ops[i]);
    for_each_block(block.ops[i], [&](const Block& inner) { walk(inner, visit); });
  }
  block.ops.insert(block.ops.begin() + static_cast<std::ptrdiff_t>(loop), std::make_move_iterator(hints.begin()),
                   std::make_move_iterator(hints.end()));
}

}  // namespace

void prefetch_sums(Program& program) {
  prefetch_in(program, program.body);
}

}  // namespace tilewright::tile
