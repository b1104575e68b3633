// Engines and stored schedules: what a tuner may try, what it found, and its use when a statement is compiled.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "lang/parse.h"
#include "lang/schedule_lines.h"
#include "nest/facts.h"
#include "runtime/engine_state.h"
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

/// The statement with the choice's lines.
Result<lang::Statement> with_choice(const lang::Statement& statement, const StoredChoice& choice) {
  auto lines = lang::parse_schedule(choice.lines);
  if (!lines) return std::unexpected(std::move(lines.error()));
  lang::Statement scheduled = statement;
  scheduled.schedule = std::move(*lines);
  return scheduled;
}

std::string choice_text(const StoredChoice& choice) {
  return fmt::format("schedule: stored choice of tune ({}, {:.2f} times as quick as the automatic one): {}",
                     date_text(choice.tuned_at), choice.automatic_seconds / choice.seconds, one_line(choice.lines));
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

Result<Compilation> Engine::compile_nest(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                         const TensorView* output, bool code) const {
  std::string passed_over;
  if (state_->choices.is_on() && lang::has_automatic_schedule(*bound.statement)) {
    const auto found = state_->choices.find(key_of(with_views(bound, operands, output), *state_->backend));
    if (!found) {
      const std::lock_guard lock(state_->trouble_mutex);
      if (!state_->trouble) state_->trouble = found.error();
      passed_over = found.error().front().message;
    } else if (*found) {
      const Result<lang::Statement> scheduled = with_choice(*bound.statement, **found);
      Result<Compilation> compiled =
          scheduled ? state_->backend->compile({bound.nest, &*scheduled, bound.targets}, operands, output, code)
                    : Result<Compilation>(std::unexpected(scheduled.error()));
      if (compiled) {
        note(*compiled, choice_text(**found));
        return compiled;
      }
      passed_over = fmt::format("{}; not used, for it is not legal here: {}", choice_text(**found),
                                compiled.error().front().message);
    }
  }
  Result<Compilation> compiled = state_->backend->compile(bound, operands, output, code);
  if (compiled && !passed_over.empty()) note(*compiled, std::move(passed_over));
  return compiled;
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
  if (!state_->choices.is_on())
    return fail("R054", "there is no place for stored choices",
                "TILEWRIGHT_TUNED and TILEWRIGHT_CACHE must not be 'off', and the cache's folder must be yours");
  if (auto stored = state_->choices.store(key_of(*bound, *state_->backend), choice); !stored) return stored;
  State::changes.fetch_add(1, std::memory_order_release);
  return {};
}

Result<void> Engine::forget_choice(const Kernel& kernel, const std::vector<nest::NamedView>& operands) const {
  const Result<Compilation> bound = bound_statement(kernel, operands);
  if (!bound) return std::unexpected(bound.error());
  if (auto removed = state_->choices.remove(key_of(*bound, *state_->backend)); !removed) return removed;
  State::changes.fetch_add(1, std::memory_order_release);
  return {};
}

std::filesystem::path Engine::choices_file() const {
  return state_->choices.path();
}

std::optional<Diagnostics> Engine::choices_trouble() const {
  const std::lock_guard lock(state_->trouble_mutex);
  return state_->trouble;
}

Engine Engine::without_stored_choices() const {
  EngineOptions options = state_->options;
  options.stored_choices = false;
  return Engine(std::make_shared<State>(state_->backend, options));
}

}  // namespace tilewright
