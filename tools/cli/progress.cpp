// Progress on a terminal. See progress.h.
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/print_message.h"

namespace tilewright::cli {
namespace {

constexpr std::chrono::milliseconds patience{500};
constexpr std::chrono::milliseconds interval{100};

}  // namespace

Progress::Progress() : enabled_(::isatty(STDERR_FILENO) == 1), next_(std::chrono::steady_clock::now() + patience) {}

void Progress::show(const std::string& what, double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + interval;
  shown_ = true;
  print_message(fmt::format("\r\033[K{}: {:.0f} %", what, 100 * fraction));
}

void Progress::clear() {
  if (shown_) print_message("\r\033[K");
  shown_ = false;
  next_ = std::chrono::steady_clock::now() + patience;
}

}  // namespace tilewright::cli
