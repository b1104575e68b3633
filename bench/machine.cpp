#include "machine.h"

#include <cctype>
#include <fstream>
#include <thread>

#include "codegen/llvm/host_jit.h"

namespace tilewright::bench {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

Machine describe_machine() {
  const HostTarget& host = codegen::host_target();
  return {.cpu = cpu_model(),
          .llvm_cpu = host.cpu,
          .processors = static_cast<int>(std::thread::hardware_concurrency()),
          .vector_bytes = host.vector_bytes,
          .l1_bytes = host.l1_bytes,
          .l2_bytes = host.l2_bytes,
          .l3_bytes = host.l3_bytes};
}

std::string file_stem(const Machine& machine) {
  std::string stem;
  for (const char c : machine.cpu + "-" + machine.llvm_cpu + "-" + std::to_string(machine.processors)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0)
      stem += static_cast<char>(std::tolower(byte));
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  return stem;
}

}  // namespace tilewright::bench
