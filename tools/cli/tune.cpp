// `tilewright tune`: searches for quicker schedules of each case's statements, stores the quickest, and prints what it
// found.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/cases.h"
#include "cli/device.h"
#include "cli/load.h"
#include "cli/print_message.h"
#include "cli/progress.h"
#include "cli/subcommands.h"
#include "cli/verification.h"
#include "lang/parse.h"
#include "lang/schedule_lines.h"
#include "report/chain_length.h"
#include "report/compile_steps.h"
#include "runtime/thread_pool.h"
#include "tune/tuner.h"

namespace tilewright::cli {
namespace {

/// One statement, tuned.
struct Row {
  std::string title;
  bool has_schedule = false;  ///< of its own
  tune::Tuned tuned;
};

std::vector<std::string> lines_of(const nest::Schedule& schedule) {
  std::vector<std::string> lines;
  for (const lang::ScheduleLine& line : schedule) lines.push_back(lang::to_text(line));
  return lines;
}

/// Tunes the statements of cases, one after the other.
class Tuning {
 public:
  Tuning(const Engine& engine, const Options& options) : engine_(engine), options_(options) {}

  Result<void> add(const Case& each) {
    const Result<std::vector<Operand>> made = make_operands(each);
    if (!made) return std::unexpected(made.error());
    Result<std::vector<Operand>> values = moved(engine_, *made, &Engine::to_device);
    if (!values) return std::unexpected(std::move(values.error()));
    for (const Kernel& step : report::statements_of(*each.kernel)) {
      std::vector<Operand> operands;
      for (const std::string& name : step.operand_names())
        operands.push_back(*std::ranges::find(*values, name, &Operand::name));
      const std::string with = describe(each);
      std::string title = (each.kernel->program() ? each.kernel->name() + ": " : "") + step.name();
      if (!with.empty()) title += " with " + with;
      if (auto done = tune_statement(std::move(title), step, operands); !done) return done;
      if (!each.kernel->program()) continue;
      Result<Tensor> result = engine_.eval(step, operands);  // what later statements read
      if (!result) return std::unexpected(std::move(result.error()));
      values->push_back({step.name(), std::move(*result)});
    }
    return {};
  }

  std::vector<Row> finish() {
    progress_.clear();
    return std::move(rows_);
  }

 private:
  Result<void> tune_statement(std::string title, const Kernel& step, const std::vector<Operand>& operands) {
    tune::SearchOptions search;
    search.seconds = options_.seconds;
    search.report = [&](const nest::Schedule& schedule, std::optional<double> seconds, double fraction) {
      if (options_.verbose) print_try(step.name(), schedule, seconds);
      progress_.show("tuning " + step.name(), fraction);
    };
    const tune::Check check = [&](const Kernel&, const Compilation& compilation, const std::vector<Operand>& on_host,
                                  const Tensor& result) -> Result<bool> {
      const Result<Verification> verification =
          verify_result(compilation.reference, views_of(on_host), result.view(), report::chain_length(compilation),
                        progress_, Effort::brief);
      if (!verification) return std::unexpected(verification.error());
      return verification->is_right();
    };
    Result<tune::Tuned> tuned = tune::tune(engine_, step, operands, check, search);
    if (!tuned) return std::unexpected(std::move(tuned.error()));
    rows_.push_back({std::move(title), !lang::has_automatic_schedule(*step.statement()), std::move(*tuned)});
    return {};
  }

  void print_try(const std::string& name, const nest::Schedule& schedule, std::optional<double> seconds) {
    progress_.clear();
    const std::string lines =
        schedule.empty() ? "the automatic schedule" : fmt::format("{}", fmt::join(lines_of(schedule), "; "));
    print_message(fmt::format("{}: {}: {}\n", name,
                              seconds ? fmt::format("{:.4g} ms", 1e3 * *seconds) : "not legal here", lines));
  }

