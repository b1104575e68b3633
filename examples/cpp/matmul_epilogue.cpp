// A linear layer in one kernel: a matrix product whose sums get a bias and an activation before they are stored, with a
// schedule of its own. Checked against three plain loops.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <tilewright/tilewright.h>

using namespace tilewright;

namespace {

constexpr std::int64_t rows = 96, columns = 80, inner = 64;

/// The largest difference to the same computation in f64.
double largest_error(const Tensor& a, const Tensor& b, const Tensor& bias, const Tensor& result) {
  double largest = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = bias.value(j);
      for (std::int64_t k = 0; k < inner; ++k) sum += a.value(i, k) * b.value(k, j);
      largest = std::fmax(largest, std::fabs(std::fmax(sum, 0.0) - result.value(i, j)));
    }
  return largest;
}

}  // namespace

int main() {
  Index i("i"), j("j"), k("k");
  TensorName a("a"), b("b"), bias("bias"), y("y");
  const Kernel kernel =
      (y[i, j] += a[i, k] * b[k, j]).then(relu(y[i, j] + bias[j])).tile(i, 32).tile(j, 32).tile(k, 32).cache(a, b);
  std::printf("%s\n", kernel.text().c_str());

  const Tensor left = Tensor::random(DType::f32, {rows, inner}, 1);
  const Tensor right = Tensor::random(DType::f32, {inner, columns}, 2);
  const Tensor offsets = Tensor::random(DType::f32, {columns}, 3);
  const Tensor result = Engine::open().eval(kernel, {{"a", left}, {"b", right}, {"bias", offsets}});

  // Products of values within ±6 sum to at most 64 · 36; rounding each of 65 additions in f32 moves the sum by less.
  const double error = largest_error(left, right, offsets, result);
  std::printf("largest error: %.2e\n", error);
  return error < inner * 36.0 * 65 * 0x1p-24 ? 0 : 1;
}
