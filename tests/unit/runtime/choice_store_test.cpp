// The database of stored choices: keys, replacement, damage, other versions, and several writers at once.
#include "runtime/choice_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class ChoiceStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tilewright-choices-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    ::chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }
  ChoiceStore store() const { return ChoiceStore(folder_); }
  void write_file(const std::string& bytes) const { std::ofstream(store().path(), std::ios::binary) << bytes; }
  static std::string code_of(const auto& result) { return result ? "none" : result.error().front().code; }

  fs::path folder_;
  const ChoiceKey key_{"nest", "facts", "cpu znver3", "v1"};
  const StoredChoice choice_{"tile(i, 8)\nparallel(i)\n", 0.004, 0.003, 1'700'000'000};
};

TEST_F(ChoiceStoreTest, GivesBackWhatWasStored) {
  ASSERT_TRUE(store().store(key_, choice_));
  const auto found = store().find(key_);
  ASSERT_TRUE(found) << render(found.error());
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->lines, "tile(i, 8)\nparallel(i)\n");
  EXPECT_EQ((*found)->automatic_seconds, 0.004);
  EXPECT_EQ((*found)->seconds, 0.003);
  EXPECT_EQ((*found)->tuned_at, 1'700'000'000);
}

TEST_F(ChoiceStoreTest, AsksForAllOfTheKey) {
  ASSERT_TRUE(store().store(key_, choice_));
  for (std::string ChoiceKey::* part :
       {&ChoiceKey::statement, &ChoiceKey::facts, &ChoiceKey::device, &ChoiceKey::version}) {
    ChoiceKey other = key_;
    other.*part += "x";
    const auto found = store().find(other);
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->has_value());
  }
}

TEST_F(ChoiceStoreTest, ReplacesAndForgets) {
  ASSERT_TRUE(store().store(key_, choice_));
  StoredChoice other = choice_;
  other.lines = "auto\n";
  ASSERT_TRUE(store().store(key_, other));
  EXPECT_EQ((**store().find(key_)).lines, "auto\n");
  ASSERT_TRUE(store().remove(key_));
  EXPECT_FALSE(store().find(key_)->has_value());
  ASSERT_TRUE(store().remove(key_)) << "what is not there is forgotten";
}

TEST_F(ChoiceStoreTest, LooksWithoutMakingAFile) {
  const auto found = store().find(key_);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_value());
  ASSERT_TRUE(store().remove(key_));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ChoiceStoreTest, OffFindsAndStoresNothing) {
  const ChoiceStore off;
  EXPECT_FALSE(off.is_on());
  EXPECT_TRUE(off.store(key_, choice_));
  EXPECT_FALSE(off.find(key_)->has_value());
}

TEST_F(ChoiceStoreTest, AnEmptyFileHoldsNoChoice) {
  write_file("");
  const auto found = store().find(key_);
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_FALSE(found->has_value());
  EXPECT_TRUE(store().store(key_, choice_));
  EXPECT_TRUE(store().find(key_)->has_value());
}

TEST_F(ChoiceStoreTest, ADamagedFileIsAnError) {
  write_file(std::string(5000, 'x'));
  EXPECT_EQ(code_of(store().find(key_)), "R053");
  EXPECT_EQ(code_of(store().store(key_, choice_)), "R053");
  EXPECT_EQ(code_of(store().remove(key_)), "R053");
}

TEST_F(ChoiceStoreTest, AFileThatIsCutShortIsAnErrorAndNoCrash) {
  for (int n = 0; n < 200; ++n) {
    ChoiceKey key = key_;
    key.facts += std::to_string(n);
    ASSERT_TRUE(store().store(key, choice_));
  }
  const std::uintmax_t size = fs::file_size(store().path());
  fs::resize_file(store().path(), size / 2);
  int errors = 0;
  for (int n = 0; n < 200; ++n) {
    ChoiceKey key = key_;
    key.facts += std::to_string(n);
    const auto found = store().find(key);
    if (!found)
      ++errors;
    else if (found->has_value())
      EXPECT_EQ((*found)->lines, choice_.lines);
  }
  EXPECT_GT(errors, 0);
}

