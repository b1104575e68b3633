// expand_conversions against support/scalar.h, through the interpreter: every bit pattern of the small floats, and for
// the wide ones every place where rounding decides.
#include "kernel/passes/expand_conversions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernel/interpret.h"
#include "kernel/passes/pipeline.h"
#include "kernel/passes/small_floats.h"
#include "kernel/walk.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

constexpr std::size_t lanes = 16;

struct SmallType {
  Element element;
  double (*decode)(std::uint64_t);
  std::uint64_t (*encode)(double);
};

constexpr SmallType small_types[] = {
    {Element::f16, [](std::uint64_t b) { return double{half_to_float(static_cast<std::uint16_t>(b))}; },
     [](double v) { return std::uint64_t{double_to_half(v)}; }},
    {Element::bf16, [](std::uint64_t b) { return double{bfloat16_to_float(static_cast<std::uint16_t>(b))}; },
     [](double v) { return std::uint64_t{double_to_bfloat16(v)}; }},
    {Element::f8e4m3, [](std::uint64_t b) { return double{f8e4m3_to_float(static_cast<std::uint8_t>(b))}; },
     [](double v) { return std::uint64_t{double_to_f8e4m3(v)}; }},
    {Element::f8e5m2, [](std::uint64_t b) { return double{f8e5m2_to_float(static_cast<std::uint8_t>(b))}; },
     [](double v) { return std::uint64_t{double_to_f8e5m2(v)}; }},
};

std::size_t bytes_of(Element element) {
  return static_cast<std::size_t>(bits(element)) / 8;
}

/// True if nothing but moves, memory and bitcasts is left on small floats.
bool is_expanded(const Kernel& kernel) {
  bool expanded = true;
  walk(kernel.body, [&](const Op& op) {
    const OpRule rule = info(op.code).rule;
    if (rule == OpRule::special || rule == OpRule::choose) return;
    for (ValueId value : op.operands) expanded &= !is_small_float(kernel.values[value].type.element);
    for (ValueId value : op.results) expanded &= !is_small_float(kernel.values[value].type.element);
  });
  return expanded;
}

/// `out[i] = op(in[i], …)` with `arity` inputs, expanded; elements as the low bits of words.
std::vector<std::uint64_t> apply(std::string_view op, Element from, Element to,
                                 const std::vector<std::vector<std::uint64_t>>& inputs, bool has_f64 = true) {
  std::string text = "kernel k(%out: ptr, %n: i64";
  for (std::size_t i = 0; i < inputs.size(); ++i) text += fmt::format(", %in{}: ptr", i);
  text += fmt::format(
      ") {{\n %0 = constant i64 0\n %1 = constant i64 {}\n %2 = constant i64 {}\n %3 = constant i64 {}\n"
      " for %i = %0 to %n step %1 {{\n %a = mul i64 %i, %2\n %b = mul i64 %i, %3\n %q = offset ptr %out, %b\n",
      lanes, bytes_of(from), bytes_of(to));
  std::string operands;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text += fmt::format(" %p{0} = offset ptr %in{0}, %a\n %v{0} = load {1}x{2} %p{0} align 1\n", i, name(from), lanes);
    operands += fmt::format("{}%v{}", i == 0 ? "" : ", ", i);
  }
  text += fmt::format(" %r = {0} {1}x{2} {3}\n store {1}x{2} %r, %q align 1\n }}\n}}\n", op, name(to), lanes, operands);

  Kernel kernel = read_kernel(text);
  expand_conversions(kernel, {.f64 = has_f64});
  EXPECT_TRUE(is_expanded(kernel)) << to_text(kernel);
  for (const Value& value : kernel.values)
    EXPECT_TRUE(has_f64 || value.type.element != Element::f64) << to_text(kernel);

  const std::size_t count = (inputs[0].size() + lanes - 1) / lanes * lanes;
  const auto pack = [&](const std::vector<std::uint64_t>& words, Element element) {
    std::vector<std::byte> memory(count * bytes_of(element));
    for (std::size_t i = 0; i < words.size(); ++i)
      std::memcpy(&memory[i * bytes_of(element)], &words[i], bytes_of(element));
    return memory;
  };
  std::vector<std::vector<std::byte>> memories;
  memories.push_back(pack({}, to));
  for (const auto& words : inputs) memories.push_back(pack(words, from));
  std::vector<Argument> arguments{memories[0].data(), static_cast<std::int64_t>(count)};
  std::vector<MemoryRange> ranges;
  for (auto& memory : memories) ranges.push_back({memory.data(), static_cast<std::int64_t>(memory.size())});
  for (std::size_t i = 1; i < memories.size(); ++i) arguments.emplace_back(memories[i].data());
  EXPECT_EQ(codes(interpret(kernel, arguments, ranges)), "");

  std::vector<std::uint64_t> results(inputs[0].size());
  for (std::size_t i = 0; i < results.size(); ++i)
    std::memcpy(&results[i], &memories[0][i * bytes_of(to)], bytes_of(to));
  return results;
}

