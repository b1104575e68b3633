// Files that appear whole or not at all: written under an unpredictable temporary name beside the final one and renamed
// over it. What results and cache entries are written with.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "support/diagnostic.h"

namespace tilewright {

/// Create, write, commit; destroyed without a commit, nothing of it stays. All errors are R041 and name the path and
/// the system's reason. Nothing is synced to the disk: after a crash of the machine the file may be empty.
class AtomicFile {
 public:
  /// For a path that a user named. A symbolic link is followed; an existing file must be writable and keeps its mode; a
  /// device or a pipe cannot be replaced and is written in place.
  static Result<AtomicFile> create(const std::filesystem::path& path);
  /// Whether create would work now, leaving nothing behind. For what is to be known before long work begins: a pipe or
  /// a device is not opened.
  static Result<void> check(const std::filesystem::path& path);
  /// A file of mode 0600 called `name` in the open `directory`, which must stay open.
  static Result<AtomicFile> create_in(int directory, std::string name);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  Result<void> write(std::span<const std::byte> bytes);
  /// Closes and renames. Once, last.
  Result<void> commit();

 private:
  AtomicFile(int directory, std::string name) : directory_(directory), name_(std::move(name)) {}
  Result<void> open_temporary(unsigned mode);
  std::unexpected<Diagnostics> failure(int error) const;

  int directory_;          ///< that the two names are relative to
  std::string name_;       ///< the final name
  std::string temporary_;  ///< empty where the file is written in place, or there is none any more
  int descriptor_ = -1;
};

/// True for the temporary names of this class.
bool is_temporary_name(std::string_view name);

}  // namespace tilewright
