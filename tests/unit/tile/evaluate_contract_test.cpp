// Contractions evaluated on whole tiles: ragged edges, masks, packed buffers, first and last blocks of a reduction.
#include "programs.h"

namespace tilewright::tile {
namespace {

void expect_matmul(const Program& program, std::int64_t m, std::int64_t n, std::int64_t k) {
  Dense<float> a({m, k}), b({k, n}), out({m, n}, -77.0f);
  fill_pattern(a, 1);
  fill_pattern(b, 2);
  const Result<void> done =
      evaluate(program, {{"a", a.view(DType::f32)}, {"b", b.view(DType::f32)}, {"mm", out.view(DType::f32)}});
  ASSERT_TRUE(done) << render(done.error());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      int sum = 0;
      for (std::int64_t r = 0; r < k; ++r) sum += static_cast<int>(a.at(i, r)) * static_cast<int>(b.at(r, j));
      ASSERT_EQ(out.at(i, j), static_cast<float>(sum)) << i << ", " << j;
    }
}

TEST(EvaluateContract, RaggedMatmul) {
  const Program program = program_of(ragged_matmul);
  expect_matmul(program, 13, 35, 9);
  expect_matmul(program, 12, 32, 4);
  expect_matmul(program, 1, 1, 1);
}

TEST(EvaluateContract, EmptyReductionGivesTheInitialTile) {
  expect_matmul(program_of(ragged_matmul), 7, 5, 0);
}

TEST(EvaluateContract, EmptyOutputRunsNoGridPoint) {
  expect_matmul(program_of(ragged_matmul), 0, 5, 3);
}

constexpr const char* masked_matmul = R"(tile mm
  tensor a : f32 rank 2 strides (other, one) align 4
  tensor b : f32 rank 2 strides (other, one) align 4
  tensor mm : f32 rank 2 strides (other, one) align 4 output
  iter i extent a.0
  iter j extent b.1
  iter k extent a.1
  grid i by 4, j by 8
  %zero = fill 0 : f32 [i 4, j 8]
  %acc = for k by 5 carry %c = %zero {
    %x = load a[i, k] : f32 [i 4, k 5]
    %xm = mask %x outside (k) with 0 : f32 [i 4, k 5]
    %y = load b[k, j] : f32 [k 5, j 8]
    %ym = mask %y outside (k) with 0 : f32 [k 5, j 8]
    %z = contract %c, %xm, %ym : f32 [i 4, j 8]
    yield %z
  }
  store mm[i, j], %acc
)";

TEST(EvaluateContract, MaskedReductionTiles) {
  expect_matmul(program_of(masked_matmul), 9, 17, 12);
}

