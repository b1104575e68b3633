// Files that appear whole or not at all.
#include "runtime/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "no error" : result.error().front().code;
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tilewright-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ / "result";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename().string());
    return found;
  }
  unsigned mode_of(const fs::path& path) const {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 0777U;
  }
  fs::path folder_;
  fs::path path_;
};

TEST_F(AtomicFileTest, AppearsWithItsCommit) {
  AtomicFile file = AtomicFile::create(path_).value();
  ASSERT_TRUE(file.write(as_bytes("one ")));
  ASSERT_TRUE(file.write(as_bytes("two")));
  EXPECT_FALSE(fs::exists(path_));
  ASSERT_EQ(names().size(), 1U);
  EXPECT_TRUE(is_temporary_name(names().front()));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(contents(path_), "one two");
  EXPECT_EQ(names(), std::vector<std::string>{"result"});
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  std::ofstream(path_) << "old";
  {
    AtomicFile file = AtomicFile::create(path_).value();
    ASSERT_TRUE(file.write(as_bytes("new")));
    AtomicFile moved = std::move(file);
    ASSERT_TRUE(moved.write(as_bytes("er")));
  }
  EXPECT_EQ(contents(path_), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"result"});
}

TEST_F(AtomicFileTest, ReplacesAFileAndKeepsItsMode) {
  std::ofstream(path_) << "old and longer";
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  AtomicFile file = AtomicFile::create(path_).value();
  ASSERT_TRUE(file.write(as_bytes("new")));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(contents(path_), "new");
  EXPECT_EQ(mode_of(path_), 0640U);
}

TEST_F(AtomicFileTest, FollowsALinkToItsFile) {
  std::ofstream(path_) << "old";
  const fs::path link = folder_ / "link";
  fs::create_symlink("result", link);
  AtomicFile file = AtomicFile::create(link).value();
  ASSERT_TRUE(file.write(as_bytes("new")));
  ASSERT_TRUE(file.commit());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(contents(path_), "new");
}

TEST_F(AtomicFileTest, DevicesAreWrittenInPlace) {
  AtomicFile file = AtomicFile::create("/dev/null").value();
  ASSERT_TRUE(file.write(as_bytes("gone")));
  ASSERT_TRUE(file.commit());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, AFullDeviceIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  AtomicFile file = AtomicFile::create("/dev/full").value();
  EXPECT_EQ(code_of(file.write(as_bytes("x"))), "R041");
}

TEST_F(AtomicFileTest, ImpossiblePathsAreErrors) {
  EXPECT_EQ(code_of(AtomicFile::create(folder_)), "R041");
  EXPECT_EQ(code_of(AtomicFile::create(folder_ / "missing" / "file")), "R041");
  std::ofstream(path_) << "file";
  EXPECT_EQ(code_of(AtomicFile::create(path_ / "inside")), "R041");
}

TEST_F(AtomicFileTest, ACheckLeavesNothingAndChangesNothing) {
  EXPECT_EQ(code_of(AtomicFile::check(path_)), "no error");
  EXPECT_TRUE(names().empty());
  std::ofstream(path_) << "old";
  EXPECT_EQ(code_of(AtomicFile::check(path_)), "no error");
  EXPECT_EQ(fs::file_size(path_), 3U);
  EXPECT_EQ(names(), std::vector<std::string>{"result"});
  EXPECT_EQ(code_of(AtomicFile::check(folder_)), "R041");
  EXPECT_EQ(code_of(AtomicFile::check(folder_ / "missing" / "file")), "R041");
  const fs::path pipe = folder_ / "pipe";  // nobody reads it: to open it would wait for ever
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(code_of(AtomicFile::check(pipe)), "no error");
}

TEST_F(AtomicFileTest, AProtectedFileIsNotReplaced) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write anything";
  std::ofstream(path_) << "old";
  ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
  EXPECT_EQ(code_of(AtomicFile::create(path_)), "R041");
}

TEST_F(AtomicFileTest, ARenameThatFailsLeavesNothing) {
  AtomicFile file = AtomicFile::create(path_).value();
  ASSERT_TRUE(file.write(as_bytes("new")));
  fs::create_directory(path_);  // meanwhile
  EXPECT_EQ(code_of(file.commit()), "R041");
  {
    const AtomicFile last = std::move(file);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"result"});
}

TEST_F(AtomicFileTest, InAFolderItIsPrivate) {
  const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_GE(folder, 0);
  AtomicFile file = AtomicFile::create_in(folder, "entry").value();
  ASSERT_TRUE(file.commit());
  ::close(folder);
  EXPECT_EQ(mode_of(folder_ / "entry"), 0600U);
  EXPECT_EQ(fs::file_size(folder_ / "entry"), 0U);
}

}  // namespace
}  // namespace tilewright
