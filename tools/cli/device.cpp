// Devices by name. See device.h.
#include "cli/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/print_message.h"
#include "runtime/thread_pool.h"

namespace tilewright::cli {
namespace {

bool is_device_name(std::string_view name) {
  constexpr std::string_view cuda = "cuda:";
  if (name == "cpu" || name == "cuda" || name == "sim") return true;
  if (!name.starts_with(cuda) || name.size() == cuda.size() || name.size() > cuda.size() + 4) return false;
  return std::ranges::all_of(name.substr(cuda.size()), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<Engine> open_device(const Options& options) {
  if (!is_device_name(options.device))
    return fail("C012", fmt::format("'{}' is no device", options.device), "cpu, cuda, cuda:N or sim");
  Result<Engine> engine = Engine::open(options.device);
  if (engine && options.threads > 0) set_threads(options.threads);
  return engine;
}

void warn(Diagnostics errors) {
  for (Diagnostic& each : errors) each.severity = Severity::warning;
  print_message(render(errors));
}

void warn_of_choices(const Engine& engine) {
  if (std::optional<Diagnostics> trouble = engine.choices_trouble()) warn(std::move(*trouble));
}

}  // namespace tilewright::cli