TEST(EvaluateContract, AMissingMaskIsAnError) {
  std::string text = masked_matmul;
  const std::string with = "contract %c, %xm, %ym";
  text.replace(text.find(with), with.size(), "contract %c, %x, %ym");
  const Program program = program_of(text);
  expect_matmul(program, 9, 17, 10);  // 10 divides by 5: nothing is outside
  Dense<float> a({3, 7}), b({7, 2}), out({3, 2});
  const Result<void> done =
      evaluate(program, {{"a", a.view(DType::f32)}, {"b", b.view(DType::f32)}, {"mm", out.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "T101");
  EXPECT_EQ(done.error()[0].message,
            "tile mm: `store mm[i, j], %acc`: the element at i = 0, j = 0, k = 0 is unspecified");
}

constexpr const char* packed_matmul = R"(tile mm placed
  tensor a : f32 rank 2 strides (other, one) align 4
  tensor b : f32 rank 2 strides (other, one) align 4
  tensor mm : f32 rank 2 strides (other, one) align 4 output
  iter i extent a.0
  iter j extent b.1
  iter k extent a.1
  buffer pa : f32 task [i 12 inner 3 strides (12, 1), k 4 inner 1 strides (3, 0)] elements 48
  buffer pb : f32 task [k min(b.0, 4) inner 1 strides (8, 0), j 16 inner 8 strides (32, 1)] elements 64
  grid j by 16
  for k by 4 {
    allocate pb
    copy b[k, j] -> pb
    for i by 12 {
      allocate pa
      copy a[i, k] -> pa
      for i by 3 {
        for j by 8 {
          %start = if first (k) {
            %zero = fill 0 : f32 [i 3, j 8 lanes]
            yield %zero
          } else {
            %partial = load mm[i, j] : f32 [i 3, j 8 lanes]
            yield %partial
          }
          %acc = for k by 1 carry %c = %start {
            %x = load_buffer pa : f32 [i 3]
            %y = load_buffer pb : f32 [j 8 lanes]
            %z = contract %c, %x, %y : f32 [i 3, j 8 lanes]
            yield %z
          }
          store mm[i, j], %acc
        }
      }
    }
  }
)";

TEST(EvaluateContract, PackedPanels) {
  const Program program = program_of(packed_matmul);
  expect_matmul(program, 12, 16, 8);
  expect_matmul(program, 29, 37, 11);
  expect_matmul(program, 2, 3, 1);
}

TEST(EvaluateContract, ABufferTooSmallIsAnError) {
  std::string text = packed_matmul;
  const std::string right = "pa : f32 task [i 12 inner";
  text.replace(text.find(right), right.size(), "pa : f32 task [i 9 inner");
  Dense<float> a({12, 4}), b({4, 8}), out({12, 8});
  const Result<void> done =
      evaluate(program_of(text), {{"a", a.view(DType::f32)}, {"b", b.view(DType::f32)}, {"mm", out.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "T105");
  EXPECT_EQ(done.error()[0].message,
            "tile mm: `copy a[i, k] -> pa`: [9, 0] from where buffer pa starts is outside of it");
}

TEST(EvaluateContract, BatchAxesAndAnyOrderOfAxes) {
  // o[n, i, j] = Σ x[n, k, i] y[j, n, k]
  const Program program = program_of(R"(tile o
  tensor x : i8 rank 3 strides (other, other, one) align 1
  tensor y : i8 rank 3 strides (other, other, one) align 1
  tensor o : i32 rank 3 strides (other, other, one) align 4 output
  iter n extent x.0
  iter i extent x.2
  iter j extent y.0
  iter k extent x.1
  grid n by 2, i by 3
  %zero = fill -1 : i32 [j 8, n 2, i 3]
  %x = load x[n, k, i] : i8 [k 5, i 3, n 2]
  %y = load y[j, n, k] : i8 [n 2, k 5, j 8]
  %acc = contract %zero, %x, %y : i32 [j 8, n 2, i 3]
  store o[n, i, j], %acc
)");
  constexpr std::int64_t n = 3, i = 4, j = 8, k = 5;
  Dense<std::int8_t> x({n, k, i}), y({j, n, k});
  Dense<std::int32_t> out({n, i, j});
  for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] = static_cast<std::int8_t>(127 - static_cast<int>(e) * 5);
  for (std::size_t e = 0; e < y.data.size(); ++e) y.data[e] = static_cast<std::int8_t>(static_cast<int>(e * 3) - 128);
  const Result<void> done =
      evaluate(program, {{"x", x.view(DType::i8)}, {"y", y.view(DType::i8)}, {"o", out.view(DType::i32)}});
  ASSERT_TRUE(done) << render(done.error());
  for (std::int64_t a = 0; a < n; ++a)
    for (std::int64_t b = 0; b < i; ++b)
      for (std::int64_t c = 0; c < j; ++c) {
        int sum = -1;
        for (std::int64_t r = 0; r < k; ++r) sum += x.at((a * k + r) * i + b) * y.at((c * n + a) * k + r);
        EXPECT_EQ(out.at((a * i + b) * j + c), sum);
      }
}

}  // namespace
}  // namespace tilewright::tile