std::vector<std::uint64_t> all_patterns(Element element) {
  std::vector<std::uint64_t> patterns(std::size_t{1} << bits(element));
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = i;
  return patterns;
}

std::uint64_t f32_bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
std::uint64_t f64_bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// Every value of the small type and every midpoint between two, also one unit of the wide type away, with both signs;
/// non-finite values; random bits.
template <class Wide, class Word>
std::vector<std::uint64_t> rounding_cases(const SmallType& type) {
  std::vector<std::uint64_t> cases;
  const auto add = [&](Wide value) {
    const auto word = std::bit_cast<Word>(value);
    const Word sign = Word{1} << (sizeof(Word) * 8 - 1);
    for (Word near : {static_cast<Word>(word - 1), word, static_cast<Word>(word + 1)}) {
      cases.push_back(near);
      cases.push_back(near ^ sign);
    }
  };
  const std::uint64_t positive = std::uint64_t{1} << (bits(type.element) - 1);
  for (std::uint64_t pattern = 0; pattern + 1 < positive; ++pattern) {
    const double here = type.decode(pattern);
    const double next = type.decode(pattern + 1);
    if (!std::isfinite(here)) break;
    cases.push_back(std::bit_cast<Word>(static_cast<Wide>(here)));
    // Past the largest value the midpoint is where infinity would begin.
    const double step = std::isfinite(next) ? next - here : here - type.decode(pattern - 1);
    add(static_cast<Wide>(here + step / 2));
  }
  for (Wide value : {std::numeric_limits<Wide>::infinity(), std::numeric_limits<Wide>::max(),
                     std::numeric_limits<Wide>::denorm_min(), std::numeric_limits<Wide>::min(), Wide{1e30f}})
    add(value);
  cases.push_back(std::bit_cast<Word>(std::numeric_limits<Wide>::quiet_NaN()));
  std::mt19937_64 random(20240607);
  for (int i = 0; i < 20000; ++i) cases.push_back(static_cast<Word>(random()));
  return cases;
}

void expect_equal(const std::vector<std::uint64_t>& actual, const std::vector<std::uint64_t>& expected,
                  const std::vector<std::uint64_t>& inputs, std::string_view what) {
  ASSERT_EQ(actual.size(), expected.size());
  int shown = 0;
  for (std::size_t i = 0; i < actual.size() && shown < 5; ++i)
    if (actual[i] != expected[i]) {
      ++shown;
      ADD_FAILURE() << fmt::format("{} of {:#x}: {:#x}, expected {:#x}", what, inputs[i], actual[i], expected[i]);
    }
}

TEST(ExpandConversions, WidensEveryPattern) {
  for (const SmallType& type : small_types) {
    const std::vector<std::uint64_t> patterns = all_patterns(type.element);
    std::vector<std::uint64_t> singles;
    for (std::uint64_t pattern : patterns) {
      // Signalling NaNs stay as they are in f32: compare with the decoded bits, which a detour over f64 would quieten.
      const double value = type.decode(pattern);
      singles.push_back(f32_bits(static_cast<float>(value)));
    }
    std::vector<std::uint64_t> actual = apply("fconvert", type.element, Element::f32, {patterns});
    for (std::uint64_t& word : actual)
      if (std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(word)))) word |= 0x00400000;
    expect_equal(actual, singles, patterns, name(type.element));
  }
}

