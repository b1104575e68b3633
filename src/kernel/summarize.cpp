// A kernel in one line. See summarize.h.
#include "kernel/summarize.h"

#include <fmt/format.h>

#include "kernel/walk.h"

namespace tilewright::kernel {
namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string summarize(const Kernel& kernel) {
  std::size_t loops = 0;
  std::size_t branches = 0;
  std::size_t others = 0;
  walk(kernel.body, [&](const Op& op) {
    ++(op.code == Opcode::for_loop ? loops : op.code == Opcode::if_then ? branches : others);
  });
  return fmt::format("{}, {}, {}, {}", counted(kernel.parameters.size(), "parameter", "parameters"),
                     counted(loops, "loop", "loops"), counted(branches, "branch", "branches"),
                     counted(others, "other op", "other ops"));
}

}  // namespace tilewright::kernel
