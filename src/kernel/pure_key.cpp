// Keys of value numbering.
#include "kernel/pure_key.h"

#include <bit>

namespace tilewright::kernel {

namespace {

std::uint64_t word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

/// Appends the attribute's content; its kind follows from the opcode.
struct AppendAttribute {
  PureKey& key;
  void operator()(std::monostate) const {}
  void operator()(const Scalar& scalar) const {
    key.push_back(scalar.is_float() ? std::bit_cast<std::uint64_t>(scalar.as_double()) : word(scalar.as_int()));
  }
  void operator()(const Lane& lane) const { key.push_back(word(lane.lane)); }
  void operator()(const Lanes& lanes) const {
    for (std::int32_t lane : lanes.lanes) key.push_back(word(lane));
  }
  void operator()(const Predicate& predicate) const { key.push_back(static_cast<std::uint64_t>(predicate)); }
  void operator()(const Access& access) const {
    key.insert(key.end(), {access.align, access.nontemporal ? 1u : 0u, static_cast<std::uint64_t>(access.cache)});
  }
  void operator()(const Bytes& bytes) const { key.push_back(word(bytes.bytes)); }
  void operator()(const SharedBuffer& buffer) const { key.insert(key.end(), {word(buffer.bytes), word(buffer.align)}); }
  void operator()(Special special) const { key.push_back(static_cast<std::uint64_t>(special)); }
  void operator()(ShuffleMode mode) const { key.push_back(static_cast<std::uint64_t>(mode)); }
  void operator()(Vote vote) const { key.push_back(static_cast<std::uint64_t>(vote)); }
  void operator()(const Atomic& atomic) const {
    key.insert(key.end(), {static_cast<std::uint64_t>(atomic.op), static_cast<std::uint64_t>(atomic.order),
                           static_cast<std::uint64_t>(atomic.scope)});
  }
  void operator()(MemoryScope scope) const { key.push_back(static_cast<std::uint64_t>(scope)); }
  void operator()(const NamedBarrier& barrier) const {
    key.insert(key.end(), {word(barrier.id), word(barrier.threads)});
  }
  void operator()(const Count& count) const { key.push_back(word(count.count)); }
  void operator()(const TensorCopy& copy) const {
    key.insert(key.end(), {word(copy.rank), copy.multicast ? 1u : 0u, static_cast<std::uint64_t>(copy.cache)});
  }
  void operator()(const MatrixOrder& order) const { key.push_back(order.transposed ? 1u : 0u); }
  void operator()(const WarpgroupProduct& product) const {
    key.insert(key.end(), {word(product.n), static_cast<std::uint64_t>(product.of), product.transposed_a ? 1u : 0u,
                           product.transposed_b ? 1u : 0u, word(product.a.leading), word(product.a.stride),
                           word(product.b.leading), word(product.b.stride)});
  }
};

}  // namespace

PureKey pure_key(Opcode code, std::span<const ValueId> operands, Type result, const Attribute& attribute) {
  PureKey key;
  key.reserve(operands.size() + 3);
  key.push_back(static_cast<std::uint64_t>(code));
  key.push_back(static_cast<std::uint64_t>(result.element) << 16 | result.lanes);
  for (ValueId operand : operands) key.push_back(operand.index);
  std::visit(AppendAttribute{key}, attribute);
  return key;
}

std::size_t PureKeyHash::operator()(const PureKey& key) const {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over words
  for (std::uint64_t part : key) hash = (hash ^ part) * 0x100000001b3u ^ (part >> 32);
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

}  // namespace tilewright::kernel
