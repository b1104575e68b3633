// NumPy's einsum in C++: a batched bilinear form, attention scores, a trace.
#include <cstdio>

#include <tilewright/tilewright.h>

using namespace tilewright;

int main() {
  const Engine engine = Engine::open();
  const Tensor x = Tensor::copy_of({1.0, 2.0, 3.0, 4.0}, {2, 2});  // f64, from the C++ type
  const Tensor w = Tensor::copy_of({1.0, 0.0, 1.0, 1.0}, {2, 2});

  // One number for each row of x: x[b, i] · w[i, j] · x[b, j].
  const Tensor forms = engine.einsum("bi,ij,bj->b", {x, w, x});
  const Tensor trace = engine.einsum("ii", {x});

  // A kernel keeps what it compiles; one serves tensors of all shapes that have these ranks.
  const Kernel scores = Kernel::einsum("bqhd,bkhd->bhqk", {4, 4});
  const Tensor q = Tensor::random(DType::f32, {2, 5, 3, 8}, 1);
  const Tensor k = Tensor::random(DType::f32, {2, 7, 3, 8}, 2);
  const Tensor s = engine.eval(scores, {q, k});

  std::printf("%g %g, trace %g, scores of rank %zu\n", forms.value(0), forms.value(1), trace.value(), s.rank());
  const bool right = forms.value(0) == 1 + 2 + 4 && forms.value(1) == 9 + 12 + 16 && trace.value() == 5;
  return right && s.shape() == Shape{2, 3, 5, 7} ? 0 : 1;
}
