#include "ceilings.h"

#include <atomic>
#include <cstring>

#include "runtime/thread_pool.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace tilewright::bench {
namespace {

constexpr std::int64_t piece = 4096;  ///< floats: four pages

typedef float Vector __attribute__((vector_size(32)));
constexpr std::int64_t lanes = 8;

/// `lanes` floats to aligned memory, past the caches where the machine has an instruction for it.
void stream(float* to, Vector value) {
#if defined(__AVX__)
  _mm256_stream_ps(to, value);
#else
  std::memcpy(to, &value, sizeof value);
#endif
}

void finish_streaming() {
#if defined(__AVX__)
  _mm_sfence();
#endif
}

Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Calls body(first, count) for one even share of [0, count) a thread, in whole pieces.
template <class Body>
void share(std::int64_t count, Body&& body) {
  const std::int64_t pieces = count / piece;
  const std::int64_t grain = (pieces + threads() - 1) / threads();
  parallel_for(0, pieces, grain, [&](std::int64_t b, std::int64_t e) { body(b * piece, (e - b) * piece); });
}

template <std::int64_t streams>
float read_all(const float* from, std::int64_t count) {
  std::atomic<float> total = 0;
  share(count, [&](std::int64_t first, std::int64_t n) {
    Vector sums[8] = {};
    const std::int64_t vectors = 8 / streams, length = n / streams;
    for (std::int64_t i = first; i < first + length; i += vectors * lanes)
      for (std::int64_t s = 0; s < streams; ++s)
        for (std::int64_t u = 0; u < vectors; ++u) sums[s * vectors + u] += load(from + i + s * length + u * lanes);
    float sum = 0;
    for (const Vector& vector : sums)
      for (std::int64_t lane = 0; lane < lanes; ++lane) sum += vector[lane];
    total += sum;
  });
  return total;
}

}  // namespace

void copy_by_library(const float* from, float* to, std::int64_t count) {
  share(count, [&](std::int64_t first, std::int64_t n) {
    std::memcpy(to + first, from + first, static_cast<std::size_t>(n) * sizeof(float));
  });
}

void copy_past_caches(const float* from, float* to, std::int64_t count) {
  share(count, [&](std::int64_t first, std::int64_t n) {
    for (std::int64_t i = first; i < first + n; i += 4 * lanes) {
      Vector values[4];
      for (std::int64_t u = 0; u < 4; ++u) values[u] = load(from + i + u * lanes);
      for (std::int64_t u = 0; u < 4; ++u) stream(to + i + u * lanes, values[u]);
    }
    finish_streaming();
  });
}

float read_in_order(const float* from, std::int64_t count) {
  return read_all<1>(from, count);
}
float read_in_streams(const float* from, std::int64_t count) {
  return read_all<4>(from, count);
}

void write_by_library(float* to, std::int64_t count) {
  share(count, [&](std::int64_t first, std::int64_t n) {
    std::memset(to + first, 1, static_cast<std::size_t>(n) * sizeof(float));
  });
}

void write_past_caches(float* to, std::int64_t count) {
  share(count, [&](std::int64_t first, std::int64_t n) {
    const Vector one = Vector{} + 1.0F;
    for (std::int64_t i = first; i < first + n; i += lanes) stream(to + i, one);
    finish_streaming();
  });
}

}  // namespace tilewright::bench
