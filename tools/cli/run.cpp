// `tilewright run`: computes each case, and prints, writes or verifies what comes out.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/cases.h"
#include "cli/device.h"
#include "cli/load.h"
#include "cli/outputs.h"
#include "cli/print_tensor.h"
#include "cli/subcommands.h"
#include "cli/verification.h"
#include "report/chain_length.h"
#include "report/compile_steps.h"
#include "report/cost.h"

namespace tilewright::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const Tensor* find(const std::vector<Operand>& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &Operand::name);
  return found == values.end() ? nullptr : &found->tensor;
}

/// One case computed: every launch's operands and results, on the device and on the host.
class CaseRun {
 public:
  CaseRun(const Engine& engine, const Case& each, Progress& progress, std::FILE* text)
      : engine_(engine), case_(each), progress_(progress), text_(text) {}

  Result<void> compute() {
    Result<std::vector<Operand>> operands = make_operands(case_);
    if (!operands) return std::unexpected(std::move(operands.error()));
    values_ = std::move(*operands);
    Result<std::vector<Operand>> placed = moved(engine_, values_, &Engine::to_device);
    if (!placed) return std::unexpected(std::move(placed.error()));
    operands_ = placed_ = std::move(*placed);
    Result<std::vector<Operand>> results = engine_.run(*case_.kernel, operands_);
    if (!results) return std::unexpected(std::move(results.error()));
    placed_.insert(placed_.end(), results->begin(), results->end());
    results = moved(engine_, *results, &Engine::to_host);
    if (!results) return std::unexpected(std::move(results.error()));
    results_ = std::move(*results);
    return {};
  }

  void print() const {
    const std::string with = describe(case_);
    fmt::print(text_, "{}{}\n", case_.kernel->name(), with.empty() ? "" : " with " + with);
    for (const Operand& result : results_) {
      const std::string values = values_text(result.tensor);
      fmt::print(text_, "{}: {}{}{}\n", result.name, type_text(result.tensor), values.contains('\n') ? "\n" : " = ",
                 values);
    }
  }

  /// Each launch (a statement, or several that are computed as one) against the reference of its statements on what it
  /// read. True if all are right.
  Result<bool> verify() {
    const double seconds = engine_.is_simulated() ? 0 : time_again();
    const std::string with = describe(case_);
    std::string report;
    bool right = true;
    report::Cost cost;
    const Result<FusedProgram> fused = fuse_program(*case_.kernel, types_of(views_of(values_)));
    if (!fused) return std::unexpected(fused.error());
    Result<nest::BoundProgram> stated = nest::BoundProgram();
    if (case_.kernel->program() != nullptr)
      stated = nest::bind_program(*case_.kernel->program(), types_of(views_of(values_)));
    if (!stated) return std::unexpected(std::move(stated.error()));
    for (const nest::BoundNest& launch : fused->program.nests) {
      std::vector<nest::Nest> statements;
      for (const nest::BoundNest& each : stated->nests)
        if (std::ranges::find(launch.targets, each.nest.name) != launch.targets.end()) statements.push_back(each.nest);
      Result<Verification> verification = verify_launch(launch, statements, cost);
      if (!verification) return std::unexpected(std::move(verification.error()));
      right = right && verification->is_right();
      const std::string title =
          report::title_of(launch.nest.name, report::statements_of(*case_.kernel, launch.targets));
      report += fmt::format("  {}{}\n", case_.kernel->program() ? title + ": " : "", to_text(*verification));
    }
    progress_.clear();
    const std::string time = engine_.is_simulated()
                                 ? "simulated"
                                 : fmt::format("{:.3f} ms, {:.2f} GFLOP/s, {:.2f} GB/s", 1e3 * seconds,
                                               cost.flops / seconds / 1e9, cost.bytes() / seconds / 1e9);
    fmt::print(text_, "{}{}: {}\n{}", case_.kernel->name(), with.empty() ? "" : " with " + with, time, report);
    std::fflush(text_);
    return right;
  }

