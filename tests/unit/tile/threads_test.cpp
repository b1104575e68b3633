// Tile programs of a block of threads: text, verifier, and what threads hold, share and store.
#include "programs.h"

namespace tilewright::tile {
namespace {

/// Row sums: 4 threads along k hold pieces of 2 in two runs, 2 along i have a row each.
constexpr const char* row_sums = R"(tile s placed
  tensor a : f32 rank 2 strides (other, one) align 4, 8
  tensor s : f32 rank 1 strides (one) align 4 output
  iter i extent a.0
  iter k extent a.1
  grid i by 2
  threads i 2 by 1, k 4 by 2
  %0 = fill 0 : f32 [k 4 lanes chunk 2 apart 8]
  %1 = for k by 16 carry %2 = %0 {
    %3 = load a[i, k] : f32 [k 4 lanes chunk 2 apart 8]
    %4 = mask %3 outside (k) with 0 : f32 [k 4 lanes chunk 2 apart 8]
    %5 = map add %2, %4 : f32 [k 4 lanes chunk 2 apart 8]
    yield %5
  }
  %6 = reduce sum %1 : f32
  %7 = reduce_across sum %6 along k : f32
  store s[i], %7
)";

/// A transpose through shared memory: threads along a's columns read, threads along c's columns write.
constexpr const char* transpose = R"(tile c placed
  tensor a : f32 rank 2 strides (other, one) align 4
  tensor c : f32 rank 2 strides (other, one) align 4 output
  iter i extent a.0
  iter j extent a.1
  buffer p : f32 shared [j 4 inner 1 strides (9, 1), i 8 inner 1 strides (1, 1)] elements 36
  grid j by 4, i by 8
  threads j 2 by 1, i 8 by 1
  allocate p
  copy a[i, j] -> p
  barrier
  %0 = load_buffer p : f32 [j 2 chunk 1 apart 2]
  store c[j, i], %0
)";

TEST(TileThreads, PrintWhatWasRead) {
  for (const char* text : {row_sums, transpose}) EXPECT_EQ(to_text(program_of(text)), text);
}

TEST(TileThreads, ShareTermsAndStoreOnce) {
  const Program program = program_of(row_sums);
  for (const std::int64_t terms : {0, 1, 7, 16, 37}) {
    Dense<float> a({5, terms}), s({5}, -1.0F);
    for (std::size_t at = 0; at < a.data.size(); ++at) a.data[at] = static_cast<float>(at % 11);
    const Result<void> done = evaluate(program, {{"a", a.view(DType::f32)}, {"s", s.view(DType::f32)}});
    ASSERT_TRUE(done) << render(done.error());
    for (std::int64_t i = 0; i < 5; ++i) {
      float sum = 0;
      for (std::int64_t k = 0; k < terms; ++k) sum += static_cast<float>((i * terms + k) % 11);
      EXPECT_EQ(s.data[static_cast<std::size_t>(i)], sum) << i << " of " << terms;
    }
  }
}

TEST(TileThreads, SeeWhatTheBlockCopied) {
  const Program program = program_of(transpose);
  Dense<float> a({13, 6}), c({6, 13});
  for (std::size_t at = 0; at < a.data.size(); ++at) a.data[at] = static_cast<float>(at);
  const Result<void> done = evaluate(program, {{"a", a.view(DType::f32)}, {"c", c.view(DType::f32)}});
  ASSERT_TRUE(done) << render(done.error());
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t i = 0; i < 13; ++i) EXPECT_EQ(c.data[j * 13 + i], static_cast<float>(i * 6 + j));
}

/// Without the mask the threads past the end hold unspecified terms.
TEST(TileThreads, UnmaskedTermsAreFound) {
  std::string text = row_sums;
  text.erase(text.find("    %4 = mask"), text.find("    %5 =") - text.find("    %4 = mask"));
  text.replace(text.find("add %2, %4"), 10, "add %2, %3");
  Dense<float> a({2, 7}), s({2});
  const Result<void> done = evaluate(program_of(text), {{"a", a.view(DType::f32)}, {"s", s.view(DType::f32)}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "T101");
}

struct Broken {
  const char* from;
  const char* to;
  const char* message;
};

TEST(TileThreads, VerifierFindsWhatIsWrong) {
  const Broken broken[] = {
      {"threads i 2 by 1, k 4 by 2", "threads i 2 by 1, k 4 by 4", "hold each coordinate of axis k once"},
      {"threads i 2 by 1, k 4 by 2", "threads k 4 by 2, k 4 by 2", "hold each coordinate of axis k once"},
      {"threads i 2 by 1, k 4 by 2", "threads i 1025 by 1, k 4 by 2", "1025 threads along i"},
      {"threads i 2 by 1, k 4 by 2", "threads i 512 by 1, k 4 by 2", "more than 1024 threads"},
      {"%7 = reduce_across sum %6 along k", "%7 = reduce_across sum %1 along k", "the tile has an axis k itself"},
      {"for k by 16", "for k by 17", "axis k has size 16, but the innermost step over k is 17"},
  };
  for (const Broken& each : broken) {
    std::string text = row_sums;
    text.replace(text.find(each.from), std::string(each.from).size(), each.to);
    const Result<Program> program = parse_program(text_source(text));
    ASSERT_TRUE(program) << render(program.error());
    const Result<void> verified = verify(*program);
    ASSERT_FALSE(verified) << each.message;
    EXPECT_NE(render(verified.error()).find(each.message), std::string::npos) << render(verified.error());
  }
}

/// With two axes of threads along k, thread (1, 3) stands 19 points on.
TEST(TileThreads, SeveralAxesOfAnIteratorAddUp) {
  const Program program = program_of(R"(tile s placed
  tensor a : f32 rank 1 strides (one) align 4
  tensor s : f32 rank 1 strides (one) align 4 output
  iter k extent a.0
  grid k by 32
  threads k 2 by 16, k 8 by 1
  %0 = load a[k] : f32 [k 2 chunk 1 apart 8]
  store s[k], %0
)");
  Dense<float> a({40}), s({40}, -1.0F);
  for (std::size_t at = 0; at < a.data.size(); ++at) a.data[at] = static_cast<float>(at);
  const Result<void> done = evaluate(program, {{"a", a.view(DType::f32)}, {"s", s.view(DType::f32)}});
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(s.data, a.data);
}

}  // namespace
}  // namespace tilewright::tile
