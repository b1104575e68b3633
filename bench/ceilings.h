// What the memory of this machine gives: the fastest known way to copy, to read and to write, on the pool's threads.
#pragma once

#include <cstdint>

namespace tilewright::bench {

/// The C library's, cut into one piece a thread.
void copy_by_library(const float* from, float* to, std::int64_t count);
/// Vectors, with stores that pass the caches by; `to` is aligned to 64 bytes, `count` a multiple of 4,096.
void copy_past_caches(const float* from, float* to, std::int64_t count);
/// Reads all and returns a sum of it, so that nothing is left out. `count` as above.
float read_in_order(const float* from, std::int64_t count);
/// The same from four places of each thread's share at once: more streams for the prefetchers.
float read_in_streams(const float* from, std::int64_t count);
void write_by_library(float* to, std::int64_t count);
/// As copy_past_caches.
void write_past_caches(float* to, std::int64_t count);

}  // namespace tilewright::bench
