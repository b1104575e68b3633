// Measures this project on this machine's CPU, in turns with its peers, on one thread and on all: prints a table, and
// keeps the figures under bench/results.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "compile_cases.h"
#include "kernel_cases.h"

namespace {

using namespace tilewright::bench;

constexpr const char* usage = R"(usage: bench_host [options]
  --only TEXT       rows whose names have TEXT alone; prints, and writes no file unless --json names one
  --threads N       one thread and N threads (default: all processors); 1: one thread alone
  --seconds S       time box of a row (default 2.5)
  --json FILE       where the figures go (default: bench/results/<machine>.json)
  --markdown FILE   also puts the table between that file's marks
)";

struct Options {
  std::string only, json, markdown;
  int threads = 0;
  double seconds = 2.5;
};

bool parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    if (i + 1 == count) return false;
    const char* value = arguments[i + 1];
    if (name == "--only")
      options.only = value;
    else if (name == "--json")
      options.json = value;
    else if (name == "--markdown")
      options.markdown = value;
    else if (name == "--threads")
      options.threads = std::atoi(value);
    else if (name == "--seconds")
      options.seconds = std::atof(value);
    else
      return false;
  }
  return options.threads >= 0 && options.seconds > 0;
}

int run(const Options& options) {
  Report report{.machine = describe_machine(), .conditions = input_conditions()};
  const Peers peers{.blas = OpenBlas::open(), .dnnl = OneDnn::open()};
  if (peers.blas) report.peers.push_back(peers.blas->version());
  if (peers.dnnl) report.peers.push_back(peers.dnnl->version());
  const int all = options.threads > 0 ? options.threads : report.machine.processors;
  bool all_right = run_compile_cases(options.only, report);
  for (int threads : {1, all}) {
    if (threads == 1 || all > 1)
      all_right &=
          run_kernel_cases(peers, {.seconds = options.seconds, .only = options.only, .threads = threads}, report);
    if (all == 1) break;
  }
  const std::string table = to_markdown(report);
  fmt::print("{}", table);
  std::string file = options.json;
  if (file.empty() && options.only.empty())
    file = std::string(TILEWRIGHT_SOURCE_DIR "/bench/results/") + file_stem(report.machine) + ".json";
  std::error_code ignored;  // what matters is whether the file can be written
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  if (!file.empty() && !(std::ofstream(file) << to_json(report))) {
    fmt::print(stderr, "cannot write {}\n", file);
    return 2;
  }
  if (!options.markdown.empty() && !replace_table(options.markdown, table)) {
    fmt::print(stderr, "{} has no marks for the table, or cannot be written\n", options.markdown);
    return 2;
  }
  return all_right ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  return run(options);
}
