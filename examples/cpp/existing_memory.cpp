// Kernels on memory that the program already has: an image with interleaved channels and padded rows, seen through
// strides, blurred along its rows into one plane of another buffer. Nothing is copied.
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <tilewright/tilewright.h>

using namespace tilewright;

int main() {
  constexpr std::int64_t height = 4, width = 6, channels = 3, row_bytes = 32;
  std::vector<std::uint8_t> image(height * row_bytes);
  for (std::size_t n = 0; n < image.size(); ++n) image[n] = static_cast<std::uint8_t>(n);
  std::vector<float> planes(static_cast<std::size_t>(channels * height * width), -1.0F);

  // The green channel, and the second plane of the result.
  const Tensor green = Tensor::borrow({.data = &image[1],
                                       .dtype = DType::u8,
                                       .shape = {height, width},
                                       .strides = Strides{row_bytes, channels},
                                       .read_only = true});
  const Tensor plane = Tensor::borrow(std::span(planes), {channels, height, width}).select(0, 1);

  Index y("y"), x("x"), r("r");
  TensorName in("input"), out("output");
  const Kernel blur = (out[y, x] += cast<float>(in[y, x + r - 1].otherwise(0)))
                          .over({y.below(height), x.below(width), r.below(3)})
                          .then(out[y, x] / 3.0);
  Engine::open().eval_into(blur, {green}, plane);

  // Row 2: bytes 65, 68, 71, … of the image; outside is 0.
  const float first = planes[height * width + 2 * width];
  const float second = planes[height * width + 2 * width + 1];
  std::printf("%g %g\n", first, second);
  const bool right = first == (0.0F + 65.0F + 68.0F) / 3.0F && second == (65.0F + 68.0F + 71.0F) / 3.0F;
  const bool alone = planes.front() == -1.0F && planes.back() == -1.0F;
  return right && alone ? 0 : 1;
}
