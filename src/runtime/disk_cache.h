// Compiled kernels on disk, under a key made of all that determines them, shared by the processes of one user.
//
// A cache holds machine code that will be run, so its folder is private: owned by this user, mode 0700, and refused if
// anyone else may write to it. A file is written whole under another name and renamed, so that readers see all of it or
// none; its checksum is verified on every read, and a damaged file counts as absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace tilewright {

struct DiskCacheOptions {
  std::filesystem::path folder;           ///< made with its parents where it is missing
  std::uint64_t max_bytes = 1ULL << 30U;  ///< of all files; the ones that were used longest ago go first
};

/// Where the user wants the cache: $TILEWRIGHT_CACHE ("off" or empty: nowhere), else $XDG_CACHE_HOME/tilewright if that
/// is an absolute path, else ~/.cache/tilewright; nullopt for nowhere.
std::optional<std::filesystem::path> default_cache_folder();

/// 32 hexadecimal digits that stand for `parts` (128-bit XXH3). Where one part ends counts: {"ab", ""} is not {"a",
/// "b"}.
std::string cache_key(std::initializer_list<std::string_view> parts);

/// Usable from any thread and, over one folder, from any process.
class DiskCache {
 public:
  /// Off: finds nothing and stores nothing.
  DiskCache() = default;
  /// R050: the folder cannot be made or opened. R051: it is someone else's, or others may write to it.
  static Result<DiskCache> open(DiskCacheOptions options);

  bool is_on() const { return folder_ != nullptr; }

  /// What was stored under `key`; marks it as used now. nullopt where there is none, it is damaged, or it cannot be
  /// read: a cache that fails is a cache that misses.
  std::optional<std::vector<std::byte>> load(std::string_view key) const;
  /// Replaces what is under `key`, then drops files until all fit `max_bytes`. R041: it cannot be written, which is no
  /// reason to fail a compilation. R052: `key` is not one of cache_key.
  Result<void> store(std::string_view key, std::span<const std::byte> content) const;
  /// Deletes every entry.
  void clear() const;

 private:
  struct Folder;
  std::shared_ptr<const Folder> folder_;
};

}  // namespace tilewright
