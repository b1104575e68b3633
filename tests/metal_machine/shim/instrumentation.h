// The ends of clang's instrumentation: accesses to memory, and what C++ leaves undefined. Included once, in front of
// the compiled source.
#pragma once

#include "machine_interface.h"

#define TW_PLAIN extern "C" __attribute__((no_sanitize("coverage")))

/// Set once the compiled source is loaded.
extern "C" __attribute__((visibility("default"))) const tw_machine* tw_host;
const tw_machine* tw_host = nullptr;

TW_PLAIN __attribute__((visibility("hidden"))) void tw_barrier(int flags, int line) {
  tw_host->barrier(flags, line);
}
TW_PLAIN __attribute__((visibility("hidden"))) void tw_exchange_words(const void* own, unsigned bytes,
                                                                      tw_exchange_kind kind, unsigned operand,
                                                                      void* result, int line) {
  tw_host->exchange(own, bytes, kind, operand, result, line);
}
TW_PLAIN __attribute__((visibility("hidden"))) void* tw_threadgroup_array(unsigned index, unsigned long bytes) {
  return tw_host->threadgroup_array(index, bytes);
}

/// What a thread has on its stack is its own.
extern "C" __attribute__((no_sanitize("coverage"), always_inline)) inline void tw_access(const void* address,
                                                                                         unsigned bytes, int writes) {
  if (static_cast<unsigned long>(static_cast<const char*>(address) - tw_host->stack) >= tw_host->stack_bytes)
    tw_host->access(address, bytes, writes);
}

#define TW_ACCESS(bytes)                                                                                  \
  TW_PLAIN __attribute__((visibility("hidden"))) void __sanitizer_cov_load##bytes(const void* address) {  \
    tw_access(address, bytes, 0);                                                                         \
  }                                                                                                       \
  TW_PLAIN __attribute__((visibility("hidden"))) void __sanitizer_cov_store##bytes(const void* address) { \
    tw_access(address, bytes, 1);                                                                         \
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
