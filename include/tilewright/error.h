// Errors: values for those who take them, one exception type for the others. Each function that can fail has two forms.
// `f` throws Error; `try_f` returns a Result and does not throw, and is all that a program built without exceptions
// needs (there, `f` ends the process where it would throw).
#pragma once

#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tilewright/export.h"

namespace tilewright::TILEWRIGHT_ABI {

/// One message.
struct Diagnostic {
  std::string code;          ///< stable, and listed in docs/errors.md: "B010"; empty for a defect of the library
  std::string message;       ///< what is wrong and what was received
  std::string remedy;        ///< what would be legal; may be empty
  std::string source;        ///< the text at fault: a file's name, or "file.cpp:12" of a statement in C++; may be empty
  std::uint32_t line = 0;    ///< in that text, from 1; 0 where there is none
  std::uint32_t column = 0;  ///< in characters, from 1; 0 where there is none
  std::string text;          ///< all of it, as the command line prints it: with the source line and carets
};

using Diagnostics = std::vector<Diagnostic>;

template <class T>
using Result = std::expected<T, Diagnostics>;

/// What a failing call throws: one diagnostic or more.
class TILEWRIGHT_API Error : public std::exception {
 public:
  explicit Error(Diagnostics diagnostics);
  Error(const Error& other) noexcept;
  Error& operator=(const Error& other) noexcept;
  ~Error() override;

  /// All diagnostics as text.
  const char* what() const noexcept override;
  /// Never empty.
  const Diagnostics& diagnostics() const noexcept;
  /// Of the first diagnostic.
  const std::string& code() const noexcept;

 private:
  struct TILEWRIGHT_INNER Content;
  std::shared_ptr<const Content> content_;
};

namespace detail {

[[noreturn]] TILEWRIGHT_API void throw_error(Diagnostics diagnostics);

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw_error(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace detail
}  // namespace tilewright::TILEWRIGHT_ABI
