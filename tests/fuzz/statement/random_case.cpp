// Draws cases. See random_case.h.
#include "random_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace tilewright::differential {
namespace {

/// Uniform in [0, count); shrinks towards 0.
std::size_t pick(std::size_t count) {
  return static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(count)));
}
/// True in `percent` of all draws; shrinks towards false.
bool chance(int percent) {
  return *rc::gen::inRange(0, 100) >= 100 - percent;
}
std::int64_t between(int low, int high) {
  return *rc::gen::inRange(low, high + 1);
}
template <class T, std::size_t n>
T one_of(const std::array<T, n>& values) {
  return values[pick(n)];
}

struct Iterator {
  std::string name;
  std::int64_t extent = 1;
  bool reduced = false;
  bool held = false;  ///< alone in a slot of a read without 'else'
};

class CaseDraw {
 public:
  explicit CaseDraw(Flavour flavour) : flavour_(flavour) {}

  Case draw() {
    type_ = chance(50) ? DType::f32 : static_cast<DType>(pick(12));
    draw_iterators();
    draw_operator();
    std::string text = target() + " " + op_ + " ";
    text += flavour_ == Flavour::contraction && !is_boolean(type_) ? factors()
                                                                   : value(type_, 1 + static_cast<int>(pick(3)));
    text += binding();
    if (chance(25)) text += " then " + epilogue();
    text += "\n";
    if (flavour_ == Flavour::scheduled || chance(20)) text.insert(text.size() - 1, " do:\n  schedule:" + schedule());
    case_.statement = text;
    draw_values();
    draw_output();
    case_.seed = static_cast<std::uint64_t>(*rc::gen::inRange(1, 1 << 20));
    case_.processor = one_of(std::array<std::string, 4>{"", "sse2", "avx2", "avx512"});
    case_.small_caches = chance(50);
    return case_;
  }

 private:
  void draw_iterators() {
    static constexpr std::array<const char*, 8> names{"i", "j", "k", "l", "m", "n", "p", "q"};
    static constexpr std::array<std::int64_t, 16> edges{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 0};
    const std::size_t least = flavour_ == Flavour::contraction ? 2 : 0;
    const std::size_t count = chance(5) ? 8 : least + pick(5);
    const bool reduces = flavour_ == Flavour::reduction || flavour_ == Flavour::contraction || chance(50);
    const std::size_t kept = reduces ? pick(count + 1) : count;
    std::int64_t points = 1;
    for (std::size_t n = 0; n < count; ++n) {
      std::int64_t extent = chance(60) ? one_of(edges) : between(1, 40);
      if (points * extent > 12000) extent = between(1, 3);
      points *= std::max<std::int64_t>(extent, 1);
      iterators_.push_back({names[n], extent, n >= kept, false});
    }
  }

  void draw_operator() {
    const bool must = std::ranges::any_of(iterators_, &Iterator::reduced);
    const bool extremum = is_boolean(type_) || (flavour_ != Flavour::contraction && chance(30));
    op_ = !must && chance(80) ? "=" : extremum ? (chance(50) ? "max=" : "min=") : chance(10) ? "*=" : "++=";
  }

  std::string target() const {
    std::vector<std::string> kept;
    for (const Iterator& iterator : iterators_)
      if (!iterator.reduced) kept.push_back(iterator.name);
    return fmt::format("o{}[{}]", annotation_, fmt::join(kept, ", "));
  }

  // Reads.

  OperandSpec* existing(DType type) {
    for (OperandSpec& spec : case_.operands)
      if (spec.dtype == type && chance(20)) return &spec;
    return nullptr;
  }

  std::string read(DType type, bool in_epilogue = false) {
    if (OperandSpec* spec = existing(type)) return read_again(*spec, in_epilogue);
    OperandSpec spec;
    spec.name = fmt::format("t{}", case_.operands.size());
    spec.dtype = type;
    const bool otherwise = chance(12);
    std::vector<std::string> slots;
    std::size_t rank = chance(70) ? std::min<std::size_t>(usable(in_epilogue).size(), 8) : pick(4);
    std::vector<std::size_t> order = usable(in_epilogue);
    if (chance(40)) shuffle(order);
    for (std::size_t axis = 0; axis < rank; ++axis) slots.push_back(slot(spec, order, axis, otherwise));
    draw_strides(spec);
    case_.operands.push_back(spec);
    return spec.name + "[" + fmt::format("{}", fmt::join(slots, ", ")) + "]" + (otherwise ? else_value(type) : "");
  }

