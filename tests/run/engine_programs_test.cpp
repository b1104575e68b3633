// Programs through the engine: what fusion may not change. Operands are small multiples of powers of two, so that f32
// holds every sum and product exactly and results are compared bit for bit: with the statements run one by one, and
// with the f64 reference of each.
// TILEWRIGHT_FUZZ_COUNT says how many random programs there are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "engine_call.h"
#include "nest/bind_program.h"
#include "nest/evaluate.h"
#include "runtime/fill.h"
#include "runtime/fused_program.h"

namespace tilewright::differential {
namespace {

bool on_simulator() {
  return tested_device().is_simulated();
}

Kernel parsed(const std::string& text) {
  auto kernel = Kernel::parse(text);
  if (!kernel) throw std::runtime_error(text + render(kernel.error()));
  return *kernel;
}

/// All results of a program; fails the test where there are none.
std::vector<Operand> results_of(const std::string& text, const std::vector<Operand>& operands) {
  auto results = tested_device().run(parsed(text), operands);
  if (!results) return ADD_FAILURE() << text << render(results.error()), std::vector<Operand>{};
  return *results;
}

std::vector<std::string> decisions_of(const std::string& text, const std::vector<Operand>& operands) {
  const Kernel kernel = parsed(text);
  std::vector<lang::OperandType> types;
  for (const Operand& each : operands) types.push_back({each.name, each.tensor.dtype(), each.tensor.shape()});
  return fuse_program(kernel, types).value().decisions;
}

/// Statements of the program that are computed as parts of others.
int joined_in(const std::string& text, const std::vector<Operand>& operands) {
  return static_cast<int>(std::ranges::count_if(
      decisions_of(text, operands), [](const std::string& decision) { return decision.contains(" joins "); }));
}

/// Of random ones.
unsigned programs_to_try() {
  const char* given = std::getenv("TILEWRIGHT_FUZZ_COUNT");
  return given != nullptr ? static_cast<unsigned>(std::atoi(given)) : on_simulator() ? 150 : 60;
}

/// Each statement by itself on the same engine; the values of all.
std::vector<Operand> one_by_one(const Kernel& kernel, std::vector<Operand> values) {
  for (const Kernel& step : kernel.steps()) {
    std::vector<Operand> read;
    for (const std::string& name : step.operand_names())
      read.push_back(*std::ranges::find(values, name, &Operand::name));
    values.push_back({step.name(), tested_device().eval(step, read).value()});
  }
  return values;
}

/// The same by the reference.
std::vector<Operand> by_reference(const Kernel& kernel, std::vector<Operand> values) {
  for (const lang::Statement& statement : kernel.program()->statements) {
    std::vector<nest::NamedView> views;
    for (const std::string& name : statement.tensors_read())
      views.push_back({name, std::ranges::find(values, name, &Operand::name)->tensor.view()});
    const nest::Nest nest = nest::bind_nest(statement, types_of(views)).value().nest;
    const auto reference = nest::evaluate(nest, views).value();
    const Tensor result = Tensor::allocate(nest.output, reference.shape).value();
    std::size_t n = 0;
    for_each_index(reference.shape, [&](const Extents& index) { result.view().set(index, reference.rounded[n++]); });
    values.push_back({statement.target.name, result});
  }
  return values;
}

TEST(EnginePrograms, values_are_rounded_to_the_type_that_they_were_stored_in) {
  // 1 + 2^-11 lies between two values of f16 and rounds to the even one, 1; unrounded, 2048 times it is 2049.
  const std::vector<Operand> x = {{"x", tensor_of(DType::f32, {4}, {1 + std::ldexp(1, -11), 3, 1, 2})}};
  const std::string map = "program p(x) -> (y):\n  t:f16[i] = x[i]\n  y[i] = cast(f32, t[i]) * 2048.0\n";
  EXPECT_EQ(decisions_of(map, x).size(), 2U);
  EXPECT_TRUE(decisions_of(map, x)[0].starts_with("t joins y: ")) << decisions_of(map, x)[0];
  EXPECT_EQ(values_of(results_of(map, x)[0].tensor), (Numbers{2048, 6144, 2048, 4096}));

  const std::vector<Operand> rows = {
      {"x", tensor_of(DType::f32, {2, 3}, {1, std::ldexp(1, -12), std::ldexp(1, -12), 4, 4, 5})}};
  const std::string sum = "program p(x) -> (y):\n  t:f16[i] ++= x[i, k]\n  y[i] = cast(f32, t[i]) * 2048.0\n";
  EXPECT_TRUE(decisions_of(sum, rows)[0].starts_with("t joins y: ")) << decisions_of(sum, rows)[0];
  EXPECT_EQ(values_of(results_of(sum, rows)[0].tensor), (Numbers{2048, 26624}));

  // i8 wraps: 100 + 100 is -56.
  const std::vector<Operand> bytes = {{"x", tensor_of(DType::i8, {3}, {100, -100, 7})}};
  const std::string narrow = "program p(x) -> (y):\n  t:i8[i] = x[i] + x[i]\n  y[i] = cast(i32, t[i]) + 1\n";
  EXPECT_EQ(values_of(results_of(narrow, bytes)[0].tensor), (Numbers{-55, 57, 15}));
}

/// 16 elementwise statements after a product, each of up to 3 operands, with 8 tensors beside it.
std::string long_chain(const std::string& block) {
  return "program p(a, b, full, row, column, one, scale, gate, low, mask) -> (y):\n"
         "  mm:f32[i, j] ++= a[i, k] * b[k, j]" +
         block +
         "  c1[i, j] = mm[i, j] + full[i, j]\n"
         "  c2[i, j] = c1[i, j] + row[j]\n"
         "  c3[i, j] = c2[i, j] - column[i]\n"
         "  c4[i, j] = c3[i, j] * scale[j]\n"
         "  c5[i, j] = relu(c4[i, j])\n"
         "  c6:f16[i, j] = cast(f16, min(c5[i, j], one[] + gate[i, j]))\n"
         "  c7[i, j] = cast(f32, c6[i, j]) + 0.5\n"
         "  c8[i, j] = select(mask[i, j] > 0.0, c7[i, j], low[i])\n"
         "  c9[i, j] = max(c8[i, j], low[i])\n"
         "  c10[i, j] = c9[i, j] - full[i, j]\n"
         "  c11[i, j] = abs(c10[i, j])\n"
         "  c12[i, j] = c11[i, j] + c11[i, j]\n"
         "  c13[i, j] = c12[i, j] * 0.5\n"
         "  c14[i, j] = c13[i, j] + gate[i, j]\n"
         "  c15[i, j] = min(c14[i, j], 300.0)\n"
         "  y:f16[i, j] = cast(f16, c15[i, j] - row[j])\n";
}

std::vector<Operand> chain_operands(std::int64_t m, std::int64_t n, std::int64_t k) {
  std::mt19937 random(3);
  const auto made = [&](DType dtype, const Extents& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    Numbers numbers;
    for (std::int64_t at = 0; at < count; ++at)
      numbers.push_back(std::uniform_int_distribution<int>(-16, 16)(random) / 8.0);
    return tensor_of(dtype, shape, numbers);
  };
  return {{"a", made(DType::f16, {m, k})},   {"b", made(DType::f16, {k, n})},    {"full", made(DType::f32, {m, n})},
          {"row", made(DType::f32, {n})},    {"column", made(DType::f32, {m})},  {"one", made(DType::f32, {})},
          {"scale", made(DType::f32, {n})},  {"gate", made(DType::f32, {m, n})}, {"low", made(DType::f32, {m})},
          {"mask", made(DType::f32, {m, n})}};
}

TEST(EnginePrograms, sixteen_operations_with_eight_tensors_follow_a_product) {
  std::vector<std::string> schedules = {"", "split(k, 4)",
                                        "tile(i, 16)\n      tile(j, 8)\n      tile(k, 16)\n      cache(a)"};
  if (on_simulator()) schedules.insert(schedules.end(), {"variant = warp", "variant = warpgroup\n      split(k, 2)"});
  for (const std::string& schedule : schedules) {
    const std::string text =
        long_chain(schedule.empty() ? "\n" : fmt::format(" do:\n    schedule:\n      {}\n", schedule));
    const std::vector<Operand> operands = chain_operands(37, 29, 65);
    std::vector<std::string> decisions = decisions_of(text, operands);
    ASSERT_EQ(decisions.size(), 17U);
    EXPECT_EQ(decisions.back(), "y stays: it is a result");
    const std::vector<Operand> results = results_of(text, operands);
    ASSERT_EQ(results.size(), 1U);
    const Kernel kernel = parsed(text);
    EXPECT_EQ(values_of(results[0].tensor), values_of(by_reference(kernel, operands).back().tensor)) << text;
    EXPECT_EQ(values_of(results[0].tensor), values_of(one_by_one(kernel, operands).back().tensor)) << text;
  }
}

TEST(EnginePrograms, outputs_of_every_type_follow_a_product) {
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i8", "u8", "i32", "u32", "i64", "bool"}) {
    const std::string text = fmt::format(
        "program p(a, b, row) -> (y):\n  mm:f32[i, j] ++= a[i, k] * b[k, j]\n  c[i, j] = mm[i, j] + row[j]\n"
        "  y:{0}[i, j] = cast({0}, c[i, j] * 1.5)\n",
        type);
    std::vector<Operand> operands = chain_operands(19, 13, 33);
    std::erase_if(operands, [](const Operand& each) { return each.name.size() > 1 && each.name != "row"; });
    EXPECT_EQ(decisions_of(text, operands).size(), 3U) << text;
    EXPECT_TRUE(decisions_of(text, operands)[1].starts_with("c joins y: ")) << text;
    const Kernel kernel = parsed(text);
    EXPECT_EQ(values_of(results_of(text, operands)[0].tensor), values_of(by_reference(kernel, operands).back().tensor))
        << text;
  }
}

// ---- Random programs ----

/// Values are multiples of 2^-8 up to 32, those of parameters of 2^-3 up to 2: f32 holds what is made of them.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    m_ = draw(1, 20), n_ = draw(1, 20);
    add_parameter("a", {m_, n_}), add_parameter("b", {m_, n_}), add_parameter("r", {n_}), add_parameter("c", {m_});
    add_parameter("w", {n_, n_}), add_parameter("s", {});
    const std::int64_t statements = draw(2, 5);
    std::string body;
    for (std::int64_t n = 0; n < statements; ++n) body += "  " + statement("v" + std::to_string(n)) + "\n";
    std::string results = targets_.back();
    for (std::size_t n = 0; n + 1 < targets_.size(); ++n)
      if (draw(0, 7) == 0) results += ", " + targets_[n];
    text = "program p(a, b, r, c, w, s) -> (" + results + "):\n" + body;
  }

  std::string text;
  std::vector<Operand> operands;

 private:
  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  template <class T>
  const T& any(const std::vector<T>& of) {
    // The latest more often: chains are what fuses.
    const auto last = static_cast<std::int64_t>(of.size()) - 1;
    return of[static_cast<std::size_t>(draw(0, 2) != 0 ? last : draw(0, last))];
  }

  void add_parameter(const std::string& name, const Extents& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    Numbers numbers;
    for (std::int64_t at = 0; at < count; ++at) numbers.push_back(static_cast<double>(draw(-16, 16)) / 8);
    operands.push_back({name, tensor_of(DType::f32, shape, numbers)});
  }

  static std::string plane(const std::string& name) { return "cast(f32, " + name + "[i, j])"; }

  std::string other() {
    switch (draw(0, 5)) {
      case 0:
        return "r[j]";
      case 1:
        return "s[]";
      case 2:
        return "cast(f32, " + any(columns_) + "[i])";
      case 3:
        return "(cast(f32, " + any(planes_) + "[i, j - 1] else 0.5))";
      default:
        return plane(any(planes_));
    }
  }

  std::string value() {
    const std::string x = plane(any(planes_));
    switch (draw(0, 6)) {
      case 0:
        return x + " + " + other();
      case 1:
        return x + " - " + other();
      case 2:
        return "relu(" + x + ") * 0.5";
      case 3:
        return "max(" + x + ", " + other() + ")";
      case 4:
        return "select(" + x + " > " + other() + ", " + x + ", -" + x + ")";
      case 5:
        return "abs(" + x + ") + cast(f32, i)";
      default:
        return "-" + x + " * 2.0";
    }
  }

  static std::string bounded(const std::string& value) { return "min(max(" + value + ", -32.0), 32.0)"; }

  std::string statement(const std::string& name) {
    const std::string type = draw(0, 2) == 0 ? ":f16" : "";
    targets_.push_back(name);
    switch (draw(0, 6)) {
      case 0: {
        const std::string line =
            name + type + "[i, j] ++= cast(f32, " + any(planes_) + "[i, k]) * w[k, j] then " + bounded(name + "[i, j]");
        planes_.push_back(name);
        return line;
      }
      case 1: {
        const std::string line = name + type + "[i] ++= " + plane(any(planes_)) + " then " + bounded(name + "[i]");
        columns_.push_back(name);
        return line;
      }
      case 2: {
        const std::string line = name + type + "[i] max= " + plane(any(planes_));
        columns_.push_back(name);
        return line;
      }
      case 3: {
        const std::string line = name + type + "[i] = " + bounded("cast(f32, " + any(columns_) + "[i]) + c[i]");
        columns_.push_back(name);
        return line;
      }
      default: {
        const std::string line = name + type + "[i, j] = " + bounded(value());
        planes_.push_back(name);
        return line;
      }
    }
  }

  std::mt19937 random_;
  std::int64_t m_ = 1, n_ = 1;
  std::vector<std::string> planes_{"a", "b"}, columns_{"c"}, targets_;
};

