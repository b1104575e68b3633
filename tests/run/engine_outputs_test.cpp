// Results written into existing memory of any strides: what is between and around the elements stays as it was, and
// memory that cannot be an output is refused before anything is written.
#include "engine_call.h"

namespace tilewright::differential {
namespace {

struct Written {
  std::string statement;
  std::vector<Operand> operands;
  Extents shape;
  Numbers expected;
  DType dtype = DType::f32;
};

/// Each form that a kernel may take, with a ragged shape and its result.
std::vector<Written> forms() {
  const Tensor a = tensor_of(DType::f32, {13, 37}, counting(13 * 37));
  std::vector<Written> result;
  Numbers doubled;
  Numbers turned;
  Numbers outer;
  Numbers large;
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 37; ++j) doubled.push_back(2 * (37 * i + j));
  for (int j = 0; j < 37; ++j)
    for (int i = 0; i < 13; ++i) turned.push_back(37 * i + j);
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 13; ++j) {
      double sum = 0;
      for (int k = 0; k < 37; ++k) sum += (k % 2) * (37 * j + k);
      outer.push_back(i * sum);
    }
  Numbers parity;
  for (int i = 0; i < 13; ++i)
    for (int k = 0; k < 37; ++k) parity.push_back(i * (k % 2));
  for (const double value : doubled) large.push_back(value > 300 ? 1 : 0);
  result.push_back({"o[i, j] = a[i, j] * 2", {{"a", a}}, {13, 37}, doubled});
  result.push_back({"o[j, i] = a[i, j]", {{"a", a}}, {37, 13}, turned});
  result.push_back(
      {"o[i, j] ++= p[i, k] * a[j, k]", {{"p", tensor_of(DType::f32, {13, 37}, parity)}, {"a", a}}, {13, 13}, outer});
  result.push_back({"o[i, j] = a[i, j] * 2 > 300", {{"a", a}}, {13, 37}, large, DType::boolean});
  // Σ_l (l + i + j) over 9 terms.
  Numbers sums;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 21; ++j) sums.push_back(36 + 9 * (i + j));
  Numbers terms;
  for (int i = 0; i < 5; ++i)
    for (int l = 0; l < 9; ++l)
      for (int j = 0; j < 21; ++j) terms.push_back(i + l + j);
  const Tensor columns = tensor_of(DType::f64, {5, 9, 21}, terms);
  result.push_back({"o[i, j] ++= a[i, l, j]", {{"a", columns}}, {5, 21}, sums, DType::f64});
  result.push_back({"o[j, i] ++= a[i, l, j]",
                    {{"a", columns}},
                    {21, 5},
                    [&] {
                      Numbers exchanged;
                      for (std::size_t j = 0; j < 21; ++j)
                        for (std::size_t i = 0; i < 5; ++i) exchanged.push_back(sums[21 * i + j]);
                      return exchanged;
                    }(),
                    DType::f64});
  return result;
}

/// Strides for a shape of two axes: contiguous, exchanged, negative, with gaps in and between rows, and all at once.
std::vector<Extents> layouts(const Extents& shape) {
  const std::int64_t rows = shape[0];
  const std::int64_t columns = shape[1];
  return {{columns, 1},      {1, rows},        {-columns, 1},        {columns, -1},
          {-columns, -1},    {columns + 3, 1}, {2 * columns + 5, 2}, {-3 * columns - 7, 3},
          {2, 2 * rows + 1}, {-1, -rows - 6},  {1, -rows},           {5 * columns, -5}};
}

TEST(EngineOutputs, gaps_and_surroundings_stay_as_they_were) {
  for (const Written& form : forms())
    for (const Extents& strides : layouts(form.shape))
      for (const std::int64_t misalign : {0, 5}) {
        const GuardedTensor output(form.dtype, form.shape, strides, misalign);
        ASSERT_EQ(written(form.statement, form.operands, output.tensor()), "");
        EXPECT_EQ(values_of(output.tensor()), form.expected)
            << form.statement << " strides " << strides[0] << ", " << strides[1] << " misaligned by " << misalign;
        EXPECT_EQ(output.memory().damage(), "")
            << form.statement << " strides " << strides[0] << ", " << strides[1] << " misaligned by " << misalign;
      }
}

TEST(EngineOutputs, large_outputs_leave_gaps_alone_too) {
  // Large enough for stores past the caches where rows allow them.
  constexpr std::int64_t rows = 1500;
  constexpr std::int64_t columns = 3000;
  const Tensor a = Tensor::allocate(DType::f32, {rows, columns}).value();
  auto* elements = &a.at<float>({0, 0});
  for (std::int64_t n = 0; n < rows * columns; ++n) elements[n] = static_cast<float>(n % 8191);
  for (const std::int64_t apart : {columns, columns + 8, columns + 1, -columns - 16}) {
    const GuardedTensor output(DType::f32, {rows, columns}, {apart, 1});
    ASSERT_EQ(written("o[i, j] = a[i, j] + 1", {{"a", a}}, output.tensor()), "");
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* row = &output.tensor().at<float>({i, 0});
      for (std::int64_t j = 0; j < columns; ++j)
        wrong += row[j] == static_cast<float>((i * columns + j) % 8191 + 1) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0) << apart;
    EXPECT_EQ(output.memory().damage(), "") << apart;
  }
}