  Result<void> write(const Outputs& outputs) const {
    for (const Operand& result : results_)
      if (Result<void> written = outputs.write(result.name, result.tensor); !written) return written;
    return {};
  }

 private:
  /// Seconds of the fastest of a few calls, now that everything is compiled.
  double time_again() const {
    constexpr int most_calls = 5;
    constexpr double enough = 0.2;
    double best = 1e300;
    double spent = 0;
    for (int call = 0; call < most_calls && spent < enough; ++call) {
      const Clock::time_point start = Clock::now();
      if (!engine_.run(*case_.kernel, operands_)) break;
      const double seconds = seconds_since(start);
      best = std::min(best, seconds);
      spent += seconds;
    }
    return std::max(best, 1e-9);
  }

  /// Verifies the launch and makes its result known to those after it.
  Result<Verification> verify_launch(const nest::BoundNest& launch, std::span<const nest::Nest> statements,
                                     report::Cost& cost) {
    const std::string& name = launch.nest.name;
    std::vector<Operand> inputs, placed;
    for (const nest::Tensor& tensor : launch.nest.tensors) {
      inputs.push_back({tensor.name, *find(values_, tensor.name)});
      placed.push_back({tensor.name, *find(placed_, tensor.name)});
    }
    Tensor result;
    if (const Tensor* known = find(results_, name)) {
      result = *known;
    } else {
      Result<Tensor> computed = engine_.eval(launch, placed);
      if (!computed) return std::unexpected(std::move(computed.error()));
      placed_.push_back({name, *computed});
      computed = engine_.to_host(*computed);
      if (!computed) return std::unexpected(std::move(computed.error()));
      result = std::move(*computed);
    }
    values_.push_back({name, result});
    const std::vector<nest::NamedView> views = views_of(inputs);
    const Result<Compilation> compilation = engine_.compile(launch, views);
    if (!compilation) return std::unexpected(compilation.error());
    const report::Cost own = report::cost_of(compilation->nest, compilation->views.operands, result.view());
    cost.flops += own.flops;
    cost.bytes_read += own.bytes_read;
    cost.bytes_written += own.bytes_written;
    return verify_result(launch.nest, views, result.view(), report::chain_length(*compilation), progress_,
                         Effort::thorough, statements);
  }

  const Engine& engine_;
  const Case& case_;
  Progress& progress_;
  std::FILE* text_;
  std::vector<Operand> operands_;         ///< on the device
  std::vector<Operand> results_;          ///< on the host
  std::vector<Operand> values_, placed_;  ///< operands, and results of the launches so far: on the host, the device
};

}  // namespace

Outcome run_run(const Options& options) {
  const Result<Engine> engine = open_device(options);
  if (!engine) return std::unexpected(engine.error());
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::data);
  if (!cases) return std::unexpected(cases.error());
  const Result<Outputs> outputs = Outputs::parse(options.outputs, *cases);
  if (!outputs) return std::unexpected(outputs.error());
  if (Result<void> writable = outputs->check(); !writable) return std::unexpected(std::move(writable.error()));

  std::FILE* text = outputs->uses_standard_output() ? stderr : stdout;
  Progress progress;
  bool right = true;
  for (const Case& each : *cases) {
    CaseRun run(*engine, each, progress, text);
    if (Result<void> computed = run.compute(); !computed) return std::unexpected(std::move(computed.error()));
    if (options.verify) {
      const Result<bool> verified = run.verify();
      if (!verified) return std::unexpected(verified.error());
      right = right && *verified;
      if (!*verified) continue;  // a wrong result is not worth a file
    } else if (outputs->empty()) {
      run.print();
    }
    if (Result<void> written = run.write(*outputs); !written) return std::unexpected(std::move(written.error()));
  }
  warn_of_choices(*engine);
  return right ? ExitCode::right : ExitCode::wrong;
}

}  // namespace tilewright::cli
