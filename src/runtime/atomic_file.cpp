// Temporary file and rename. See atomic_file.h.
#include "runtime/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tilewright {

namespace {

constexpr std::string_view temporary_prefix = ".tilewright-";
constexpr std::string_view temporary_suffix = ".tmp";

/// 128 random bits as a name; empty where the system has none to give.
std::string temporary_name() {
  std::array<unsigned char, 16> bits{};
  if (::getentropy(bits.data(), bits.size()) != 0) return {};
  std::string name(temporary_prefix);
  for (unsigned char byte : bits) fmt::format_to(std::back_inserter(name), "{:02x}", byte);
  return name.append(temporary_suffix);
}

}  // namespace

bool is_temporary_name(std::string_view name) {
  return name.starts_with(temporary_prefix) && name.ends_with(temporary_suffix);
}

std::unexpected<Diagnostics> AtomicFile::failure(int error) const {
  return fail("R041", fmt::format("cannot write '{}': {}", name_, std::strerror(error)));
}

Result<void> AtomicFile::open_temporary(unsigned mode) {
  const std::string file = temporary_name();
  if (file.empty()) return failure(errno);
  std::string path = (std::filesystem::path(name_).parent_path() / file).string();
  descriptor_ = ::openat(directory_, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (descriptor_ < 0) return failure(errno);
  temporary_ = std::move(path);
  return {};
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
  AtomicFile file(AT_FDCWD, path.string());
  struct stat existing{};
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) return file.failure(EISDIR);
  if (exists && !S_ISREG(existing.st_mode)) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file.descriptor_ < 0) return file.failure(errno);
    return file;
  }
  if (exists) {
    // A rename needs no permission of the file that it replaces; the user's protection of it counts all the same.
    if (::access(path.c_str(), W_OK) != 0) return file.failure(errno);
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    if (error) return file.failure(error.value());
    file.name_ = target.string();
  }
  if (Result<void> opened = file.open_temporary(0666); !opened) return std::unexpected(std::move(opened.error()));
  if (exists && ::fchmod(file.descriptor_, existing.st_mode & 0777U) != 0) return file.failure(errno);
  return file;
}

Result<void> AtomicFile::check(const std::filesystem::path& path) {
  struct stat existing{};
  const bool in_place =
      ::stat(path.c_str(), &existing) == 0 && !S_ISDIR(existing.st_mode) && !S_ISREG(existing.st_mode);
  if (in_place) {
    if (::access(path.c_str(), W_OK) != 0) return AtomicFile(AT_FDCWD, path.string()).failure(errno);
    return {};
  }
  if (const Result<AtomicFile> file = create(path); !file) return std::unexpected(file.error());
  return {};
}

Result<AtomicFile> AtomicFile::create_in(int directory, std::string name) {
  AtomicFile file(directory, std::move(name));
  if (Result<void> opened = file.open_temporary(0600); !opened) return std::unexpected(std::move(opened.error()));
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : directory_(other.directory_),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlinkat(directory_, temporary_.c_str(), 0);
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> AtomicFile::commit() {
  // Closing reports what a network file system could not write.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) return failure(errno);
  if (temporary_.empty()) return {};
  if (::renameat(directory_, temporary_.c_str(), directory_, name_.c_str()) != 0) return failure(errno);
  temporary_.clear();
  return {};
}

}  // namespace tilewright
