// docs/ir/kernel.md against the tables in the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kernel/gpu_attributes.h"
#include "kernel/ops.h"
#include "kernel/passes/pipeline.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

std::string document(std::string_view path) {
  std::ifstream file(fmt::format("{}/docs/{}", TILEWRIGHT_SOURCE_DIR, path));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(KernelDocument, HasARowForEveryOpAsTheTableDeclaresIt) {
  const std::string text = document("ir/kernel.md");
#define X(enumerator, name, operands, results, rule, effect, attribute) \
  EXPECT_NE(text.find("\n| `" name "` | " #rule " | " #effect " | " #attribute " | "), std::string::npos) << name;
  TILEWRIGHT_KERNEL_OPS(X)
#undef X
}

TEST(KernelDocument, NamesEveryComparisonAndPass) {
  const std::string text = document("ir/kernel.md");
#define X(name) EXPECT_NE(text.find(#name), std::string::npos) << #name;
  TILEWRIGHT_KERNEL_PREDICATES(X)
#undef X
  for (const KernelPass& pass : kernel_passes)
    EXPECT_NE(text.find(fmt::format("\n| {} | ", pass.name)), std::string::npos) << pass.name;
}

TEST(KernelDocument, NamesEveryWord) {
  const std::string text = document("ir/kernel.md");
  const auto named = [&](std::span<const std::string_view> words) {
    for (const std::string_view word : words) EXPECT_NE(text.find(word), std::string::npos) << word;
  };
  named(words<Special>());
  named(words<ShuffleMode>());
  named(words<Vote>());
  named(words<AtomicOp>());
  named(words<MemoryOrder>());
  named(words<MemoryScope>());
  named(words<CacheHint>().subspan(1));  // `normal` is not written
}

TEST(KernelDocument, ShowsKernelsThatReadVerifyAndPrintTheSame) {
  const std::string text = document("ir/kernel.md");
  for (const std::string_view name : {"kernel axpy", "kernel block_sums"}) {
    const std::size_t begin = text.find(name);
    ASSERT_NE(begin, std::string::npos) << name;
    const std::string example = text.substr(begin, text.find("```", begin) - begin);
    const Kernel kernel = read_kernel(example);
    EXPECT_EQ(codes(verify(kernel)), "");
    EXPECT_EQ(to_text(kernel), example);
  }
}

}  // namespace
}  // namespace tilewright::kernel