TEST(EnginePrograms, random_programs_are_what_their_statements_are) {
  int joined = 0;
  for (unsigned seed = 1; seed <= programs_to_try(); ++seed) {
    const RandomProgram program(seed);
    const Kernel kernel = parsed(program.text);
    joined += joined_in(program.text, program.operands);
    const std::vector<Operand> reference = by_reference(kernel, program.operands);
    const std::vector<Operand> separate = one_by_one(kernel, program.operands);
    for (const Operand& result : results_of(program.text, program.operands)) {
      const auto value = [&](const std::vector<Operand>& from) {
        return values_of(std::ranges::find(from, result.name, &Operand::name)->tensor);
      };
      ASSERT_EQ(values_of(result.tensor), value(reference)) << "seed " << seed << ", " << result.name << "\n"
                                                            << program.text;
      ASSERT_EQ(values_of(result.tensor), value(separate)) << "seed " << seed << ", " << result.name << "\n"
                                                           << program.text;
    }
  }
  EXPECT_GT(joined, static_cast<int>(programs_to_try()) / 2);
}

// ---- Reads of every form ----

/// Programs of one type whose statements read values with axes permuted, on diagonals, with strides, backwards and at
/// constants, some of them empty. Floats are multiples of 1/8 up to 32, which sums and differences keep exact; integers
/// wrap.
class RandomReads {
 public:
  explicit RandomReads(unsigned seed) : random_(seed) {
    constexpr std::array types = {DType::f32, DType::i32, DType::i64, DType::i8, DType::u8};
    type_ = types[static_cast<std::size_t>(draw(0, 4))];
    const std::int64_t side = draw(0, 11) == 0 ? 0 : draw(1, 9);  // of squares: what has diagonals and fits together
    for (const char* parameter : {"a", "b", "c"}) {
      Extents shape;
      for (std::int64_t axis = draw(1, 3); axis > 0; --axis) shape.push_back(draw(0, 2) == 0 ? draw(1, 7) : side);
      std::int64_t count = 1;
      for (const std::int64_t extent : shape) count *= extent;
      Numbers numbers;
      for (std::int64_t at = 0; at < count; ++at)
        numbers.push_back(static_cast<double>(draw(type_ == DType::u8 ? 0 : -100, 100)) / (is_floating(type_) ? 8 : 1));
      operands.push_back({parameter, tensor_of(type_, shape, numbers)});
      values_.push_back({parameter, shape});
    }
    std::string body;
    for (std::int64_t n = draw(2, 5); n > 0; --n) body += "  " + statement() + "\n";
    text = "program p(a, b, c) -> (" + values_.back().name + "):\n" + body;
  }