TEST(ExpandConversions, WidensToF64) {
  for (const SmallType& type : small_types) {
    const std::vector<std::uint64_t> patterns = all_patterns(type.element);
    std::vector<std::uint64_t> doubles;
    for (std::uint64_t pattern : patterns) doubles.push_back(f64_bits(type.decode(pattern)));
    expect_equal(apply("fconvert", type.element, Element::f64, {patterns}), doubles, patterns, name(type.element));
  }
}

TEST(ExpandConversions, NarrowsF32WhereRoundingDecides) {
  for (const SmallType& type : small_types) {
    const auto cases = rounding_cases<float, std::uint32_t>(type);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t word : cases)
      expected.push_back(type.encode(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(word)))));
    expect_equal(apply("fconvert", Element::f32, type.element, {cases}), expected, cases, name(type.element));
  }
}

TEST(ExpandConversions, NarrowsF64InOneRounding) {
  for (const SmallType& type : small_types) {
    const auto cases = rounding_cases<double, std::uint64_t>(type);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t word : cases) expected.push_back(type.encode(std::bit_cast<double>(word)));
    expect_equal(apply("fconvert", Element::f64, type.element, {cases}), expected, cases, name(type.element));
  }
}

TEST(ExpandConversions, F64CasesWouldBeWrongByWayOfF32) {
  // 1 + 2^-11 + 2^-40 is just above the midpoint of two f16; in f32 it is that midpoint.
  const double value = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(apply("fconvert", Element::f64, Element::f16, {{f64_bits(value)}}), (std::vector<std::uint64_t>{0x3C01}));
  EXPECT_EQ(double_to_half(static_cast<double>(static_cast<float>(value))), 0x3C00);
}

TEST(ExpandConversions, ConvertsBetweenSmallFloats) {
  for (const SmallType& from : small_types)
    for (const SmallType& to : small_types) {
      if (from.element == to.element) continue;
      const std::vector<std::uint64_t> patterns = all_patterns(from.element);
      std::vector<std::uint64_t> expected;
      for (std::uint64_t pattern : patterns) expected.push_back(to.encode(from.decode(pattern)));
      expect_equal(apply("fconvert", from.element, to.element, {patterns}), expected, patterns, name(from.element));
    }
}

/// i64 around powers of two and around midpoints of large small floats.
std::vector<std::uint64_t> integer_cases() {
  std::vector<std::uint64_t> cases;
  for (int power = 0; power < 64; ++power)
    for (int lower = 0; lower <= power; ++lower)
      for (std::int64_t step : {-1, 0, 1}) {
        const std::uint64_t value =
            (std::uint64_t{1} << power) + (std::uint64_t{1} << lower) + static_cast<std::uint64_t>(step);
        cases.push_back(value);
        cases.push_back(-value);
      }
  return cases;
}

TEST(ExpandConversions, RoundsIntegersOnce) {
  const std::vector<std::uint64_t> cases = integer_cases();
  for (const SmallType& type : small_types) {
    std::vector<std::uint64_t> expected;
    for (std::uint64_t word : cases) {
      const Scalar value =
          cast_scalar(Scalar::of(static_cast<std::int64_t>(word)), DType::i64, float_dtype(type.element));
      expected.push_back(type.encode(value.as_double()));
    }
    for (const bool has_f64 : {true, false})
      expect_equal(apply("sitofp", Element::i64, type.element, {cases}, has_f64), expected, cases, name(type.element));
  }
}

