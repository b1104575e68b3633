// The words of GPU attributes, from the lists in the header.
#include "kernel/gpu_attributes.h"

#include <array>

namespace tilewright::kernel {

namespace {

/// An enumerator's word: those that C++ keeps for itself have another name there.
constexpr std::string_view word(std::string_view enumerator) {
  if (enumerator == "by_xor") return "xor";
  if (enumerator == "bit_and") return "and";
  if (enumerator == "bit_or") return "or";
  return enumerator;
}

}  // namespace

#define X(name) word(#name),
#define TILEWRIGHT_WORDS(Enum, LIST)                \
  template <>                                       \
  std::span<const std::string_view> words<Enum>() { \
    static constexpr std::array all = {LIST(X)};    \
    return all;                                     \
  }
TILEWRIGHT_WORDS(Special, TILEWRIGHT_KERNEL_SPECIALS)
TILEWRIGHT_WORDS(ShuffleMode, TILEWRIGHT_KERNEL_SHUFFLE_MODES)
TILEWRIGHT_WORDS(Vote, TILEWRIGHT_KERNEL_VOTES)
TILEWRIGHT_WORDS(AtomicOp, TILEWRIGHT_KERNEL_ATOMIC_OPS)
TILEWRIGHT_WORDS(MemoryOrder, TILEWRIGHT_KERNEL_ORDERS)
TILEWRIGHT_WORDS(MemoryScope, TILEWRIGHT_KERNEL_SCOPES)
TILEWRIGHT_WORDS(CacheHint, TILEWRIGHT_KERNEL_CACHES)
#undef TILEWRIGHT_WORDS
#undef X

}  // namespace tilewright::kernel