  std::string text;
  std::vector<Operand> operands;

 private:
  struct Value {
    std::string name;
    Extents shape;
  };
  struct Iterator {
    std::string name;
    std::int64_t extent;
  };

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  /// An index of an axis, which makes new iterators or, where `old`, only takes those that are there.
  std::string index(std::int64_t extent, std::vector<Iterator>& iterators, bool old) {
    if (draw(0, 2) != 0 || old) {
      const auto first = static_cast<std::size_t>(draw(0, 8));
      for (std::size_t n = 0; n < iterators.size(); ++n)
        if (const Iterator& each = iterators[(first + n) % iterators.size()]; each.extent == extent) return each.name;
    }
    if (extent > 0 && (old || draw(0, 5) == 0)) return std::to_string(draw(0, extent - 1));
    const std::string name(1, "ijklmnop"[iterators.size()]);
    const std::int64_t form = extent == 0 ? 3 : draw(0, 6);
    const std::int64_t at = extent == 0 ? 0 : draw(0, extent - 1);
    if (form == 0) return iterators.push_back({name, (extent - 1 - at) / 2 + 1}), fmt::format("2*{} + {}", name, at);
    if (form == 1) return iterators.push_back({name, at + 1}), fmt::format("-{} + {}", name, at);
    if (form == 2) return iterators.push_back({name, (extent - 1) / 3 + 1}), fmt::format("3*{}", name);
    return iterators.push_back({name, extent}), name;
  }

