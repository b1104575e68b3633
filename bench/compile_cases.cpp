#include "compile_cases.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "lang/parse.h"
#include "runtime/engine.h"
#include "runtime/fill.h"
#include "runtime/thread_pool.h"

namespace tilewright::bench {
namespace {

namespace fs = std::filesystem;

constexpr double elementwise_limit = 30e-3;
constexpr double contraction_limit = 100e-3;
constexpr double cached_call_limit = 2e-6;
constexpr double check_limit = 100e-3;

/// A statement and the operands to compile it for.
struct Job {
  std::string statement;
  std::vector<Operand> operands;
};

Operand operand(std::string name, Shape shape) {
  return {std::move(name), *random_normal(DType::f32, std::move(shape), 3)};
}

/// Distinct bodies: each bit of the number picks an operation.
std::vector<Job> elementwise_jobs() {
  constexpr const char* unary[] = {"exp", "tanh", "sqrt", "abs"};
  constexpr const char* binary[] = {"+", "-", "*", "/"};
  const std::vector<Operand> operands{operand("a", {64, 64}), operand("b", {64, 64}), operand("x", {64})};
  std::vector<Job> jobs;
  for (unsigned n = 0; n < 32; ++n)
    jobs.push_back({fmt::format("c[i, j] = {}(a[i, j] {} b[i, j]) {} x[{}]", unary[n % 4], binary[n / 4 % 4],
                                binary[(n + n / 4) % 4], n / 16 == 0 ? "i" : "j"),
                    operands});
  return jobs;
}

/// Distinct index orders and epilogues over matrices that are blocked and packed.
std::vector<Job> contraction_jobs() {
  std::vector<Job> jobs;
  const std::vector<Operand> operands{operand("a", {512, 512}), operand("b", {512, 512}), operand("x", {512})};
  for (const char* a : {"a[i, k]", "a[k, i]"})
    for (const char* b : {"b[k, j]", "b[j, k]"})
      for (const char* epilogue :
           {"", " then relu(c[i, j] + x[j])", " then c[i, j] * x[i]", " then tanh(c[i, j]) + x[j]"}) {
        std::vector<Operand> used = operands;
        if (*epilogue == '\0') used.pop_back();
        jobs.push_back({fmt::format("c[i, j] ++= {} * {}{}", a, b, epilogue), used});
      }
  return jobs;
}

/// Seconds of the first eval of each job by this engine, into `times`; the message of the first failure, if any.
std::string time_first_calls(const Engine& engine, const std::vector<Job>& jobs, std::vector<double>& times) {
  for (const Job& job : jobs) {
    const Result<Kernel> kernel = Kernel::parse(job.statement);
    if (!kernel) return render(kernel.error());
    std::string failure;
    times.push_back(seconds_of([&] {
      if (const Result<Tensor> result = engine.eval(*kernel, job.operands); !result) failure = render(result.error());
    }));
    if (!failure.empty()) return failure;
  }
  return {};
}

Row time_row(std::string name, std::vector<double> times, double limit) {
  return {
      .name = std::move(name), .threads = threads(), .unit = "s", .time = spread_of(std::move(times)), .goal = limit};
}

struct NamedJobs {
  std::string name;
  std::vector<Job> jobs;
  double limit;
};

std::string cold_rows(const NamedJobs& set, Report& report) {
  const Result<Engine> engine = Engine::open("cpu", {.disk_cache = false});
  if (!engine) return render(engine.error());
  std::vector<double> times;
  if (std::string failure = time_first_calls(*engine, set.jobs, times); !failure.empty()) return failure;
  report.rows.push_back(
      time_row(fmt::format("cold eval, {}: median of {} distinct", set.name, times.size()), times, set.limit));
  return {};
}

/// Fills a cache in an own folder, and times another engine that finds everything there.
std::string loading_row(const NamedJobs& set, Report& report) {
  std::string folder = (fs::temp_directory_path() / "tilewright-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return "no temporary folder";
  setenv("TILEWRIGHT_CACHE", folder.c_str(), 1);
  std::vector<double> filling, loading;
  std::string failure;
  for (std::vector<double>* times : {&filling, &loading}) {
    const Result<Engine> engine = Engine::open("cpu");
    if (failure.empty()) failure = engine ? time_first_calls(*engine, set.jobs, *times) : render(engine.error());
  }
  unsetenv("TILEWRIGHT_CACHE");
  fs::remove_all(folder);
  if (failure.empty())
    report.rows.push_back(time_row(fmt::format("first eval from the disk cache, {}", set.name), loading, 0));
  return failure;
}

std::string call_rows(Report& report) {
  const Result<Engine> engine = Engine::open("cpu", {.disk_cache = false});
  const Result<Kernel> kernel = Kernel::parse("c[i] = a[i] + b[i]");
  if (!engine || !kernel) return render(engine ? kernel.error() : engine.error());
  const std::vector<Operand> operands{operand("a", {4}), operand("b", {4})};
  const Result<Tensor> output = engine->eval(*kernel, operands);
  if (!output) return render(output.error());
  bool failed = false;
  const std::vector<Contestant> calls{
      {"eval_into", 1, [&] { failed |= !engine->eval_into(*kernel, operands, *output); }},
      {"eval", 1, [&] { failed |= !engine->eval(*kernel, operands); }}};
  const Rounds rounds = measure_in_turns(calls, {.seconds = 2, .least = 51, .most = 1001});
  if (failed) return "a cached call failed";
  report.rows.push_back(time_row("cached call, 4 elements, `eval_into`", rounds.samples[0], cached_call_limit));
  report.rows.push_back(
      time_row("cached call, 4 elements, `eval` (with a fresh result)", rounds.samples[1], cached_call_limit));
  return {};
}

/// Ten statements of every form, a hundred times.
std::string generated_file() {
  constexpr const char* statements[] = {
      "s{0}[i, j] = a[i, j] * 2.0 + b[i, j]\n",
      "s{0}[i, j] ++= a[i, k] * b[k, j] then relu(s{0}[i, j] + x[j])\n",
      "s{0}[] ++= a[i, j]\n",
      "s{0}[j] ++= a[i, j] do:\n  example: a = f32 64x64\n",
      "s{0}[j, i] = a[i, j] | (i, j) do:\n  schedule:\n    tile(i, 32)\n    tile(j, 32)\n",
      "s{0}[i, j] = exp(a[i, j]) / (1.0 + exp(a[i, j]))\n",
      "s{0}[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]\n",
      "s{0}[i, j] ++= x[i, k] * w[j, k, l] * y[i, l]\n",
      "s{0}[i] max= a[i, j] * x[j]\n",
      "s{0}[i, j, l] ++= a[i, j, k] * b[i, k, l] do:\n  example: a = f32 3x2x5, b = f32 3x5x3\n",
  };
  std::string text;
  for (int n = 0; n < 1000; ++n) text += fmt::format(fmt::runtime(statements[n % 10]), n);
  return text;
}

std::string check_row(Report& report) {
  const auto source = std::make_shared<const Source>("generated.tw", generated_file());
  if (const Result<lang::File> file = lang::parse(source); !file) return render(file.error());
  std::vector<double> times;
  for (int n = 0; n < 31; ++n) times.push_back(seconds_of([&] { (void)lang::parse(source); }));
  report.rows.push_back(time_row("parse and check a file of 1,000 statements", times, check_limit));
  return {};
}

}  // namespace

bool run_compile_cases(const std::string& only, Report& report) {
  const NamedJobs elementwise{"elementwise statements", elementwise_jobs(), elementwise_limit};
  const NamedJobs contraction{"contractions of 512³", contraction_jobs(), contraction_limit};
  const std::pair<const char*, std::function<std::string()>> cases[] = {
      {"cold eval, elementwise", [&] { return cold_rows(elementwise, report); }},
      {"cold eval, contractions", [&] { return cold_rows(contraction, report); }},
      {"disk cache, elementwise", [&] { return loading_row(elementwise, report); }},
      {"disk cache, contractions", [&] { return loading_row(contraction, report); }},
      {"cached call", [&] { return call_rows(report); }},
      {"check", [&] { return check_row(report); }},
  };
  bool all_right = true;
  for (const auto& [name, run] : cases) {
    if (std::string(name).find(only) == std::string::npos) continue;
    fmt::print(stderr, "{}\n", name);
    if (const std::string failure = run(); !failure.empty()) {
      fmt::print(stderr, "{}: {}\n", name, failure);
      all_right = false;
    }
  }
  return all_right;
}

}  // namespace tilewright::bench
