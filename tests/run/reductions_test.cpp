// Every reduction over every type: along rows, columns and all of a tensor; over nothing; with special values.
#include <cmath>

#include "agrees.h"

namespace tilewright::differential {
namespace {

TEST(Reductions, every_monoid_and_type) {
  for (int t = 0; t < 12; ++t)
    for (const std::string op : {"++=", "*=", "max=", "min="})
      for (const std::string target : {"o[]", "o[i]", "o[j]"}) {
        const auto type = static_cast<DType>(t);
        if (is_boolean(type) && (op == "++=" || op == "*=")) continue;
        const Values values = op == "*=" ? Values::near_one : Values::normal;
        for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{13, 37}, {0, 5}, {5, 0}, {1, 1}})
          EXPECT_TRUE(agrees({target + " " + op + " a[i, j]", {{"a", type, shape, {}, values}}}));
      }
}

TEST(Reductions, of_special_values) {
  for (const DType type :
       {DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8e4m3, DType::i32, DType::i64, DType::u8})
    for (const std::string op : {"++=", "max=", "min="})
      for (const std::string target : {"o[i]", "o[j]"})
        EXPECT_TRUE(agrees({target + " " + op + " a[i, j]", {{"a", type, {19, 23}, {}, Values::extreme}}}));
}

TEST(Reductions, extrema_of_zeros_of_both_signs) {
  // One zero of the other sign among 37 of a row, at every place.
  for (const double most : {0.0, -0.0})
    for (const std::string op : {"max=", "min="}) {
      std::vector<double> zeros(37 * 37, most);
      for (std::size_t n = 0; n < 37; ++n) zeros[n * 38] = -most;
      for (const DType type : {DType::f32, DType::f64, DType::f16, DType::f8e5m2})
        for (const std::string target : {"o[i]", "o[j]", "o[]"})
          EXPECT_TRUE(agrees({target + " " + op + " a[i, j]", {{"a", type, {37, 37}, {}, Values::normal, 0, zeros}}}));
      const Outcome rows =
          run_everywhere({"o[i] " + op + " a[i, j]", {{"a", DType::f32, {37, 37}, {}, Values::normal, 0, zeros}}});
      ASSERT_EQ(rows.difference + rows.rejection, "");
      for (const Scalar& value : rows.values) EXPECT_EQ(std::signbit(value.as_double()), op == "min=");
    }
}

TEST(Reductions, fold_from_the_lowest_and_highest_value_of_the_output_type) {
  for (const std::string annotation : {":f16", ":f8e4m3", ":f32", ":i8", ":i64", ""})
    for (const std::string op : {"max=", "min="})
      for (const std::int64_t n : {0, 1, 9})
        EXPECT_TRUE(agrees({"o" + annotation + "[] " + op + " a[i]", {{"a", DType::f16, {n}, {}, Values::normal}}}));
}

TEST(Reductions, into_every_output_type) {
  for (int t = 0; t < 12; ++t) {
    const std::string annotation = ":" + std::string(name(static_cast<DType>(t)));
    for (const DType type : {DType::f32, DType::i32, DType::f16})
      EXPECT_TRUE(agrees({"o" + annotation + "[i] ++= a[i, j] * b[j]",
                          {{"a", type, {17, 20}, {}, Values::whole}, {"b", type, {20}, {}, Values::whole}}}));
  }
}

TEST(Reductions, over_iterators_that_nothing_reads) {
  EXPECT_TRUE(agrees({"o[i] ++= a[i] | (i, r in 0 ..< 7)", {{"a", DType::f32, {11}, {}, Values::whole}}}));
  EXPECT_TRUE(agrees({"o[i, j] ++= 2.0 | (i in 0 ..< 4, j in 0 ..< 8, r in 0 ..< 3)", {}}));
  EXPECT_TRUE(agrees({"o[] max= 3 | (r in 0 ..< 0)", {}}));
  // No outputs, of which accumulators would wait in a buffer.
  for (const std::string op : {"min=", "++="})
    EXPECT_TRUE(
        agrees({"o[j, i] " + op + " a[j, i] | (j, i in 0 ..< 0, r in 0 ..< 67)", {{"a", DType::f16, {5, 0}, {}}}}));
  EXPECT_TRUE(
      agrees({"o[i] ++= cast(f32, r) * a[i] | (i, r in 0 ..< 40)", {{"a", DType::f32, {5}, {}, Values::whole}}}));
}

}  // namespace
}  // namespace tilewright::differential
