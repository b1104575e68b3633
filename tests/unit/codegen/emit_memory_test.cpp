// Loads, stores, masks, gathers and locals as machine code. Data ends at a page that may not be touched, so that a lane
// read or written although its mask is off ends the test.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "legal.h"
#include "map_lanes.h"

namespace tilewright::codegen {
namespace {

using kernel::Access;
using kernel::Builder;
using kernel::Element;
using kernel::Opcode;
using kernel::Predicate;
using kernel::Type;
using kernel::ValueId;

constexpr Type pointer{Element::ptr, 1};
constexpr Type index_type{Element::i64, 1};

std::int64_t address(const void* at) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at));
}

// Two pages, then one without access.
class GuardedPages {
 public:
  GuardedPages() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = 3 * page;
    base_ = static_cast<std::byte*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    end_ = base_ + 2 * page;
    mprotect(end_, page, PROT_NONE);
  }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;
  ~GuardedPages() { munmap(base_, bytes_); }
  std::byte* end() const { return end_; }

 private:
  std::byte* base_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t bytes_ = 0;
};

// to[i] = from[i] for the lanes i whose bit in `lanes_on` is set.
kernel::Kernel masked_copy(Type type, std::uint32_t align) {
  Builder b("masked_copy");
  const ValueId from = b.parameter("from", pointer, true);
  const ValueId to = b.parameter("to", pointer);
  const ValueId all = b.parameter("all", pointer);
  const ValueId lanes_on = b.parameter("lanes_on", index_type);
  const Type wide = type.with(Element::i64);
  const ValueId bit = b.binary(Opcode::bit_and, b.binary(Opcode::lshr, b.splat(lanes_on, type.lanes), b.iota(wide)),
                               b.constant(wide, Scalar::of(std::int64_t{1})));
  const ValueId mask = b.cmp(Predicate::ne, bit, b.constant(wide, Scalar::of(std::int64_t{0})));
  const ValueId loaded = b.load(type, from, {align, false}, mask);
  b.store(loaded, to, {align, false}, mask);
  b.store(loaded, all, {1, false});
  return b.finish();
}

TEST(EmitMemory, MasksNeverTouchLanesThatAreOff) {
  const GuardedPages source;
  const GuardedPages target_pages;
  for (const HostTarget& target : runnable_targets())
    for (const Element element : {Element::i8, Element::i16, Element::i32, Element::i64, Element::f16, Element::bf16,
                                  Element::f32, Element::f64, Element::f8e4m3})
      for (const int lanes : {2, 3, 8, 16}) {
        const Type type{element, static_cast<std::uint16_t>(lanes)};
        const std::size_t size = static_cast<std::size_t>(kernel::bits(element)) / 8;
        const auto code = compile_for_host(legal(masked_copy(type, static_cast<std::uint32_t>(size)), target), target);
        ASSERT_TRUE(code.has_value()) << messages(code.error());
        for (int on = 0; on <= lanes; ++on)
          for (const std::uint32_t keep : {0xffffffffU, 0x55555555U, 0x99999999U}) {
            const std::uint32_t mask = ((1U << on) - 1) & keep;
            std::byte* from = source.end() - static_cast<std::size_t>(on) * size;
            std::byte* to = target_pages.end() - static_cast<std::size_t>(on) * size;
            for (std::size_t i = 0; i < static_cast<std::size_t>(on) * size; ++i) {
              from[i] = static_cast<std::byte>(i * 37 + 11);
              to[i] = std::byte{0xee};
            }
            std::vector<std::byte> all(static_cast<std::size_t>(lanes) * size, std::byte{0xdd});
            const std::array<std::int64_t, 4> arguments{address(from), address(to), address(all.data()), mask};
            (*code)->entry()(arguments.data());
            for (std::size_t i = 0; i < all.size(); ++i) {
              const bool is_on = (mask >> (i / size) & 1) != 0;
              ASSERT_EQ(all[i], is_on ? from[i] : std::byte{0}) << to_text(type) << " byte " << i << " mask " << mask;
              if (i / size < static_cast<std::size_t>(on)) {
                ASSERT_EQ(to[i], is_on ? from[i] : std::byte{0xee}) << to_text(type) << " byte " << i;
              }
            }
          }
      }
}

