// The ends of clang's instrumentation: accesses to memory, and what C++ leaves undefined. Included once, in front of
// the compiled source.
#pragma once

#include "machine_interface.h"

#define TW_PLAIN extern "C" __attribute__((no_sanitize("coverage")))

extern "C" __attribute__((visibility("default"))) const tw_machine* tw_host;
const tw_machine* tw_host = nullptr;

#define TW_ACCESS(bytes)                                                                                  \
  TW_PLAIN __attribute__((visibility("hidden"))) void __sanitizer_cov_load##bytes(const void* address) {  \
    tw_host->access(address, bytes, 0);                                                                   \
  }                                                                                                       \
  TW_PLAIN __attribute__((visibility("hidden"))) void __sanitizer_cov_store##bytes(const void* address) { \
    tw_host->access(address, bytes, 1);                                                                   \
  }
TW_ACCESS(1)
TW_ACCESS(2)
TW_ACCESS(4)
TW_ACCESS(8)
TW_ACCESS(16)

#define TW_UNDEFINED(name, what)                                                          \
  TW_PLAIN __attribute__((visibility("hidden"))) void __ubsan_handle_##name##_minimal() { \
    tw_host->undefined(what);                                                             \
  }
TW_UNDEFINED(type_mismatch, "a misaligned access")
TW_UNDEFINED(alignment_assumption, "a misaligned access")
TW_UNDEFINED(add_overflow, "an overflow of a sum")
TW_UNDEFINED(sub_overflow, "an overflow of a difference")
TW_UNDEFINED(mul_overflow, "an overflow of a product")
TW_UNDEFINED(negate_overflow, "an overflow of a negation")
TW_UNDEFINED(divrem_overflow, "a division by zero, or past the type")
TW_UNDEFINED(shift_out_of_bounds, "a shift by the type's bits or more")
TW_UNDEFINED(float_cast_overflow, "a float past the integer's type")
