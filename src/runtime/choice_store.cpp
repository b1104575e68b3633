// The database of stored choices. See choice_store.h.
#include "runtime/choice_store.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "runtime/disk_cache.h"

namespace tilewright {
namespace {

constexpr const char* file_name = "choices.sqlite";
constexpr int schema_version = 1;                                     ///< of PRAGMA user_version
constexpr int reader_milliseconds = 500, writer_milliseconds = 5000;  ///< that another's lock is waited for
constexpr const char* schema =
    "CREATE TABLE IF NOT EXISTS choice ("
    " key TEXT PRIMARY KEY,"  // of all that identifies a choice; the next four are what it stands for
    " statement TEXT NOT NULL, facts TEXT NOT NULL, device TEXT NOT NULL, version TEXT NOT NULL,"
    " lines TEXT NOT NULL, automatic_seconds REAL NOT NULL, seconds REAL NOT NULL, tuned_at INTEGER NOT NULL)"
    " WITHOUT ROWID;"
    "PRAGMA user_version = 1;";

std::string key_text(const ChoiceKey& key) {
  return cache_key({key.statement, key.facts, key.device, key.version});
}

std::unexpected<Diagnostics> unusable(const std::filesystem::path& path, std::string_view why) {
  return fail("R053", fmt::format("the stored choices '{}' cannot be used: {}", path.string(), why),
              "delete the file, or set TILEWRIGHT_TUNED to 'off'");
}

using Value = std::variant<std::string_view, double, std::int64_t>;

class Statement {
 public:
  Statement(sqlite3* database, const char* text) { (void)::sqlite3_prepare_v2(database, text, -1, &handle_, nullptr); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { ::sqlite3_finalize(handle_); }

  /// The values outlive the statement's steps.
  void bind(std::initializer_list<Value> values) {
    int place = 0;
    for (const Value& value : values) {
      ++place;
      if (const auto* text = std::get_if<std::string_view>(&value))
        ::sqlite3_bind_text(handle_, place, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
      else if (const auto* number = std::get_if<double>(&value))
        ::sqlite3_bind_double(handle_, place, *number);
      else
        ::sqlite3_bind_int64(handle_, place, std::get<std::int64_t>(value));
    }
  }
  /// SQLITE_ROW, SQLITE_DONE or an error's code.
  int step() { return handle_ == nullptr ? SQLITE_ERROR : ::sqlite3_step(handle_); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(::sqlite3_column_text(handle_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column)));
  }
  double number(int column) const { return ::sqlite3_column_double(handle_, column); }
  std::int64_t integer(int column) const { return ::sqlite3_column_int64(handle_, column); }

 private:
  sqlite3_stmt* handle_ = nullptr;
};

enum class Access : std::uint8_t { reading, writing };

/// An open database of this version's form.
class Database {
 public:
  static Result<Database> open(const std::filesystem::path& path, Access access) {
    Database database(path);
    // The database itself may be no link; a folder above it may, and SQLite would refuse that, too.
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::canonical(path.parent_path(), error);
    if (error) return unusable(path, error.message());
    // A reader may have to undo what a writer that was killed left; where it may not write, it only reads.
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | (access == Access::writing ? SQLITE_OPEN_CREATE : 0);
    sqlite3* handle = nullptr;
    const int opened = ::sqlite3_open_v2((folder / path.filename()).c_str(), &handle, flags, nullptr);
    database.handle_.reset(handle);
    if (opened != SQLITE_OK) return database.failure();
    ::sqlite3_busy_timeout(handle, access == Access::reading ? reader_milliseconds : writer_milliseconds);
    if (Result<void> sound = database.check_form(access); !sound) return std::unexpected(std::move(sound.error()));
    return database;
  }

  sqlite3* get() const { return handle_.get(); }
  bool is_empty() const { return is_empty_; }  ///< a reader found no table yet
  std::unexpected<Diagnostics> failure() const {
    return unusable(path_, handle_ ? ::sqlite3_errmsg(handle_.get()) : "no memory");
  }
  Result<void> run(const char* text) {
    if (::sqlite3_exec(get(), text, nullptr, nullptr, nullptr) != SQLITE_OK) return failure();
    return {};
  }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { ::sqlite3_close(handle); }
  };

  explicit Database(std::filesystem::path path) : path_(std::move(path)) {}

  Result<std::int64_t> version() {
    Statement statement(get(), "PRAGMA user_version");
    if (statement.step() != SQLITE_ROW) return failure();
    return statement.integer(0);
  }

