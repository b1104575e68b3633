// What a call is specialised on, and the key under which it is found again: types, shapes, strides, alignments and
// places of its operands and its output. Stands under Engine; a front that has a caller's description of a tensor looks
// with it before it makes a Tensor, which is checked.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/tensor.h"

namespace tilewright {

/// A tensor as a caller describes it, of which nothing is checked; the arrays are the caller's, `rank` long.
struct TensorRef {
  std::byte* data = nullptr;  ///< element (0, …, 0)
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  ///< in elements
  std::size_t rank = 0;                   ///< at most max_rank
  DType dtype = DType::f32;
  Device device = {};
  bool read_only = false;

  static TensorRef of(const Tensor& tensor) {
    return {.data = tensor.data(),
            .shape = tensor.shape().data(),
            .strides = tensor.strides().data(),
            .rank = tensor.rank(),
            .dtype = tensor.dtype(),
            .device = tensor.device(),
            .read_only = tensor.is_read_only()};
  }
};

/// Equal signatures mean that whatever was checked of one call, but for where its memory lies, holds for the other.
struct CallSignature {
  std::vector<std::int64_t> words;
  friend bool operator==(const CallSignature&, const CallSignature&) = default;

  void add(const TensorRef& tensor) {
    constexpr int finest = 6;  // alignments past 64 bytes are one; null is one of its own
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
    const int alignment = address == 0 ? finest + 1 : std::min(std::countr_zero(address), finest);
    words.push_back(static_cast<std::int64_t>(tensor.rank) | static_cast<std::int64_t>(tensor.dtype) << 8 |
                    std::int64_t{alignment} << 16 | std::int64_t{tensor.read_only} << 20);
    words.push_back(static_cast<std::uint32_t>(tensor.device.kind) | static_cast<std::int64_t>(tensor.device.index)
                                                                         << 32);
    words.insert(words.end(), tensor.shape, tensor.shape + tensor.rank);
    words.insert(words.end(), tensor.strides, tensor.strides + tensor.rank);
  }
};

struct CallSignatureHash {
  std::size_t operator()(const CallSignature& signature) const {
    std::uint64_t hash = 1469598103934665603ULL;  // FNV-1a over words
    for (std::int64_t word : signature.words) hash = (hash ^ static_cast<std::uint64_t>(word)) * 1099511628211ULL;
    return static_cast<std::size_t>(hash ^ hash >> 32U);
  }
};

}  // namespace tilewright
