// Runs tests/ir/gpu/**: a statement with one example line goes down the GPU's pipeline; what the pass that names the
// folder leaves is the output.
#include "example.h"
#include "filetest.h"
#include "kernel/lower/tile_to_kernel.h"
#include "nest/passes/schedule_for_gpu.h"
#include "tile/passes/nest_to_tile.h"
#include "tile/passes/pipeline_copies.h"
#include "tile/passes/place_for_gpu.h"

namespace tilewright {
namespace {

using filetest::FileTest;

std::string produce(const FileTest& test) {
  filetest::Example example = filetest::read_example(test);
  if (!example.error.empty()) return example.error;
  nest::Nest& nest = example.nest;
  if (!example.scheduled) nest::coalesce_iterators(nest, example.views);
  const nest::Facts facts =
      nest::gather_facts(nest, example.views.operands, example.views.output, nest::VectorLoads::aligned);
  const NvptxTarget& target = *nvptx_target_named("sm_90a");
  const auto reasons = nest::schedule_for_gpu(nest, facts, target);
  if (!reasons) return render(reasons.error());
  if (const auto sound = nest::verify(nest); !sound) return render(sound.error()) + to_text(nest);
  if (test.folder == "schedule_for_gpu") {
    std::string text = to_text(nest);
    for (const std::string& reason : *reasons) text += "reason: " + reason + "\n";
    return text;
  }
  tile::Program program = tile::nest_to_tile(nest, facts);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "nest_to_tile") return to_text(program);
  tile::place_for_gpu(program, nest);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "place_for_gpu") return to_text(program);
  tile::pipeline_copies(program, nest, target);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "pipeline_copies") return to_text(program);
  const kernel::LoweredKernel lowered = kernel::tile_to_kernel(program, target);
  if (const auto sound = kernel::verify(lowered.kernel); !sound) return render(sound.error());
  return to_text(lowered.kernel);
}

class GpuFiles : public testing::TestWithParam<std::string> {};

TEST_P(GpuFiles, Output) {
  filetest::check(GetParam(), produce);
}

INSTANTIATE_TEST_SUITE_P(Ir, GpuFiles, testing::ValuesIn(filetest::files_under("tests/ir/gpu")), filetest::name);

}  // namespace
}  // namespace tilewright