  std::vector<std::size_t> usable(bool in_epilogue) const {
    std::vector<std::size_t> result;
    for (std::size_t n = 0; n < iterators_.size(); ++n)
      if (!in_epilogue || !iterators_[n].reduced) result.push_back(n);
    return result;
  }

  static void shuffle(std::vector<std::size_t>& order) {
    for (std::size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[pick(n)]);
  }

  std::string slot(OperandSpec& spec, const std::vector<std::size_t>& order, std::size_t axis, bool otherwise) {
    if (order.empty() || chance(6)) {
      const std::int64_t at = between(otherwise ? -1 : 0, 3);
      spec.shape.push_back(otherwise ? between(0, 4) : at + between(1, 3));
      return fmt::format("{}", at);
    }
    Iterator& iterator = iterators_[order[axis % order.size()]];
    if (!chance(15)) {
      spec.shape.push_back(otherwise && chance(70) ? between(0, static_cast<int>(iterator.extent) + 2)
                                                   : iterator.extent);
      if (!otherwise) iterator.held = true;
      return iterator.name;
    }
    return affine(spec, order, iterator, otherwise);
  }

  std::string affine(OperandSpec& spec, const std::vector<std::size_t>& order, const Iterator& first, bool otherwise) {
    static constexpr std::array<std::int64_t, 6> coefficients{1, 2, -1, 3, -2, 5};
    std::int64_t coefficient = one_of(coefficients);
    std::string text = fmt::format("{}*{}", coefficient, first.name);
    std::int64_t low = std::min<std::int64_t>(0, coefficient * (first.extent - 1));
    std::int64_t high = std::max<std::int64_t>(0, coefficient * (first.extent - 1));
    const Iterator& second = iterators_[order[pick(order.size())]];
    if (second.name != first.name && chance(60)) {
      coefficient = one_of(coefficients);
      text += fmt::format(" + {}*{}", coefficient, second.name);
      low += std::min<std::int64_t>(0, coefficient * (second.extent - 1));
      high += std::max<std::int64_t>(0, coefficient * (second.extent - 1));
    }
    const std::int64_t constant = otherwise ? between(-4, 4) : -low + between(0, 2);
    spec.shape.push_back(otherwise ? between(0, static_cast<int>(high - low) + 3) : high + constant + between(1, 3));
    return text + fmt::format(" + {}", constant);
  }

  /// A tensor that is read already, with other indices.
  std::string read_again(const OperandSpec& spec, bool in_epilogue) {
    std::vector<std::string> slots;
    bool may_leave = false;
    for (const std::int64_t extent : spec.shape) {
      std::vector<std::size_t> fitting;
      for (std::size_t n : usable(in_epilogue))
        if (iterators_[n].extent == extent) fitting.push_back(n);
      if (!fitting.empty()) {
        slots.push_back(iterators_[fitting[pick(fitting.size())]].name);
      } else {
        slots.push_back(fmt::format("{}", extent > 0 ? between(0, static_cast<int>(extent) - 1) : 0));
        may_leave = may_leave || extent == 0;
      }
    }
    return fmt::format("{}[{}]{}", spec.name, fmt::join(slots, ", "), may_leave ? else_value(spec.dtype) : "");
  }

  static std::string else_value(DType type) {
    if (is_boolean(type)) return "";
    if (!is_floating(type)) return type == DType::u8 || type == DType::u32 ? " else 3" : " else -3";
    return chance(20) ? " else -inf" : chance(20) ? " else nan" : " else 1.5";
  }

  static void draw_strides(OperandSpec& spec) {
    if (chance(30)) spec.misalign = between(1, 9);
    if (chance(60)) return;
    spec.strides = strides(spec.shape, true);
  }

