// Random dot_generals against loops over all pairs of elements, from a call in C++ and from a text that the test
// writes.
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

using Axes = std::vector<std::size_t>;
using Index = std::vector<std::int64_t>;

struct Side {
  Index shape;
  Axes batch, contracting;
};

/// Lists for operands of 1 to 5 axes, in any order, with extents of 1 to 5 and at most 600 products in all.
struct Case {
  Side lhs, rhs;
};

Axes shuffled(std::size_t rank) {
  Axes axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  for (std::size_t left = rank; left > 1; --left)
    std::swap(axes[left - 1], axes[*rc::gen::inRange<std::size_t>(0, left)]);
  return axes;
}

Case random_case() {
  const auto lhs_rank = *rc::gen::inRange<std::size_t>(1, 6);
  const auto rhs_rank = *rc::gen::inRange<std::size_t>(1, 6);
  const auto pairs = *rc::gen::inRange<std::size_t>(0, std::min(lhs_rank, rhs_rank) + 1);
  const auto batch = *rc::gen::inRange<std::size_t>(0, pairs + 1);
  RC_PRE(lhs_rank + rhs_rank + batch <= 8 + 2 * pairs);  // ranks of results go to 8
  const Axes lhs = shuffled(lhs_rank);
  const Axes rhs = shuffled(rhs_rank);
  Case drawn{{Index(lhs_rank, 0), {}, {}}, {Index(rhs_rank, 0), {}, {}}};
  std::int64_t products = 1;
  const auto extent = [&] {
    const auto wanted = *rc::gen::inRange<std::int64_t>(1, 6);
    const std::int64_t taken = products * wanted <= 600 ? wanted : 1;
    products *= taken;
    return taken;
  };
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    (pair < batch ? drawn.lhs.batch : drawn.lhs.contracting).push_back(lhs[pair]);
    (pair < batch ? drawn.rhs.batch : drawn.rhs.contracting).push_back(rhs[pair]);
    drawn.lhs.shape[lhs[pair]] = drawn.rhs.shape[rhs[pair]] = extent();
  }
  for (Side* side : {&drawn.lhs, &drawn.rhs})
    for (std::int64_t& each : side->shape)
      if (each == 0) each = extent();
  return drawn;
}

std::size_t count_of(const Index& shape) {
  std::size_t count = 1;
  for (const std::int64_t each : shape) count *= static_cast<std::size_t>(each);
  return count;
}

/// Whole numbers, so that every sum is exact in any order.
std::vector<double> numbered(const Index& shape, int seed) {
  std::vector<double> values(count_of(shape));
  for (double& value : values) {
    seed = (seed * 37 + 11) % 101;
    value = seed % 9 - 4;
  }
  return values;
}

std::size_t place(const Index& index, const Index& shape) {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) at = at * shape[axis] + index[axis];
  return static_cast<std::size_t>(at);
}

Index index_at(std::size_t place, const Index& shape) {
  Index index(shape.size());
  auto rest = static_cast<std::int64_t>(place);
  for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) index[axis] = rest % shape[axis];
  return index;
}

Index picked(const Index& from, const Axes& axes) {
  Index all;
  for (const std::size_t axis : axes) all.push_back(from[axis]);
  return all;
}

Axes free_axes(const Side& side) {
  Axes rest;
  for (std::size_t axis = 0; axis < side.shape.size(); ++axis)
    if (std::ranges::find(side.batch, axis) == side.batch.end() &&
        std::ranges::find(side.contracting, axis) == side.contracting.end())
      rest.push_back(axis);
  return rest;
}

/// Indices of the result: the batch's, then the free ones of each side.
Index joined(const Case& drawn, const Index& left, const Index& right) {
  Index all = picked(left, drawn.lhs.batch);
  for (const std::int64_t each : picked(left, free_axes(drawn.lhs))) all.push_back(each);
  for (const std::int64_t each : picked(right, free_axes(drawn.rhs))) all.push_back(each);
  return all;
}

