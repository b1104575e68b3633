// Kernels that are right, and how tests run them and take something away from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/simulate.h"
#include "kernel/tensor_map.h"
#include "kernel_text.h"

namespace tilewright::kernel {

template <class T>
SimulatedRange range_of(std::vector<T>& values, bool writable = true, bool written = true) {
  return {reinterpret_cast<std::byte*>(values.data()), static_cast<std::int64_t>(values.size() * sizeof(T)), writable,
          written};
}
template <class T>
std::byte* pointer_to(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}
inline std::byte* pointer_to(TensorMap& map) {
  return reinterpret_cast<std::byte*>(&map);
}

/// The kernel without its n-th op of a code, in the order of the text. Of an `if` the branch stays, without its guard.
inline Kernel without(const Kernel& kernel, Opcode code, std::size_t n) {
  Kernel changed = kernel;
  std::size_t seen = 0;
  const auto remove = [&](auto& self, Region& region) -> bool {
    for (std::size_t i = 0; i < region.ops.size(); ++i) {
      if (region.ops[i].code == code && seen++ == n) {
        std::vector<Op> kept;
        if (code == Opcode::if_then) {
          kept = region.ops[i].regions[0].ops;
          kept.pop_back();  // the yield
        }
        const auto place = region.ops.erase(region.ops.begin() + static_cast<std::ptrdiff_t>(i));
        region.ops.insert(place, kept.begin(), kept.end());
        return true;
      }
      for (Region& inner : region.ops[i].regions)
        if (self(self, inner)) return true;
    }
    return false;
  };
  if (!remove(remove, changed.body)) throw std::runtime_error("no such op");
  return changed;
}

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  if (at == std::string::npos) throw std::runtime_error("no such text: " + std::string(from));
  return changed.replace(at, from.size(), to);
}

/// Every order in which threads may run, random ones by three seeds.
inline const std::vector<SimulationOptions>& all_orders() {
  static const std::vector<SimulationOptions> orders = {{SimulationOrder::earliest, 0},
                                                        {SimulationOrder::latest, 0},
                                                        {SimulationOrder::random, 1},
                                                        {SimulationOrder::random, 2},
                                                        {SimulationOrder::random, 3}};
  return orders;
}

inline bool has_code(const Diagnostics& diagnostics, std::string_view code) {
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.code == code) return true;
  return false;
}

/// In every order, `run(kernel, options)` has a report of one of the codes: which one of several may depend on the
/// order.
template <class Run>
void expect_report(const Kernel& kernel, std::initializer_list<std::string_view> any_of, Run&& run) {
  ASSERT_EQ(codes(verify(kernel)), "");
  for (const SimulationOptions& options : all_orders()) {
    const Result<SimulationCounters> result = run(kernel, options);
    ASSERT_FALSE(result.has_value()) << "no report of\n" << to_text(kernel);
    EXPECT_TRUE(std::ranges::any_of(any_of, [&](std::string_view code) { return has_code(result.error(), code); }))
        << render(result.error()) << to_text(kernel);
  }
}

/// y = 2 x of n elements.
inline constexpr const char* elementwise =
    "kernel elementwise(%x: ptr readonly align 4, %y: ptr noalias align 4, %n: i64) gpu threads 96 {\n"
    "  %four = constant i64 4\n"
    "  %two = constant f32 2\n"
    "  %thread = special thread i64\n"
    "  %block = special block i64\n"
    "  %threads = special threads i64\n"
    "  %start = mul i64 %block, %threads\n"
    "  %i = add i64 %start, %thread\n"
    "  %inside = cmp slt i64 %i, %n\n"
    "  if %inside {\n"
    "    %at = mul i64 %i, %four\n"
    "    %from = offset ptr %x, %at\n"
    "    %to = offset ptr %y, %at\n"
    "    %v = load f32 %from align 4\n"
    "    %r = mul f32 %v, %two\n"
    "    store f32 %r, %to align 4\n"
    "  }\n"
    "}\n";

