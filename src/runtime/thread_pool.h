// The host's threads: one process-wide pool, over oneTBB or, in a build without it, over the standard library.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace tilewright {

/// How many threads a parallel_for may use, the calling one included, from the next one on; 1 runs all in the caller.
/// 0 restores the default: as many as this process may run at once.
void set_threads(int count);
/// The figure in force, at least 1.
int threads();

namespace detail {

/// A larger number is taken as this one.
inline constexpr int most_threads = 1024;

/// A function to call with each part of a range, without owning or copying it.
struct RangeBody {
  void* object;
  void (*call)(void* object, std::int64_t begin, std::int64_t end);

  void operator()(std::int64_t begin, std::int64_t end) const { call(object, begin, end); }
};

/// [begin, end) in `count` parts whose sizes differ by at most 1.
struct Parts {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t count = 0;

  /// Where part `index` begins; that of `count` is the end.
  std::int64_t start_of(std::int64_t index) const {
    const std::int64_t size = end - begin;
    const std::int64_t larger = size % count;  // parts with one item more, which come first
    return begin + index * (size / count) + (index < larger ? index : larger);
  }
};

/// Parts for `thread_count` threads: enough to even out their speeds, none below `grain` items unless it is the only
/// one.
Parts divide(std::int64_t begin, std::int64_t end, std::int64_t grain, int thread_count);

/// Runs every part once, on up to `thread_count` threads; more than one part.
void run_parts(const Parts& parts, int thread_count, RangeBody body);

}  // namespace detail

/// Calls body(b, e) for parts [b, e) that cover [begin, end) without overlap, in any order, at once on several threads,
/// and returns when all are done. A part has at least `grain` items (1 or more), unless there are fewer in all: choose
/// it so that a part is worth some 5 µs, the price of a hand-over; a range of less than two grains runs in the caller.
/// The body must not throw. Calls may come from several threads and from within a body.
template <class Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, Body&& body) {
  if (begin >= end) return;
  const int thread_count = threads();
  const detail::Parts parts = detail::divide(begin, end, grain, thread_count);
  if (parts.count == 1) {
    body(begin, end);
    return;
  }
  using Object = std::remove_reference_t<Body>;
  detail::run_parts(parts, thread_count,
                    {const_cast<void*>(static_cast<const void*>(std::addressof(body))),
                     [](void* object, std::int64_t b, std::int64_t e) { (*static_cast<Object*>(object))(b, e); }});
}

}  // namespace tilewright
