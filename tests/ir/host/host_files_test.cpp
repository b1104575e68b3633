// Runs tests/ir/host/**: a statement with one example line goes down the host's pipeline; what the pass that names the
// folder leaves is the output. The machine is made up, so that the files hold everywhere: 32-byte vectors, 16
// registers, 2 threads. `first: NAME` gives an operand a view whose first two axes are exchanged in memory.
#include "example.h"
#include "filetest.h"
#include "kernel/lower/tile_to_kernel.h"
#include "nest/passes/coalesce_iterators.h"
#include "nest/passes/combine_parts.h"
#include "nest/passes/schedule_for_host.h"
#include "tile/passes/nest_to_tile.h"
#include "tile/passes/place_for_host.h"
#include "tile/passes/prefetch_sums.h"
#include "tile/passes/stream_stores.h"

namespace tilewright {
namespace {

using filetest::FileTest;

HostTarget machine() {
  HostTarget target;
  target.cpu = "made up";
  target.vector_bytes = 32;
  target.vector_registers = 16;
  target.has_fma = true;
  target.has_masked_memory = true;
  target.threads = 2;
  return target;
}

std::string after_merging(const nest::Nest& nest, const nest::NestViews& views) {
  std::string text = to_text(nest);
  for (std::size_t t = 0; t < views.operands.size(); ++t) {
    text += "view " + nest.tensors[nest::TensorId{static_cast<std::uint32_t>(t)}].name + ":";
    for (std::size_t axis = 0; axis < views.operands[t].rank(); ++axis)
      text +=
          " " + std::to_string(views.operands[t].shape[axis]) + "/" + std::to_string(views.operands[t].strides[axis]);
    text += "\n";
  }
  return text;
}

std::string produce(const FileTest& test) {
  filetest::Example example = filetest::read_example(test);
  if (!example.error.empty()) return example.error;
  nest::Nest& nest = example.nest;
  nest::NestViews& views = example.views;
  if (!example.scheduled) nest::coalesce_iterators(nest, views);
  if (test.folder == "coalesce_iterators") return after_merging(nest, views);
  const nest::Facts facts = nest::gather_facts(nest, views.operands, views.output);
  const HostTarget target = machine();
  const nest::Reasons reasons = nest::schedule_for_host(nest, facts, target);
  if (test.folder == "schedule_for_host") {
    std::string text = to_text(nest);
    for (const std::string& reason : reasons) text += "reason: " + reason + "\n";
    return text;
  }
  if (test.folder == "combine_parts") return to_text(nest::combine_parts(nest));
  tile::Program program = tile::nest_to_tile(nest, facts);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "nest_to_tile") return to_text(program);
  program.phase = tile::Phase::placed;
  tile::stage_reads(program, nest);
  if (test.folder == "stage_reads") return to_text(program);
  tile::expand_copies(program, nest.schedule.lanes, target);
  if (test.folder == "expand_copies") return to_text(program);
  tile::assign_lanes(program, nest.schedule.lanes, target);
  if (test.folder == "assign_lanes") return to_text(program);
  tile::prefetch_sums(program);
  if (test.folder == "prefetch_sums") return to_text(program);
  tile::stream_stores(program, facts, target);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "stream_stores") return to_text(program);
  const kernel::LoweredKernel lowered = kernel::tile_to_kernel(program, target);
  if (const auto sound = kernel::verify(lowered.kernel); !sound) return render(sound.error());
  return to_text(lowered.kernel);
}

class HostFiles : public testing::TestWithParam<std::string> {};

TEST_P(HostFiles, Output) {
  filetest::check(GetParam(), produce);
}

INSTANTIATE_TEST_SUITE_P(Ir, HostFiles, testing::ValuesIn(filetest::files_under("tests/ir/host")), filetest::name);

}  // namespace
}  // namespace tilewright
