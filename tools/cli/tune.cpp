// `tilewright tune`: searches for quicker schedules of each case's statements, stores the quickest, and prints what it
// found.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

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
#include "runtime/fused_program.h"
#include "runtime/thread_pool.h"
#include "tune/tuner.h"

namespace tilewright::cli {
namespace {

/// One statement.
struct Row {
  std::string title;
  bool has_schedule = false;  ///< of its own
  std::optional<tune::Tuned> tuned;
  std::string passed_over;  ///< why it is not tuned
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
    const Result<FusedProgram> fused = fuse_program(*each.kernel, types_of(views_of(*values)));
    if (!fused) return std::unexpected(fused.error());
    for (const Kernel& step : report::statements_of(*each.kernel)) {
      std::vector<Operand> operands;
      for (const std::string& name : step.operand_names())
        operands.push_back(*std::ranges::find(*values, name, &Operand::name));
      const std::string with = describe(each);
      std::string title = (each.kernel->program() ? each.kernel->name() + ": " : "") + step.name();
      if (!with.empty()) title += " with " + with;
      if (const std::string with_others = computed_with(*fused, step.name()); !with_others.empty())
        rows_.push_back({std::move(title), false, std::nullopt,
                         "it is computed together with " + with_others + ", and never by itself"});
      else if (auto done = tune_statement(std::move(title), step, operands); !done)
        return done;
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
  /// The other statements of a statement's launch; empty: none.
  static std::string computed_with(const FusedProgram& fused, const std::string& name) {
    std::vector<std::string> others;
    for (const nest::BoundNest& launch : fused.program.nests)
      if (std::ranges::find(launch.targets, name) != launch.targets.end()) others = launch.targets;
    std::erase(others, name);
    return fmt::format("{}", fmt::join(others, ", "));
  }

  Result<void> tune_statement(std::string title, const Kernel& step, const std::vector<Operand>& operands) {
    tune::SearchOptions search;
    search.seconds = options_.seconds;
    search.report = [&](const nest::Schedule& schedule, std::optional<double> seconds, double fraction) {
      if (options_.verbose) print_try(step.name(), schedule, seconds);
      progress_.show("tuning " + step.name(), fraction);
    };
    KnownReference known;
    const tune::Check check = [&](const Kernel&, const Compilation& compilation, const std::vector<Operand>& on_host,
                                  const Tensor& result) -> Result<bool> {
      const Result<Verification> verification =
          verify_result(compilation.reference, views_of(on_host), result.view(), report::chain_length(compilation),
                        progress_, Effort::brief, {}, &known);
      if (!verification) return std::unexpected(verification.error());
      return verification->is_right();
    };
    Result<tune::Tuned> tuned = tune::tune(engine_, step, operands, check, search);
    Row row{std::move(title), !lang::has_automatic_schedule(*step.statement()), std::nullopt, {}};
    if (tuned)
      row.tuned = std::move(*tuned);
    else if (tuned.error().front().code == "R057")
      row.passed_over = tuned.error().front().message;
    else
      return std::unexpected(std::move(tuned.error()));
    rows_.push_back(std::move(row));
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

std::string_view name(tune::Earlier earlier) {
  constexpr std::array<std::string_view, 5> names{"none", "kept", "replaced", "forgotten", "untouched"};
  return names.at(static_cast<std::size_t>(earlier));
}

nlohmann::json to_json(const Row& row) {
  if (!row.tuned) return {{"kernel", row.title}, {"passed_over", row.passed_over}, {"stored", false}};
  const tune::Search& search = row.tuned->search;
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
                        {"earlier", name(row.tuned->earlier)},
                        {"stored", row.tuned->storable() != nullptr && !row.tuned->kept}};
  if (const tune::Trial* choice = row.tuned->choice())
    run["choice"] = {{"lines", lines_of(choice->schedule)},
                     {"seconds", choice->median()},
                     {"gain", search.untuned.median() / choice->median()}};
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

/// What is in the database now.
std::string stored_text(const tune::Tuned& tuned) {
  if (tuned.kept) return "the database is as before: " + tuned.kept->front().message;
  switch (tuned.earlier) {
    case tune::Earlier::none:
      return tuned.storable() != nullptr ? "stored in " + tuned.path : "nothing is stored";
    case tune::Earlier::kept:
      return "the stored choice is kept, with today's times, in " + tuned.path;
    case tune::Earlier::replaced:
      return "stored in the place of another choice in " + tuned.path;
    case tune::Earlier::forgotten:
      return "the stored choice is no longer worthwhile: it is forgotten";
    case tune::Earlier::untouched:
      return "the stored choice cannot be used here, and stays as it is";
  }
  internal_error("an unknown end of a stored choice");
}

void print_row(const Row& row) {
  if (!row.tuned) {
    fmt::print("{}\n  not tuned: {}\n", row.title, row.passed_over);
    return;
  }
  const tune::Search& search = row.tuned->search;
  const double untuned = search.untuned.median();
  fmt::print("{}\n  {:>11.4g} ms        the automatic schedule\n", row.title, 1e3 * untuned);
  for (const tune::Trial& trial : search.finalists)
    fmt::print("  {:>11.4g} ms {:>5.2f}x {}\n", 1e3 * trial.median(), untuned / trial.median(),
               fmt::join(lines_of(trial.schedule), "; "));
  fmt::print("  {} schedules tried, {} not legal here; {}\n", search.tried, search.illegal,
             search.exhausted ? "there are no others" : "then the time was up");
  const tune::Trial* choice = row.tuned->choice();
  if (choice == nullptr)
    fmt::print("  none is quicker by {:.0f} % and steadily: the automatic schedule stays\n",
               100 * (1 - tune::worthwhile));
  else if (nest::has_atomics(choice->schedule))
    fmt::print(
        "  sums of the quickest differ from run to run ('atomics'): it is not for a statement without a schedule\n");
  fmt::print("  {}\n", stored_text(*row.tuned));
  if (choice == nullptr) return;
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
  const Result<void> place = engine->check_choices();
  if (!place) warn(place.error());  // before the time is spent
  Tuning tuning(*engine, options);
  for (const Case& each : *cases)
    if (auto done = tuning.add(each); !done) return std::unexpected(std::move(done.error()));
  const std::vector<Row> rows = tuning.finish();
  if (place) warn_of_choices(*engine);
  if (options.json) {
    print_json(*engine, rows);
  } else {
    for (const Row& row : rows) print_row(row);
  }
  return ExitCode::right;
}

}  // namespace tilewright::cli
