// Kernels with schedules on a device. See tuner.h.
#include "tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "lang/parse.h"
#include "lang/schedule_lines.h"
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
    start_ = Clock::now();
    return {};
  }

  Result<bool> prepare(const nest::Schedule& schedule) override {
    const Kernel scheduled = with_schedule(kernel_, schedule);
    const Result<Compilation> compilation = engine_.compile(scheduled, views_of(operands_), false);
    if (!compilation) return schedule.empty() ? Result<bool>(std::unexpected(compilation.error())) : false;
    if (auto ran = engine_.eval_into(scheduled, operands_, *scratch_); !ran)
      return schedule.empty() ? Result<bool>(std::unexpected(std::move(ran.error()))) : false;
    const Result<Tensor> result = engine_.to_host(*scratch_);
    if (!result) return std::unexpected(result.error());
    const Result<bool> right = check_(scheduled, *compilation, on_host_, *result);
    if (!right) return std::unexpected(right.error());
    if (!*right)
      return fail("R055",
                  fmt::format("{} has a wrong result with this schedule, which is a defect of tilewright:\n{}",
                              kernel_.name(), to_text(schedule)),
                  "please report it; nothing was stored", kernel_.statement()->source,
                  kernel_.statement()->target.span);
    kernels_.emplace(to_text(schedule), scheduled);
    return true;
  }

  Result<Seconds> time(const nest::Schedule& schedule, double seconds) override {
    constexpr int least_calls = 3;
    const Kernel& kernel = kernels_.at(to_text(schedule));
    const Clock::time_point start = Clock::now();
    if (auto ran = engine_.eval_into(kernel, operands_, *scratch_); !ran)
      return std::unexpected(std::move(ran.error()));
    const double once = std::chrono::duration<double>(Clock::now() - start).count();
    if (once > hopeless * quickest_ + moment) return Seconds{once, once};
    Result<CallTiming> calls = engine_.time_into(kernel, operands_, *scratch_, {seconds, least_calls});
    if (!calls) return std::unexpected(std::move(calls.error()));
    const double least = std::ranges::min(calls->seconds);
    quickest_ = std::min(quickest_, least);
    return Seconds{least, report::summarize(std::move(*calls)).median};
  }

  double elapsed() const override { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  /// A single call that takes so many times the quickest one, and a moment, is not timed further.
  static constexpr double hopeless = 4, moment = 0.05;

  Engine engine_;
  double quickest_ = std::numeric_limits<double>::infinity();
  const Kernel& kernel_;
  const std::vector<Operand>& operands_;
  const Check& check_;
  std::vector<Operand> on_host_;
  std::optional<Tensor> scratch_;
  std::map<std::string, Kernel> kernels_;
  Clock::time_point start_ = Clock::now();
};

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

const Trial* Tuned::choice() const {
  if (search.finalists.empty()) return nullptr;
  const Trial& best = search.finalists.front();
  double won = 0;
  for (std::size_t round = 0; round < best.seconds.size(); ++round)
    won += best.seconds[round] < search.untuned.seconds[round] ? 1 : 0;
  const bool is_steady = won >= rounds_won * static_cast<double>(best.seconds.size());
  return is_steady && best.median() < worthwhile * search.untuned.median() ? &best : nullptr;
}

Result<Tuned> tune(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands, const Check& check,
                   const SearchOptions& options) {
  const std::vector<nest::NamedView> views = views_of(operands);
  auto candidates = engine.candidate_schedules(kernel, views);
  if (!candidates) return std::unexpected(std::move(candidates.error()));
  if (const auto& own = kernel.statement()->schedule) candidates->schedules.insert(candidates->schedules.begin(), *own);
  DeviceProbe probe(engine, kernel, operands, check);
  if (auto begun = probe.begin(); !begun) return std::unexpected(std::move(begun.error()));
  Result<Search> found = search(probe, *candidates, options);
  if (!found) return std::unexpected(std::move(found.error()));
  Tuned tuned{std::move(*found), engine.choices_file().string(), {}};
  Result<void> kept;
  if (const Trial* choice = tuned.choice())
    kept = engine.keep_choice(kernel, views,
                              {to_text(choice->schedule), tuned.search.untuned.median(), choice->median(), now()});
  else
    kept = engine.forget_choice(kernel, views);
  if (!kept) tuned.kept = std::move(kept.error());
  return tuned;
}

}  // namespace tilewright::tune
