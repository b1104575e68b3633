// Kernels with schedules on a device. See tuner.h.
#include "tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "lang/parse.h"
#include "report/timing.h"

namespace tilewright::tune {
namespace {

using Clock = std::chrono::steady_clock;

Kernel with_schedule(const Kernel& kernel, const nest::Schedule& schedule) {
  lang::Statement statement = *kernel.statement();
  statement.schedule = std::nullopt;
  if (!schedule.empty()) statement.schedule = schedule;
  return Kernel(std::move(statement));
}

/// Of all elements of a row-major tensor, a value that few results have. It reads nothing.
Kernel overwriting(const Tensor& tensor) {
  std::string iterators, ranges;
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    iterators += fmt::format("{}i{}", axis == 0 ? "" : ", ", axis);
    ranges += fmt::format("{}i{} in 0 ..< {}", axis == 0 ? " | (" : ", ", axis, tensor.shape()[axis]);
  }
  const std::string text =
      fmt::format("overwritten:{}[{}] = 77{}{}", name(tensor.dtype()), iterators, ranges, ranges.empty() ? "" : ")");
  Result<Kernel> kernel = Kernel::parse(text);
  if (!kernel) internal_error("what the tuner writes over results does not parse: " + text);
  return *kernel;
}

/// The engine's device. Kernels that have been timed are kept with their code.
class DeviceProbe final : public Probe {
 public:
  DeviceProbe(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands, const Check& check)
      : engine_(engine.without_stored_choices()), kernel_(kernel), operands_(operands), check_(check) {}

  /// Memory for results, and the operands where the host reads them.
  Result<void> begin() {
    Result<std::vector<Operand>> on_host = moved(engine_, operands_, &Engine::to_host);
    if (!on_host) return std::unexpected(std::move(on_host.error()));
    on_host_ = std::move(*on_host);
    Result<Tensor> scratch = engine_.eval(with_schedule(kernel_, automatic), operands_);
    if (!scratch) return std::unexpected(std::move(scratch.error()));
    scratch_ = std::move(*scratch);
    overwriting_ = overwriting(*scratch_);
    start_ = Clock::now();
    return {};
  }

  Result<bool> prepare(const nest::Schedule& schedule) override {
    const Kernel scheduled = with_schedule(kernel_, schedule);
    const Result<Compilation> compilation = engine_.compile(scheduled, views_of(operands_), false);
    if (!compilation) return legality(schedule, compilation.error());
    // Else what a schedule leaves out would be right from the one before.
    if (auto written = engine_.eval_into(*overwriting_, {}, *scratch_); !written)
      return std::unexpected(std::move(written.error()));
    if (auto ran = engine_.eval_into(scheduled, operands_, *scratch_); !ran) return legality(schedule, ran.error());
    const Result<Tensor> result = engine_.to_host(*scratch_);
    if (!result) return legality(schedule, result.error());
    const Result<bool> right = check_(scheduled, *compilation, on_host_, *result);
    if (!right) return std::unexpected(right.error());
    if (!*right) return defect("has a wrong result", schedule);
    kernels_.emplace(to_text(schedule), scheduled);
    return true;
  }

  Result<Seconds> time(const nest::Schedule& schedule, double seconds) override {
    constexpr int least_calls = 3;
    const Kernel& kernel = kernels_.at(to_text(schedule));
    const Clock::time_point start = Clock::now();
    if (auto ran = engine_.eval_into(kernel, operands_, *scratch_); !ran) return failure(schedule, ran.error());
    const double once = std::chrono::duration<double>(Clock::now() - start).count();
    if (once > hopeless * quickest_ + moment) return Seconds{once, once};
    Result<CallTiming> calls = engine_.time_into(kernel, operands_, *scratch_, {seconds, least_calls});
    if (!calls) return failure(schedule, calls.error());
    const double least = std::ranges::min(calls->seconds);
    quickest_ = std::min(quickest_, least);
    return Seconds{least, report::summarize(std::move(*calls)).median};
  }

  /// The lines with which the search ended by R055; empty: by nothing of the kind.
  const std::string& defective() const { return defective_; }