  /// A read of a value; empty where it needs an iterator that is not there.
  std::string read(const Value& value, std::vector<Iterator>& iterators, bool old) {
    std::string slots;
    for (const std::int64_t extent : value.shape) {
      const bool fits = extent > 0 || std::ranges::find(iterators, extent, &Iterator::extent) != iterators.end();
      if (old && !fits) return "";
      slots += (slots.empty() ? "" : ", ") + index(extent, iterators, old);
    }
    return value.name + "[" + slots + "]";
  }

  std::string bounded(const std::string& value) const {
    return is_floating(type_) ? "min(max(" + value + ", -32.0), 32.0)" : value;
  }

  std::string statement() {
    std::vector<Iterator> iterators;
    const auto last = static_cast<std::int64_t>(values_.size()) - 1;
    const auto any = [&]() -> const Value& { return values_[static_cast<std::size_t>(draw(0, last))]; };
    std::string value = read(draw(0, 3) != 0 ? values_.back() : any(), iterators, false);
    const std::string other = read(any(), iterators, true);
    constexpr std::array operators = {" + ", " - ", " * "};
    if (!other.empty()) value += operators[static_cast<std::size_t>(draw(0, is_floating(type_) ? 1 : 2))] + other;
    if (draw(0, 3) == 0) value = "max(" + value + ", " + read(values_.front(), iterators, true) + ")";
    if (value.ends_with(", )")) value = value.substr(4, value.size() - 7);
    std::ranges::shuffle(iterators, random_);
    const std::size_t reduced =
        draw(0, 2) == 0 ? static_cast<std::size_t>(draw(0, static_cast<int>(iterators.size()))) : 0;
    Value target{"v" + std::to_string(values_.size()), {}};
    std::string axes;
    for (std::size_t n = reduced; n < iterators.size(); ++n) {
      axes += (axes.empty() ? "" : ", ") + iterators[n].name;
      target.shape.push_back(iterators[n].extent);
    }
    values_.push_back(target);
    const std::string stored = target.name + "[" + axes + "]";
    const std::string typed = fmt::format("{}:{}[{}]", target.name, name(type_), axes);
    if (reduced == 0) return typed + " = " + bounded(value);
    return typed + (draw(0, 2) == 0 ? " max= " : " ++= ") + value + " then " + bounded(stored);
  }

