// What the blocks of one launch share: memory, the notes of releases, counters and reports.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/simulate.h"
#include "kernel/simulate/order.h"
#include "kernel/simulate/program.h"
#include "kernel/simulate/shadow.h"

namespace tilewright::kernel::simulator {

struct GlobalRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  bool writable = true;
  std::uint8_t* states = nullptr;  ///< a byte each, or null: see SimulatedRange
  std::uint64_t shadow_begin = 0;  ///< `begin`, down to a multiple of a granule
  std::unique_ptr<Shadow> shadow;  ///< null without full checks, and where nothing writes and all is written
  std::string name;                ///< of a parameter that points into it
};

class Grid {
 public:
  Grid(const Program& program, std::int64_t blocks, std::vector<std::int64_t> words,
       std::span<const SimulatedRange> memory, const SimulationOptions& options);

  const Program& program() const { return program_; }
  const SimulationOptions& options() const { return options_; }
  std::int64_t blocks() const { return blocks_; }
  const std::vector<std::int64_t>& words() const { return words_; }
  std::vector<GlobalRange>& ranges() { return ranges_; }
  Locations& locations() { return locations_; }
  SimulationCounters& counters() { return counters_; }
  const SimulationCounters& counters() const { return counters_; }

  /// A number below `count` by the order: the first, the last, or any.
  std::size_t choose(std::size_t count);
  bool flip() { return choose(2) != 0; }

  /// One report an op and code; without a step, one a code.
  void report(std::string_view code, const Step* step, std::string message);
  /// Whether another report of the op and code would be left out.
  bool has_report(std::string_view code, const Step* step) const;
  bool stopped() const { return reports_.size() >= options_.max_reports; }
  const Diagnostics& reports() const { return reports_; }

 private:
  const Program& program_;
  const SimulationOptions& options_;
  std::int64_t blocks_;
  std::vector<std::int64_t> words_;  ///< the arguments
  std::vector<GlobalRange> ranges_;
  Locations locations_;
  SimulationCounters counters_;
  std::mt19937_64 random_;
  Diagnostics reports_;
  std::set<std::pair<std::string, const Op*>> reported_;
};

}  // namespace tilewright::kernel::simulator