  /// Of distinct elements unless `may_repeat`.
  static std::vector<std::int64_t> strides(const std::vector<std::int64_t>& shape, bool may_repeat) {
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    if (chance(50)) shuffle(order);
    std::vector<std::int64_t> result(shape.size());
    std::int64_t step = chance(25) ? between(2, 3) : 1;
    for (std::size_t n = order.size(); n-- > 0;) {
      const std::size_t axis = order[n];
      result[axis] = chance(20) ? -step : step;
      step *= std::max<std::int64_t>(shape[axis], 1);
      if (chance(25)) step += between(1, 5);
      if (may_repeat && chance(10)) result[axis] = 0;
      if (shape[axis] == 1 && chance(20)) result[axis] = between(-3, 1000);
    }
    return result;
  }

  // Expressions of operand type `type`.

  std::string literal(DType type) {
    if (is_floating(type)) return one_of(std::array<std::string, 5>{"2.0", "0.5", "1", "0.25", "3"});
    return one_of(std::array<std::string, 4>{"1", "2", "3", "7"});
  }

  std::string leaf(DType type) {
    if (is_boolean(type)) return read(type);
    if (chance(8)) return literal(type);
    if (chance(8) && !iterators_.empty()) {
      const std::string& name = iterators_[pick(iterators_.size())].name;
      return fmt::format("cast({}, {})", tilewright::name(type), chance(30) ? "extent(" + name + ")" : name);
    }
    if (chance(12)) {
      const auto other = static_cast<DType>(pick(12));
      return fmt::format("cast({}, {})", name(type), read(other));
    }
    return read(type);
  }

  std::string condition(int depth) {
    if (chance(15))
      return fmt::format("({} {} {})", condition(depth - 1), chance(50) ? "and" : "or", read(DType::boolean));
    const DType type = chance(70) && !is_boolean(type_) ? type_ : one_of(std::array{DType::f32, DType::i32, DType::u8});
    return fmt::format("({} {} {})", value(type, std::max(depth - 1, 0)),
                       one_of(std::array<std::string, 6>{"<", "<=", ">", ">=", "==", "!="}), leaf(type));
  }

  std::string value(DType type, int depth) {
    if (depth <= 0 || chance(15)) return leaf(type);
    if (is_boolean(type))
      return chance(30)   ? fmt::format("(not {})", value(type, depth - 1))
             : chance(50) ? condition(depth - 1)
                          : fmt::format("({} {} {})", value(type, depth - 1), chance(50) ? "and" : "or", leaf(type));
    if (chance(10)) return fmt::format("select({}, {}, {})", condition(depth - 1), value(type, depth - 1), leaf(type));
    if (chance(20)) {
      static const std::array<std::string, 4> any{"abs", "relu", "max", "min"};
      const std::string& function = any[pick(4)];
      const std::string first = value(type, depth - 1);
      return function == "abs" || function == "relu" ? fmt::format("{}({})", function, first)
                                                     : fmt::format("{}({}, {})", function, first, leaf(type));
    }
    if (is_floating(type) && chance(25))
      return fmt::format("{}({})",
                         one_of(std::array<std::string, 12>{"exp", "log", "sqrt", "rsqrt", "tanh", "sin", "cos", "erf",
                                                            "sigmoid", "gelu", "silu", "relu"}),
                         value(type, depth - 1));
    if (chance(5)) return fmt::format("-({})", value(type, depth - 1));
    return fmt::format("({} {} {})", value(type, depth - 1),
                       one_of(std::array<std::string, 8>{"+", "*", "-", "+", "*", "-", "*", "/"}), leaf(type));
  }

  std::string factors() {
    std::string text = read(type_);
    for (std::size_t n = 1 + pick(2) + (chance(10) ? 1 : 0); n > 0; --n) text += " * " + read(type_);
    return text;
  }

  std::string epilogue() {
    std::vector<std::string> kept;
    for (const Iterator& iterator : iterators_)
      if (!iterator.reduced) kept.push_back(iterator.name);
    const std::string own = fmt::format("o[{}]", fmt::join(kept, ", "));
    if (is_boolean(type_)) return "not " + own;
    switch (pick(4)) {
      case 0:
        return "relu(" + own + ")";
      case 1:
        return own + " * 2 + 1";
      case 2:
        return own + " + " + read(info(type_).evaluate, true);
      default:
        return "max(" + own + ", cast(" + std::string(name(info(type_).evaluate)) + ", " + read(DType::i8, true) + "))";
    }
  }