TEST(EngineOutputs, one_element_and_none) {
  const GuardedTensor scalar(DType::f32, {}, {}, 3);
  EXPECT_EQ(written("o[] ++= a[i]", {{"a", tensor_of(DType::f32, {40}, counting(40))}}, scalar.tensor()), "");
  EXPECT_EQ(values_of(scalar.tensor()), Numbers{780});
  EXPECT_EQ(scalar.memory().damage(), "");
  const GuardedTensor nothing(DType::f32, {0, 4}, {4, 1}, 1);
  EXPECT_EQ(written("o[i, j] = a[i, j]", {{"a", tensor_of(DType::f32, {0, 4}, {})}}, nothing.tensor()), "");
  EXPECT_EQ(nothing.memory().damage(), "");
  const GuardedTensor empty_sums(DType::f32, {3}, {-2}, 1);
  EXPECT_EQ(written("o[i] ++= a[i, j]", {{"a", tensor_of(DType::f32, {3, 0}, {})}}, empty_sums.tensor()), "");
  EXPECT_EQ(values_of(empty_sums.tensor()), Numbers(3, 0));
  EXPECT_EQ(empty_sums.memory().damage(), "");
}

/// Views of one memory of 32 floats, 0, 1, 2, …
class Shared {
 public:
  Shared() {
    for (std::size_t n = 0; n < memory_.size(); ++n) memory_[n] = static_cast<float>(n);
  }
  Tensor view(std::size_t first, const Extents& shape, const Extents& strides) {
    return Tensor::borrow({.data = &memory_[first], .dtype = DType::f32, .shape = shape, .strides = strides}).value();
  }
  bool is_untouched() const {
    for (std::size_t n = 0; n < memory_.size(); ++n)
      if (memory_[n] != static_cast<float>(n)) return false;
    return true;
  }

 private:
  std::vector<float> memory_ = std::vector<float>(32);
};

TEST(EngineOutputs, that_overlap_an_operand_are_refused_with_both_names) {
  Shared shared;
  const Tensor a = shared.view(8, {8}, {1});
  const Tensor b = tensor_of(DType::f32, {8}, counting(8));
  const auto refused = [&](const Tensor& output) {
    const std::string message = written("sum[i] = x[i] + y[i]", {{"x", b}, {"y", a}}, output);
    EXPECT_TRUE(shared.is_untouched());
    return message;
  };
  const std::string overlap = "R060: output 'sum' overlaps input 'y' in memory";
  EXPECT_EQ(refused(a), overlap);
  EXPECT_EQ(refused(shared.view(1, {8}, {1})), overlap);    // the last element
  EXPECT_EQ(refused(shared.view(15, {8}, {1})), overlap);   // the first
  EXPECT_EQ(refused(shared.view(22, {8}, {-1})), overlap);  // downwards
  EXPECT_EQ(refused(shared.view(1, {8}, {2})), overlap);    // its range meets the operand's
  EXPECT_EQ(refused(shared.view(0, {8}, {0})),
            "R062: output 'sum' overlaps itself: strides [0] put several elements in one place");
  EXPECT_EQ(written("sum[i] = x[i] + y[i]", {{"x", b}, {"y", a}}, shared.view(0, {8}, {1})), "");
  EXPECT_EQ(written("sum[i] = x[i] + y[i]", {{"x", b}, {"y", a}}, shared.view(16, {8}, {2})), "");
  EXPECT_EQ(values_of(shared.view(16, {8}, {2})), (Numbers{8, 10, 12, 14, 16, 18, 20, 22}));
}

TEST(EngineOutputs, that_overlap_themselves_are_refused) {
  Shared shared;
  const Tensor x = tensor_of(DType::f32, {3, 4}, counting(12));
  for (const Extents& strides : {Extents{0, 1}, Extents{3, 1}, Extents{1, 1}, Extents{2, 2}, Extents{-1, 1}}) {
    EXPECT_EQ(written("o[i, j] = x[i, j]", {{"x", x}}, shared.view(8, {3, 4}, strides)).substr(0, 4), "R062");
    EXPECT_TRUE(shared.is_untouched());
  }
  // Rows that interleave without meeting.
  EXPECT_EQ(written("o[i, j] = x[i, j]", {{"x", x}}, shared.view(0, {3, 4}, {1, 3})), "");
  EXPECT_EQ(written("o[i, j] = x[i, j]", {{"x", x}}, shared.view(0, {3, 4}, {2, 7})), "");
  EXPECT_EQ(values_of(shared.view(0, {3, 4}, {2, 7})), counting(12));
}

TEST(EngineOutputs, of_another_type_or_shape_or_read_only_are_refused) {
  const Tensor x = tensor_of(DType::f32, {3}, {1, 2, 3});
  GuardedTensor wide(DType::f64, {3});
  EXPECT_EQ(written("o[i] = x[i]", {{"x", x}}, wide.tensor()).substr(0, 4), "R074");
  GuardedTensor longer(DType::f32, {4});
  EXPECT_EQ(written("o[i] = x[i]", {{"x", x}}, longer.tensor()).substr(0, 4), "R074");
  std::vector<float> memory(3, 7);
  const Tensor constant =
      Tensor::borrow({.data = memory.data(), .dtype = DType::f32, .shape = {3}, .read_only = true}).value();
  EXPECT_EQ(written("o[i] = x[i]", {{"x", x}}, constant).substr(0, 4), "R074");
  const Device gpu{DeviceKind::cuda, 1};
  const Tensor elsewhere = Tensor::borrow({.data = memory.data(), .shape = {3}, .device = gpu}).value();
  EXPECT_EQ(written("o[i] = x[i]", {{"x", x}}, elsewhere).substr(0, 4), "R074");
  EXPECT_EQ(written("o[i] = x[i]", {{"x", elsewhere}}, tensor_of(DType::f32, {3}, {0, 0, 0})).substr(0, 4), "R073");
  EXPECT_EQ(memory, std::vector<float>(3, 7));
}

}  // namespace
}  // namespace tilewright::differential
