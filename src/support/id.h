// Typed 32-bit handles into tables that their owner holds. Every IR refers to its parts by these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tilewright {

/// A handle of kind `Tag`; default-constructed it refers to nothing.
template <class Tag>
struct Id {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index = none;

  constexpr bool valid() const { return index != none; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// An append-only table of `T`, indexed by its own handle type.
template <class IdType, class T>
class Table {
 public:
  IdType add(T value) {
    items_.push_back(std::move(value));
    return IdType{static_cast<std::uint32_t>(items_.size() - 1)};
  }
  T& operator[](IdType id) { return items_[id.index]; }
  const T& operator[](IdType id) const { return items_[id.index]; }
  bool contains(IdType id) const { return id.index < items_.size(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  friend bool operator==(const Table&, const Table&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace tilewright
