// Schedules that a tuner found, kept between processes: one SQLite database in the folder of the disk cache, one row
// for a statement with its facts on a device. The only file that knows SQLite is choice_store.cpp.
//
// A row is text that a user might have written, and is checked like a user's when it is used: whatever stands there,
// the worst that it can be is slow, or illegal and passed over.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "support/diagnostic.h"

namespace tilewright {

/// What a choice is for. All of it must be equal for the choice to be used.
struct ChoiceKey {
  std::string statement;  ///< the nest as the statement says: types, ranks, names, what is computed
  std::string facts;      ///< stride classes, alignments and the size buckets
  std::string device;     ///< kind, processor and threads
  std::string version;    ///< of the compiler: its schedulers and lowering
};

struct StoredChoice {
  std::string lines;             ///< of the schedule, one a line
  double automatic_seconds = 0;  ///< a call's median with the schedule that the compiler chooses
  double seconds = 0;            ///< with this one, in the same rounds
  std::int64_t tuned_at = 0;     ///< seconds since 1970, UTC
};

/// Usable from any thread and, over one folder, from any process: each operation opens the database. Writes wait for
/// others' for seconds, finds for half a second, since calls wait for them.
class ChoiceStore {
 public:
  /// Off: finds nothing and stores nothing.
  ChoiceStore() = default;
  /// Over a folder that DiskCache::open has checked; makes no file before something is stored.
  explicit ChoiceStore(const std::filesystem::path& folder);

  bool is_on() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  /// Choices that this process has stored or forgotten here, by any store over the folder.
  std::int64_t changes() const { return changes_ ? changes_->load(std::memory_order_acquire) : 0; }

  /// nullopt where there is none. R053: the database cannot be read, is locked, damaged, or of another version's form.
  Result<std::optional<StoredChoice>> find(const ChoiceKey& key) const;
  /// Replaces what is there. R053: it cannot be written, or as find.
  Result<void> store(const ChoiceKey& key, const StoredChoice& choice) const;
  /// Forgets it, if it is there. R053.
  Result<void> remove(const ChoiceKey& key) const;
  /// Whether a choice could be stored now; makes no file. R053.
  Result<void> check_writable() const;

 private:
  std::filesystem::path path_;
  std::shared_ptr<std::atomic<std::int64_t>> changes_;
};

}  // namespace tilewright