  /// A file without a table gets one, by one writer.
  Result<void> check_form(Access access) {
    Result<std::int64_t> found = version();
    if (!found) return std::unexpected(std::move(found.error()));
    if (*found == 0 && access == Access::writing) {
      if (Result<void> made = run("BEGIN IMMEDIATE"); !made) return made;
      found = version();
      if (found && *found == 0)
        if (Result<void> made = run(schema); !made) return made;
      if (Result<void> made = run("COMMIT"); !made) return made;
      found = version();
      if (!found) return std::unexpected(std::move(found.error()));
    }
    is_empty_ = *found == 0 && access == Access::reading;
    if (*found == schema_version || is_empty_) return {};
    return unusable(path_, fmt::format("they are of form {}, this version's is {}", *found, schema_version));
  }

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
  bool is_empty_ = false;
};

/// Nobody else could have made it or changed it. A file that is not there is sound.
Result<bool> find_file(const std::filesystem::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    return unusable(path, "the file cannot be looked at");
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return unusable(path, "it must be a file of yours that no one else may write to");
  return true;
}

/// One for each folder, as long as the process.
std::shared_ptr<std::atomic<std::int64_t>> changes_in(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::shared_ptr<std::atomic<std::int64_t>>> known;
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(folder, error);
  const std::lock_guard lock(mutex);
  auto& changes = known[error ? folder : canonical];
  if (!changes) changes = std::make_shared<std::atomic<std::int64_t>>(0);
  return changes;
}

}  // namespace

ChoiceStore::ChoiceStore(const std::filesystem::path& folder)
    : path_(folder / file_name), changes_(changes_in(folder)) {}

Result<std::optional<StoredChoice>> ChoiceStore::find(const ChoiceKey& key) const {
  if (!is_on()) return std::nullopt;
  const Result<bool> there = find_file(path_);
  if (!there) return std::unexpected(there.error());
  if (!*there) return std::nullopt;
  Result<Database> database = Database::open(path_, Access::reading);
  if (!database) return std::unexpected(std::move(database.error()));
  if (database->is_empty()) return std::nullopt;
  const std::string hash = key_text(key);
  Statement statement(database->get(), "SELECT lines, automatic_seconds, seconds, tuned_at FROM choice WHERE key = ?1");
  statement.bind({std::string_view(hash)});
  switch (statement.step()) {
    case SQLITE_ROW:
      return StoredChoice{statement.text(0), statement.number(1), statement.number(2), statement.integer(3)};
    case SQLITE_DONE:
      return std::nullopt;
    default:
      return database->failure();
  }
}

Result<void> ChoiceStore::store(const ChoiceKey& key, const StoredChoice& choice) const {
  if (!is_on()) return {};
  if (const Result<bool> there = find_file(path_); !there) return std::unexpected(there.error());
  Result<Database> database = Database::open(path_, Access::writing);
  if (!database) return std::unexpected(std::move(database.error()));
  const std::string hash = key_text(key);
  Statement statement(database->get(), "INSERT OR REPLACE INTO choice VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
  statement.bind({std::string_view(hash), std::string_view(key.statement), std::string_view(key.facts),
                  std::string_view(key.device), std::string_view(key.version), std::string_view(choice.lines),
                  choice.automatic_seconds, choice.seconds, choice.tuned_at});
  if (statement.step() != SQLITE_DONE) return database->failure();
  changes_->fetch_add(1, std::memory_order_release);
  return {};
}

Result<void> ChoiceStore::remove(const ChoiceKey& key) const {
  if (!is_on()) return {};
  const Result<bool> there = find_file(path_);
  if (!there) return std::unexpected(there.error());
  if (!*there) return {};
  Result<Database> database = Database::open(path_, Access::writing);
  if (!database) return std::unexpected(std::move(database.error()));
  const std::string hash = key_text(key);
  Statement statement(database->get(), "DELETE FROM choice WHERE key = ?1");
  statement.bind({std::string_view(hash)});
  if (statement.step() != SQLITE_DONE) return database->failure();
  changes_->fetch_add(1, std::memory_order_release);
  return {};
}

Result<void> ChoiceStore::check_writable() const {
  if (!is_on()) return {};
  const Result<bool> there = find_file(path_);
  if (!there) return std::unexpected(there.error());
  const std::filesystem::path folder = path_.parent_path();
  for (const std::filesystem::path& each : {*there ? path_ : folder, folder})
    if (::access(each.c_str(), W_OK) != 0) return unusable(path_, std::strerror(errno));
  if (!*there) return {};
  if (Result<Database> database = Database::open(path_, Access::reading); !database)
    return std::unexpected(std::move(database.error()));
  return {};
}

}  // namespace tilewright
