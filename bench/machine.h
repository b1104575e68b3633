// What the figures were taken on.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::bench {

struct Machine {
  std::string cpu;       ///< the model's name, with family and model where the name says little
  std::string llvm_cpu;  ///< LLVM's name of it
  int processors = 1;
  int vector_bytes = 16;
  std::int64_t l1_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t l3_bytes = 0;
};
Machine describe_machine();

/// Lower case, other characters as '-': "amd-epyc-znver3-2".
std::string file_stem(const Machine& machine);

}  // namespace tilewright::bench