  std::mt19937 random_;
  DType type_ = DType::f32;
  std::vector<Value> values_;
};

TEST(EnginePrograms, reads_of_every_form_are_fused_rightly) {
  int joined = 0;
  for (unsigned seed = 1; seed <= programs_to_try(); ++seed) {
    const RandomReads program(seed);
    const Kernel kernel = parsed(program.text);
    joined += joined_in(program.text, program.operands);
    const std::vector<Operand> results = results_of(program.text, program.operands);
    ASSERT_EQ(results.size(), 1U) << "seed " << seed;
    ASSERT_EQ(values_of(results[0].tensor), values_of(by_reference(kernel, program.operands).back().tensor))
        << "seed " << seed << "\n"
        << program.text;
    ASSERT_EQ(values_of(results[0].tensor), values_of(one_by_one(kernel, program.operands).back().tensor))
        << "seed " << seed << "\n"
        << program.text;
  }
  EXPECT_GT(joined, static_cast<int>(programs_to_try()) / 2);
}

// ---- Inexact values ----

TEST(EnginePrograms, inexact_values_keep_every_bit) {
  const auto normal = [](Extents shape, std::uint64_t seed) {
    return random_normal(DType::f32, std::move(shape), seed).value();
  };
  const std::vector<Operand> operands = {
      {"a", normal({45, 67}, 1)}, {"b", normal({45, 67}, 2)}, {"r", normal({67}, 3)}, {"w", normal({67, 67}, 4)}};
  for (const std::string body : {
           // A product that is added to: rounded in between.
           "  t[i, j] = a[i, j] * b[i, j]\n  u[i, j] = t[i, j] + r[j]\n  y[i, j] = u[i, j] * 0.9 + b[i, j]\n",
           "  t[i, j] = a[i, j] * b[i, j]\n  y[i, j] = r[j] - t[i, j]\n",
           "  t[i, j] = a[i, j] / 3.0\n  u[i, j] = exp(t[i, j]) * r[j]\n  y[j, i] = u[i, j] * 0.7 + a[i, j]\n",
           "  t[i] ++= a[i, j] * r[j]\n  u[i] = t[i] * 0.3\n  y[i] = u[i] + 0.1\n",
           "  t[i, j] ++= a[i, k] * w[k, j]\n  u[i, j] = t[i, j] * r[j]\n  y[i, j] = u[i, j] + b[i, j]\n",
           "  t:f16[i, j] ++= a[i, k] * w[k, j]\n  y[i, j] = cast(f32, t[i, j]) * r[j] + b[i, j]\n",
       }) {
    std::string text = "program p(a, b, r, w) -> (y):\n" + body;
    std::vector<Operand> read;
    std::string names;
    for (const Operand& operand : operands)
      if (text.find(operand.name + "[", text.find('\n')) != std::string::npos) {
        read.push_back(operand);
        names += (names.empty() ? "" : ", ") + operand.name;
      }
    text.replace(text.find("a, b, r, w"), 10, names);
    const std::vector<std::string> decisions = decisions_of(text, read);
    EXPECT_TRUE(decisions[0].contains(" joins ")) << text << decisions[0];
    const std::vector<Operand> results = results_of(text, read);
    ASSERT_EQ(results.size(), 1U);
    const Tensor fused = results[0].tensor;
    const Tensor separate = one_by_one(parsed(text), read).back().tensor;
    ASSERT_EQ(fused.byte_size(), separate.byte_size());
    EXPECT_EQ(std::memcmp(fused.data(), separate.data(), static_cast<std::size_t>(fused.byte_size())), 0) << text;
  }
}

