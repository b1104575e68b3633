// The cache folder: privacy, damage, eviction, and several processes at once.
#include "runtime/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::byte>;

Bytes content(std::size_t size, int value) {
  return Bytes(size, static_cast<std::byte>(value));
}

/// Sets an environment variable, or removes it, until the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    if (value != nullptr)
      ::setenv(name, value, 1);
    else
      ::unsetenv(name);
  }
  ~ScopedVariable() {
    if (old_)
      ::setenv(name_, old_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class DiskCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tilewright-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    folder_ = root_ / "deep" / "cache";
  }
  void TearDown() override { fs::remove_all(root_); }

  DiskCache open(std::uint64_t max_bytes = 1 << 20) {
    return DiskCache::open({.folder = folder_, .max_bytes = max_bytes}).value();
  }
  /// Makes an entry look as if used `minutes` ago.
  void age(const std::string& key, int minutes) const {
    fs::last_write_time(folder_ / key, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string code_of_open() const {
    const Result<DiskCache> cache = DiskCache::open({.folder = folder_});
    return cache ? "no error" : cache.error().front().code;
  }

  fs::path root_;
  fs::path folder_;
  const std::string key_ = cache_key({"kernel", "toolchain", "target"});
};

TEST(CacheKey, DependsOnEveryPartAndItsBounds) {
  EXPECT_EQ(cache_key({}), "99aa06d3014798d86001c324468d497f");  // XXH3-128 of no bytes, from its specification
  EXPECT_EQ(cache_key({"a", "b"}), cache_key({"a", "b"}));
  EXPECT_NE(cache_key({"a", "b"}), cache_key({"ab", ""}));
  EXPECT_NE(cache_key({"a", "b"}), cache_key({"b", "a"}));
  EXPECT_NE(cache_key({"a"}), cache_key({"a", ""}));
}

TEST_F(DiskCacheTest, GivesBackWhatWasStoredAlsoAfterReopening) {
  EXPECT_EQ(open().load(key_), std::nullopt);
  ASSERT_TRUE(open().store(key_, content(1000, 7)));
  EXPECT_EQ(open().load(key_), content(1000, 7));
  ASSERT_TRUE(open().store(key_, content(0, 0)));
  EXPECT_EQ(open().load(key_), content(0, 0));
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(DiskCacheTest, TheFolderIsPrivateAndItsFilesToo) {
  ASSERT_TRUE(open().store(key_, content(10, 1)));
  struct stat status{};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat((folder_ / key_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(DiskCacheTest, AFolderThatOthersMayWriteToIsRefused) {
  open();
  for (unsigned mode : {0720U, 0702U, 0777U, 01777U}) {
    ASSERT_EQ(::chmod(folder_.c_str(), mode), 0);
    EXPECT_EQ(code_of_open(), "R051") << std::oct << mode;
  }
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(code_of_open(), "no error");
}

TEST_F(DiskCacheTest, SomeoneElsesFolderIsRefused) {
  open();
  if (::geteuid() != 0 || ::chown(folder_.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "needs to give a folder away";
  EXPECT_EQ(code_of_open(), "R051");
}

TEST_F(DiskCacheTest, AFileInTheWayIsAnError) {
  fs::create_directories(folder_.parent_path());
  std::ofstream(folder_) << "x";
  EXPECT_EQ(code_of_open(), "R050");
}

TEST_F(DiskCacheTest, DamagedFilesCountAsAbsentAndAreReplaced) {
  const DiskCache cache = open();
  ASSERT_TRUE(cache.store(key_, content(100, 3)));
  const auto size = fs::file_size(folder_ / key_);
  for (std::uintmax_t position = 0; position < size; position += 7) {
    std::fstream file(folder_ / key_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(position));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(position));
    file.put(static_cast<char>(byte ^ 0x10));
    file.close();
    EXPECT_EQ(cache.load(key_), std::nullopt) << position;
    ASSERT_TRUE(cache.store(key_, content(100, 3)));
  }
  EXPECT_EQ(cache.load(key_), content(100, 3));
  for (std::uintmax_t length : {std::uintmax_t{0}, std::uintmax_t{10}, size - 1}) {
    fs::resize_file(folder_ / key_, length);
    EXPECT_EQ(cache.load(key_), std::nullopt) << length;
  }
}

TEST_F(DiskCacheTest, LinksAndFilesThatOthersMayWriteToAreNotRead) {
  const DiskCache cache = open();
  ASSERT_TRUE(cache.store(key_, content(10, 1)));
  ASSERT_EQ(::chmod((folder_ / key_).c_str(), 0666), 0);
  EXPECT_EQ(cache.load(key_), std::nullopt);
  ASSERT_EQ(::chmod((folder_ / key_).c_str(), 0600), 0);
  fs::rename(folder_ / key_, folder_ / "elsewhere");
  fs::create_symlink("elsewhere", folder_ / key_);
  EXPECT_EQ(cache.load(key_), std::nullopt);
}

TEST_F(DiskCacheTest, DropsWhatWasUsedLongestAgo) {
  const std::string a = cache_key({"a"});
  const std::string b = cache_key({"b"});
  const std::string c = cache_key({"c"});
  const DiskCache cache = open(2500);
  ASSERT_TRUE(cache.store(a, content(1000, 1)));
  ASSERT_TRUE(cache.store(b, content(1000, 2)));
  age(a, 20);
  age(b, 10);
  ASSERT_TRUE(cache.load(a));  // used now
  ASSERT_TRUE(cache.store(c, content(1000, 3)));
  EXPECT_EQ(cache.load(b), std::nullopt);
  EXPECT_EQ(cache.load(a), content(1000, 1));
  EXPECT_EQ(cache.load(c), content(1000, 3));
}

TEST_F(DiskCacheTest, RemovesWhatCrashedProcessesLeft) {
  const DiskCache cache = open();
  std::ofstream(folder_ / ".tilewright-00.tmp") << "x";
  std::ofstream(folder_ / ".tilewright-01.tmp") << "x";
  std::ofstream(folder_ / "notes.txt") << "not ours";
  age(".tilewright-00.tmp", 90);
  age("notes.txt", 90);
  ASSERT_TRUE(cache.store(key_, content(1, 1)));
  EXPECT_FALSE(fs::exists(folder_ / ".tilewright-00.tmp"));
  EXPECT_TRUE(fs::exists(folder_ / ".tilewright-01.tmp"));  // may be in use
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
  cache.clear();
  EXPECT_FALSE(fs::exists(folder_ / key_));
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
}

TEST_F(DiskCacheTest, KeysCannotNameOtherFiles) {
  const DiskCache cache = open();
  for (const char* key : {"", "../x", "0123", "0123456789ABCDEF0123456789ABCDEF", "/etc/passwd"}) {
    EXPECT_EQ(cache.load(key), std::nullopt);
    const Result<void> stored = cache.store(key, content(1, 1));
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().front().code, "R052");
  }
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(DiskCacheTest, OffFindsNothingAndFailsNothing) {
  const DiskCache off;
  EXPECT_FALSE(off.is_on());
  EXPECT_TRUE(off.store(key_, content(1, 1)));
  EXPECT_EQ(off.load(key_), std::nullopt);
}

TEST_F(DiskCacheTest, ProcessesShareAFolder) {
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t process = ::fork();
    if (process == 0) {
      // Each content tells its size, so a mixture of two would show.
      const DiskCache cache = open(20'000);
      bool right = true;
      for (int round = 0; round < 100; ++round) {
        const std::string key = cache_key({std::to_string(round % 8)});
        const auto size = static_cast<std::size_t>(1000 + 37 * child + round);
        right = right && cache.store(key, content(size, static_cast<int>(size % 251))).has_value();
        if (const std::optional<Bytes> found = cache.load(key))
          right = right && *found == content(found->size(), static_cast<int>(found->size() % 251));
      }
      ::_exit(right ? 0 : 1);
    }
    children.push_back(process);
  }
  for (pid_t process : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  for (const fs::directory_entry& file : fs::directory_iterator(folder_))
    EXPECT_EQ(file.path().filename().string().size(), 32U) << file.path();
}

TEST(DefaultCacheFolder, FollowsTheEnvironment) {
  using Folder = std::optional<fs::path>;
  const ScopedVariable home("HOME", "/home/someone");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/var/caches");
  {
    const ScopedVariable own("TILEWRIGHT_CACHE", "/data/tw");
    EXPECT_EQ(default_cache_folder(), Folder("/data/tw"));
  }
  for (const char* off : {"off", ""}) {
    const ScopedVariable own("TILEWRIGHT_CACHE", off);
    EXPECT_EQ(default_cache_folder(), std::nullopt);
  }
  const ScopedVariable own("TILEWRIGHT_CACHE", nullptr);
  EXPECT_EQ(default_cache_folder(), Folder("/var/caches/tilewright"));
  for (const char* unusable : {"relative", ""}) {
    const ScopedVariable other("XDG_CACHE_HOME", unusable);
    EXPECT_EQ(default_cache_folder(), Folder("/home/someone/.cache/tilewright"));
  }
}

}  // namespace
}  // namespace tilewright
