// What one call of a kernel launches: the statement, or a program's statements after fusion, and where the intermediate
// results that are left lie in one arena. Stands between kernels and the devices that compile nests; calls, reports and
// ahead-of-time builds all start from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nest/bind_program.h"
#include "runtime/kernel.h"

namespace tilewright {

/// A value that a launch leaves for later ones and the caller does not see.
struct Intermediate {
  std::string name;
  std::int64_t offset = 0;  ///< in the arena, in bytes
};

struct FusedProgram {
  nest::BoundProgram program;          ///< its statements are the kernel's
  std::vector<std::string> decisions;  ///< of fuse_statements; none for a statement alone
  std::vector<Intermediate> intermediates;
  std::int64_t arena_bytes = 0;

  const Intermediate* intermediate(std::string_view name) const;
};

/// For operands of these types and shapes, which are in any order. The kernel must outlive the result. B0xx as
/// lang::bind; R001 to R003: an intermediate result that no memory holds.
Result<FusedProgram> fuse_program(const Kernel& kernel, const std::vector<lang::OperandType>& operands);

/// A line for each decision, and what the arena holds.
std::string to_text(const FusedProgram& program);

}  // namespace tilewright
