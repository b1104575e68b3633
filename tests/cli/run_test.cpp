// `tilewright run`, `emit`, `fmt` and `check` as a user calls them: results, files and exit codes.
#include <gtest/gtest.h>

#include <cstring>

#include "command.h"
#include "runtime/fill.h"
#include "runtime/npy.h"

namespace tilewright::cli {
namespace {

constexpr const char* kernels =
    "mm[i, j] ++= a[i, k] * b[k, j]\n"
    "twice[i] = 2 * x[i] do:\n"
    "  example: x = i32 4\n";

class Run : public testing::Test {
 protected:
  Run() {
    place_.write("k.tw", kernels);
    save("a.npy", *arange(DType::f32, {2, 2}, 1));  // [[1, 2], [3, 4]]
    save("b.npy", *arange(DType::f32, {2, 2}, 5));  // [[5, 6], [7, 8]]
    save("x.npy", *arange(DType::i32, {3}, 7));     // [7, 8, 9]
  }
  void save(const std::string& name, const Tensor& tensor) const {
    ASSERT_TRUE(write_npy(place_.path(name), tensor).has_value());
  }
  Workplace place_;
};

TEST_F(Run, prints_a_product) {
  const CommandResult result = place_.run({"run", "k.tw", "-k", "mm", "-i", "a=a.npy", "-i", "b=b.npy"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output, "mm with a = f32 2x2, b = f32 2x2\nmm: f32 2x2\n[[19 22]\n [43 50]]\n");
}

TEST_F(Run, runs_gpu_kernels_on_the_simulator) {
  const CommandResult result = place_.run({"run", "k.tw", "-k", "twice", "-i", "x=x.npy", "--device", "sim"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output, "twice with x = i32 3\ntwice: i32 3 = [14 16 18]\n");
}

TEST_F(Run, prints_a_vector_and_a_scalar_on_one_line) {
  const CommandResult vector = place_.run({"run", "k.tw", "-k", "twice", "-i", "x=x.npy"});
  EXPECT_EQ(vector.output, "twice with x = i32 3\ntwice: i32 3 = [14 16 18]\n");
  const CommandResult scalar = place_.run({"run", "-", "-i", "x=x.npy"}, "s[] ++= x[i]\n");
  EXPECT_EQ(scalar.output, "s with x = i32 3\ns: i32 = 24\n");
}

TEST_F(Run, writes_the_only_result_to_a_file_and_prints_nothing) {
  const CommandResult result =
      place_.run({"run", "k.tw", "-k", "mm", "-i", "a=a.npy", "-i", "b=b.npy", "-o", "out.npy"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "");
  const Result<Tensor> out = read_npy(place_.path("out.npy"));
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->shape(), (Shape{2, 2}));
  EXPECT_EQ(out->at<float>({1, 0}), 43.0F);
  EXPECT_EQ(out->at<float>({0, 1}), 22.0F);
}

TEST_F(Run, reads_data_from_standard_input_and_writes_to_standard_output) {
  const CommandResult result = place_.run({"run", "k.tw", "-k", "twice", "-i", "x=-", "-o", "-"}, place_.read("x.npy"));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Result<Tensor> out = read_npy_bytes(std::as_bytes(std::span(result.output)));
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->dtype(), DType::i32);
  EXPECT_EQ(out->at<std::int32_t>({2}), 18);
}

TEST_F(Run, writes_each_result_of_a_program) {
  place_.write("p.tw", "program p(x) -> (sum, top):\n  sum[] ++= x[i]\n  top[] max= x[i]\n");
  const CommandResult result =
      place_.run({"run", "p.tw", "-i", "x=x.npy", "-o", "sum=s.npy", "-o", "top=t.npy", "--verify"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(read_npy(place_.path("s.npy"))->at<std::int32_t>({}), 24);
  EXPECT_EQ(read_npy(place_.path("t.npy"))->at<std::int32_t>({}), 9);
  EXPECT_NE(result.output.find("  sum: right: 1 of 1 values checked"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("  top: right: 1 of 1 values checked"), std::string::npos) << result.output;
}

TEST_F(Run, computes_every_example_of_every_kernel_and_repeats_itself) {
  place_.write("e.tw",
               "u[i] = x[i] + 1.0 do:\n  example: x = f32 2\n  example: x = f32 300\nv[i] = -x[i] do:\n"
               "  example: x = f64 1\n");
  const CommandResult first = place_.run({"run", "e.tw"});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_NE(first.output.find("u with x = f32 2\nu: f32 2 = ["), std::string::npos) << first.output;
  EXPECT_NE(first.output.find("u with x = f32 300\nu: f32 300 = 300 values, min "), std::string::npos);
  EXPECT_NE(first.output.find("v with x = f64 1\n"), std::string::npos);
  EXPECT_EQ(place_.run({"run", "e.tw"}).output, first.output);
}

TEST_F(Run, random_operands_follow_their_seed) {
  const auto values = [&](const std::string& seed) {
    return place_.run({"run", "k.tw", "-k", "twice", "-i", "x=rand:i32:5" + seed}).output;
  };
  EXPECT_EQ(values(":1"), values(":1"));
  EXPECT_NE(values(":1"), values(":2"));
  EXPECT_NE(values(":0"), values(":1"));
  EXPECT_EQ(values(""), values(":1"));  // the first operand's
}

TEST_F(Run, verifies_statements_of_every_kind) {
  place_.write("v.tw",
               "sums[i] ++= a[i, j] * b[j] then relu(sums[i] - 0.5) do:\n  example: a = f16 5x300, b = f16 300\n"
               "products[] *= a[i] do:\n  example: a = f32 40\n"
               "differences[i] = exp(a[i]) * b[i] - a[i] * b[i] do:\n  example: a = f32 999, b = f32 999\n"
               "distances[i] ++= abs(a[i, k] - exp(a[i, k])) do:\n  example: a = f32 9x50\n"
               "labels:i8[i] = select(tanh(a[i]) > 0.0, 1, 0) do:\n  example: a = f32 500\n"
               "least[] min= a[i] do:\n  example: a = bf16 77\n"
               "counts[j] ++= u[i, j] do:\n  example: u = u8 1000x3\n"
               "none[i] ++= a[i, k] do:\n  example: a = f32 4x0\n"
               "ones[i] = 1.0 | (i in 0 ..< 3)\n");
  const CommandResult result = place_.run({"run", "v.tw", "--verify"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  std::size_t right = 0;
  for (std::size_t at = result.output.find("right: "); at != std::string::npos;
       at = result.output.find("right: ", at + 1))
    ++right;
  EXPECT_EQ(right, 9U) << result.output;
  EXPECT_NE(result.output.find("least with a = bf16 77"), std::string::npos);
}

TEST_F(Run, check_lists_names_and_reports_what_examples_break) {
  EXPECT_EQ(place_.run({"check", "k.tw", "--list"}).output, "mm\ntwice\n");
  place_.write("bad.tw", "y[i] ++= a[i, j] * x[j] do:\n  example: a = f32 2x3, x = f32 4\n");
  const CommandResult result = place_.run({"check", "bad.tw"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("bad.tw:1:"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("error[B"), std::string::npos) << result.errors;
}

TEST_F(Run, fmt_prints_checks_and_writes) {
  place_.write("f.tw", "y[ i ]=x[i]+1\n");
  EXPECT_EQ(place_.run({"fmt", "f.tw"}).output, "y[i] = x[i] + 1\n");
  const CommandResult check = place_.run({"fmt", "f.tw", "--check"});
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_EQ(check.output, "f.tw\n");
  EXPECT_EQ(place_.run({"fmt", "f.tw", "--write"}).exit_code, 0);
  EXPECT_EQ(place_.read("f.tw"), "y[i] = x[i] + 1\n");
  EXPECT_EQ(place_.run({"fmt", "f.tw", "--check"}).exit_code, 0);
}

TEST_F(Run, emit_prints_each_stage_of_the_host) {
  const auto emit = [&](const std::string& stage) {
    return place_.run({"emit", "k.tw", "-k", "mm", "--stage", stage, "-i", "a=f32:64x64", "-i", "b=f32:64x64"});
  };
  EXPECT_TRUE(emit("nest").output.starts_with("nest mm[i, j] : f32\n"));
  EXPECT_NE(emit("tile").output.find("contract"), std::string::npos);
  EXPECT_TRUE(emit("kernel").output.starts_with("kernel mm"));
  EXPECT_NE(emit("llvm").output.find("define"), std::string::npos);
  EXPECT_NE(emit("asm").output.find(".text"), std::string::npos);
  EXPECT_EQ(emit("obj").output.substr(0, 4),
            "\x7f"
            "ELF");
}

TEST_F(Run, bench_counts_operations_and_bytes) {
  const CommandResult result = place_.run({"bench", "-", "-i", "x=rand:f32:300", "--json"}, "y[i] = 2.0 * x[i]\n");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("\"flops\": 300.0"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("\"bytes\": 2400.0"), std::string::npos) << result.output;
}

TEST_F(Run, statements_of_a_program_that_are_computed_as_one_are_explained_and_verified_as_one) {
  place_.write("p.tw",
               "program p(a, b, c) -> (y):\n  example: a = f32 7x5, b = f32 5x3, c = f32 3\n"
               "  mm[i, j] ++= a[i, k] * b[k, j]\n  y[i, j] = relu(mm[i, j] + c[j])\n");
  CommandResult result = place_.run({"explain", "p.tw", "--device", "sim"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with(
      "== program p with a = f32 7x5, b = f32 5x3, c = f32 3\n\nFusion\n"
      "  mm joins y: y is what is done with each finished value; 84 bytes are neither written nor read\n"
      "  y stays: it is a result\n"
      "  intermediate results take 0 bytes\n\n"
      "== p: y (mm, y) with a = f32 7x5"))
      << result.output;
  result = place_.run({"run", "p.tw", "--verify"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("\n  y (mm, y): right: 21 of 21 values checked"), std::string::npos) << result.output;
  result = place_.run({"emit", "p.tw", "--stage", "nest"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(result.output.starts_with("nest y[i, j] : f32\n")) << result.output;
  EXPECT_EQ(result.output.find("nest ", 1), std::string::npos) << result.output;
}

TEST_F(Run, explain_shows_passes_launches_and_the_floor_and_writes_a_page) {
  const std::vector<std::string> arguments = {"explain", "k.tw", "-k", "mm", "-i", "a=f32:64x32", "-i", "b=f32:32x16"};
  const CommandResult text = place_.run(arguments);
  ASSERT_EQ(text.exit_code, 0) << text.errors;
  // 64·32·4 + 32·16·4 bytes in, 64·16·4 out; 2·64·16·32 operations.
  EXPECT_NE(text.output.find("reads 10.0 KiB, writes 4096 B; 65536 floating-point operations"), std::string::npos)
      << text.output;
  EXPECT_NE(text.output.find("form: contraction"), std::string::npos);
  std::vector<std::string> with_page = arguments;
  with_page.insert(with_page.end(), {"--html", "page.html"});
  EXPECT_EQ(place_.run(with_page).exit_code, 0);
  EXPECT_TRUE(place_.read("page.html").starts_with("<!DOCTYPE html>"));
  EXPECT_NE(place_.read("page.html").find("form: contraction"), std::string::npos);
}

TEST_F(Run, explain_says_what_a_block_takes_of_a_multiprocessor) {
  const CommandResult text =
      place_.run({"explain", "k.tw", "-k", "mm", "-i", "a=f16:4096x4096", "-i", "b=f16:4096x4096", "--device", "sim"});
  ASSERT_EQ(text.exit_code, 0) << text.errors;
  // Two groups of four warps multiply, one tells the copy engine: 65536 registers for 12 warps are at most 168 a
  // thread. 32 · 16 tiles on 132 multiprocessors, which hold one block each.
  for (const std::string_view line : {"a block: 384 threads, ", " of shared memory, at most 168 registers a thread",
                                      "a multiprocessor: 1 block at once (shared memory allows no more), 384 of 2048 "
                                      "threads; 3.88 waves on 132"})
    EXPECT_NE(text.output.find(line), std::string::npos) << line << "\n" << text.output;
}

}  // namespace
}  // namespace tilewright::cli