// ---- Memory ----

/// Each statement reads the one before with 'else', so that all stay.
std::string chain_of_ten() {
  std::string text = "program p(x) -> (y):\n";
  for (int n = 0; n < 10; ++n)
    text += fmt::format("  {}[i] = ({}[i - 1] else 1.0) + 1.0 | (i in 0 ..< 1024)\n",
                        n == 9 ? "y" : fmt::format("t{}", n), n == 0 ? "x" : fmt::format("t{}", n - 1));
  return text;
}

TEST(EnginePrograms, intermediate_results_share_memory_and_are_bounded) {
  const std::vector<Operand> x = {{"x", tensor_of(DType::f32, {1024}, counting(1024))}};
  Numbers expected;
  for (int i = 0; i < 1024; ++i) expected.push_back(i < 10 ? i + 2 : i);
  // The value at i has come from x[i - 10], 10 more; from outside, with 1 + as many additions as there were since.
  EXPECT_EQ(values_of(results_of(chain_of_ten(), x)[0].tensor), expected);

  const Kernel kernel = parsed(chain_of_ten());
  const FusedProgram fused = fuse_program(kernel, {{"x", DType::f32, {1024}}}).value();
  EXPECT_EQ(fused.program.nests.size(), 10U);
  EXPECT_EQ(fused.intermediates.size(), 9U);
  EXPECT_EQ(fused.arena_bytes, 2 * 4096);

  const std::string device = tested_device().device_name();
  const Engine enough = Engine::open(device, {.disk_cache = false, .workspace_limit = 8192}).value();
  EXPECT_EQ(values_of(enough.run(kernel, x).value()[0].tensor), expected);
  const Engine less = Engine::open(device, {.disk_cache = false, .workspace_limit = 8191}).value();
  const auto refused = less.run(kernel, x);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].code, "R078");
  EXPECT_EQ(refused.error()[0].message,
            "p needs 8192 bytes for intermediate results and a workspace of 0 bytes, the limit is 8191");
}

