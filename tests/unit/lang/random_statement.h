// Random statements that pass check_statement, drawn through RapidCheck so that failures shrink. Every iterator has an
// extent because the value ends with a read that holds them all.
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "lang/ast.h"

namespace tilewright::lang {

class RandomStatement {
 public:
  Statement draw() {
    const int iterators = pick(5);
    const std::vector<std::string> names = {"i", "j", "r", "o", "x2"};
    iterators_.assign(names.begin(), names.begin() + iterators);
    const int kept = pick(iterators + 1);
    s_.target = {"mm", {}};
    for (int i = 0; i < kept; ++i) s_.target_iterators.push_back({iterators_[static_cast<std::size_t>(i)], {}});
    if (coin()) s_.annotation = static_cast<DType>(pick(12));
    if (kept < iterators || coin()) s_.reduction = static_cast<Monoid>(pick(4));
    const ExprId random = expr(4, false);
    Read held{"held", {}, std::nullopt, {}};
    for (const std::string& iterator : iterators_) held.indices.push_back({{{iterator, 1}}, 0, {}});
    s_.value = add(Apply{static_cast<ScalarOp>(pick(4)), {random, add(held)}});
    if (coin()) draw_binding();
    if (coin()) s_.epilogue = expr(3, true);
    if (coin()) s_.precision = static_cast<Precision>(pick(3));
    if (coin()) draw_examples();
    if (coin()) draw_schedule();
    return s_;
  }

 private:
  static int pick(int count) { return *rc::gen::inRange(0, count); }
  static bool coin() { return pick(2) == 1; }
  template <class Node>
  ExprId add(Node node) {
    return s_.exprs.add({std::move(node), {}});
  }
  /// Iterators that may vary here.
  std::size_t usable(bool in_epilogue) const { return in_epilogue ? s_.target_iterators.size() : iterators_.size(); }

  static std::int64_t integer() {
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    const std::vector<std::int64_t> odd = {0, 1, -1, 2, lowest, lowest + 1, std::numeric_limits<std::int64_t>::max()};
    return coin() ? odd[static_cast<std::size_t>(pick(static_cast<int>(odd.size())))] : *rc::gen::inRange(-99, 99);
  }

  static Number number(bool is_signed) {
    Number n;
    n.is_integer = coin();
    if (n.is_integer) {
      n.integer = integer();
      if (!is_signed && n.integer < 0) n.integer = -(n.integer + 1);
      n.value = static_cast<double>(n.integer);
      return n;
    }
    const std::vector<double> odd = {0.0, 0.1, 1e300, 5e-324, 1e15, 1e16, std::numeric_limits<double>::infinity()};
    n.value = coin() ? odd[static_cast<std::size_t>(pick(is_signed ? 7 : 6))] : std::abs(*rc::gen::arbitrary<double>());
    if (!std::isfinite(n.value) && !is_signed) n.value = 0.5;
    if (is_signed && coin()) n.value = -n.value;
    return n;
  }

  /// Only an 'else' can write inf.
  static Number finite(Number n) {
    if (!n.is_integer && !std::isfinite(n.value)) n.value = -2.5;
    return n;
  }

  AffineIndex index(bool in_epilogue) {
    AffineIndex result;
    for (std::size_t i = 0; i < usable(in_epilogue); ++i) {
      const std::int64_t coefficient = coin() ? 1 : integer();
      if (pick(3) == 0 && coefficient != 0) result.terms.push_back({iterators_[i], coefficient});
    }
    if (coin()) result.constant = integer();
    return result;
  }

  ExprId leaf(bool in_epilogue) {
    switch (pick(in_epilogue ? 5 : 4)) {
      case 0:
        return add(Literal{finite(number(true))});
      case 1:
        if (usable(in_epilogue) > 0)
          return add(IteratorValue{iterators_[static_cast<std::size_t>(pick(static_cast<int>(usable(in_epilogue))))]});
        return add(Literal{number(false)});
      case 2:
        if (!iterators_.empty()) return add(ExtentOf{iterators_.back()});
        return add(Literal{number(false)});
      case 3: {
        const std::vector<std::string> tensors = {"a", "max", "f32", "exp2"};
        const auto which = static_cast<std::size_t>(pick(4));
        Read read{tensors[which], {}, std::nullopt, {}};
        for (std::size_t axis = 0; axis < which; ++axis) read.indices.push_back(index(in_epilogue));
        if (coin()) read.otherwise = number(true);
        return add(read);
      }
      default:
        break;
    }
    Read own{"mm", {}, std::nullopt, {}};
    for (const Named& iterator : s_.target_iterators) own.indices.push_back({{{iterator.name, 1}}, 0, {}});
    return add(own);
  }

  ExprId expr(int depth, bool in_epilogue) {
    if (depth == 0 || pick(5) == 0) return leaf(in_epilogue);
    if (pick(8) == 0) {
      const ExprId operand = expr(depth - 1, in_epilogue);
      return add(Cast{static_cast<DType>(pick(12)), operand});
    }
    Apply apply{static_cast<ScalarOp>(pick(31)), {}};
    for (int i = 0; i < info(apply.op).arity; ++i) apply.operands.push_back(expr(depth - 1, in_epilogue));
    return add(std::move(apply));
  }

  void draw_binding() {
    if (iterators_.empty()) return;
    s_.binding.emplace();
    const auto start = static_cast<std::size_t>(pick(static_cast<int>(iterators_.size())));
    for (std::size_t i = 0; i < iterators_.size(); ++i) {
      BoundIterator bound{{iterators_[(start + i) % iterators_.size()], {}}, std::nullopt};
      if (coin()) bound.extent = pick(1000);
      s_.binding->push_back(bound);
    }
  }

  void draw_examples() {
    for (int n = pick(3); n > 0; --n) {
      Example example;
      for (const std::string& tensor : s_.tensors_read()) {
        ExampleOperand operand{{tensor, {}}, static_cast<DType>(pick(12)), {}, {}};
        for (std::size_t axis = rank_of(tensor); axis > 0; --axis) operand.shape.push_back(pick(100));
        example.push_back(operand);
      }
      s_.examples.push_back(example);
    }
  }

  std::size_t rank_of(const std::string& tensor) const {
    for (const Expr& e : s_.exprs)
      if (const auto* read = std::get_if<Read>(&e.node); read != nullptr && read->tensor == tensor)
        return read->indices.size();
    return 0;
  }

  void draw_schedule() {
    using Argument = ScheduleLine::Argument;
    const std::vector<ScheduleLine> lines = {
        {{"tile", {}}, {Argument{"i.in", {}}, Argument{std::int64_t{8}, {}}}, false, {}},
        {{"cache", {}}, {Argument{"held", {}}}, false, {}},
        {{"threads", {}}, {Argument{std::int64_t{256}, {}}}, true, {}},
        {{"variant", {}}, {Argument{"flat", {}}}, true, {}},
        {{"split", {}}, {Argument{"r", {}}, Argument{std::int64_t{4}, {}}, Argument{"atomics", {}}}, false, {}},
        {{"auto", {}}, {}, false, {}}};
    s_.schedule.emplace();
    for (int n = 1 + pick(4); n > 0; --n) s_.schedule->push_back(lines[static_cast<std::size_t>(pick(6))]);
  }

  Statement s_;
  std::vector<std::string> iterators_;
};

}  // namespace tilewright::lang
