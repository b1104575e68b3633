// What was measured: as JSON for a machine's file under bench/results, as a Markdown table for docs/performance.md.
#pragma once

#include <string>
#include <vector>

#include "machine.h"
#include "timing.h"

namespace tilewright::bench {

struct PeerFigure {
  std::string name;
  double rate = 0;     ///< by its median, in the row's unit
  double ratio = 0;    ///< our rate over its rate, median over rounds
  bool counts = true;  ///< the goal is set against the best of those that count
};

struct Row {
  std::string name;
  int threads = 1;
  std::string unit;  ///< "GFLOP/s", "GB/s" or "s"; for "s" the figure is a time and `goal` its limit
  Spread time;
  double rate = 0;  ///< by the median
  std::vector<PeerFigure> peers = {};
  double goal = 0;  ///< least ratio to the best peer that counts; most seconds for "s"; 0: none

  double waited = 0;  ///< Rounds::waited

  /// The peer that counts with the highest rate; null if there is none.
  const PeerFigure* best() const;
  bool meets_goal() const;
  /// Other processes had the processors for too much of the time: the figures do not judge.
  bool is_disturbed() const { return waited > 0.05; }
};

struct Report {
  Machine machine;
  std::vector<std::string> peers = {};  ///< with versions
  std::string conditions;               ///< inputs, seeds
  std::vector<Row> rows = {};
};

std::string to_json(const Report& report);
std::string to_markdown(const Report& report);
/// Puts `table` between the lines "<!-- bench_host begins -->" and "<!-- bench_host ends -->" of a file; false if they
/// are not there.
bool replace_table(const std::string& path, const std::string& table);

}  // namespace tilewright::bench