TEST(EnginePrograms, nothing_is_left_of_what_nothing_reads) {
  const std::vector<Operand> x = {{"x", tensor_of(DType::f32, {3}, {1, 2, 3})}};
  const std::string text = "program p(x) -> (y):\n  u[] ++= x[i]\n  v[] = u[] * 2.0\n  y[i] = x[i] + 1.0\n";
  EXPECT_EQ(values_of(results_of(text, x)[0].tensor), (Numbers{2, 3, 4}));
}

TEST(EnginePrograms, empty_values_and_scalars_pass_through) {
  const std::string text =
      "program p(x) -> (y, z):\n  t[i] = x[i] + 1.0\n  s[] ++= t[i]\n  y[] = s[] + 1.0\n  z[i] = x[i] * 2.0\n";
  const std::vector<Operand> nothing = {{"x", tensor_of(DType::f32, {0}, {})}};
  const std::vector<Operand> results = results_of(text, nothing);
  EXPECT_EQ(values_of(results[0].tensor), (Numbers{1}));
  EXPECT_EQ(results[1].tensor.shape(), (Extents{0}));
}

TEST(EnginePrograms, errors_are_at_their_statement) {
  const std::string text = "program p(x, z) -> (y):\n  t[i] = x[i] + 1.0\n  y[i] = t[i] + z[i]\n";
  const auto failed = tested_device().run(
      parsed(text), {{"x", tensor_of(DType::f32, {3}, {1, 2, 3})}, {"z", tensor_of(DType::f32, {2}, {1, 2})}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error()[0].code, "B010");
  EXPECT_GE(failed.error()[0].span.begin, text.find("y[i] = "));
}

}  // namespace
}  // namespace tilewright::differential
