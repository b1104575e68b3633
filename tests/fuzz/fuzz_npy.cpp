// libFuzzer: any bytes as a .npy file. What is accepted must be readable to its last element and must come back the
// same when it is written and read again.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "holds.h"
#include "runtime/npy.h"
#include "runtime/npy_header.h"

namespace {

using namespace tilewright;

/// The elements in row-major order.
std::vector<std::byte> flat_bytes(const Tensor& tensor) {
  const Tensor flat = tensor.clone().value();
  if (flat.byte_size() == 0) return {};
  return {flat.data(), flat.data() + flat.byte_size()};
}

std::string file_bytes(const Tensor& tensor, const std::vector<std::byte>& elements) {
  std::string file = npy_header_text(tensor.dtype(), tensor.shape());
  HOLDS(file.size() % 64 == 0);
  return file.append(reinterpret_cast<const char*>(elements.data()), elements.size());
}

void check(std::span<const std::byte> bytes) {
  const Result<Tensor> tensor = read_npy_bytes(bytes);
  if (!tensor) {
    HOLDS(!tensor.error().empty() && !tensor.error().front().message.empty());
    return;
  }
  const std::vector<std::byte> elements = flat_bytes(*tensor);
  const std::string file = file_bytes(*tensor, elements);
  const Result<Tensor> again = read_npy_bytes(std::as_bytes(std::span(file)));
  HOLDS(again.has_value());
  HOLDS(again->dtype() == tensor->dtype() && again->shape() == tensor->shape());
  HOLDS(flat_bytes(*again) == elements);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(std::as_bytes(std::span(data, size)));
  return 0;
}