/// The sum of 128 elements a block: within warps by shuffles, across them through shared memory.
inline constexpr const char* block_sums =
    "kernel block_sums(%x: ptr readonly align 16, %sums: ptr noalias align 4) gpu threads 128 {\n"
    "  %four = constant i64 4\n"
    "  %n16 = constant i32 16\n"
    "  %n8 = constant i32 8\n"
    "  %n4 = constant i32 4\n"
    "  %n2 = constant i32 2\n"
    "  %n1 = constant i32 1\n"
    "  %zero = constant i64 0\n"
    "  %partial = shared ptr_shared bytes 16\n"
    "  %thread = special thread i64\n"
    "  %block = special block i64\n"
    "  %threads = special threads i64\n"
    "  %start = mul i64 %block, %threads\n"
    "  %i = add i64 %start, %thread\n"
    "  %at = mul i64 %i, %four\n"
    "  %from = offset ptr %x, %at\n"
    "  %a0 = load f32 %from align 4\n"
    "  %b0 = warp_shuffle xor f32 %a0, %n16\n"
    "  %a1 = add f32 %a0, %b0\n"
    "  %b1 = warp_shuffle xor f32 %a1, %n8\n"
    "  %a2 = add f32 %a1, %b1\n"
    "  %b2 = warp_shuffle xor f32 %a2, %n4\n"
    "  %a3 = add f32 %a2, %b2\n"
    "  %b3 = warp_shuffle xor f32 %a3, %n2\n"
    "  %a4 = add f32 %a3, %b3\n"
    "  %b4 = warp_shuffle xor f32 %a4, %n1\n"
    "  %a5 = add f32 %a4, %b4\n"
    "  %lane = special lane i64\n"
    "  %first_lane = cmp eq i64 %lane, %zero\n"
    "  if %first_lane {\n"
    "    %warp = special warp i64\n"
    "    %part_at = mul i64 %warp, %four\n"
    "    %part = offset ptr_shared %partial, %part_at\n"
    "    store f32 %a5, %part align 4\n"
    "  }\n"
    "  barrier\n"
    "  %first = cmp eq i64 %thread, %zero\n"
    "  if %first {\n"
    "    %parts = load f32x4 %partial align 16\n"
    "    %p0 = extract f32 %parts lane 0\n"
    "    %p1 = extract f32 %parts lane 1\n"
    "    %p2 = extract f32 %parts lane 2\n"
    "    %p3 = extract f32 %parts lane 3\n"
    "    %s0 = add f32 %p0, %p1\n"
    "    %s1 = add f32 %p2, %p3\n"
    "    %s = add f32 %s0, %s1\n"
    "    %sum_at = mul i64 %block, %four\n"
    "    %sum = offset ptr %sums, %sum_at\n"
    "    store f32 %s, %sum align 4\n"
    "  }\n"
    "}\n";

/// The transpose of a 32 × 32 tile by 8 warps; rows of the tile in shared memory are 132 bytes apart.
inline constexpr const char* transpose =
    "kernel transpose(%x: ptr readonly align 4, %y: ptr noalias align 4) gpu threads 256 {\n"
    "  %zero = constant i64 0\n"
    "  %four = constant i64 4\n"
    "  %eight = constant i64 8\n"
    "  %rows = constant i64 32\n"
    "  %row_bytes = constant i64 128\n"
    "  %pitch = constant i64 132\n"
    "  %tile = shared ptr_shared bytes 4224\n"
    "  %lane = special lane i64\n"
    "  %warp = special warp i64\n"
    "  %column = mul i64 %lane, %four\n"
    "  for %r = %warp to %rows step %eight {\n"
    "    %in_row = mul i64 %r, %row_bytes\n"
    "    %in_at = add i64 %in_row, %column\n"
    "    %in = offset ptr %x, %in_at\n"
    "    %v = load f32 %in align 4\n"
    "    %tile_row = mul i64 %r, %pitch\n"
    "    %tile_at = add i64 %tile_row, %column\n"
    "    %to = offset ptr_shared %tile, %tile_at\n"
    "    store f32 %v, %to align 4\n"
    "  }\n"
    "  barrier\n"
    "  for %q = %warp to %rows step %eight {\n"
    "    %turned_row = mul i64 %lane, %pitch\n"
    "    %turned_column = mul i64 %q, %four\n"
    "    %turned_at = add i64 %turned_row, %turned_column\n"
    "    %from = offset ptr_shared %tile, %turned_at\n"
    "    %w = load f32 %from align 4\n"
    "    %out_row = mul i64 %q, %row_bytes\n"
    "    %out_at = add i64 %out_row, %column\n"
    "    %out = offset ptr %y, %out_at\n"
    "    store f32 %w, %out align 4\n"
    "  }\n"
    "}\n";