TEST(EmitMemory, MasksOfOneBitServeOneLaneOrASplat) {
  for (const int lanes : {1, 8}) {
    Builder b("whole");
    const ValueId from = b.parameter("from", pointer, true);
    const ValueId to = b.parameter("to", pointer);
    const ValueId on = b.parameter("on", index_type);
    const ValueId one = b.cmp(Predicate::ne, on, b.index(0));
    const ValueId mask = lanes == 1 ? one : b.splat(one, lanes);
    const Type type{Element::f32, static_cast<std::uint16_t>(lanes)};
    b.store(b.load(type, from, {4, false}, mask), to, {4, false}, mask);
    const kernel::Kernel kernel = b.finish();
    const GuardedPages nothing;
    std::vector<float> source(8, 2.5F);
    std::vector<float> result(8, 7.0F);
    for (const HostTarget& target : runnable_targets()) {
      call(kernel, target, {address(nothing.end()), address(nothing.end()), 0});
      call(kernel, target, {address(source.data()), address(result.data()), 1});
      EXPECT_EQ(result[0], 2.5F);
      EXPECT_EQ(result[1], lanes == 1 ? 7.0F : 2.5F);
    }
  }
}

// to[2·i] = from[(5·i) % n] for lanes whose index is below `limit`, which lies at the page's end.
template <class T>
void expect_gather(const HostTarget& target, int lanes) {
  const Type type{element_of<T>(), static_cast<std::uint16_t>(lanes)};
  const Type wide = type.with(Element::i64);
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  Builder b("gather");
  const ValueId from = b.parameter("from", pointer, true);
  const ValueId to = b.parameter("to", pointer);
  const ValueId limit = b.parameter("limit", index_type);
  const auto number = [&](std::int64_t value) { return b.constant(wide, Scalar::of(value)); };
  const ValueId lane = b.iota(wide);
  const ValueId item = b.binary(Opcode::urem, b.mul(lane, number(5)), number(lanes));
  const ValueId mask = b.cmp(Predicate::slt, item, b.splat(limit, lanes));
  const Access access{static_cast<std::uint32_t>(size), false};
  const ValueId got = b.gather(type, from, b.mul(item, number(size)), access, mask);
  b.scatter(got, to, b.mul(lane, number(2 * size)), access, mask);
  const auto code = compile_for_host(legal(b.finish(), target), target);
  ASSERT_TRUE(code.has_value()) << messages(code.error());
  const GuardedPages pages;
  for (int on = 0; on <= lanes; ++on) {
    T* source = reinterpret_cast<T*>(pages.end()) - on;
    for (int i = 0; i < on; ++i) source[i] = static_cast<T>(i + 3);
    std::vector<T> result(static_cast<std::size_t>(2 * lanes), T(99));
    const std::array<std::int64_t, 3> arguments{address(source), address(result.data()), on};
    (*code)->entry()(arguments.data());
    for (int i = 0; i < 2 * lanes; ++i) {
      const int read = i / 2 * 5 % lanes;
      ASSERT_EQ(result[static_cast<std::size_t>(i)], i % 2 == 0 && read < on ? static_cast<T>(read + 3) : T(99))
          << i << " of " << lanes << " on " << on << ' ' << target.cpu;
    }
  }
}

TEST(EmitMemory, GathersAndScattersByLane) {
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {3, 4, 8, 16}) {
      expect_gather<float>(target, lanes);
      expect_gather<double>(target, lanes);
      expect_gather<std::int32_t>(target, lanes);
      expect_gather<std::int8_t>(target, lanes);
    }
}

TEST(EmitMemory, GathersWithoutAMask) {
  Builder b("gather_all");
  const ValueId from = b.parameter("from", pointer, true);
  const ValueId to = b.parameter("to", pointer);
  const Type wide{Element::i64, 4};
  const ValueId back = b.sub(b.constant(wide, Scalar::of(std::int64_t{12})),
                             b.mul(b.iota(wide), b.constant(wide, Scalar::of(std::int64_t{4}))));
  b.scatter(b.gather({Element::i32, 4}, from, back, {4, false}), to, back, {4, false});
  b.store(b.gather({Element::i32, 4}, from, back, {4, false}), b.offset(to, b.index(16)), {4, false});
  const kernel::Kernel kernel = b.finish();
  const std::vector<std::int32_t> source{10, 11, 12, 13};
  for (const HostTarget& target : runnable_targets()) {
    std::vector<std::int32_t> result(8);
    call(kernel, target, {address(source.data()), address(result.data())});
    EXPECT_EQ(result, (std::vector<std::int32_t>{10, 11, 12, 13, 13, 12, 11, 10}));
  }
}

