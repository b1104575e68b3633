// Runs tests/ir/gpu/**: a statement with one example line goes down the GPU's pipeline; what the pass that names the
// folder leaves is the output.
#include "example.h"
#include "filetest.h"
#include "kernel/lower/tile_to_kernel.h"
#include "nest/passes/repack_operands.h"
#include "nest/passes/schedule_for_gpu.h"
#include "nest/passes/split_factors.h"
#include "plan/build_gpu_plan.h"
#include "tile/passes/nest_to_tile.h"
#include "tile/passes/order_points.h"
#include "tile/passes/pipeline_copies.h"
#include "tile/passes/place_for_gpu.h"
#include "tile/passes/stage_stores.h"
#include "tile/passes/use_matrix_units.h"

namespace tilewright {
namespace {

using filetest::FileTest;

/// The nest, what it was decided for, and the nests that copy, with the strides of the copies.
std::string with_copies(const nest::Nest& nest, const nest::Facts& facts, const nest::OperandCopies& copies) {
  std::string text = to_text(nest) + "facts: " + to_text(facts) + "\n";
  for (const std::string& reason : copies.reasons) text += "reason: " + reason + "\n";
  for (const nest::OperandCopy& each : copies.operands) {
    if (const auto sound = nest::verify(each.nest); !sound) text += render(sound.error());
    text += "\n" + to_text(each.nest) + "strides:";
    for (const IntExpr& stride : each.strides) text += " " + to_text(stride) + ";";
    text += " elements: " + to_text(each.elements) + "\nfacts: " + to_text(each.facts) + "\n";
  }
  if (const auto sound = nest::verify(nest); !sound) text += render(sound.error());
  return text;
}

/// The plan's steps, without its kernels, which reads back.
std::string planned(const nest::Nest& nest, const nest::Facts& facts, const GpuTarget& target) {
  const auto built = plan::build_gpu_plan(nest, facts, target, nullptr);
  if (!built) return render(built.error());
  const auto source = std::make_shared<const Source>("plan", plan::to_text_with_kernels(built->plan));
  const auto again = plan::parse_plan(source);
  if (!again) return render(again.error());
  return plan::to_text(*again);
}

std::string produce(const FileTest& test) {
  filetest::Example example = filetest::read_example(test);
  if (!example.error.empty()) return example.error;
  nest::Nest& nest = example.nest;
  if (!example.scheduled) nest::coalesce_iterators(nest, example.views);
  nest::Facts facts =
      nest::gather_facts(nest, example.views.operands, example.views.output, nest::VectorLoads::aligned);
  const GpuTarget& target = *gpu_target_named("sm_90a");
  if (test.folder == "build_gpu_plan") return planned(nest, facts, target);
  const nest::OperandCopies split = nest::split_factors(nest, facts, target);
  if (test.folder == "split_factors") return with_copies(nest, facts, split);
  if (test.folder == "repack_operands") {
    const nest::OperandCopies repacked = nest::repack_operands(nest, facts, target);
    return with_copies(nest, facts, repacked);
  }
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
  tile::place_for_gpu(program, nest, target);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "place_for_gpu") return to_text(program);
  tile::use_matrix_units(program, nest);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "use_matrix_units") return to_text(program);
  tile::pipeline_copies(program, nest, facts, target);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "pipeline_copies") return to_text(program);
  tile::order_points(program, facts, target);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "order_points") return to_text(program);
  tile::stage_stores(program, nest, facts, target);
  if (const auto sound = tile::verify(program); !sound) return render(sound.error()) + to_text(program);
  if (test.folder == "stage_stores") return to_text(program);
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
