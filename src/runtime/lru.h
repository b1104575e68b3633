// A bounded map that forgets what has not been asked for longest: compiled kernels in memory.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tilewright {

/// Every member function may be called from any thread. Values are handed out as copies, so a shared_ptr stays usable
/// after it has been dropped here.
template <class Key, class Value, class Hash = std::hash<Key>>
class LruMap {
 public:
  /// Holds at most `capacity` entries; with 0, none.
  explicit LruMap(std::size_t capacity) : capacity_(capacity) {}

  std::optional<Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  /// Returns the value that the map has for `key` from now on: the one that was there first, if any, so that threads
  /// that made the same value at once go on with one.
  Value insert(const Key& key, Value value) {
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->second;
    }
    if (capacity_ == 0) return value;
    if (entries_.size() == capacity_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, std::move(value));
    places_.emplace(key, entries_.begin());
    return entries_.front().second;
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    places_.clear();
    entries_.clear();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  using Entries = std::list<std::pair<Key, Value>>;  ///< the latest used first
  mutable std::mutex mutex_;
  Entries entries_;
  std::unordered_map<Key, typename Entries::iterator, Hash> places_;
  std::size_t capacity_;
};

}  // namespace tilewright
