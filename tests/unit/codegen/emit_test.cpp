// Control flow, parameters and errors of the emitter.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <tuple>

#include "legal.h"
#include "map_lanes.h"

namespace tilewright::codegen {
namespace {

using kernel::Builder;
using kernel::Element;
using kernel::Kernel;
using kernel::Opcode;
using kernel::Predicate;
using kernel::Type;
using kernel::ValueId;
using Values = std::vector<ValueId>;

constexpr Type pointer{Element::ptr, 1};
constexpr Type index_type{Element::i64, 1};

// Runs a kernel whose parameters are `out` and i64 numbers; gives out's first `size` values.
std::vector<std::int64_t> run(const Kernel& kernel, const std::vector<std::int64_t>& numbers, std::size_t size) {
  std::vector<std::int64_t> out(size, -77);
  std::vector<std::int64_t> arguments{address(out)};
  arguments.insert(arguments.end(), numbers.begin(), numbers.end());
  call(kernel, host_target(), arguments);
  return out;
}

void store_at(Builder& b, ValueId out, int slot, ValueId value) {
  b.store(value, b.offset(out, b.index(8 * slot)), {8, false});
}

// Euclid-like: (a, b, count) → (b, a + 3·b, count + 1) for i from begin to end by step; also the sum of i.
Kernel counting_loop(std::optional<std::array<std::int64_t, 3>> constants) {
  Builder b("loop");
  const ValueId out = b.parameter("out", pointer);
  std::array<ValueId, 3> bounds{};
  for (std::size_t i = 0; i < 3; ++i)
    bounds[i] = constants ? b.index((*constants)[i]) : b.parameter("p" + std::to_string(i), index_type);
  const auto results = b.for_loop(bounds[0], bounds[1], bounds[2], {b.index(1), b.index(2), b.index(0), b.index(0)},
                                  [&](ValueId i, const Values& carried) {
                                    return Values{carried[1], b.add(carried[0], b.mul(carried[1], b.index(3))),
                                                  b.add(carried[2], b.index(1)), b.add(carried[3], i)};
                                  });
  for (int i = 0; i < 4; ++i) store_at(b, out, i, results[static_cast<std::size_t>(i)]);
  return b.finish();
}

std::vector<std::int64_t> count_in_cpp(std::int64_t begin, std::int64_t end, std::int64_t step) {
  std::int64_t x = 1;
  std::int64_t y = 2;
  std::int64_t count = 0;
  std::int64_t sum = 0;
  for (std::int64_t i = begin; i < end; i += step) {
    const std::int64_t next = x + 3 * y;
    x = y;
    y = next;
    ++count;
    sum += i;
  }
  return {x, y, count, sum};
}

TEST(Emit, LoopsCarryValuesAndStopInTime) {
  const Kernel by_parameters = counting_loop(std::nullopt);
  for (const auto& [begin, end, step] : std::vector<std::array<std::int64_t, 3>>{
           {0, 5, 1}, {0, 0, 1}, {3, 2, 1}, {0, 1, 1}, {0, 7, 3}, {-4, 9, 4}, {2, 3, 100}, {0, 6, 3}, {5, -5, 2}}) {
    const auto expected = count_in_cpp(begin, end, step);
    EXPECT_EQ(run(by_parameters, {begin, end, step}, 4), expected) << begin << ' ' << end << ' ' << step;
    EXPECT_EQ(run(counting_loop(std::array{begin, end, step}), {}, 4), expected) << begin << ' ' << end << ' ' << step;
  }
}

TEST(Emit, ALoopOfOneKnownIterationIsStraightCode) {
  const auto text =
      emit_for_host(legal(counting_loop(std::array<std::int64_t, 3>{0, 4, 8}), host_target()), HostStage::llvm);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->find("phi"), std::string::npos) << *text;
  EXPECT_EQ(text->find("br "), std::string::npos) << *text;
}

TEST(Emit, LoopsTellLlvmNotToUnroll) {
  const auto text = emit_for_host(legal(counting_loop(std::nullopt), host_target()), HostStage::llvm);
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("!llvm.loop"), std::string::npos) << *text;
  EXPECT_NE(text->find("llvm.loop.unroll.disable"), std::string::npos) << *text;
}

TEST(Emit, NestedLoopsAndBranchesJoin) {
  Builder b("nested");
  const ValueId out = b.parameter("out", pointer);
  const ValueId n = b.parameter("n", index_type);
  // Σ over i < n, j < i: j odd ? i·j : −1, by a value; and the count of i divisible by 3, by a store in a branch.
  const ValueId counter = b.offset(out, b.index(8));
  b.store(b.index(0), counter, {8, false});
  const auto total = b.for_loop(b.index(0), n, b.index(1), {b.index(0)}, [&](ValueId i, const Values& outer) {
    const auto inner = b.for_loop(b.index(0), i, b.index(1), {outer[0]}, [&](ValueId j, const Values& sum) {
      const ValueId odd = b.cmp(Predicate::eq, b.binary(Opcode::bit_and, j, b.index(1)), b.index(1));
      const auto term = b.if_then(odd, [&] { return Values{b.mul(i, j)}; }, [&] { return Values{b.index(-1)}; });
      return Values{b.add(sum[0], term[0])};
    });
    b.if_then(
        b.cmp(Predicate::eq, b.binary(Opcode::srem, i, b.index(3)), b.index(0)),
        [&] {
          b.store(b.add(b.load(index_type, counter, {8, false}), b.index(1)), counter, {8, false});
          return Values{};
        },
        [] { return Values{}; });
    return inner;
  });
  store_at(b, out, 0, total[0]);
  const Kernel kernel = b.finish();
  for (const std::int64_t n_value : {0, 1, 2, 7, 20}) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n_value; ++i)
      for (std::int64_t j = 0; j < i; ++j) sum += j % 2 == 1 ? i * j : -1;
    EXPECT_EQ(run(kernel, {n_value}, 2), (std::vector<std::int64_t>{sum, (n_value + 2) / 3}));
  }
}

