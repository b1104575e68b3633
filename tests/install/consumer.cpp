// Uses the installed library as a stranger would; check_install.cmake builds it twice, through the CMake package and
// through pkg-config.
#include <cstdio>
#include <string>
#include <string_view>

#include <tilewright/tilewright.h>

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  ++failures;
}

/// The product of [1 2 3; 4 5 6] and [1 0; 0 1; 10 100].
void check_product(const tilewright::Tensor& c, const char* what) {
  check(c.shape() == tilewright::Shape{2, 2} && c.at<float>(0, 0) == 31.0F && c.at<float>(0, 1) == 302.0F &&
            c.at<float>(1, 0) == 64.0F && c.at<float>(1, 1) == 605.0F,
        what);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tilewright;
  const std::string_view expected = argc == 2 ? argv[1] : "";
  check(version() == expected, ("version: expected " + std::string(expected)).c_str());

  const Engine engine = Engine::open("cpu", {.disk_cache = false});
  const Tensor a = Tensor::copy_of({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3});
  const Tensor b = Tensor::copy_of({1.0F, 0.0F, 0.0F, 1.0F, 10.0F, 100.0F}, {3, 2});
  check_product(engine.eval(Kernel::parse("c[i, j] ++= a[i, k] * b[k, j]"), {{"a", a}, {"b", b}}), "from text");
  check_product(engine.einsum("ij,jk->ik", {a, b}), "einsum");

  Index i, j, k;
  TensorName x, y, z;
  const Statement product = (z[i, j] += x[i, k] * y[k, j]);
  check_product(engine.eval(product.tile(i, 2).tile(j, 2), {{x, a}, {y, b}}), "from C++");

  try {
    engine.eval(product, {{x, a}, {y, a}});
    check(false, "an error is thrown");
  } catch (const Error& error) {
    check(error.code() == "B010", error.what());
  }
  const Result<Kernel> wrong = Kernel::try_parse("o[i] = ", "f.tw");
  check(!wrong && wrong.error().front().source == "f.tw", "an error is returned");
  return failures == 0 ? 0 : 1;
}