TEST_F(ChoiceStoreTest, AnotherVersionsFormIsAnError) {
  ASSERT_TRUE(store().store(key_, choice_));
  {
    std::fstream file(store().path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(63);  // the low byte of the user version (SQLite, Database File Format, 1.3)
    file.put('\x07');
  }
  const auto found = store().find(key_);
  ASSERT_EQ(code_of(found), "R053");
  EXPECT_TRUE(found.error().front().message.ends_with("they are of form 7, this version's is 1"))
      << found.error().front().message;
  EXPECT_EQ(code_of(store().store(key_, choice_)), "R053");
}

TEST_F(ChoiceStoreTest, AFileThatOthersMayWriteToIsAnError) {
  ASSERT_TRUE(store().store(key_, choice_));
  ::chmod(store().path().c_str(), 0666);
  EXPECT_EQ(code_of(store().find(key_)), "R053");
}

TEST_F(ChoiceStoreTest, ALinkIsAnError) {
  fs::create_symlink("/nowhere/else", store().path());
  EXPECT_EQ(code_of(store().store(key_, choice_)), "R053");
}

TEST_F(ChoiceStoreTest, AFolderMayBeReachedThroughALink) {
  fs::create_directory(folder_ / "real");
  fs::create_directory_symlink(folder_ / "real", folder_ / "link");
  const ChoiceStore linked(folder_ / "link");
  const auto stored = linked.store(key_, choice_);
  ASSERT_TRUE(stored) << render(stored.error());
  EXPECT_TRUE(linked.find(key_)->has_value());
  EXPECT_TRUE(ChoiceStore(folder_ / "real").find(key_)->has_value());
}

TEST_F(ChoiceStoreTest, CountsTheChangesInItsFolder) {
  fs::create_directory(folder_ / "other");
  const ChoiceStore one = store(), other(folder_ / "other");
  const std::int64_t before = one.changes(), before_other = other.changes();
  ASSERT_TRUE(store().store(key_, choice_));
  EXPECT_EQ(one.changes(), before + 1);
  ASSERT_TRUE(store().remove(key_));
  EXPECT_EQ(one.changes(), before + 2);
  EXPECT_EQ(other.changes(), before_other);
  EXPECT_EQ(ChoiceStore().changes(), 0);
}

TEST_F(ChoiceStoreTest, KnowsBeforehandWhetherItCanStore) {
  EXPECT_TRUE(store().check_writable());
  EXPECT_TRUE(fs::is_empty(folder_)) << "it makes no file";
  ASSERT_TRUE(store().store(key_, choice_));
  EXPECT_TRUE(store().check_writable());
  EXPECT_EQ(code_of(ChoiceStore(folder_ / "gone").check_writable()), "R053");
  write_file(std::string(5000, 'x'));
  EXPECT_EQ(code_of(store().check_writable()), "R053");
}

TEST_F(ChoiceStoreTest, AFolderThatCannotBeWrittenIsAnError) {
  if (::geteuid() == 0) {
    // Nothing keeps this user from writing: a folder that is not there does.
    EXPECT_EQ(code_of(ChoiceStore(folder_ / "gone").store(key_, choice_)), "R053");
    return;
  }
  ::chmod(folder_.c_str(), 0500);
  EXPECT_EQ(code_of(store().store(key_, choice_)), "R053");
}

TEST_F(ChoiceStoreTest, SeveralProcessesAndThreadsWriteAtOnce) {
  constexpr int processes = 4, each = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool stored = true;
      for (int n = 0; n < each; ++n) {
        ChoiceKey key = key_;
        key.statement = std::to_string(p) + "/" + std::to_string(n);
        stored = stored && store().store(key, choice_).has_value();
      }
      ::_exit(stored ? 0 : 1);
    }
    children.push_back(child);
  }
  std::thread thread([&] {
    for (int n = 0; n < each; ++n)  // nobody has stored it; those who write all the time may keep a reader out
      if (const auto found = store().find(key_))
        EXPECT_FALSE(found->has_value());
      else
        EXPECT_TRUE(found.error().front().message.ends_with("database is locked")) << found.error().front().message;
  });
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  thread.join();
  for (int p = 0; p < processes; ++p)
    for (int n = 0; n < each; ++n) {
      ChoiceKey key = key_;
      key.statement = std::to_string(p) + "/" + std::to_string(n);
      EXPECT_TRUE(store().find(key)->has_value()) << key.statement;
    }
}

}  // namespace
}  // namespace tilewright