TEST(Emit, BranchesWithLoopsInsideGiveTheirValues) {
  Builder b("branches");
  const ValueId out = b.parameter("out", pointer);
  const ValueId n = b.parameter("n", index_type);
  const auto chosen = b.if_then(
      b.cmp(Predicate::sgt, n, b.index(10)),
      [&] {
        return b.for_loop(b.index(0), n, b.index(1), {b.index(0)},
                          [&](ValueId i, const Values& sum) { return Values{b.add(sum[0], i)}; });
      },
      [&] { return Values{n}; });
  const auto reversed = b.if_then(
      b.cmp(Predicate::sgt, n, b.index(10)), [&] { return Values{n, b.index(5)}; },
      [&] {
        store_at(b, out, 3, n);
        return Values{b.index(5), n};
      });
  store_at(b, out, 0, chosen[0]);
  store_at(b, out, 1, reversed[0]);
  store_at(b, out, 2, reversed[1]);
  const Kernel kernel = b.finish();
  EXPECT_EQ(run(kernel, {20}, 4), (std::vector<std::int64_t>{190, 20, 5, -77}));
  EXPECT_EQ(run(kernel, {7}, 4), (std::vector<std::int64_t>{7, 5, 7, 7}));
}

TEST(Emit, ParametersOfEveryTypeComeFromTheirSlots) {
  Builder b("parameters");
  const ValueId out = b.parameter("out", pointer);
  const Element elements[] = {Element::i64, Element::i32, Element::i16, Element::i8,
                              Element::i64, Element::i8,  Element::i64, Element::i32};
  int at = 0;
  for (const Element element : elements) {
    const ValueId parameter = b.parameter("p" + std::to_string(at), {element, 1});
    b.store(parameter, b.offset(out, b.index(8 * at++)), {1, false});
  }
  std::vector<std::byte> result(64);
  call(b.finish(), host_target(), {address(result), -5, -6, -7, -8, -9, 100, 1LL << 40, 2000000000});
  const auto at_slot = [&]<class T>(int slot, T) {
    T value;
    std::memcpy(&value, result.data() + 8 * slot, sizeof value);
    return value;
  };
  EXPECT_EQ(at_slot(0, std::int64_t{}), -5);
  EXPECT_EQ(at_slot(1, std::int32_t{}), -6);
  EXPECT_EQ(at_slot(2, std::int16_t{}), -7);
  EXPECT_EQ(at_slot(3, std::int8_t{}), -8);
  EXPECT_EQ(at_slot(4, std::int64_t{}), -9);
  EXPECT_EQ(at_slot(5, std::int8_t{}), 100);
  EXPECT_EQ(at_slot(6, std::int64_t{}), 1LL << 40);
  EXPECT_EQ(at_slot(7, std::int32_t{}), 2000000000);
}

TEST(Emit, ParameterFactsAreAttributes) {
  Builder b("facts");
  const ValueId x = b.parameter("x", pointer, true, true, 64);
  const ValueId y = b.parameter("y", pointer, false, false, 16);
  b.store(b.load({Element::i64, 1}, x, {8, false}), y, {8, false});
  const auto text = emit_for_host(legal(b.finish(), host_target()), HostStage::llvm);
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("(ptr noalias readonly align 64 %x, ptr align 16 %y)"), std::string::npos) << *text;
}

// f8e4m3: 1.5 is 0x3c, 3 is 0x44; 448 + 448 saturates to 448, 0x7e. bf16: 1.5 is 0x3fc0, 3 is 0x4040.
TEST(Emit, ArithmeticOnSmallFloatsIsLegalisedFirst) {
  for (const auto& [element, size, from, to] : {std::tuple{Element::f8e4m3, 1, std::array<std::uint8_t, 2>{0x3c, 0x7e},
                                                           std::array<std::uint8_t, 2>{0x44, 0x7e}},
                                                std::tuple{Element::bf16, 2, std::array<std::uint8_t, 2>{0xc0, 0x3f},
                                                           std::array<std::uint8_t, 2>{0x40, 0x40}}}) {
    Builder b("twice");
    const ValueId at = b.parameter("at", pointer);
    const Type type{element, static_cast<std::uint16_t>(2 / size)};
    const ValueId value = b.load(type, at, {1, false});
    b.store(b.add(value, value), at, {1, false});
    const Kernel kernel = b.finish();
    for (const HostTarget& target : runnable_targets()) {
      std::vector<std::uint8_t> bytes(from.begin(), from.end());
      call(kernel, target, {address(bytes)});
      EXPECT_EQ(bytes, std::vector<std::uint8_t>(to.begin(), to.end())) << kernel::name(element) << ' ' << target.cpu;
    }
  }
}

TEST(Emit, AKernelThatDoesNotVerifyIsAnErrorValue) {
  Builder b("broken");
  const ValueId x = b.parameter("x", pointer, true);
  b.store(b.index(1), x, {8, false});  // through a readonly parameter
  const auto code = compile_for_host(legal(b.finish(), host_target()));
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().front().code.front(), 'K') << messages(code.error());
}

}  // namespace
}  // namespace tilewright::codegen