/// Every element of the one with every element of the other: where they agree along all pairs of axes, their product
/// is a term.
std::vector<double> plain_loops(const Case& drawn, const std::vector<double>& left, const std::vector<double>& right) {
  const Index shape = joined(drawn, drawn.lhs.shape, drawn.rhs.shape);
  std::vector<double> values(count_of(shape), 0.0);
  for (std::size_t l = 0; l < left.size(); ++l) {
    const Index at = index_at(l, drawn.lhs.shape);
    for (std::size_t r = 0; r < right.size(); ++r) {
      const Index other = index_at(r, drawn.rhs.shape);
      if (picked(at, drawn.lhs.batch) == picked(other, drawn.rhs.batch) &&
          picked(at, drawn.lhs.contracting) == picked(other, drawn.rhs.contracting))
        values[place(joined(drawn, at, other), shape)] += left[l] * right[r];
    }
  }
  return values;
}

std::string list_text(const Axes& axes) {
  std::string text;
  for (const std::size_t axis : axes) text += (text.empty() ? "" : ", ") + std::to_string(axis);
  return "[" + text + "]";
}

std::string slots_text(std::size_t rank) {
  std::string text;
  for (std::size_t axis = 0; axis < rank; ++axis) text += axis == 0 ? ":" : ", :";
  return "[" + text + "]";
}

std::string statement_text(const Case& drawn, std::size_t rank) {
  std::string iterators;
  for (std::size_t axis = 0; axis < rank; ++axis) iterators += (axis == 0 ? "z" : ", z") + std::to_string(axis);
  return "c[" + iterators + "] = dot_general(a" + slots_text(drawn.lhs.shape.size()) + ", b" +
         slots_text(drawn.rhs.shape.size()) + ", batch = " + list_text(drawn.lhs.batch) + " x " +
         list_text(drawn.rhs.batch) + ", contracting = " + list_text(drawn.lhs.contracting) + " x " +
         list_text(drawn.rhs.contracting) + ")";
}

/// The values, if the result has this shape.
std::vector<double> evaluate_statement(const lang::Statement& statement, const Operands& operands, const Index& shape) {
  const Result<lang::TypedStatement> typed = lang::bind(statement, types_of(operands));
  if (!typed) throw std::runtime_error(render(typed.error()));
  RC_ASSERT(typed->output_shape == shape);
  return rounded(evaluate(build_nest(*typed), views_of(operands)).value());
}

TEST(DotGeneral, random_axes_agree_with_loops_over_pairs) {
  EXPECT_TRUE(rc::check("dot_general = loops over all pairs of elements", [] {
    const Case drawn = random_case();
    const std::vector<double> left = numbered(drawn.lhs.shape, 3);
    const std::vector<double> right = numbered(drawn.rhs.shape, 5);
    Operands operands;  // made in place: a tensor's view points into it
    operands.try_emplace("a", DType::f64, drawn.lhs.shape, left);
    operands.try_emplace("b", DType::f64, drawn.rhs.shape, right);
    const Index shape = joined(drawn, drawn.lhs.shape, drawn.rhs.shape);
    const std::vector<double> expected = plain_loops(drawn, left, right);
    const auto called =
        lang::parse_dot_general({.lhs = {drawn.lhs.shape.size(), drawn.lhs.contracting, drawn.lhs.batch},
                                 .rhs = {drawn.rhs.shape.size(), drawn.rhs.contracting, drawn.rhs.batch},
                                 .result_type = std::nullopt});
    RC_ASSERT(called.has_value());
    RC_ASSERT(evaluate_statement(*called, operands, shape) == expected);
    const lang::File file = parse_file(statement_text(drawn, shape.size()));
    const auto& written = std::get<lang::Statement>(file.items.at(0));
    RC_ASSERT(evaluate_statement(written, operands, shape) == expected);
    // The text that it is printed as says the same without the call.
    const lang::File again = parse_file(lang::to_text(written));
    RC_ASSERT(!std::get<lang::Statement>(again.items.at(0)).dot_general.has_value());
    RC_ASSERT(evaluate_statement(std::get<lang::Statement>(again.items.at(0)), operands, shape) == expected);
  }));
}

}  // namespace
}  // namespace tilewright::nest
