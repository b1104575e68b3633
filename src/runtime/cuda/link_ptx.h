// PTX to machine code by the driver's own compiler, for the device of a context.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cuda/context.h"

namespace tilewright::cuda {

struct LinkOptions {
  /// As one program, which the driver compiles at loading: the linker compiles for linking with others, where calls
  /// serialise the products of warpgroups (ptxas, C7509) and registers cannot move between warps (C7504). Its machine
  /// code is in the driver's own cache, not in ours.
  bool whole_program = false;
  int optimization_level = 4;  ///< 0 to 4
  int max_registers = 0;       ///< of a thread; 0: no limit beyond the PTX's own

  std::string text() const;  ///< for cache keys
  friend bool operator==(const LinkOptions&, const LinkOptions&) = default;
};

/// Machine code of one device architecture, and what its compiler said about it.
struct Cubin {
  std::vector<std::byte> image;
  std::string log;

  /// One run of bytes for a cache file, and back; nullopt where `bytes` is none.
  std::vector<std::byte> pack() const;
  static std::optional<Cubin> unpack(const std::vector<std::byte>& bytes);
};

/// R093: the driver's compiler refuses the PTX; the message has its log. R090 to R092.
Result<Cubin> link_ptx(Context& context, std::string_view ptx, const LinkOptions& options = {});

/// R093, with the driver's status and what its compiler wrote.
std::unexpected<Diagnostics> refused_ptx(const Context& context, const Outcome& outcome, std::string_view log);

/// What a compiler's log says about one function.
struct FunctionLog {
  int stack_bytes = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
};
/// nullopt where the log does not tell.
std::optional<FunctionLog> find_in_log(std::string_view log, std::string_view function);

}  // namespace tilewright::cuda
