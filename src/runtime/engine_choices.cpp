// Engines and stored schedules: what a tuner may try, what it found, and its use when a statement is compiled.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "lang/parse.h"
#include "lang/schedule_lines.h"
#include "nest/facts.h"
#include "runtime/engine_state.h"
#include "runtime/program_call.h"
#include "runtime/thread_pool.h"
#include "schedule_version.h"
#include "support/tensor_symbol.h"

namespace tilewright {
namespace {

nest::Facts facts_of(const Compilation& bound, const Backend& backend) {
  return gather_facts(bound.reference, bound.views.operands, bound.views.output, backend.vector_loads());
}

ChoiceKey key_of(const Compilation& bound, const Backend& backend) {
  std::string device = backend.device_name();
  device.resize(std::min(device.find(':'), device.size()));  // "cuda:1" is like any other of its processor
  device += " " + backend.processor();
  if (backend.device_name() == "cpu") device += fmt::format(", {} threads", threads());
  return {to_text(bound.reference), to_text(facts_of(bound, backend)), std::move(device),
          std::string(schedule_version)};
}

std::string date_text(std::int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string one_line(std::string_view lines) {
  std::string text;
  for (const char c : lines)
    if (c == '\n')
      text += "; ";
    else
      text += c;
  if (text.ends_with("; ")) text.resize(text.size() - 2);
  return text;
}

/// What becomes of a stored choice stands first in the trace.
void note(Compilation& compilation, std::string text) {
  nest::TraceEntry entry;
  entry.pass = "stored_choice";
  entry.description = "the schedule that tune stored";
  entry.kind = nest::PassKind::analysis;
  entry.summary = summarize(compilation.reference);
  entry.text = to_text(compilation.reference);
  entry.notes = {std::move(text)};
  compilation.trace.entries.insert(compilation.trace.entries.begin(), std::move(entry));
}

std::unexpected<Diagnostics> no_choice(std::string why) {
  return fail("R056", "what tune stored is not used: " + std::move(why), "tune the statement again");
}

/// The lines of a row, whose text and numbers may be anything. R056: no row of tune's.
Result<nest::Schedule> schedule_of(const StoredChoice& choice) {
  constexpr std::int64_t end_of_years = 253402300800;  ///< of four digits
  for (const double seconds : {choice.automatic_seconds, choice.seconds})
    if (!std::isfinite(seconds) || seconds <= 0) return no_choice(fmt::format("it took {} seconds", seconds));
  if (choice.tuned_at < 0 || choice.tuned_at >= end_of_years)
    return no_choice(fmt::format("its date is {} seconds after 1970", choice.tuned_at));
  auto lines = lang::parse_schedule(choice.lines);
  if (!lines) return no_choice(fmt::format("its lines are no schedule ({})", lines.error().front().code));
  lang::Statement scheduled;
  scheduled.schedule = *lines;
  if (lang::has_automatic_schedule(scheduled)) return no_choice("it has no lines, or 'auto' alone");
  if (nest::has_atomics(*lines))
    return no_choice("it has 'atomics', and the statement, which asks for no schedule, has the same sums in every run");
  return std::move(*lines);
}

std::string choice_text(const StoredChoice& choice, const nest::Schedule& lines) {
  return fmt::format("schedule: stored choice of tune ({}, {:.2f} times as quick as the automatic one): {}",
                     date_text(choice.tuned_at), choice.automatic_seconds / choice.seconds, one_line(to_text(lines)));
}

/// A statement's nest and views; its `nest` is empty.
Result<Compilation> bound_statement(const Kernel& kernel, const std::vector<nest::NamedView>& operands) {
  if (!kernel.statement()) return fail("R077", kernel.name() + " is a program: its statements are tuned one by one");
  const auto bound = nest::bind_nest(*kernel.statement(), types_of(operands));
  if (!bound) return std::unexpected(bound.error());
  return with_views(*bound, operands, nullptr);
}

}  // namespace

ChoiceStore default_choice_store() {
  const char* wanted = std::getenv("TILEWRIGHT_TUNED");
  if (wanted != nullptr && std::string_view(wanted) == "off") return {};
  const auto folder = default_cache_folder();
  if (!folder || !DiskCache::open({*folder})) return {};
  return ChoiceStore(*folder);
}

Result<void> check_workspace(const std::string& name, const DeviceCall& call, std::optional<std::int64_t> room) {
  if (!room || call.workspace_bytes() <= *room) return {};
  return fail("R078",
              fmt::format("{} needs a workspace of {} bytes, the limit is {}", name, call.workspace_bytes(), *room));
}

bool Engine::State::refuse(const std::string& choice, const Diagnostics& why) {
  const std::string& code = why.front().code;
  const bool has_other_cause = code == "R082" || code == "R092";  // a stream that is none; a device that is lost
  if (choice.empty() || has_other_cause) return false;
  const std::lock_guard lock(mutex);
  refused.emplace(choice, why.front().message);
  refusals.fetch_add(1, std::memory_order_release);
  return true;
}

struct Engine::Chosen {
  std::optional<lang::Statement> statement;  ///< with the choice's lines
  std::string choice;                        ///< as PreparedNest's
  std::string note;                          ///< what is chosen, or why it is not; empty: nothing is stored
};

Engine::Chosen Engine::choose(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                              const TensorView* output) const {
  if (!state_->choices.is_on() || !lang::has_automatic_schedule(*bound.statement)) return {};
  const std::lock_guard lock(state_->mutex);
  if (state_->trouble) return {{}, {}, state_->trouble->front().message};
  const ChoiceKey key = key_of(with_views(bound, operands, output), *state_->backend);
  const auto found = state_->choices.find(key);
  if (!found) {
    state_->trouble = found.error();
    return {{}, {}, found.error().front().message};
  }
  if (!*found) return {};
  auto lines = schedule_of(**found);
  if (!lines) return {{}, {}, lines.error().front().message};
  Chosen chosen{{}, cache_key({key.statement, key.facts, key.device, (*found)->lines}), choice_text(**found, *lines)};
  if (const auto refused = state_->refused.find(chosen.choice); refused != state_->refused.end()) {
    chosen.note += "; not used, for a call with it failed: " + refused->second;
    return chosen;
  }
  chosen.statement = *bound.statement;
  chosen.statement->schedule = std::move(*lines);
  return chosen;
}

Result<PreparedNest> Engine::make_with_choice(const nest::BoundNest& bound,
                                              const std::vector<nest::NamedView>& operands, const TensorView* output,
                                              const Make& make) const {
  Chosen chosen = choose(bound, operands, output);
  if (chosen.statement) {
    Result<PreparedNest> made = make({bound.nest, &*chosen.statement, bound.targets}, true);
    if (made) {
      note(made->compilation, std::move(chosen.note));
      made->choice = std::move(chosen.choice);
      return made;
    }
    chosen.note += "; not used, for it is not legal here: " + made.error().front().message;
  }
  Result<PreparedNest> made = make(bound, false);
  if (made && !chosen.note.empty()) note(made->compilation, std::move(chosen.note));
  return made;
}

Result<PreparedNest> Engine::prepare_nest(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                          const TensorView& output, std::optional<std::int64_t> room) const {
  const auto prepare = [&](const nest::BoundNest& scheduled, bool stored) -> Result<PreparedNest> {
    auto compiled = state_->backend->compile(scheduled, operands, &output, true);
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    auto call = state_->backend->prepare(*compiled);
    if (!call) return std::unexpected(std::move(call.error()));
    if (stored)
      if (auto fits = check_workspace(bound.nest.name, **call, room); !fits)
        return std::unexpected(std::move(fits.error()));
    return PreparedNest{std::move(*compiled), std::move(*call), {}};
  };
  return make_with_choice(bound, operands, &output, prepare);
}

Result<Compilation> Engine::compile_nest(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                         const TensorView* output, bool code) const {
  // A call's answer: would it have the choice?
  const auto try_call = [&](const nest::BoundNest& scheduled) -> Result<void> {
    std::vector<nest::NamedView> views = operands;
    TensorView result = with_views(scheduled, operands, output).views.output;
    for (std::size_t n = 0; n < views.size(); ++n)
      if (views[n].view.data == nullptr) views[n].view.data = pretended(n);
    if (result.data == nullptr) result.data = pretended(views.size());
    const auto compiled = state_->backend->compile(scheduled, views, &result, true);
    if (!compiled) return std::unexpected(compiled.error());
    const auto call = state_->backend->prepare(*compiled);
    if (!call) return std::unexpected(call.error());
    return check_workspace(bound.nest.name, **call, workspace_room());
  };
  const auto compile = [&](const nest::BoundNest& scheduled, bool stored) -> Result<PreparedNest> {
    if (stored)
      if (auto callable = try_call(scheduled); !callable) return std::unexpected(std::move(callable.error()));
    auto compiled = state_->backend->compile(scheduled, operands, output, code);
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    return PreparedNest{std::move(*compiled), nullptr, {}};
  };
  auto made = make_with_choice(bound, operands, output, compile);
  if (!made) return std::unexpected(std::move(made.error()));
  return std::move(made->compilation);
}

std::optional<std::int64_t> Engine::workspace_room() const {
  const std::int64_t limit = state_->options.workspace_limit;
  return limit > 0 ? std::optional(limit) : std::nullopt;
}

Result<nest::Candidates> Engine::candidate_schedules(const Kernel& kernel,
                                                     const std::vector<nest::NamedView>& operands) const {
  const Result<Compilation> bound = bound_statement(kernel, operands);
  if (!bound) return std::unexpected(bound.error());
  const auto size_of_symbol = [&](std::string_view symbol) -> std::optional<std::int64_t> {
    const std::optional<TensorSymbol> parsed = parse_tensor_symbol(symbol);
    if (!parsed || parsed->stride) return std::nullopt;
    const auto operand = std::ranges::find(operands, parsed->tensor, &nest::NamedView::name);
    if (operand == operands.end() || parsed->axis >= operand->view.rank()) return std::nullopt;
    return operand->view.shape[parsed->axis];
  };
  return state_->backend->candidate_schedules(bound->reference, facts_of(*bound, *state_->backend), size_of_symbol);
}

Result<void> Engine::keep_choice(const Kernel& kernel, const std::vector<nest::NamedView>& operands,
                                 const StoredChoice& choice) const {
  const Result<Compilation> bound = bound_statement(kernel, operands);
  if (!bound) return std::unexpected(bound.error());
  if (!state_->choices.is_on()) return check_choices();
  return state_->choices.store(key_of(*bound, *state_->backend), choice);
}

Result<void> Engine::forget_choice(const Kernel& kernel, const std::vector<nest::NamedView>& operands) const {
  const Result<Compilation> bound = bound_statement(kernel, operands);
  if (!bound) return std::unexpected(bound.error());
  return state_->choices.remove(key_of(*bound, *state_->backend));
}

Result<std::optional<nest::Schedule>> Engine::stored_schedule(const Kernel& kernel,
                                                              const std::vector<nest::NamedView>& operands) const {
  const Result<Compilation> bound = bound_statement(kernel, operands);
  if (!bound) return std::unexpected(bound.error());
  const auto found = state_->choices.find(key_of(*bound, *state_->backend));
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::nullopt;
  auto lines = schedule_of(**found);
  if (!lines) return std::unexpected(std::move(lines.error()));
  return std::move(*lines);
}

Result<void> Engine::check_choices() const {
  if (state_->choices.is_on()) return state_->choices.check_writable();
  if (const auto folder = default_cache_folder(); state_->options.stored_choices && folder)
    if (const auto opened = DiskCache::open({*folder}); !opened) return std::unexpected(opened.error());
  return fail("R054", "there is no place for stored choices",
              "TILEWRIGHT_TUNED and TILEWRIGHT_CACHE must not be 'off', and the cache's folder must be yours");
}

std::filesystem::path Engine::choices_file() const {
  return state_->choices.path();
}

std::optional<Diagnostics> Engine::choices_trouble() const {
  const std::lock_guard lock(state_->mutex);
  return state_->trouble;
}

Engine Engine::without_stored_choices() const {
  EngineOptions options = state_->options;
  options.stored_choices = false;
  return Engine(std::make_shared<State>(state_->backend, options));
}

}  // namespace tilewright
