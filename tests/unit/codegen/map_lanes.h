// Runs an op as a kernel compiled for the host: the tests' way to feed it many values. Builds
//   for i = 0 to n step lanes { out[i…] = body(a[i…], b[i…], …) }
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "codegen/llvm/host_jit.h"
#include "kernel/builder.h"
#include "legal.h"

namespace tilewright::codegen {

template <class T>
constexpr kernel::Element element_of() {
  using kernel::Element;
  if constexpr (std::is_same_v<T, float>) return Element::f32;
  if constexpr (std::is_same_v<T, double>) return Element::f64;
  if constexpr (std::is_same_v<T, _Float16>) return Element::f16;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1) return Element::i8;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 2) return Element::i16;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return Element::i32;
  return Element::i64;
}

/// The vector levels that this machine can run.
inline std::vector<HostTarget> runnable_targets() {
  std::vector<HostTarget> targets;
  for (const char* name : {"sse2", "avx2", "avx512", "neon"})
    if (auto target = host_target_named(name)) targets.push_back(*target);
  return targets;
}

inline std::string messages(const Diagnostics& diagnostics) {
  return render(diagnostics);
}

/// Compiles and calls; a failure to compile fails the test.
inline void call(const kernel::Kernel& kernel, const HostTarget& target, std::vector<std::int64_t> arguments) {
  const auto code = compile_for_host(legal(kernel, target), target);
  ASSERT_TRUE(code.has_value()) << messages(code.error());
  (*code)->entry()(arguments.data());
}

template <class T>
std::int64_t address(const std::vector<T>& data) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data.data()));
}

using LaneBody = std::function<kernel::ValueId(kernel::Builder&, const std::vector<kernel::ValueId>&)>;

/// `body` of every `lanes` elements of the inputs, which have one size, a multiple of `lanes`. The body's result has
/// Out's element.
template <class Out, class... In>
std::vector<Out> map_lanes(const HostTarget& target, int lanes, const LaneBody& body,
                           const std::vector<In>&... inputs) {
  const auto size = std::get<0>(std::tie(inputs...)).size();
  EXPECT_EQ(size % static_cast<std::size_t>(lanes), 0U);
  const auto count = static_cast<std::uint16_t>(lanes);
  kernel::Builder b("map");
  const std::vector<kernel::Type> types{kernel::Type{element_of<In>(), count}...};
  const std::vector<std::int64_t> sizes{static_cast<std::int64_t>(sizeof(In))...};
  std::vector<kernel::ValueId> pointers;
  for (std::size_t k = 0; k < types.size(); ++k)
    pointers.push_back(b.parameter("in" + std::to_string(k), {kernel::Element::ptr, 1}, true));
  const kernel::ValueId out = b.parameter("out", {kernel::Element::ptr, 1}, false, true);
  const kernel::ValueId n = b.parameter("n", {kernel::Element::i64, 1});
  b.for_loop(b.index(0), n, b.index(lanes), {}, [&](kernel::ValueId i, const std::vector<kernel::ValueId>&) {
    std::vector<kernel::ValueId> loaded;
    for (std::size_t k = 0; k < types.size(); ++k)
      loaded.push_back(b.load(types[k], b.offset(pointers[k], b.mul(i, b.index(sizes[k]))),
                              {static_cast<std::uint32_t>(sizes[k]), false}));
    b.store(body(b, loaded), b.offset(out, b.mul(i, b.index(sizeof(Out)))), {sizeof(Out), false});
    return std::vector<kernel::ValueId>{};
  });
  std::vector<Out> result(size, Out{});
  call(b.finish(), target, {address(inputs)..., address(result), static_cast<std::int64_t>(size)});
  return result;
}

}  // namespace tilewright::codegen
