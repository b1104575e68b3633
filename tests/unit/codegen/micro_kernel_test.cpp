// The code that a contraction's inner loop gets: a hand-written 6 × 16 f32 micro-kernel over packed panels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "legal.h"
#include "map_lanes.h"

namespace tilewright::codegen {
namespace {

using kernel::Element;
using kernel::Opcode;
using kernel::ValueId;

constexpr int rows = 6;
constexpr int vectors = 2;
constexpr int lanes = 8;
constexpr kernel::Type row_type{Element::f32, lanes};

// c (6 × 16, row stride ldc bytes) += a (k × 6) · b (k × 16)
kernel::Kernel micro_kernel() {
  kernel::Builder b("micro_6x16");
  const ValueId a = b.parameter("a", {Element::ptr, 1}, true, true, 32);
  const ValueId panel = b.parameter("b", {Element::ptr, 1}, true, true, 32);
  const ValueId c = b.parameter("c", {Element::ptr, 1}, false, true, 4);
  const ValueId k = b.parameter("k", {Element::i64, 1});
  const ValueId ldc = b.parameter("ldc", {Element::i64, 1});
  const std::vector<ValueId> zeros(rows * vectors, b.constant(row_type, Scalar::of(0.0)));
  const auto sums = b.for_loop(b.index(0), k, b.index(1), zeros, [&](ValueId p, std::vector<ValueId> sum) {
    const ValueId a_row = b.offset(a, b.mul(p, b.index(rows * 4)));
    const ValueId b_row = b.offset(panel, b.mul(p, b.index(vectors * lanes * 4)));
    std::vector<ValueId> right;
    for (int v = 0; v < vectors; ++v)
      right.push_back(b.load(row_type, b.offset(b_row, b.index(v * lanes * 4)), {32, false}));
    for (int r = 0; r < rows; ++r) {
      const ValueId left = b.splat(b.load({Element::f32, 1}, b.offset(a_row, b.index(r * 4)), {4, false}), lanes);
      for (int v = 0; v < vectors; ++v) {
        ValueId& s = sum[static_cast<std::size_t>(r * vectors + v)];
        s = b.fma(left, right[static_cast<std::size_t>(v)], s);
      }
    }
    return sum;
  });
  for (int r = 0; r < rows; ++r) {
    const ValueId row = b.offset(c, b.mul(ldc, b.index(r)));
    for (int v = 0; v < vectors; ++v) {
      const ValueId at = b.offset(row, b.index(v * lanes * 4));
      b.store(b.add(b.load(row_type, at, {4, false}), sums[static_cast<std::size_t>(r * vectors + v)]), at, {4, false});
    }
  }
  return b.finish();
}

// The lines between a label and the last branch back to it.
std::vector<std::string> loop_lines(const std::string& assembly) {
  std::vector<std::string> lines;
  std::istringstream stream(assembly);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const std::regex label(R"(^(\.LBB\d+_\d+):.*)");
  const std::regex branch(R"(^\s+j\w+\s+(\.LBB\d+_\d+)\b.*)");
  for (std::size_t first = 0; first < lines.size(); ++first) {
    std::smatch name;
    if (!std::regex_match(lines[first], name, label)) continue;
    for (std::size_t last = first; last < lines.size(); ++last) {
      std::smatch to;
      if (std::regex_match(lines[last], to, branch) && to[1] == name[1])
        return {lines.begin() + static_cast<std::ptrdiff_t>(first), lines.begin() + static_cast<std::ptrdiff_t>(last)};
    }
  }
  return {};
}

std::ptrdiff_t count(const std::vector<std::string>& lines, const std::string& pattern) {
  const std::regex wanted(pattern);
  return std::ranges::count_if(lines, [&](const std::string& line) { return std::regex_search(line, wanted); });
}

TEST(MicroKernel, KeepsItsAccumulatorsInRegisters) {
  const auto target = host_target_named("avx2");
  if (!target) GTEST_SKIP() << "this machine has no AVX2";
  const auto assembly = emit_for_host(legal(micro_kernel(), *target), HostStage::assembly, *target);
  ASSERT_TRUE(assembly.has_value()) << messages(assembly.error());
  const auto loop = loop_lines(*assembly);
  SCOPED_TRACE(*assembly);
  EXPECT_EQ(count(loop, R"(\bvfmadd\w+ps\b)"), rows * vectors);
  EXPECT_EQ(count(loop, R"(\bvbroadcastss\s+-?\d*\(%r)"), rows) << "each broadcast reads memory itself";
  EXPECT_EQ(count(loop, R"(\(%r[sb]p\))"), 0) << "a spill";
  EXPECT_LE(std::ssize(loop), 1 + rows * vectors + rows + vectors + 5) << "address arithmetic in the loop";
}

TEST(MicroKernel, MultipliesPanels) {
  for (const HostTarget& target : runnable_targets()) {
    SCOPED_TRACE(target.cpu);
    constexpr int k = 37;
    constexpr int width = vectors * lanes;
    constexpr int stride = 19;
    std::vector<float> storage(static_cast<std::size_t>(k * rows + k * width) + 16);
    float* const aligned = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(storage.data()) + 31) / 32 * 32);
    float* const a = aligned + k * width;  // k · 16 floats keep the 32-byte alignment
    float* const b = aligned;
    for (int i = 0; i < k * rows; ++i) a[i] = static_cast<float>((i * 7) % 11 - 5);
    for (int i = 0; i < k * width; ++i) b[i] = static_cast<float>((i * 5) % 13 - 6);
    std::vector<float> c(rows * stride, 100.0F);
    call(micro_kernel(), target,
         {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a)),
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b)), address(c), k, stride * 4});
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < stride; ++j) {
        int expected = 100;  // small integers: every order of summation is exact
        for (int p = 0; p < k && j < width; ++p)
          expected += static_cast<int>(a[p * rows + r]) * static_cast<int>(b[p * width + j]);
        ASSERT_EQ(c[static_cast<std::size_t>(r * stride + j)], static_cast<float>(expected)) << r << ' ' << j;
      }
  }
}

}  // namespace
}  // namespace tilewright::codegen