  std::string binding() {
    std::vector<std::size_t> order(iterators_.size());
    std::iota(order.begin(), order.end(), 0);
    const bool all_held = std::ranges::all_of(iterators_, &Iterator::held);
    if (order.empty() || (all_held && !chance(30))) return "";
    if (chance(50)) shuffle(order);
    std::vector<std::string> items;
    for (const std::size_t n : order)
      items.push_back(iterators_[n].held && !chance(10)
                          ? iterators_[n].name
                          : fmt::format("{} in 0 ..< {}", iterators_[n].name, iterators_[n].extent));
    return fmt::format(" | ({})", fmt::join(items, ", "));
  }

  // Schedules.

  std::string schedule() {
    struct Loop {
      std::string name;
      bool reduced, tiled, split = false, wide = false, parallel = false, unrolled = false;
    };
    std::vector<Loop> loops;
    for (const Iterator& iterator : iterators_) loops.push_back({iterator.name, iterator.reduced, false});
    std::string text;
    const auto line = [&](const std::string& what) { text += "\n    " + what; };
    if (loops.empty()) return "\n    auto";
    static constexpr std::array<int, 9> sizes{4, 8, 16, 2, 3, 5, 32, 1, 7};
    for (std::size_t n = pick(4); n > 0; --n) {
      const std::size_t at = pick(loops.size());
      if (loops[at].tiled) continue;
      loops[at].tiled = true;
      line(fmt::format("tile({}, {})", loops[at].name, one_of(sizes)));
      loops.push_back({loops[at].name + ".in", loops[at].reduced, false});
    }
    for (const OperandSpec& spec : case_.operands)
      if (chance(20)) line(fmt::format("cache({})", spec.name));
    if (chance(40) && loops.size() > 1) {
      std::vector<std::size_t> order(loops.size());
      std::iota(order.begin(), order.end(), 0);
      shuffle(order);
      order.resize(2 + pick(order.size() - 1));
      std::vector<std::string> names;
      for (const std::size_t n : order) names.push_back(loops[n].name);
      line(fmt::format("reorder({})", fmt::join(names, ", ")));
    }
    for (std::size_t n = pick(4); n > 0; --n) {
      Loop& loop = loops[pick(loops.size())];
      const bool own = loop.name.find('.') == std::string::npos;
      switch (pick(4)) {
        case 0:
          if (!std::exchange(loop.wide, true)) line(fmt::format("vectorize({}, {})", loop.name, one_of(sizes)));
          break;
        case 1:
          if (!std::exchange(loop.unrolled, true)) line(fmt::format("unroll({}, {})", loop.name, one_of(sizes)));
          break;
        case 2:
          if (!loop.reduced && own && !std::exchange(loop.parallel, true)) line(fmt::format("parallel({})", loop.name));
          break;
        default:
          if (loop.reduced && own && !std::exchange(split_, true))
            line(fmt::format("split({}, {})", loop.name, between(1, 5)));
          break;
      }
    }
    if (text.empty() || chance(5)) line("auto");
    return text;
  }

  // Contents and memory.

  void draw_values() {
    Values values = Values::normal;
    if (chance(30)) values = Values::whole;
    if (chance(10)) values = Values::positive;
    if (chance(12)) values = Values::extreme;
    if (op_ == "*=") values = chance(50) ? Values::near_one : Values::positive;
    for (OperandSpec& spec : case_.operands) spec.values = values;
  }

  void draw_output() {
    if (chance(25)) case_.output_misalign = between(1, 9);
    if (chance(65)) return;
    std::vector<std::int64_t> shape;
    for (const Iterator& iterator : iterators_)
      if (!iterator.reduced) shape.push_back(iterator.extent);
    case_.output_strides = strides(shape, false);
  }

  Flavour flavour_;
  Case case_;
  DType type_ = DType::f32;
  std::vector<Iterator> iterators_;
  std::string op_;
  std::string annotation_ = chance(10) ? ":" + std::string(name(static_cast<DType>(pick(12)))) : "";
  bool split_ = false;
};

}  // namespace

Case draw_case(Flavour flavour) {
  return CaseDraw(flavour).draw();
}

}  // namespace tilewright::differential