TEST(ExpandConversions, RoundsWordsOnceWithoutF64) {
  std::vector<std::uint64_t> words;
  for (const std::uint64_t value : integer_cases()) words.push_back(value & 0xffffffff);
  for (const SmallType& type : small_types) {
    std::vector<std::uint64_t> with_sign, without;
    for (const std::uint64_t word : words) {
      const auto encoded = [&](std::int64_t value) {
        return type.encode(cast_scalar(Scalar::of(value), DType::i64, float_dtype(type.element)).as_double());
      };
      with_sign.push_back(encoded(static_cast<std::int32_t>(word)));
      without.push_back(encoded(static_cast<std::int64_t>(word)));
    }
    expect_equal(apply("sitofp", Element::i32, type.element, {words}, false), with_sign, words, name(type.element));
    expect_equal(apply("uitofp", Element::i32, type.element, {words}, false), without, words, name(type.element));
  }
}

TEST(ExpandConversions, TruncatesToIntegers) {
  for (const SmallType& type : small_types) {
    const std::vector<std::uint64_t> patterns = all_patterns(type.element);
    std::vector<std::uint64_t> expected;
    for (std::uint64_t pattern : patterns) {
      const Scalar value = cast_scalar(Scalar::of(type.decode(pattern)), DType::f64, DType::i32);
      expected.push_back(static_cast<std::uint32_t>(value.as_int()));
    }
    expect_equal(apply("fptosi", type.element, Element::i32, {patterns}), expected, patterns, name(type.element));
  }
}

/// The op on the element itself, which the interpreter rounds once, against the expansion.
std::vector<std::uint64_t> apply_directly(std::string_view op, Element element,
                                          const std::vector<std::vector<std::uint64_t>>& inputs) {
  const auto decode = [&](std::uint64_t word) {
    for (const SmallType& type : small_types)
      if (type.element == element) return static_cast<long double>(type.decode(word));
    return 0.0L;
  };
  std::vector<std::uint64_t> results;
  for (std::size_t i = 0; i < inputs[0].size(); ++i) {
    const long double a = decode(inputs[0][i]);
    const long double b = decode(inputs[1][i]);
    const long double c = inputs.size() > 2 ? decode(inputs[2][i]) : 0.0L;
    const long double exact = op == "add" ? a + b : op == "mul" ? a * b : op == "fdiv" ? a / b : a * b + c;
    for (const SmallType& type : small_types)
      if (type.element == element) results.push_back(type.encode(static_cast<double>(exact)));
  }
  return results;
}

TEST(ExpandConversions, ComputesAsIfInOneRounding) {
  std::mt19937_64 random(7);
  for (const SmallType& type : small_types) {
    std::vector<std::vector<std::uint64_t>> inputs(3);
    for (auto& input : inputs)
      for (int i = 0; i < 4000; ++i) {
        const std::uint64_t word = random() & ((std::uint64_t{1} << bits(type.element)) - 1);
        input.push_back(std::isfinite(type.decode(word)) ? word : 0x11);
      }
    const std::vector<std::vector<std::uint64_t>> two(inputs.begin(), inputs.begin() + 2);
    const auto without_nan = [&](std::vector<std::uint64_t> words) {
      for (std::uint64_t& word : words)
        if (std::isnan(type.decode(word))) word = ~std::uint64_t{0};
      return words;
    };
    for (std::string_view op : {"add", "mul", "fdiv"})
      expect_equal(without_nan(apply(op, type.element, type.element, two)),
                   without_nan(apply_directly(op, type.element, two)), inputs[0], op);
    // f32's own subnormals are bf16's.
    for (std::string_view op : {"add", "mul", "fdiv"})
      if (type.element != Element::bf16)
        expect_equal(without_nan(apply(op, type.element, type.element, two, false)),
                     without_nan(apply_directly(op, type.element, two)), inputs[0], op);
    // The exact sum of bf16's range does not fit long double; the others' does.
    if (type.element != Element::bf16)
      expect_equal(without_nan(apply("fma", type.element, type.element, inputs)),
                   without_nan(apply_directly("fma", type.element, inputs)), inputs[0], "fma");
    if (type.element != Element::bf16)
      expect_equal(without_nan(apply("fma", type.element, type.element, inputs, false)),
                   without_nan(apply_directly("fma", type.element, inputs)), inputs[0], "fma");
  }
}

