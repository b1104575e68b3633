// The folder of compiled kernels. See disk_cache.h.
//
// A file is a header (below) and the content. Everything is opened relative to the descriptor of the folder that was
// checked, so nobody can swap the folder between the check and the use.
#include "runtime/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL  // header only: no library to link
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <utility>

#include "runtime/atomic_file.h"

namespace tilewright {

namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> magic{'T', 'W', 'C', 'A', 'C', 'H', 'E', '1'};
constexpr std::size_t key_digits = 32;
/// A temporary file this old belongs to a process that is gone.
constexpr std::int64_t stale_seconds = 3600;

/// In this machine's byte order: the folder is not for carrying to another.
struct FileHeader {
  std::array<char, 8> magic;
  std::uint64_t size;
  std::array<std::uint64_t, 2> checksum;
};

std::array<std::uint64_t, 2> checksum_of(std::span<const std::byte> content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return {hash.low64, hash.high64};
}

bool is_key(std::string_view name) {
  return name.size() == key_digits &&
         std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Nobody else could have put it there or changed it.
bool is_private(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool read_exactly(int descriptor, std::span<std::byte> buffer) {
  while (!buffer.empty()) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    buffer = buffer.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::vector<std::byte>> read_checked(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || !is_private(status)) return std::nullopt;
  FileHeader header{};
  if (!read_exactly(descriptor, std::as_writable_bytes(std::span(&header, 1))) || header.magic != magic)
    return std::nullopt;
  if (header.size != static_cast<std::uint64_t>(status.st_size) - sizeof(FileHeader)) return std::nullopt;
  std::vector<std::byte> content(header.size);
  if (!read_exactly(descriptor, content) || checksum_of(content) != header.checksum) return std::nullopt;
  return content;
}

struct Entry {
  std::string name;
  std::uint64_t bytes = 0;
  timespec used{};
};

struct Listing {
  std::vector<Entry> entries;
  std::vector<std::string> stale_temporaries;
};

Listing list_folder(int folder) {
  Listing listing;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // with a position of its own
  if (copy < 0) return listing;
  DIR* directory = ::fdopendir(copy);
  if (directory == nullptr) {
    ::close(copy);
    return listing;
  }
  const std::int64_t now = ::time(nullptr);
  while (const dirent* item = ::readdir(directory)) {
    struct stat status{};
    if (::fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (is_key(item->d_name))
      listing.entries.push_back({item->d_name, static_cast<std::uint64_t>(status.st_size), status.st_mtim});
    else if (is_temporary_name(item->d_name) && now - status.st_mtim.tv_sec > stale_seconds)
      listing.stale_temporaries.emplace_back(item->d_name);
  }
  ::closedir(directory);
  return listing;
}

/// The value of an environment variable that is set and not empty.
std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::optional<fs::path> home_folder() {
  if (std::optional<std::string> home = environment("HOME")) return fs::path(*home);
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> text{};
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return std::nullopt;
  return fs::path(entry.pw_dir);
}

}  // namespace

struct DiskCache::Folder {
  Folder(int descriptor_in, std::uint64_t max_bytes_in) : descriptor(descriptor_in), max_bytes(max_bytes_in) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { ::close(descriptor); }

  void remove(const std::string& name) const { ::unlinkat(descriptor, name.c_str(), 0); }

  /// Deletes the entries used longest ago until the rest fits. What another process deletes first is as good.
  void evict() const {
    const std::lock_guard lock(eviction);
    Listing listing = list_folder(descriptor);
    for (const std::string& name : listing.stale_temporaries) remove(name);
    std::uint64_t total = 0;
    for (const Entry& entry : listing.entries) total += entry.bytes;
    if (total <= max_bytes) return;
    std::ranges::sort(listing.entries, {},
                      [](const Entry& entry) { return std::pair(entry.used.tv_sec, entry.used.tv_nsec); });
    for (const Entry& entry : listing.entries) {
      if (total <= max_bytes) return;
      remove(entry.name);
      total -= entry.bytes;
    }
  }

  int descriptor;
  std::uint64_t max_bytes;
  mutable std::mutex eviction;
};

std::optional<fs::path> default_cache_folder() {
  if (const char* chosen = std::getenv("TILEWRIGHT_CACHE")) {
    if (*chosen == '\0' || std::string_view(chosen) == "off") return std::nullopt;
    return fs::path(chosen);
  }
  if (std::optional<std::string> base = environment("XDG_CACHE_HOME"); base && fs::path(*base).is_absolute())
    return fs::path(*base) / "tilewright";
  const std::optional<fs::path> home = home_folder();
  if (!home || !home->is_absolute()) return std::nullopt;
  return *home / ".cache" / "tilewright";
}

std::string cache_key(std::initializer_list<std::string_view> parts) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (std::string_view part : parts) {
    const std::uint64_t size = part.size();
    XXH3_128bits_update(&state, &size, sizeof size);
    XXH3_128bits_update(&state, part.data(), part.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<DiskCache> DiskCache::open(DiskCacheOptions options) {
  const std::string shown = options.folder.string();
  const auto unusable = [&](int error) {
    return fail("R050", fmt::format("the cache folder '{}' cannot be used: {}", shown, std::strerror(error)),
                "set TILEWRIGHT_CACHE to a folder of your own, or to 'off'");
  };
  if (options.folder.has_parent_path()) {
    std::error_code error;
    fs::create_directories(options.folder.parent_path(), error);
    if (error) return unusable(error.value());
  }
  if (::mkdir(options.folder.c_str(), 0700) != 0 && errno != EEXIST) return unusable(errno);
  const int descriptor = ::open(options.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return unusable(errno);
  DiskCache cache;
  cache.folder_ = std::make_shared<const Folder>(descriptor, options.max_bytes);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return unusable(errno);
  if (!is_private(status))
    return fail("R051",
                fmt::format("the cache folder '{}' belongs to user {} and has mode {:o}: others could put code there",
                            shown, status.st_uid, status.st_mode & 07777U),
                "it must be yours, and writable by no one else (chmod 700)");
  return cache;
}

std::optional<std::vector<std::byte>> DiskCache::load(std::string_view key) const {
  if (!is_on() || !is_key(key)) return std::nullopt;
  const int descriptor =
      ::openat(folder_->descriptor, std::string(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::optional<std::vector<std::byte>> content = read_checked(descriptor);
  if (content) ::futimens(descriptor, nullptr);  // used now; if that fails, it is only dropped sooner
  ::close(descriptor);
  return content;
}

Result<void> DiskCache::store(std::string_view key, std::span<const std::byte> content) const {
  if (!is_on()) return {};
  if (!is_key(key)) return fail("R052", fmt::format("'{}' is no cache key", key), "use what cache_key returns");
  const FileHeader header{magic, content.size(), checksum_of(content)};
  Result<AtomicFile> file = AtomicFile::create_in(folder_->descriptor, std::string(key));
  if (!file) return std::unexpected(std::move(file.error()));
  if (Result<void> written = file->write(std::as_bytes(std::span(&header, 1))); !written) return written;
  if (Result<void> written = file->write(content); !written) return written;
  if (Result<void> committed = file->commit(); !committed) return committed;
  folder_->evict();
  return {};
}

void DiskCache::clear() const {
  if (!is_on()) return;
  for (const Entry& entry : list_folder(folder_->descriptor).entries) folder_->remove(entry.name);
}

}  // namespace tilewright