/// 64 sums over n tiles of 64 elements, staged by asynchronous copies one tile ahead. Thread t adds up what thread
/// t + 1 (the last one: thread 0) has copied. The last tile is followed by a copy of no bytes.
inline constexpr const char* double_buffer =
    "kernel double_buffer(%x: ptr readonly align 16, %y: ptr noalias align 4, %n: i64) gpu threads 64 {\n"
    "  %zero = constant i64 0\n"
    "  %one = constant i64 1\n"
    "  %four = constant i64 4\n"
    "  %last = constant i64 63\n"
    "  %tile_bytes = constant i64 256\n"
    "  %none = constant i32 0\n"
    "  %whole = constant i32 4\n"
    "  %start = constant f32 0\n"
    "  %tiles = shared ptr_shared bytes 512\n"
    "  %thread = special thread i64\n"
    "  %own = mul i64 %thread, %four\n"
    "  %next_thread = add i64 %thread, %one\n"
    "  %next = and i64 %next_thread, %last\n"
    "  %other = mul i64 %next, %four\n"
    "  %from0 = offset ptr %x, %own\n"
    "  %to0 = offset ptr_shared %tiles, %own\n"
    "  copy_async %to0, %from0 bytes 4\n"
    "  commit_copies\n"
    "  %sum = for %k = %zero to %n step %one carry %acc = %start {\n"
    "    %ahead = add i64 %k, %one\n"
    "    %is_more = cmp slt i64 %ahead, %n\n"
    "    %valid = select i32 %is_more, %whole, %none\n"
    "    %stage = and i64 %ahead, %one\n"
    "    %stage_at = mul i64 %stage, %tile_bytes\n"
    "    %to_at = add i64 %stage_at, %own\n"
    "    %to = offset ptr_shared %tiles, %to_at\n"
    "    %in_at = mul i64 %ahead, %tile_bytes\n"
    "    %from_at = add i64 %in_at, %own\n"
    "    %from = offset ptr %x, %from_at\n"
    "    copy_async %to, %from, %valid bytes 4\n"
    "    commit_copies\n"
    "    wait_copies pending 1\n"
    "    barrier\n"
    "    %now = and i64 %k, %one\n"
    "    %now_at = mul i64 %now, %tile_bytes\n"
    "    %read_at = add i64 %now_at, %other\n"
    "    %read = offset ptr_shared %tiles, %read_at\n"
    "    %v = load f32 %read align 4\n"
    "    %more = add f32 %acc, %v\n"
    "    barrier\n"
    "    yield %more\n"
    "  }\n"
    "  %out = offset ptr %y, %own\n"
    "  store f32 %sum, %out align 4\n"
    "}\n";

/// Each block stores its part, and the last one to arrive adds all parts up, thread by thread from 32 of them.
inline constexpr const char* last_arriver =
    "kernel last_arriver(%parts: ptr, %count: ptr, %y: ptr) gpu threads 64 {\n"
    "  %zero = constant i64 0\n"
    "  %one = constant i64 1\n"
    "  %one32 = constant i32 1\n"
    "  %four = constant i64 4\n"
    "  %block_bytes = constant i64 256\n"
    "  %start = constant i32 0\n"
    "  %flag = shared ptr_shared bytes 16\n"
    "  %thread = special thread i64\n"
    "  %block = special block i64\n"
    "  %blocks = special blocks i64\n"
    "  %own = mul i64 %thread, %four\n"
    "  %part_at = mul i64 %block, %block_bytes\n"
    "  %at = add i64 %part_at, %own\n"
    "  %part = offset ptr %parts, %at\n"
    "  %value = trunc i32 %at\n"
    "  store i32 %value, %part align 4\n"
    "  barrier\n"
    "  %first = cmp eq i64 %thread, %zero\n"
    "  if %first {\n"
    "    %arrived = atomic add i32 %count, %one32 acq_rel device\n"
    "    store i32 %arrived, %flag align 4\n"
    "  }\n"
    "  barrier\n"
    "  %seen = load i32 %flag align 4\n"
    "  %seen64 = sext i64 %seen\n"
    "  %before = sub i64 %blocks, %one\n"
    "  %is_last = cmp eq i64 %seen64, %before\n"
    "  if %is_last {\n"
    "    %sum = for %b = %zero to %blocks step %one carry %acc = %start {\n"
    "      %b_at = mul i64 %b, %block_bytes\n"
    "      %from_at = add i64 %b_at, %own\n"
    "      %from = offset ptr %parts, %from_at\n"
    "      %v = load i32 %from align 4\n"
    "      %more = add i32 %acc, %v\n"
    "      yield %more\n"
    "    }\n"
    "    %out = offset ptr %y, %own\n"
    "    store i32 %sum, %out align 4\n"
    "  }\n"
    "}\n";