TEST(ExpandConversions, FusesWithoutADoubleRounding) {
  // a = 1 + 2^-4, b = 1 + 2^-4: a·b = 1 + 2^-3 + 2^-8, half a unit above 1.125 (unit 2^-7): a tie, to even 1.125.
  // An addend far below f64's reach breaks the tie all the same.
  const std::uint64_t a = double_to_bfloat16(1.0625);
  const std::uint64_t tiny = double_to_bfloat16(std::ldexp(1.0, -100));
  const std::uint64_t minus_tiny = double_to_bfloat16(-std::ldexp(1.0, -100));
  const auto result = apply("fma", Element::bf16, Element::bf16, {{a, a, a}, {a, a, a}, {0, tiny, minus_tiny}});
  EXPECT_EQ(bfloat16_to_float(static_cast<std::uint16_t>(result[0])), 1.125f);
  EXPECT_EQ(bfloat16_to_float(static_cast<std::uint16_t>(result[1])), 1.1328125f);
  EXPECT_EQ(bfloat16_to_float(static_cast<std::uint16_t>(result[2])), 1.125f);
}

TEST(ExpandConversions, ChangesSignsAsBits) {
  for (const SmallType& type : small_types) {
    const std::vector<std::uint64_t> patterns = all_patterns(type.element);
    const std::uint64_t sign = std::uint64_t{1} << (bits(type.element) - 1);
    std::vector<std::uint64_t> negated;
    std::vector<std::uint64_t> positive;
    for (std::uint64_t pattern : patterns) {
      negated.push_back(pattern ^ sign);
      positive.push_back(pattern & ~sign);
    }
    expect_equal(apply("neg", type.element, type.element, {patterns}), negated, patterns, "neg");
    expect_equal(apply("abs", type.element, type.element, {patterns}), positive, patterns, "abs");
  }
}

TEST(ExpandConversions, KeepsWhatTheTargetHas) {
  Kernel kernel = read_kernel(
      "kernel k(%p: ptr) {\n"
      "  %0 = load f16x8 %p align 2\n"
      "  %1 = fconvert f64x8 %0\n"
      "  %2 = fconvert f16x8 %1\n"
      "  %3 = fconvert f32x8 %2\n"
      "  store f32x8 %3, %p align 4\n"
      "}\n");
  expand_conversions(kernel, {.f16 = true});
  int from_and_to_f32 = 0;
  walk(kernel.body, [&](const Op& op) {
    if (op.code != Opcode::fconvert) return;
    const Element from = kernel.values[op.operands[0]].type.element;
    const Element to = kernel.values[op.results[0]].type.element;
    if (from == Element::f16 || to == Element::f16) {
      EXPECT_TRUE(from == Element::f32 || to == Element::f32);
      ++from_and_to_f32;
    }
  });
  EXPECT_EQ(from_and_to_f32, 3);
}

TEST(ExpandConversions, WritesBfloat16AsTheUpperHalfOfF32) {
  Kernel kernel = read_kernel(
      "kernel k(%p: ptr) {\n"
      "  %0 = load bf16x8 %p align 2\n"
      "  %1 = fconvert f32x8 %0\n"
      "  store f32x8 %1, %p align 4\n"
      "}\n");
  expand_conversions(kernel, {});
  EXPECT_EQ(to_text(kernel),
            "kernel k(%p: ptr) {\n"
            "  %0 = constant i32x8 16\n"
            "  %1 = load bf16x8 %p align 2\n"
            "  %2 = bitcast i16x8 %1\n"
            "  %3 = zext i32x8 %2\n"
            "  %4 = shl i32x8 %3, %0\n"
            "  %5 = bitcast f32x8 %4\n"
            "  store f32x8 %5, %p align 4\n"
            "}\n");
}

}  // namespace
}  // namespace tilewright::kernel