  double elapsed() const override { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  /// A single call that takes so many times the quickest one, and a moment, is not timed further.
  static constexpr double hopeless = 4, moment = 0.05;

  std::unexpected<Diagnostics> defect(std::string_view what, const nest::Schedule& schedule) {
    defective_ = to_text(schedule);
    return fail(
        "R055",
        fmt::format("{} {} with this schedule, which is a defect of tilewright:\n{}", kernel_.name(), what, defective_),
        "please report it; nothing was stored", kernel_.statement()->source, kernel_.statement()->target.span);
  }
  /// What the device says. The automatic schedule's errors are those of any call, and so is a lack of memory.
  std::unexpected<Diagnostics> failure(const nest::Schedule& schedule, const Diagnostics& errors) {
    if (schedule.empty() || is_legality_error(errors)) return std::unexpected(errors);
    return defect(fmt::format("fails ({}: {})", errors.front().code, errors.front().message), schedule);
  }
  Result<bool> legality(const nest::Schedule& schedule, const Diagnostics& errors) {
    if (!schedule.empty() && is_legality_error(errors)) return false;
    return failure(schedule, errors);
  }

  Engine engine_;
  double quickest_ = std::numeric_limits<double>::infinity();
  const Kernel& kernel_;
  const std::vector<Operand>& operands_;
  const Check& check_;
  std::vector<Operand> on_host_;
  std::optional<Tensor> scratch_;
  std::optional<Kernel> overwriting_;
  std::map<std::string, Kernel> kernels_;
  std::string defective_;
  Clock::time_point start_ = Clock::now();
};

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

bool is_legality_error(const Diagnostics& errors) {
  constexpr std::array codes = {"L050", "L051", "L052", "L053", "R071", "R078", "R079", "R080",
                                "R081", "R091", "R094", "R095", "P103", "G001", "G007", "G008"};
  return std::ranges::all_of(errors, [&](const Diagnostic& error) {
    return error.code.starts_with('N') || std::ranges::find(codes, error.code) != codes.end();
  });
}

const Trial* Tuned::quickest(const std::function<bool(const nest::Schedule&)>& counts) const {
  const auto is_worthwhile = [&](const Trial& trial) {
    double won = 0;
    for (std::size_t round = 0; round < trial.seconds.size(); ++round)
      won += trial.seconds[round] < search.untuned.seconds[round] ? 1 : 0;
    return won >= rounds_won * static_cast<double>(trial.seconds.size()) &&
           trial.median() < worthwhile * search.untuned.median() && counts(trial.schedule);
  };
  const auto found = std::ranges::find_if(search.finalists, is_worthwhile);
  return found == search.finalists.end() ? nullptr : &*found;
}

Result<Tuned> tune(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands, const Check& check,
                   const SearchOptions& options) {
  const std::vector<nest::NamedView> views = views_of(operands);
  auto candidates = engine.candidate_schedules(kernel, views);
  if (!candidates) return std::unexpected(std::move(candidates.error()));
  double points = 1;
  for (const auto& [iterator, extent] : candidates->extents) points *= static_cast<double>(extent);
  if (points < least_points)
    return fail("R057",
                fmt::format("the loops of {} have {:.0f} points, and a call of fewer than {:.0f} takes as "
                            "long as its launch",
                            kernel.name(), points, least_points),
                "tune it with operands of the size that matters", kernel.statement()->source,
                kernel.statement()->target.span);
  if (const auto& own = kernel.statement()->schedule) candidates->schedules.insert(candidates->schedules.begin(), *own);
  SearchOptions with_earlier = options;
  const auto earlier = engine.stored_schedule(kernel, views);  // an error of the database is met again where it is kept
  if (earlier && *earlier) with_earlier.in_use = **earlier;
  DeviceProbe probe(engine, kernel, operands, check);
  if (auto begun = probe.begin(); !begun) return std::unexpected(std::move(begun.error()));
  Result<Search> found = search(probe, *candidates, with_earlier);
  const std::string in_use = to_text(with_earlier.in_use);
  if (!found) {
    if (!in_use.empty() && probe.defective() == in_use) (void)engine.forget_choice(kernel, views);
    return std::unexpected(std::move(found.error()));
  }

  Tuned tuned{std::move(*found), engine.choices_file().string(), {}, {}};
  const bool has_row = earlier ? earlier->has_value() : earlier.error().front().code == "R056";
  const bool was_timed = earlier && *earlier && std::ranges::any_of(tuned.search.finalists, [&](const Trial& trial) {
                           return to_text(trial.schedule) == in_use;
                         });
  Result<void> kept;
  if (const Trial* choice = tuned.storable()) {
    const std::string lines = to_text(choice->schedule);
    kept = engine.keep_choice(kernel, views, {lines, tuned.search.untuned.median(), choice->median(), now()});
    if (has_row) tuned.earlier = lines == in_use ? Earlier::kept : Earlier::replaced;
  } else if (was_timed) {
    kept = engine.forget_choice(kernel, views);
    tuned.earlier = Earlier::forgotten;
  } else if (has_row) {
    tuned.earlier = Earlier::untouched;
  }
  if (!kept) tuned.kept = std::move(kept.error());
  return tuned;
}

}  // namespace tilewright::tune