  const Engine& engine_;
  const Options& options_;
  Progress progress_;
  std::vector<Row> rows_;
};

nlohmann::json to_json(const Row& row) {
  const tune::Search& search = row.tuned.search;
  nlohmann::json finalists = nlohmann::json::array();
  for (const tune::Trial& trial : search.finalists)
    finalists.push_back({{"lines", lines_of(trial.schedule)}, {"seconds", trial.median()}});
  nlohmann::json run = {{"kernel", row.title},
                        {"automatic_seconds", search.untuned.median()},
                        {"rounds", search.untuned.seconds.size()},
                        {"tried", search.tried},
                        {"illegal", search.illegal},
                        {"exhausted", search.exhausted},
                        {"best", std::move(finalists)},
                        {"choice", nullptr},
                        {"stored", false}};
  if (const tune::Trial* choice = row.tuned.choice()) {
    run["choice"] = {{"lines", lines_of(choice->schedule)},
                     {"seconds", choice->median()},
                     {"gain", search.untuned.median() / choice->median()}};
    run["stored"] = !row.tuned.kept.has_value();
  }
  return run;
}

void print_json(const Engine& engine, const std::vector<Row>& rows) {
  nlohmann::json document = {{"device", engine.device_name()},
                             {"processor", engine.processor()},
                             {"threads", threads()},
                             {"stored_in", engine.choices_file().string()},
                             {"runs", nlohmann::json::array()}};
  for (const Row& row : rows) document["runs"].push_back(to_json(row));
  fmt::print("{}\n", document.dump(2));
}

void print_row(const Row& row) {
  const tune::Search& search = row.tuned.search;
  const double untuned = search.untuned.median();
  fmt::print("{}\n  {:>11.4g} ms        the automatic schedule\n", row.title, 1e3 * untuned);
  for (const tune::Trial& trial : search.finalists)
    fmt::print("  {:>11.4g} ms {:>5.2f}x {}\n", 1e3 * trial.median(), untuned / trial.median(),
               fmt::join(lines_of(trial.schedule), "; "));
  fmt::print("  {} schedules tried, {} not legal here; {}\n", search.tried, search.illegal,
             search.exhausted ? "there are no others" : "then the time was up");
  const tune::Trial* choice = row.tuned.choice();
  if (choice == nullptr) {
    fmt::print("  none is quicker by {:.0f} % and steadily: the automatic schedule stays\n",
               100 * (1 - tune::worthwhile));
    return;
  }
  if (!row.tuned.kept)
    fmt::print("  stored in {}\n", row.tuned.path);
  else
    fmt::print("  not stored: {}\n", row.tuned.kept->front().message);
  fmt::print("  {}\n", row.has_schedule
                           ? "the statement has a schedule, which is used as before; to use this one, write"
                           : "the same as a block:");
  fmt::print("    schedule:\n");
  for (const std::string& line : lines_of(choice->schedule)) fmt::print("      {}\n", line);
}

}  // namespace

Outcome run_tune(const Options& options) {
  const Result<Engine> engine = open_device(options);
  if (!engine) return std::unexpected(engine.error());
  if (engine->is_simulated())
    return fail("C017",
                fmt::format("measuring is not available on {}: a simulator's time is not a device's", options.device),
                "use another device to tune for");
  const Result<std::vector<Kernel>> kernels = load_kernels(options);
  if (!kernels) return std::unexpected(kernels.error());
  const Result<std::vector<Case>> cases = make_cases(*kernels, options, Need::data);
  if (!cases) return std::unexpected(cases.error());
  Tuning tuning(*engine, options);
  for (const Case& each : *cases)
    if (auto done = tuning.add(each); !done) return std::unexpected(std::move(done.error()));
  const std::vector<Row> rows = tuning.finish();
  warn_of_choices(*engine);
  if (options.json) {
    print_json(*engine, rows);
  } else {
    for (const Row& row : rows) print_row(row);
  }
  return ExitCode::right;
}

}  // namespace tilewright::cli
