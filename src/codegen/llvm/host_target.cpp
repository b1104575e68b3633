// The host as data: processor and features from LLVM, caches and threads from the system.
#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "codegen/llvm/host_jit.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace tilewright::codegen {

namespace {

#if defined(__x86_64__)
constexpr bool is_x86 = true;
#else
constexpr bool is_x86 = false;
#endif

// The features that decide a vector level, weakest level first; a level needs all of its own and of those before.
struct Level {
  std::string_view name;
  std::string_view cpu;  ///< LLVM's generic processor of the level
  int vector_bytes;
  int vector_registers;
  std::vector<std::string_view> needs;
};

const std::vector<Level>& levels() {
  static const std::vector<Level> x86 = {
      {"sse2", "x86-64", 16, 16, {"sse2"}},
      {"avx2", "x86-64-v3", 32, 16, {"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"}},
      {"avx512", "x86-64-v4", 64, 32, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}};
  static const std::vector<Level> other = {{"neon", "generic", 16, 32, {}}};
  return is_x86 ? x86 : other;
}

bool has_feature(const HostTarget& target, std::string_view feature) {
  return std::ranges::find(target.features, fmt::format("+{}", feature)) != target.features.end();
}

// The number of levels, from the weakest, that `target` has.
std::size_t level_count(const HostTarget& target) {
  std::size_t count = 0;
  for (const Level& level : levels()) {
    if (!std::ranges::all_of(level.needs, [&](std::string_view need) { return has_feature(target, need); })) break;
    ++count;
  }
  return count;
}

#if defined(__linux__)
// The first core's data or unified cache of `level`, as Linux describes it; sysconf knows less under hypervisors.
std::optional<std::int64_t> cache_bytes(int level) {
  const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int i = 0; i < 8; ++i) {
    const std::string index = cache + std::to_string(i);
    int found = 0;
    std::string type;
    std::int64_t size = 0;
    char unit = 0;
    std::ifstream(index + "/level") >> found;
    std::ifstream(index + "/type") >> type;
    std::ifstream(index + "/size") >> size >> unit;
    if (found == level && type != "Instruction" && size > 0 && unit == 'K') return size << 10;
  }
  return std::nullopt;
}
#else
std::optional<std::int64_t> cache_bytes(int) {
  return std::nullopt;
}
#endif

int thread_count() {
#if defined(__linux__)
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(CPU_COUNT(&allowed), 1);
#endif
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

void take_level(HostTarget& target, const Level& level) {
  target.vector_bytes = level.vector_bytes;
  target.vector_registers = level.vector_registers;
  target.has_fma = !is_x86 || level.vector_bytes >= 32;
  target.has_half = target.has_fma;
  target.has_masked_memory = is_x86 && level.vector_bytes >= 32;
}

/// Of the last cache, what our processors can hope for. A virtual machine is told the size of the whole chip's, which
/// it shares with others (260 MiB for two processors); no chip has more than 16 MiB for each of its own.
std::int64_t last_cache_share(std::int64_t bytes, int processors) {
  constexpr std::int64_t most_a_processor = 16 << 20;
  return std::min(bytes, most_a_processor * processors);
}

HostTarget detect() {
  HostTarget target;
  target.cpu = llvm::sys::getHostCPUName().str();
  // Both those that it has and those that it lacks: the processor's name alone may promise what a hypervisor hides.
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    target.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::ranges::sort(target.features);
  take_level(target, levels()[std::max<std::size_t>(level_count(target), 1) - 1]);
  target.l1_bytes = cache_bytes(1).value_or(target.l1_bytes);
  target.l2_bytes = cache_bytes(2).value_or(target.l2_bytes);
  target.threads = thread_count();
  target.l3_bytes = last_cache_share(cache_bytes(3).value_or(target.l3_bytes), target.threads);
  return target;
}

}  // namespace

const HostTarget& host_target() {
  static const HostTarget target = detect();
  return target;
}

Result<HostTarget> host_target_named(std::string_view name) {
  std::string legal;
  const std::size_t available = level_count(host_target());
  for (std::size_t i = 0; i < available; ++i) legal += (legal.empty() ? "" : ", ") + std::string(levels()[i].name);
  const auto found = std::ranges::find(levels(), name, &Level::name);
  if (found == levels().end())
    return fail("G005", fmt::format("'{}' is no vector level of this architecture", name), "one of " + legal);
  if (found - levels().begin() >= static_cast<std::ptrdiff_t>(available))
    return fail("G005", fmt::format("this machine ({}) has no {}", host_target().cpu, name), "one of " + legal);
  HostTarget target = host_target();
  target.cpu = found->cpu;
  target.features.clear();
  take_level(target, *found);
  return target;
}

}  // namespace tilewright::codegen
