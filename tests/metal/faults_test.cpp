// What the shim and the machine must see: each source below has one fault, which a GPU may or may not show.
#include <gtest/gtest.h>

#include <array>

#include "metal_module.h"

namespace tilewright::metal_shim {
namespace {

/// A function of 64 threads with x (read only, 128 floats), y (128 floats), a count that is 64, and 64 floats of
/// threadgroup memory.
std::string source_with(const std::string& body) {
  return "#include <metal_stdlib>\n\nusing namespace metal;\n\n#pragma METAL fp contract(off)\n\n"
         "struct k_sizes {\n  long n;\n};\n\n"
         "[[kernel, max_total_threads_per_threadgroup(64)]]\n"
         "void k(device const float* x [[buffer(0)]],\n       device float* y [[buffer(1)]],\n"
         "       constant k_sizes& sizes [[buffer(2)]],\n       uint t [[thread_index_in_threadgroup]],\n"
         "       uint lane [[thread_index_in_simdgroup]],\n       uint group [[threadgroup_position_in_grid]]) {\n"
         "  alignas(16) threadgroup float s[64];\n" +
         body + "}\n";
}

struct Planted {
  std::string name;
  std::string body;
  std::string report;  ///< a part of it; empty: no fault
};

const std::vector<Planted>& planted() {
  static const std::vector<Planted> all{
      {"none",
       "  s[t] = x[t];\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
       "  const float other = simd_shuffle_xor(s[63 - t], 1);\n  y[group * 64 + t] = other;\n",
       ""},
      {"no barrier between a store and a load", "  s[t] = x[t];\n  y[group * 64 + t] = s[63 - t];\n",
       "threadgroup memory"},
      {"no barrier between a load and a store",
       "  s[t] = x[t];\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  const float v = s[63 - t];\n"
       "  s[t] = v;\n  y[group * 64 + t] = v;\n",
       "a race at byte"},
      {"memory that nothing has written",
       "  if (t < 32) {\n    s[t] = x[t];\n  }\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
       "  y[group * 64 + t] = s[t];\n",
       "nothing has written"},
      {"memory of the group before", "  if (group == 0) {\n    s[t] = x[t];\n  }\n  y[group * 64 + t] = s[t];\n",
       "nothing has written"},
      {"an output that nothing has written", "  const float v = y[group * 64 + t];\n  y[group * 64 + t] = v;\n",
       "nothing has written"},
      {"a load behind the buffer", "  y[group * 64 + t] = x[t + 65 + group];\n", "outside of every buffer"},
      {"a load before the buffer", "  y[group * 64 + t] = x[long(t) - 1];\n", "outside of every buffer"},
      {"a load behind the array", "  s[t] = x[t];\n  y[group * 64 + t] = s[t + 64];\n", "outside of every buffer"},
      {"a store behind the buffer", "  y[group * 64 + t + 1] = x[t];\n", "buffer"},
      {"a misaligned vector", "  const float4 v = *(device const float4*)(x + t / 2);\n  y[group * 64 + t] = v.x;\n",
       "misaligned"},
      {"a barrier in divergent flow",
       "  s[t] = x[t];\n  if (t < 40) {\n    threadgroup_barrier(mem_flags::mem_threadgroup);\n  }\n"
       "  y[group * 64 + t] = s[t];\n",
       "divergent"},
      {"two barriers of two ways",
       "  if (t < 40) {\n    threadgroup_barrier(mem_flags::mem_threadgroup);\n  } else {\n"
       "    threadgroup_barrier(mem_flags::mem_threadgroup);\n  }\n  y[group * 64 + t] = x[t];\n",
       "divergent"},
      {"an exchange in divergent flow",
       "  float v = x[t];\n  if (lane < 20) {\n    v = simd_shuffle_xor(v, 1);\n  }\n  y[group * 64 + t] = v;\n",
       "divergent"},
      {"two groups that store to one place", "  y[t] = x[t];\n", "a race at byte"},
      {"an overflow", "  const int v = int(sizes.n) * 2000000000;\n  y[group * 64 + t] = float(v);\n", "overflow"},
      {"a division by zero", "  const long v = sizes.n / (sizes.n - 64);\n  y[group * 64 + t] = float(v);\n",
       "division"},
  };
  return all;
}

TEST(MetalFaults, AreReported) {
  std::vector<std::string> sources;
  for (const Planted& each : planted()) sources.push_back(source_with(each.body));
  const auto module = Module::compile(sources);
  ASSERT_TRUE(module) << module.error();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    alignas(64) std::array<float, 192> memory{};
    float* const x = memory.data() + 64;
    alignas(64) std::array<float, 128> y{};
    for (std::size_t k = 0; k < 128; ++k) x[k] = static_cast<float>(k);
    std::int64_t n = 64;
    const auto bytes = [](auto& data) { return reinterpret_cast<std::byte*>(&data); };
    Buffer in(reinterpret_cast<std::byte*>(x), 65 * sizeof(float), sizeof(float), true);
    Buffer out(bytes(y), sizeof y, sizeof(float), false);
    Buffer sizes(bytes(n), sizeof n, 1, true);
    Launch launch;
    const Module::Entry entry = (*module)->find(i, "k");
    ASSERT_NE(entry.call, nullptr);
    launch.entry = entry.call;
    launch.arguments = {in.data(), out.data(), sizes.data()};
    launch.reach = {&in, &out, &sizes};
    launch.groups = 2;
    launch.threads = 64;
    Machine machine;
    const std::string report = machine.run(launch);
    const Planted& each = planted()[i];
    if (each.report.empty()) {
      EXPECT_EQ(report, "") << each.name;
      // Thread t has what thread t ^ 1 read: the place 63 - (t ^ 1).
      for (std::size_t t = 0; t < 64; ++t) EXPECT_EQ(y[t], x[63 - (t ^ 1)]) << t;
    } else {
      EXPECT_NE(report.find(each.report), std::string::npos) << each.name << ": " << report;
    }
  }
}

/// Sources that the shim does not take at all, and a part of what is said.
TEST(MetalFaults, UnknownPartsOfTheLanguageAreErrors) {
  const std::string good = source_with("  y[group * 64 + t] = x[t];\n");
  const auto changed = [&](const std::string& what, const std::string& with) {
    std::string text = good;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
  };
  struct Change {
    std::string what, with, error;
  };
  const Change changes[] = {
      {"[[buffer(0)]]", "[[texture(0)]]", "a parameter that is not known"},
      {"[[buffer(1)]]", "[[buffer(0)]]", "buffer 0"},
      {"[[buffer(2)]]", "[[buffer(31)]]", "buffer 31"},
      {"[[buffer(1)]]", "[[buffer(4)]]", "not numbered from 0"},
      {"device float* y", "float* y", "a buffer in no address space"},
      {"thread_index_in_simdgroup", "thread_index_in_quadgroup", "a parameter that is not known"},
      {"[[kernel, max_total_threads_per_threadgroup(64)]]", "[[kernel, max_total_threads_per_threadgroup(2048)]]",
       "threads of a threadgroup"},
      {"[[kernel, ", "[[vertex, ", "an attribute that is not known"},
      {"#pragma METAL fp contract(off)", "#pragma METAL fp contract(fast)", "a directive that is not known"},
      {"#pragma METAL fp contract(off)\n", "", "the head of the source lacks a line"},
      {"  y[group * 64 + t] = x[t];", "  threadgroup float* p = x + t;", "changes its address space"},
      {"  y[group * 64 + t] = x[t];", "  *(device float*)(x + t) = 0.0f;", "loses its const"},
      {"  y[group * 64 + t] = x[t];", "  y[group * 64 + t] = simd_sum(x[t]);", "simd_sum"},
      {"  y[group * 64 + t] = x[t];", "  const double v = 0.5;\n  y[group * 64 + t] = fmod(float(v), 1.0f);", "fmod"},
      {"  y[group * 64 + t] = x[t];", "  const float2 v = x[t];\n  y[group * 64 + t] = v.x;", "float2"},
      {"  y[group * 64 + t] = x[t];", "  float v;\n  y[group * 64 + t] = v;", "uninitialized"},
  };
  for (const Change& change : changes) {
    const auto module = Module::compile({changed(change.what, change.with)});
    ASSERT_FALSE(module) << change.with;
    EXPECT_NE(module.error().find(change.error), std::string::npos) << change.with << ": " << module.error();
  }
  EXPECT_TRUE(Module::compile({good}));
}

}  // namespace
}  // namespace tilewright::metal_shim
