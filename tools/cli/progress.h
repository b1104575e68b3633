// A line of progress on a terminal, for work of more than a moment.
#pragma once

#include <chrono>
#include <string>

namespace tilewright::cli {

/// Writes to standard error, and only where that is a terminal; erases itself at the end.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Says what is being done, "verify mm: 40 %", at most some times a second; the first time after half a second.
  void show(const std::string& what, double fraction);
  /// Erases the line, so that something can be printed.
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace tilewright::cli
