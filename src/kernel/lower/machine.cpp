// What a GPU's code is for: how many threads a block has, and what registers they get.
#include <algorithm>
#include <map>

#include "kernel/lower/lowering.h"
#include "tile/walk.h"

namespace tilewright::kernel::lowering {

namespace {

/// The products of a thread: registers of the sums that they go to, and whether rows of them lie along a vector that
/// was loaded.
struct Products {
  std::int64_t sums = 0;
  bool along_vectors = false;
};

Products products_of(const tile::Program& program) {
  Products most;
  tile::walk(program.body, [&](const tile::Op& op) {
    const auto* contract = std::get_if<tile::Contract>(&op.node);
    if (!contract || contract->unit != tile::Unit::scalar) return;
    const tile::TileType& type = program.values[op.results[0]].type;
    Products here{std::max<std::int64_t>(bytes_of(type.dtype) / 4, 1)};
    for (const tile::Axis& axis : type.axes) here.sums *= axis.size;
    here.along_vectors = std::ranges::any_of(type.axes, &tile::Axis::lanes);
    if (here.sums > most.sums) most = here;
  });
  return most;
}

/// Of a block whose threads accumulate many products. Blocks share a multiprocessor: two or more warps of each
/// scheduler hide what one waits for, with the registers that fragments and addresses take beside the sums. Where sums
/// fill the registers, products and loads keep the order that the lowering and spread_loads give them, if that is
/// better than what the assembler finds: measured, on sm_90, 51.3 to 43 TFLOP/s of a[i, k] with b[k, j], 52.9 to 50.4
/// of a[k, i] with b[k, j], 35 to 41 of a[i, k] with b[j, k], which has no vector along its outputs.
ThreadBlock block_of(const tile::Program& program, const GpuTarget& target) {
  constexpr std::int64_t many_sums = 32;
  constexpr std::int64_t full_of_sums = 64;
  ThreadBlock block{.threads = static_cast<std::int32_t>(tile::block_threads(program))};
  block.cluster = static_cast<std::int32_t>(tile::cluster_blocks(program));
  const auto [sums, along_vectors] = products_of(program);
  block.in_order = sums > full_of_sums && along_vectors;
  if (sums < many_sums || sums > full_of_sums) return block;
  const std::int64_t registers = sums < full_of_sums ? 128 : 168;
  const std::int64_t blocks = target.multiprocessor_registers / (registers * block.threads);
  block.resident = static_cast<std::int32_t>(std::min<std::int64_t>(blocks, target.max_multiprocessor_blocks));
  return block;
}

/// Registers of a thread of a matrix unit's contraction: those that it wants, for sums, rows on their way to the unit,
/// and others; and those without which the assembler takes no single product (ptxas, C7602).
struct ProductRegisters {
  std::int64_t wanted = 0, least = 0;
};

ProductRegisters registers_of_product(const tile::Program& program) {
  constexpr std::int64_t others = 50;
  constexpr std::int64_t rows = 32;
  constexpr std::int64_t beside_one = 32;
  ProductRegisters most;
  tile::walk(program.body, [&](const tile::Op& op) {
    const auto* contract = std::get_if<tile::Contract>(&op.node);
    if (contract == nullptr) return;
    const std::vector<tile::Axis>& of_rows = program.values[contract->lhs].type.axes;
    std::int64_t sums = 1;
    std::int64_t own_rows = 1;
    for (const tile::Axis& axis : program.values[op.results[0]].type.axes) {
      sums *= axis.size;
      if (std::ranges::find(of_rows, axis.iter, &tile::Axis::iter) != of_rows.end()) own_rows *= axis.size;
    }
    most.wanted = std::max(most.wanted, sums + others + (contract->from_registers ? rows : 0));
    most.least = std::max(most.least, sums / std::max<std::int64_t>(own_rows / 2, 1) + beside_one);
  });
  return most;
}

/// The warp that tells the copy engine what to do. A block's registers are dealt to four warps at a time, to all
/// threads alike; where multiplying ones get more of them so, four warps are added, that give theirs back. Two blocks
/// share a multiprocessor if its memory and registers allow.
void add_producer(const tile::Program& program, const tile::For& loop, const GpuTarget& target, Machine& machine) {
  constexpr std::int64_t granule = 8;
  constexpr std::int64_t most = 240;
  constexpr std::int64_t spare = 32;  ///< that epilogues may want
  const std::int64_t threads = machine.block->threads;
  const std::int64_t all = threads + matrix_unit::threads;
  const auto [wanted, least] = registers_of_product(program);
  const std::int64_t given_back = matrix_unit::threads * producer_registers;
  std::map<tile::BufferId, std::int64_t> offsets;
  const std::int64_t bytes = stage_layout(program, loop, offsets) * loop.stages;
  const auto of_launch = [&](std::int64_t blocks) {
    return std::min<std::int64_t>(target.multiprocessor_registers / (blocks * all), target.max_thread_registers) /
           granule * granule;
  };
  const auto of_consumer = [&](std::int64_t blocks) {
    return std::min((of_launch(blocks) * all - given_back) / threads / granule * granule, most);
  };
  const bool two = 2 * (bytes + target.system_shared_bytes) <= target.multiprocessor_shared_bytes &&
                   of_consumer(2) >= wanted && of_launch(2) >= least;
  const std::int64_t blocks = two ? 2 : 1;
  const bool moves = of_consumer(blocks) > of_launch(blocks) && wanted + spare > of_launch(blocks);
  machine.block->threads += static_cast<std::int32_t>(moves ? matrix_unit::threads : warp_threads);
  if (!moves) return;
  machine.block->resident = static_cast<std::int32_t>(blocks);
  machine.consumer_registers = static_cast<std::int32_t>(of_consumer(blocks));
}

}  // namespace

Machine machine_of(const tile::Program& program, const GpuTarget& target) {
  // One value is what a thread holds of an axis; the code generator cuts its accesses as their alignment allows.
  constexpr int lanes = 16;
  const Element widest = target.has_f64 ? Element::f64 : Element::f32;
  Machine machine{lanes, true, block_of(program, target), widest, target.max_divided_blocks};
  if (const tile::For* loop = tile::find_engine_loop(program)) add_producer(program, *loop, target, machine);
  return machine;
}

}  // namespace tilewright::kernel::lowering
