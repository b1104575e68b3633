// Bad input to the command line: one message each, the right exit code, and no file left behind.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdlib>

#include "command.h"

namespace tilewright::cli {
namespace {

struct BadCall {
  std::string name;
  std::vector<std::string> arguments;
  int exit_code;
  std::string errors;  ///< all of standard error
};

void PrintTo(const BadCall& call, std::ostream* out) {
  *out << call.name;
}

class Errors : public testing::TestWithParam<BadCall> {};

TEST_P(Errors, prints_one_message) {
  const Workplace place;
  place.write("k.tw", "y[i] = 2.0 * x[i] do:\n  example: x = f32 3\n");
  place.write("two.tw", "y[i] = x[i]\nz[i] = x[i]\n");
  place.write("program.tw", "program p(x) -> (y):\n  y[i] = x[i]\n");
  place.write("examples.tw", "y[i] = x[i] do:\n  example: x = f32 3\n  example: x = f32 4\n");
  place.write("tiles.tw",
              "s[i] ++= x[i, k] do:\n  example: x = f32 9x9\n  schedule:\n    tile(i, 16384)\n    threads = 32\n");
  const std::string product = "mm[i, j] ++= x[i, k] * x[k, j] do:\n  example: x = f32 64x64\n  schedule:\n    ";
  place.write("t33.tw", product + "threads = 33\n");
  place.write("warps.tw", product + "tile(i, 32)\n    warps(64, 64)\n");
  place.write("k_warps.tw", product + "warps(2, 2, 2)\n");
  place.write("both.tw", product + "threads = 64\n    warps(2, 4)\n");
  place.write("empty.tw", "# nothing here\n");
  place.write("nul.tw", std::string("y[i] = \0x[i]\n", 13));
  place.write("bytes.tw", "y[i] = \xffx[i]\n");
  place.write("garbage.npy", "this is no array");
  place.write("cut.npy", std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + "{'descr'");
  std::filesystem::create_directory(place.path("folder"));
  const CommandResult result = place.run(GetParam().arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_EQ(result.errors, GetParam().errors);
  EXPECT_EQ(result.output, "");
  EXPECT_FALSE(std::filesystem::exists(place.path("out.npy")));
}

const std::string usage = "    = help: tilewright --help, or tilewright SUBCOMMAND --help\n";
const std::string subcommands =
    "    = help: they are check, run, emit, build, explain, bench, fmt, tune; tilewright --help says more\n";
const std::string k_line = "    y[i] = 2.0 * x[i] do:\n";

const std::vector<BadCall> calls = {
    {"no_subcommand", {}, 2, "error[C001]: a subcommand is required\n" + subcommands},
    {"unknown_subcommand", {"compile", "k.tw"}, 2, "error[C001]: 'compile' is no subcommand\n" + subcommands},
    {"file_without_subcommand", {"-"}, 2, "error[C001]: '-' is no subcommand\n" + subcommands},
    {"endless_zeros",
     {"check", "/dev/zero"},
     2,
     "/dev/zero:1:1: error[L001]: a NUL byte at offset 0: this is no text\n    " + std::string(100, ' ') +
         "…\n    ^\n    = help: a .tw file is UTF-8 text\n"},
    {"no_file", {"run"}, 2, "error[C001]: FILE is required\n" + usage},
    {"missing_file",
     {"run", "none.tw"},
     2,
     "error[C002]: cannot read 'none.tw': No such file or directory\n    = help: name a file of kernels\n"},
    {"folder_as_file",
     {"check", "folder"},
     2,
     "error[C002]: cannot read 'folder': Is a directory\n    = help: name a file of kernels\n"},
    {"no_kernels",
     {"run", "empty.tw"},
     2,
     "error[C003]: 'empty.tw' has no kernels\n    = help: write one, as y[i] = x[i]\n"},
    {"unknown_kernel",
     {"run", "two.tw", "-k", "w"},
     2,
     "error[C004]: 'two.tw' has no kernel 'w'\n    = help: it has y, z\n"},
    {"no_name",
     {"run", "k.tw", "-i", "x.npy"},
     2,
     "error[C005]: 'x.npy' does not say which operand is what\n    = help: NAME=FILE.npy, "
     "NAME=rand:DTYPE[:SHAPE[:SEED]] "
     "or NAME=DTYPE[:SHAPE], as a=rand:f32:64x64:1\n"},
    {"bad_shape",
     {"run", "k.tw", "-i", "x=rand:f32:3x"},
     2,
     "error[C006]: operand x: '3x' is no shape\n    = help: extents as 64x64\n"},
    {"bad_seed",
     {"run", "k.tw", "-i", "x=rand:f32:3:-1"},
     2,
     "error[C006]: operand x: '-1' is no seed\n    = help: a whole number below 2^64\n"},
    {"type_without_data",
     {"run", "k.tw", "-i", "x=f32:3"},
     2,
     "error[C006]: operand x: 'x=f32:3' is a type, and data is needed\n    = help: x=rand:f32:3\n"},
    {"operand_twice",
     {"run", "k.tw", "-i", "x=rand:f32:3", "-i", "x=rand:f32:3"},
     2,
     "error[C007]: operand 'x' is given twice\n    = help: give each operand once\n"},
    {"unknown_operand",
     {"run", "k.tw", "-i", "z=rand:f32:3", "-o", "out.npy"},
     2,
     "error[C008]: 'z' is no operand of 'y'\n    = help: there are x\n"},
    {"no_examples",
     {"run", "two.tw", "-k", "z"},
     2,
     "error[C010]: 'z' has no example lines, and no -i is given\n    = help: give each of x with -i\n"},
    {"program_for_a_gpu",
     {"build", "program.tw", "--target", "nvptx:sm_90a", "-i", "x=f32:3", "-o", "built"},
     2,
     "error[R083]: p is a program, which is not built for a GPU as a whole\n    = help: build its statements one by "
     "one\n"},
    {"device_name",
     {"run", "k.tw", "--device", "gpu"},
     2,
     "error[C012]: 'gpu' is no device\n    = help: cpu, cuda, cuda:N or sim\n"},
    {"absent_device",
     {"run", "k.tw", "--device", "cuda:1", "-o", "out.npy"},
     3,
     "error[R072]: no CUDA device is there: the driver's library 'no-driver.so' cannot be loaded (no-driver.so: cannot "
     "open shared object file: No such file or directory)\n    = help: use 'cpu', or install an NVIDIA driver that "
     "supports CUDA 12.0 or later (525 or later); TILEWRIGHT_CUDA_DRIVER names a library in another place\n"},
    {"simulated_time",
     {"bench", "k.tw", "--device", "sim", "-i", "x=rand:f32:3"},
     3,
     "error[C017]: measuring is not available on sim: a simulator's time is not a device's\n    = help: use 'run "
     "--device sim --verify' to check results, or another device to measure\n"},
    {"tiles_past_a_gpus_registers",
     {"run", "tiles.tw", "--device", "sim"},
     2,
     "tiles.tw:1:1: error[N051]: the tiles of s leave each of 32 threads 8192 values of f32 to sum, and a thread of "
     "such "
     "a block of sm_90a has registers for at most 255\n    s[i] ++= x[i, k] do:\n    ^\n    = help: give smaller tiles "
     "of the output, or the same tiles more threads\n"},
    {"threads_that_are_no_warps",
     {"run", "t33.tw", "--device", "sim"},
     2,
     "t33.tw:4:5: error[N050]: the schedule of mm asks for 33 threads, and a block of sm_90a has whole warps of 32\n"
     "        threads = 33\n        ^^^^^^^^^^^^\n    = help: threads = 64, or another multiple of 32 up to 1024\n"},
    {"more_warps_than_a_block_has",
     {"run", "warps.tw", "--device", "sim"},
     2,
     "warps.tw:5:5: error[N050]: the schedule of mm asks for 64 x 64 warps, and a block of sm_90a has at most 32 of 32 "
     "threads\n        warps(64, 64)\n        ^^^^^^^^^^^^^\n    = help: warps(m, n) with m * n up to 32\n"},
    {"warps_along_terms",
     {"run", "k_warps.tw", "--device", "sim"},
     2,
     "k_warps.tw:4:5: error[N050]: the schedule of mm asks for 2 x 2 x 2 warps, and a block of sm_90a has one warp "
     "along "
     "the terms\n        warps(2, 2, 2)\n        ^^^^^^^^^^^^^^\n    = help: warps(m, n); split(k, n) divides the "
     "terms\n"},
    {"threads_and_other_warps",
     {"emit", "both.tw", "--target", "nvptx:sm_80", "--stage", "ptx"},
     2,
     "both.tw:4:5: error[N050]: the schedule of mm asks for 64 threads and for 2 x 4 warps, which have 256\n"
     "        threads = 64\n        ^^^^^^^^^^^^\n    = help: leave one of the two lines out\n"},
    {"results_of_a_command_that_has_none",
     {"bench", "k.tw", "-o", "out.npy"},
     2,
     "error[C001]: '-o' is no option of bench\n    = help: tilewright bench --help\n"},
    {"two_files",
     {"run", "k.tw", "two.tw"},
     2,
     "error[C001]: run reads one file of kernels, and more are given\n" + usage},
    {"unknown_option",
     {"run", "k.tw", "--fast"},
     2,
     "error[C001]: '--fast' is no option of run\n    = help: tilewright run --help\n"},
    {"unknown_result",
     {"run", "k.tw", "-o", "z=out.npy"},
     2,
     "error[C013]: -o z=out.npy: there is no result 'z'\n    = help: there are y\n"},
    {"result_of_two_examples",
     {"run", "examples.tw", "-o", "y=out.npy"},
     2,
     "error[C013]: 'y' is computed 2 times, once for each example\n    = help: say with -i which operands are meant\n"},
    {"unwritable_output",
     {"run", "k.tw", "-o", "none/out.npy"},
     2,
     "error[R041]: cannot write 'none/out.npy': No such file or directory\n"},
    {"stage_name",
     {"emit", "k.tw", "--stage", "ir"},
     2,
     "error[C014]: 'ir' is no stage\n    = help: nest, tile, kernel, llvm, asm, obj, ptx or msl\n"},
    {"metal_is_no_nvptx",
     {"emit", "k.tw", "--target", "nvptx:metal", "--stage", "ptx"},
     3,
     "error[C016]: target 'nvptx:metal' is not there: this build knows no such architecture\n    = help: nvptx:sm_80, "
     "nvptx:sm_89 or nvptx:sm_90a\n"},
    {"stage_that_metal_lacks",
     {"emit", "k.tw", "--target", "metal", "--stage", "ptx"},
     3,
     "error[C016]: stage 'ptx' is not there: the target 'metal' has none\n    = help: nest, tile, kernel or msl\n"},
    {"absent_architecture",
     {"emit", "k.tw", "--target", "nvptx:sm_10", "--stage", "ptx"},
     3,
     "error[C016]: target 'nvptx:sm_10' is not there: this build knows no such architecture\n    = help: nvptx:sm_80, "
     "nvptx:sm_89 or nvptx:sm_90a\n"},
    {"stage_of_another_target",
     {"emit", "k.tw", "--target", "nvptx:sm_90a", "--stage", "asm"},
     3,
     "error[C016]: stage 'asm' is not there: the target 'nvptx:sm_90a' has none\n    = help: nest, tile, kernel, llvm "
     "or "
     "ptx\n"},
    {"one_file_for_two_results",
     {"run", "two.tw", "-i", "x=rand:f32:3", "-o", "y=out.npy", "-o", "z=out.npy"},
     2,
     "error[C013]: 'out.npy' is given for two results\n    = help: a file for each result\n"},
    {"which_kernel",
     {"emit", "two.tw", "--stage", "nest"},
     2,
     "error[C015]: 'two.tw' has 2 kernels\n    = help: say which one with -k\n"},
    {"tuning_for_no_number_of_seconds",
     {"tune", "k.tw", "--seconds", "nan"},
     2,
     "error[C001]: --seconds: a number of seconds is needed\n" + usage},
    {"tuning_by_simulated_time",
     {"tune", "k.tw", "--device", "sim"},
     3,
     "error[C017]: measuring is not available on sim: a simulator's time is not a device's\n    = help: use another "
     "device to tune for\n"},
    {"rank",
     {"run", "k.tw", "-i", "x=rand:f32:3x3", "-o", "out.npy"},
     2,
     "k.tw:1:14: error[B004]: 'x' has rank 2 and is read with 1 index\n" + k_line +
         "                 ^^^^\n    = help: give 'x' one index for each axis\n"},
    {"precision",
     {"run", "k.tw", "--precision", "tf32"},
     2,
     "k.tw:1:1: error[R071]: precision tf32 is not to be had on this device (cpu)\n" + k_line +
         "    ^\n    = help: use 'exact'\n"},
    {"garbage_npy",
     {"run", "k.tw", "-i", "x=garbage.npy", "-o", "out.npy"},
     2,
     "error[R030]: operand x: 'garbage.npy': not a .npy file: it does not begin with \\x93NUMPY\n"},
    {"truncated_npy",
     {"run", "k.tw", "-i", "x=cut.npy"},
     2,
     "error[R032]: operand x: 'cut.npy': a .npy file that ends in its header: 118 bytes needed, 8 found\n"},
    {"missing_npy",
     {"run", "k.tw", "-i", "x=none.npy"},
     2,
     "error[R040]: operand x: cannot open 'none.npy': No such file or directory\n"},
    {"nul",
     {"check", "nul.tw"},
     2,
     "nul.tw:1:8: error[L001]: a NUL byte at offset 7: this is no text\n    y[i] =  x[i]\n           ^\n    = help: a "
     ".tw file is UTF-8 text\n"},
    {"utf8",
     {"check", "bytes.tw"},
     2,
     "bytes.tw:1:8: error[L002]: byte 0xff at offset 7 is not valid UTF-8\n    y[i] = \uFFFDx[i]\n           ^\n    = "
     "help: a .tw file is UTF-8 text\n"},
};

INSTANTIATE_TEST_SUITE_P(Calls, Errors, testing::ValuesIn(calls),
                         [](const testing::TestParamInfo<BadCall>& each) { return each.param.name; });

TEST(Errors, an_operand_that_one_kernel_lacks_is_missing) {
  const Workplace place;
  const CommandResult result = place.run({"run", "-", "-i", "a=rand:f32:3"}, "y[i] = a[i]\nz[i] = a[i] + b[i]\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors,
            "error[C009]: operand 'b' of 'z' is missing\n    = help: it reads a, b: give each with -i\n");
}

TEST(Errors, standard_input_holds_one_file) {
  const Workplace place;
  const CommandResult result = place.run({"run", "-", "-i", "x=-"}, "y[i] = x[i]\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors,
            "error[C011]: standard input ('-') is read more than once\n    = help: use '-' for one file\n");
}

TEST(Errors, ten_thousand_parentheses_are_one_message) {
  const Workplace place;
  place.write("deep.tw", "y[i] = " + std::string(10'000, '(') + "x[i]" + std::string(10'000, ')') + "\n");
  const CommandResult result = place.run({"check", "deep.tw"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(result.errors.starts_with("deep.tw:1:264: error[L014]: this expression nests deeper than 256 levels\n"))
      << result.errors;
  EXPECT_EQ(result.errors.find("error[", result.errors.find("error[") + 1), std::string::npos) << result.errors;
}

TEST(Errors, a_register_tile_of_too_many_instructions) {
  const Workplace place;
  place.write("k.tw", "y[i] ++= x[i, j] do:\n  schedule:\n    unroll(i, 16)\n    vectorize(j, 65)\n");
  const CommandResult result = place.run({"run", "k.tw", "-i", "x=rand:f32:3x3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(
      result.errors.starts_with("k.tw:4:18: error[N029]: more than 1024 points in registers, with a factor of 65\n"))
      << result.errors;
}

TEST(Errors, that_cannot_be_written_are_told_by_the_exit_code) {
  const Workplace place;
  for (const std::string redirection : {"2>/dev/full", "2>&-", ">&- 2>&-"}) {
    const std::string command = std::string(TILEWRIGHT_COMMAND) + " check no_such_file.tw " + redirection;
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << redirection;
    EXPECT_EQ(WEXITSTATUS(status), 2) << redirection;
  }
}

/// What a shell's command line prints, with its exit code 2.
std::string printed(const std::string& arguments) {
  std::FILE* pipe = ::popen((std::string(TILEWRIGHT_COMMAND) + arguments).c_str(), "r");
  if (pipe == nullptr) return "no shell";
  char text[1024] = {};
  const std::size_t size = std::fread(text, 1, sizeof text, pipe);
  EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 2) << arguments;
  return std::string(text, size);
}

TEST(Errors, that_standard_streams_are_closed_or_full) {
  EXPECT_EQ(printed(" check - <&- 2>&1"),
            "error[C002]: cannot read standard input: Bad file descriptor\n    = help: name a file of kernels\n");
  const std::string unwritable = "error[C018]: cannot write to standard output\n";
  EXPECT_EQ(printed(" --help 2>&1 >&-"), unwritable);
  if (std::filesystem::exists("/dev/full")) EXPECT_EQ(printed(" --version 2>&1 >/dev/full"), unwritable);
}

TEST(Errors, an_output_that_cannot_be_written_is_told_before_any_work) {
  const Workplace place;
  // The work would fail too: which error is told shows which came first.
  place.write("k.tw", "y[i] = x[i] + z[i]\n");
  const CommandResult result =
      place.run({"run", "k.tw", "-i", "x=rand:f32:3", "-i", "z=rand:f32:4", "-o", "none/out.npy"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "error[R041]: cannot write 'none/out.npy': No such file or directory\n");
}

// The operands of 8 GB are not filled first, which would take much longer.
TEST(Errors, a_result_that_no_memory_holds_is_told_before_any_work) {
  const Workplace place;
  place.write("k.tw", "o[i, j] ++= a[i, k] * b[k, j] do:\n  example: a = f32 1000000000x1, b = f32 1x1000000000\n");
  const CommandResult result = place.run({"run", "k.tw"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.errors.find("no memory for a f32 tensor of shape [1000000000, 1000000000]"), std::string::npos)
      << result.errors;
}

TEST(Errors, a_cache_that_nothing_could_hold_is_told_at_its_line) {
  const Workplace place;
  place.write("k.tw", "y[i] ++= x[i, j] do:\n  schedule:\n    tile(i, 100000)\n    tile(j, 100000)\n    cache(x)\n");
  const CommandResult result = place.run({"run", "k.tw", "-i", "x=rand:f32:3x3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors,
            "k.tw:5:11: error[N030]: the buffer of x[i, j] is f32 100000x100000, 40000000000 bytes\n        cache(x)\n"
            "              ^\n    = help: a staged buffer has at most 67108864 bytes: give smaller tiles\n");
}

TEST(Errors, a_variant_that_the_processor_lacks_is_told_at_its_line) {
  const Workplace place;
  const auto errors = [&](const std::string& statement, const std::string& variant) {
    place.write("k.tw", statement + " do:\n  schedule:\n    variant = " + variant + "\n");
    return place.run({"emit", "k.tw", "--stage", "nest", "-i", "a=f32:8x8", "-i", "b=f32:8x8"}).errors;
  };
  const std::string product = "c[i, j] ++= a[i, k] * b[k, j]";
  const std::string sum = "c[i, j] = a[i, j] + b[i, j]";
  EXPECT_EQ(errors(product, "panel") + errors(sum, "flat"), "");
  EXPECT_EQ(errors(product, "warp"),
            "k.tw:3:5: error[R079]: variant 'warp' of this statement is not to be had on this device (cpu)\n"
            "        variant = warp\n        ^^^^^^^^^^^^^^\n    = help: use 'panel', or leave the line out\n");
  EXPECT_TRUE(errors(sum, "panel").starts_with("k.tw:3:5: error[R079]"));
}

// 32 threads of 4 columns: 54,688 blocks a row.
TEST(Errors, more_blocks_than_metal_divides_in_32_bits_are_refused) {
  const Workplace place;
  place.write("k.tw", "o[i, j] = x[i] * y[j] do:\n  schedule:\n    tile(i, 1)\n    threads = 32\n");
  const auto build = [&](const std::string& rows) {
    return place.run(
        {"build", "k.tw", "--target", "metal", "-i", "x=f32:" + rows, "-i", "y=f32:7000000", "-o", "built"});
  };
  EXPECT_EQ(build("30000").exit_code, 0);
  const CommandResult result = build("7000000");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors,
            "error[R080]: kernel o has 382816000000 blocks of outputs\n    = help: at most 2147483647: blocks divide "
            "their numbers in 32 bits\n");
}

TEST(Errors, a_hundred_thousand_iterators_are_one_message) {
  const Workplace place;
  std::string text = "y[i] = x[i] | (i";
  for (int n = 0; n < 100'000; ++n) text += ", j" + std::to_string(n);
  place.write("k.tw", text + ")\n");
  const CommandResult result = place.run({"check", "k.tw"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(result.errors.starts_with("k.tw:1:1: error[L014]: the statement 'y' has 100001 iterators\n"))
      << result.errors.substr(0, 1000);
  EXPECT_EQ(result.errors.find("error[", result.errors.find("error[") + 1), std::string::npos);
}

TEST(Errors, a_failed_run_leaves_the_older_file_as_it_was) {
  const Workplace place;
  place.write("k.tw", "y[i] = x[i]\n");
  place.write("old.npy", "older");
  const CommandResult result = place.run({"run", "k.tw", "-i", "x=rand:f32:3x3", "-o", "old.npy"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(place.read("old.npy"), "older");
}

}  // namespace
}  // namespace tilewright::cli
