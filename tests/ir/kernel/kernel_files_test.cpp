// Runs tests/ir/kernel/**: a kernel before and after the pass that names the folder. `native: f16` says which small
// floats the machine converts itself.
#include "filetest.h"
#include "kernel/ir.h"
#include "kernel/passes/pipeline.h"

namespace tilewright::kernel {
namespace {

using filetest::FileTest;

KernelFacts facts_of(const FileTest& test) {
  KernelFacts facts;
  facts.expands_functions = true;
  for (const std::string& type : test.all("native")) {
    facts.conversions.f16 |= type == "f16";
    facts.conversions.bf16 |= type == "bf16";
    facts.conversions.f8e4m3 |= type == "f8e4m3";
    facts.conversions.f8e5m2 |= type == "f8e5m2";
  }
  return facts;
}

std::string produce(const FileTest& test) {
  auto kernel = parse_kernel(std::make_shared<const Source>("input", test.input));
  if (!kernel) return render(kernel.error());
  if (const auto sound = verify(*kernel); !sound) return render(sound.error());
  const auto pass = std::ranges::find(kernel_passes, test.folder, &KernelPass::name);
  if (pass == kernel_passes.end()) return "no pass is named " + test.folder + "\n";
  pass->run(*kernel, facts_of(test));
  if (const auto sound = verify(*kernel); !sound) return render(sound.error()) + to_text(*kernel);
  return to_text(*kernel);
}

class KernelFiles : public testing::TestWithParam<std::string> {};

TEST_P(KernelFiles, Output) {
  filetest::check(GetParam(), produce);
}

INSTANTIATE_TEST_SUITE_P(Ir, KernelFiles, testing::ValuesIn(filetest::files_under("tests/ir/kernel")), filetest::name);

}  // namespace
}  // namespace tilewright::kernel
