// Schedules for a tuner. See candidates.h.
#include "nest/candidates.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "lang/parse.h"
#include "nest/passes/schedule_for_gpu.h"
#include "nest/passes/schedule_for_host.h"

namespace tilewright::nest {
namespace {

/// Schedules in the order in which they came, each once.
class Distinct {
 public:
  void add(Schedule schedule) {
    if (known_.insert(to_text(schedule)).second) schedules_.push_back(std::move(schedule));
  }
  std::vector<Schedule> take() { return std::move(schedules_); }

 private:
  std::vector<Schedule> schedules_;
  std::set<std::string> known_;
};

Nest without_schedule(const Nest& nest) {
  Nest automatic = nest;
  automatic.schedule = {};
  automatic.schedule.automatic = true;
  return automatic;
}

std::map<std::string, std::int64_t, std::less<>> extents_of(const Nest& nest, const SymbolValues& sizes) {
  std::map<std::string, std::int64_t, std::less<>> extents;
  for (const Iterator& iter : nest.iterators)
    if (const auto extent = evaluate(iter.extent, sizes)) extents[iter.name] = *extent;
  return extents;
}

/// Processors like this one: with other caches, and with as many registers as others have.
std::vector<HostTarget> relatives(const HostTarget& target) {
  std::vector<HostTarget> all(8, target);
  all[1].vector_registers = target.vector_registers >= 32 ? 16 : 32;
  all[2].l2_bytes *= 2;
  all[3].l2_bytes /= 2;
  all[4].l1_bytes *= 2;
  all[5].l1_bytes /= 2;
  all[6].l3_bytes *= 4;
  all[7].l3_bytes /= 4;
  return all;
}

}  // namespace

Candidates candidate_schedules(const Nest& nest, const Facts& facts, const HostTarget& target,
                               const SymbolValues& sizes) {
  Distinct schedules;
  for (const HostTarget& relative : relatives(target)) {
    Nest scheduled = without_schedule(nest);
    schedule_for_host(scheduled, facts, relative);
    schedules.add(write_schedule(scheduled, ScheduledFor::host, sizes));
  }
  return {schedules.take(), extents_of(nest, sizes)};
}

Candidates candidate_schedules(const Nest& nest, const Facts& facts, const GpuTarget& target,
                               const SymbolValues& sizes) {
  constexpr std::size_t most = 12;
  Distinct schedules;
  for (const std::string_view variant : {"", "block"})
    for (std::size_t rank = 0; rank < most; ++rank) {
      Nest scheduled = without_schedule(nest);
      scheduled.schedule.variant = variant;
      if (schedule_for_gpu(scheduled, facts, target, rank))
        schedules.add(write_schedule(scheduled, ScheduledFor::gpu, sizes));
    }
  return {schedules.take(), extents_of(nest, sizes)};
}

bool has_atomics(const Schedule& schedule) {
  return std::ranges::any_of(schedule, [](const lang::ScheduleLine& line) {
    return line.name.name == "split" && std::ranges::any_of(line.arguments, [](const auto& argument) {
             const auto* word = std::get_if<std::string>(&argument.value);
             return word != nullptr && *word == "atomics";
           });
  });
}

std::vector<Schedule> neighbours(const Schedule& schedule,
                                 const std::map<std::string, std::int64_t, std::less<>>& extents) {
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 4> factors{{{2, 1}, {1, 2}, {3, 2}, {2, 3}}};
  constexpr std::int64_t most = std::int64_t{1} << 30;
  Distinct schedules;
  const auto holds_all = [&](const lang::ScheduleLine& line, std::int64_t count) {
    const auto* loop = std::get_if<std::string>(&line.arguments.front().value);
    const auto extent = loop == nullptr || line.name.name != "tile" ? extents.end() : extents.find(*loop);
    return extent != extents.end() && count >= extent->second;
  };
  for (std::size_t n = 0; n < schedule.size(); ++n) {
    Schedule shorter = schedule;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(n));
    schedules.add(std::move(shorter));
    if (schedule[n].name.name != "cache" || schedule[n].arguments.size() < 2) continue;
    for (std::size_t a = 0; a < schedule[n].arguments.size(); ++a) {
      Schedule fewer = schedule;
      fewer[n].arguments.erase(fewer[n].arguments.begin() + static_cast<std::ptrdiff_t>(a));
      schedules.add(std::move(fewer));
    }
  }
  for (std::size_t n = 0; n < schedule.size(); ++n)
    for (std::size_t a = 0; a < schedule[n].arguments.size(); ++a) {
      const auto* count = std::get_if<std::int64_t>(&schedule[n].arguments[a].value);
      if (count == nullptr || *count > most) continue;
      for (const auto& [times, over] : factors) {
        if (*count * times % over != 0 || (times > over && holds_all(schedule[n], *count))) continue;
        Schedule changed = schedule;
        changed[n].arguments[a].value = *count * times / over;
        schedules.add(std::move(changed));
      }
    }
  return schedules.take();
}

}  // namespace tilewright::nest
