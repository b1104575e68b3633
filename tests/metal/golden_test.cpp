// The source of the twelve recipes at their small shapes, and of products by simdgroup matrices, to the byte:
// tests/metal/golden/NAME.metal. TILEWRIGHT_BLESS=1 rewrites the files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "filetest.h"
#include "metal_text.h"
#include "report/metal_source.h"
#include "report/stages.h"
#include "runtime/kernel.h"

namespace tilewright::metal_shim {
namespace {

std::vector<Kernel> recipe_kernels() {
  const std::string path = "examples/recipes.tw";
  auto kernels = parse_kernels(std::make_shared<const Source>(path, filetest::read(filetest::absolute(path))));
  return kernels ? std::move(*kernels) : std::vector<Kernel>{};
}

std::string source_of(const Kernel& kernel) {
  std::vector<nest::NamedView> operands;
  for (const lang::ExampleOperand& operand : kernel.statement()->examples.at(0))
    operands.push_back({operand.name.name, {nullptr, operand.dtype, operand.shape, row_major_strides(operand.shape)}});
  const auto target = report::emit_target_named("metal");
  if (!target) return render(target.error());
  const auto steps = report::compile_for(*target, kernel, operands);
  if (!steps) return render(steps.error());
  const auto source = report::metal_source(steps->front(), *target->gpu);
  return source ? source->text : render(source.error());
}

void expect_golden(const Kernel& kernel, const std::string& file) {
  const std::string source = source_of(kernel);
  const auto path = filetest::absolute("tests/metal/golden/" + file + ".metal");
  if (std::getenv("TILEWRIGHT_BLESS") != nullptr) std::ofstream(path, std::ios::binary) << source;
  EXPECT_EQ(source, filetest::read(path)) << file << "\nTILEWRIGHT_BLESS=1 rewrites it";
  const auto host = to_host(source);
  EXPECT_TRUE(host) << (host ? "" : host.error());
}

TEST(MetalGolden, RecipesAreAsTheyWere) {
  const std::vector<Kernel> kernels = recipe_kernels();
  ASSERT_EQ(kernels.size(), 13U);  // the transpose twice
  for (const Kernel& kernel : kernels) expect_golden(kernel, kernel.name());
}

TEST(MetalGolden, ProductsOfSimdgroupMatricesAreAsTheyWere) {
  for (const char* type : {"f32", "f16"}) {
    const auto kernel =
        Kernel::parse(fmt::format("product[i, j] ++= a[i, k] * b[k, j] do:\n  example: a = {0} 64x64, b = {0} 64x32\n"
                                  "  schedule:\n    tile(i, 16)\n    tile(j, 16)\n    variant = simdgroup\n",
                                  type));
    ASSERT_TRUE(kernel) << render(kernel.error());
    expect_golden(*kernel, fmt::format("product_{}", type));
  }
}

}  // namespace
}  // namespace tilewright::metal_shim