TEST(EmitMemory, AlignmentOfOneByteIsEnoughWhenSaidSo) {
  Builder b("unaligned");
  const ValueId from = b.parameter("from", pointer, true);
  const ValueId to = b.parameter("to", pointer);
  b.store(b.load({Element::f32, 8}, from, {1, false}), to, {1, false});
  const kernel::Kernel kernel = b.finish();
  for (const HostTarget& target : runnable_targets()) {
    std::vector<char> source(40);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(i);
    std::vector<char> result(40, 'x');
    call(kernel, target, {address(source.data() + 3), address(result.data() + 5)});
    EXPECT_EQ(std::memcmp(result.data() + 5, source.data() + 3, 32), 0);
    EXPECT_EQ(result[4], 'x');
    EXPECT_EQ(result[37], 'x');
  }
}

TEST(EmitMemory, NontemporalStoresBypassTheCachesAndAreFenced) {
  Builder b("stream");
  const ValueId from = b.parameter("from", pointer, true);
  const ValueId to = b.parameter("to", pointer);
  b.store(b.load({Element::f32, 8}, from, {32, false}), to, {32, true});
  const kernel::Kernel kernel = b.finish();
  for (const HostTarget& target : runnable_targets()) {
    const auto assembly = emit_for_host(legal(kernel, target), HostStage::assembly, target);
    ASSERT_TRUE(assembly.has_value()) << messages(assembly.error());
#if defined(__x86_64__)
    EXPECT_NE(assembly->find("movntps"), std::string::npos) << *assembly;
    EXPECT_NE(assembly->find("sfence"), std::string::npos) << *assembly;
#endif
    alignas(64) std::array<float, 8> source{1, 2, 3, 4, 5, 6, 7, 8};
    alignas(64) std::array<float, 8> result{};
    call(kernel, target, {address(source.data()), address(result.data())});
    EXPECT_EQ(result, source);
  }
}

TEST(EmitMemory, PrefetchesOutsideOfAnyTensor) {
  Builder b("prefetch");
  const ValueId at = b.parameter("at", pointer, true);
  b.prefetch(b.offset(at, b.index(1 << 30)));
  const GuardedPages pages;
  const kernel::Kernel kernel = b.finish();
  for (const HostTarget& target : runnable_targets()) call(kernel, target, {address(pages.end())});
  const auto assembly = emit_for_host(legal(kernel, host_target()), HostStage::assembly, host_target());
  ASSERT_TRUE(assembly.has_value());
  EXPECT_NE(assembly->find("prefetch"), std::string::npos) << *assembly;
}

// Writes n values into a local from a loop and reads them back in reverse.
kernel::Kernel reverse_through_local(std::int64_t bytes) {
  Builder b("reverse");
  const ValueId to = b.parameter("to", pointer);
  const ValueId n = b.parameter("n", index_type);
  const ValueId where = b.parameter("where", pointer);
  b.for_loop(b.index(0), b.index(2), b.index(1), {}, [&](ValueId, const std::vector<ValueId>&) {
    const ValueId buffer = b.local(bytes);  // one buffer, though it stands in a loop
    b.for_loop(b.index(0), n, b.index(1), {}, [&](ValueId i, const std::vector<ValueId>&) {
      b.store(i, b.offset(buffer, b.mul(i, b.index(8))), {8, false});
      return std::vector<ValueId>{};
    });
    b.for_loop(b.index(0), n, b.index(1), {}, [&](ValueId i, const std::vector<ValueId>&) {
      const ValueId last = b.sub(b.sub(n, b.index(1)), i);
      b.store(b.load(index_type, b.offset(buffer, b.mul(last, b.index(8))), {8, false}),
              b.offset(to, b.mul(i, b.index(8))), {8, false});
      return std::vector<ValueId>{};
    });
    b.store(b.convert(Opcode::bitcast, buffer, Element::i64), where, {8, false});
    return std::vector<ValueId>{};
  });
  return b.finish();
}

TEST(EmitMemory, LocalsAreAlignedBuffersOfTheCall) {
  constexpr std::int64_t n = 50000;
  for (const HostTarget& target : runnable_targets()) {
    std::vector<std::int64_t> result(n);
    std::int64_t where = 1;
    call(reverse_through_local(8 * n), target, {address(result.data()), n, address(&where)});
    EXPECT_EQ(where % 64, 0);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(result[static_cast<std::size_t>(i)], n - 1 - i);
  }
}

TEST(EmitMemory, RefusesLocalsThatTheStackCannotHold) {
  const auto code = compile_for_host(legal(reverse_through_local(1 << 20), host_target()));
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().front().code, "G001");
  EXPECT_NE(code.error().front().message.find("1048576"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::codegen
