// `tilewright bench`: each case's time, rates, and share of what this machine can do at most.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/cases.h"
#include "cli/device.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/subcommands.h"
#include "report/ceilings.h"
#include "report/compile_steps.h"
#include "report/timing.h"
#include "runtime/thread_pool.h"

namespace tilewright::cli {
namespace {

struct Row {
  std::string kernel;
  std::string operands;
  report::Timing timing;
  report::Cost cost;
  double floor = 0;  ///< seconds

  double gflops() const { return cost.flops / timing.median / 1e9; }
  double gbytes() const { return cost.bytes() / timing.median / 1e9; }
  double fraction() const { return floor / timing.median; }
};

report::Cost case_cost(const std::vector<report::CompiledStep>& steps) {
  report::Cost total;
  for (const report::CompiledStep& step : steps) {
    const nest::NestViews& views = step.compilation.views;
    const report::Cost own = report::cost_of(step.compilation.nest, views.operands, views.output);
    total.flops += own.flops;
    total.bytes_read += own.bytes_read;
    total.bytes_written += own.bytes_written;
  }
  return total;
}

/// A statement's result goes to the same memory in every call, as a program that calls it in a loop would have it.
Result<report::Timing> time_case(const Engine& engine, const Case& each) {
  Result<std::vector<Operand>> operands = make_operands(each);
  if (!operands) return std::unexpected(operands.error());
  for (Operand& operand : *operands) {
    Result<Tensor> placed = engine.to_device(operand.tensor);
    if (!placed) return std::unexpected(std::move(placed.error()));
    operand.tensor = std::move(*placed);
  }
  Result<CallTiming> calls;
  if (each.kernel->program()) {
    const auto call = [&]() -> Result<void> {
      const auto results = engine.run(*each.kernel, *operands);
      if (!results) return std::unexpected(results.error());
      return {};
    };
    calls = time_on_host(call, {});
  } else {
    const Result<Tensor> output = engine.eval(*each.kernel, *operands);
    if (!output) return std::unexpected(output.error());
    calls = engine.time_into(*each.kernel, *operands, *output);
  }
  if (!calls) return std::unexpected(std::move(calls.error()));
  return report::summarize(std::move(*calls));
}

Result<Row> measure_case(const Engine& engine, const Case& each, const report::Ceilings& ceilings) {
  const Result<std::vector<report::CompiledStep>> steps = report::compile_steps(engine, *each.kernel, views_of(each));
  if (!steps) return std::unexpected(steps.error());
  const Result<report::Timing> timing = time_case(engine, each);
  if (!timing) return std::unexpected(timing.error());
  Row row{each.kernel->name(), describe(each), *timing, case_cost(*steps)};
  row.floor = ceilings.floor(row.cost);
  return row;
}

nlohmann::json to_json(const Row& row) {
  return {{"kernel", row.kernel},
          {"operands", row.operands},
          {"seconds", row.timing.median},
          {"spread", row.timing.spread()},
          {"calls", row.timing.calls},
          {"timing", row.timing.method},
          {"flops", row.cost.flops},
          {"bytes", row.cost.bytes()},
          {"gflops_per_second", row.gflops()},
          {"gbytes_per_second", row.gbytes()},
          {"fraction_of_ceiling", row.fraction()}};
}

void print_json(const Engine& engine, const report::Ceilings& ceilings, const std::vector<Row>& rows) {
  nlohmann::json document = {{"device", engine.device_name()},
                             {"processor", engine.processor()},
                             {"threads", threads()},
                             {"ceilings",
                              {{"copy_gbytes_per_second", ceilings.copy / 1e9},
                               {"read_gbytes_per_second", ceilings.read / 1e9},
                               {"write_gbytes_per_second", ceilings.write / 1e9},
                               {"f32_gflops_per_second", ceilings.flops / 1e9}}},
                             {"runs", nlohmann::json::array()}};
  for (const Row& row : rows) document["runs"].push_back(to_json(row));
  fmt::print("{}\n", document.dump(2));
}

void print_table(const Engine& engine, const report::Ceilings& ceilings, const std::vector<Row>& rows) {
  const std::string device =
      engine.device_name() == "cpu" ? fmt::format("{}, {} threads", engine.processor(), threads()) : engine.processor();
  fmt::print(
      "{}; measured ceilings: copy {:.1f} GB/s, read {:.1f} GB/s, write {:.1f} GB/s, f32 {:.1f} "
      "GFLOP/s\n\n",
      device, ceilings.copy / 1e9, ceilings.read / 1e9, ceilings.write / 1e9, ceilings.flops / 1e9);
  fmt::print("{:<14} {:>12} {:>8} {:>10} {:>9} {:>9}   {}\n", "kernel", "median ms", "spread", "GFLOP/s", "GB/s",
             "ceiling", "operands");
  for (const Row& row : rows)
    fmt::print("{:<14} {:>12.4f} {:>6.1f} % {:>10.2f} {:>9.2f} {:>7.0f} %   {}\n", row.kernel, 1e3 * row.timing.median,
               100 * row.timing.spread(), row.gflops(), row.gbytes(), 100 * row.fraction(), row.operands);
  std::set<std::string> methods;
  for (const Row& row : rows) methods.insert(row.timing.method);
  fmt::print("\ntimed by: {}\n", fmt::join(methods, "; "));
}

}  // namespace

Outcome run_bench(const Options& options) {
  const Result<Engine> engine = open_device(options);
  if (!engine) return std::unexpected(engine.error());
  if (engine->is_simulated())
    return fail("C017",
                fmt::format("measuring is not available on {}: a simulator's time is not a device's", options.device),
                "use 'run --device sim --verify' to check results, or another device to measure");
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::data);
  if (!cases) return std::unexpected(cases.error());
  const Result<report::Ceilings> ceilings = report::measure_ceilings(*engine);
  if (!ceilings) return std::unexpected(ceilings.error());
  Progress progress;
  std::vector<Row> rows;
  for (const Case& each : *cases) {
    progress.show("measuring " + each.kernel->name(),
                  static_cast<double>(rows.size()) / static_cast<double>(cases->size()));
    Result<Row> row = measure_case(*engine, each, *ceilings);
    if (!row) return std::unexpected(std::move(row.error()));
    rows.push_back(std::move(*row));
  }
  progress.clear();
  warn_of_choices(*engine);
  (options.json ? print_json : print_table)(*engine, *ceilings, rows);
  return ExitCode::right;
}

}  // namespace tilewright::cli