/// 32 sums over n tiles of 32 elements. Warp 0 has the engine load each tile into one of two stages, warp 1 reads it
/// and gives the stage back. In warp 1 a thread reads what no thread has written.
inline constexpr const char* ring =
    "kernel ring(%x: ptr readonly align 16, %y: ptr noalias align 4, %n: i64) gpu threads 64 {\n"
    "  %zero = constant i64 0\n"
    "  %one = constant i64 1\n"
    "  %four = constant i64 4\n"
    "  %eight = constant i64 8\n"
    "  %tile_bytes = constant i64 128\n"
    "  %bytes = constant i32 128\n"
    "  %one32 = constant i32 1\n"
    "  %start = constant f32 0\n"
    "  %tiles = shared ptr_shared bytes 256\n"
    "  %full = shared ptr_shared bytes 16\n"
    "  %empty = shared ptr_shared bytes 16\n"
    "  %thread = special thread i64\n"
    "  %lane = special lane i64\n"
    "  %warp = special warp i64\n"
    "  %is_first = cmp eq i64 %thread, %zero\n"
    "  %full1 = offset ptr_shared %full, %eight\n"
    "  %empty1 = offset ptr_shared %empty, %eight\n"
    "  if %is_first {\n"
    "    mbarrier_init %full count 1\n"
    "    mbarrier_init %full1 count 1\n"
    "    mbarrier_init %empty count 32\n"
    "    mbarrier_init %empty1 count 32\n"
    "    fence_mbarrier\n"
    "  }\n"
    "  barrier\n"
    "  %produces = cmp eq i64 %warp, %zero\n"
    "  if %produces {\n"
    "    if %is_first {\n"
    "      for %k = %zero to %n step %one {\n"
    "        %stage = and i64 %k, %one\n"
    "        %round = lshr i64 %k, %one\n"
    "        %turn = add i64 %round, %one\n"
    "        %turn32 = trunc i32 %turn\n"
    "        %parity = and i32 %turn32, %one32\n"
    "        %b_at = mul i64 %stage, %eight\n"
    "        %free = offset ptr_shared %empty, %b_at\n"
    "        %ready = offset ptr_shared %full, %b_at\n"
    "        mbarrier_wait %free, %parity\n"
    "        mbarrier_expect %ready, %bytes\n"
    "        %s_at = mul i64 %stage, %tile_bytes\n"
    "        %to = offset ptr_shared %tiles, %s_at\n"
    "        %in_at = mul i64 %k, %tile_bytes\n"
    "        %from = offset ptr %x, %in_at\n"
    "        bulk_load %to, %from, %bytes, %ready\n"
    "      }\n"
    "    }\n"
    "  } else {\n"
    "    %own = mul i64 %lane, %four\n"
    "    %sum = for %q = %zero to %n step %one carry %acc = %start {\n"
    "      %stage2 = and i64 %q, %one\n"
    "      %round2 = lshr i64 %q, %one\n"
    "      %round32 = trunc i32 %round2\n"
    "      %parity2 = and i32 %round32, %one32\n"
    "      %b_at2 = mul i64 %stage2, %eight\n"
    "      %free2 = offset ptr_shared %empty, %b_at2\n"
    "      %ready2 = offset ptr_shared %full, %b_at2\n"
    "      mbarrier_wait %ready2, %parity2\n"
    "      %s_at2 = mul i64 %stage2, %tile_bytes\n"
    "      %at = add i64 %s_at2, %own\n"
    "      %p = offset ptr_shared %tiles, %at\n"
    "      %v = load f32 %p align 4\n"
    "      fence_async\n"
    "      mbarrier_arrive %free2\n"
    "      %more = add f32 %acc, %v\n"
    "      yield %more\n"
    "    }\n"
    "    %out = offset ptr %y, %own\n"
    "    store f32 %sum, %out align 4\n"
    "  }\n"
    "}\n";

}  // namespace tilewright::kernel
