// A kernel as a flat program: what the interpreter runs for one thread, and the simulator for the threads of a warp.
//
// A loop becomes an entry, its body and a step:
//
//   enter  i = begin; carried = initial; to `exit` unless i < end
//   body   …
//   step   carried = yielded; i += step; to `body` if i < end
//   exit
//
// A loop's results share the places of its carried values: both are never visible at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/interpret/machine.h"

namespace tilewright::kernel::interpreter {

/// What is the same for every run: instructions, the frame's size, constants and locals.
struct Decoded {
  struct Constant {
    std::uint32_t place;
    std::vector<std::byte> bytes;  ///< of all threads
  };
  struct Local {
    std::uint32_t place;  ///< of the pointer
    std::size_t bytes;
  };
  std::vector<Instruction> instructions;
  std::vector<Constant> constants;
  std::vector<Local> locals;
  std::vector<std::uint32_t> parameters;
  std::vector<std::uint32_t> places;  ///< by value
  std::size_t frame_bytes = 0;
};

/// For `width` threads whose values stand side by side: thread t's value is t times the value's bytes behind its place.
/// An instruction that computes lane by lane is `across`: its lanes are those of all threads. Ops of GPUs, which only a
/// width above 1 admits, have no handler. Requires a kernel that verifies.
Decoded decode(const Kernel& kernel, std::size_t width = 1);

/// The arguments as they stand in a parameter's place. Error K106 if they are not the parameters', K102 for an address
/// that is not aligned as its parameter says.
Result<std::vector<std::int64_t>> argument_words(const Kernel& kernel, std::span<const Argument> arguments);

}  // namespace tilewright::kernel::interpreter
