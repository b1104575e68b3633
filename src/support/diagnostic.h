// User errors as values. Every fallible function of the compiler returns Result<T>; several diagnostics are collected.
#pragma once

#include <expected>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace tilewright {

enum class Severity : std::uint8_t { error, warning, note };

/// One message. `code` is stable and documented (docs/errors.md): a letter for the level and three digits, "L012".
struct Diagnostic {
  std::string code;
  std::string message;  ///< what is wrong and what was received
  std::string remedy;   ///< what would be legal; may be empty
  SourcePtr source;     ///< null where no text is at fault (a shape mismatch of a C++ call, a missing file)
  Span span;
  Severity severity = Severity::error;
};

using Diagnostics = std::vector<Diagnostic>;

template <class T>
using Result = std::expected<T, Diagnostics>;

/// One error as the unexpected value of a Result.
std::unexpected<Diagnostics> fail(std::string_view code, std::string message, std::string remedy = {},
                                  SourcePtr source = nullptr, Span span = {});

/// `file:line:col: error[CODE]: message`, the source line, a caret line under the span, and `= help: remedy`. Tabs and
/// control characters of the source line print as spaces; a very long line is cut around the span. What a terminal
/// would obey (other control characters, no UTF-8) prints as U+FFFD.
std::string render(const Diagnostic& diagnostic);
std::string render(const Diagnostics& diagnostics);

/// True if any is an error (not a warning or a note).
bool has_errors(const Diagnostics& diagnostics);

/// A defect of the compiler itself, never of its input: thrown, and caught at the façade. A pass runner's message names
/// the pass and shows the IR.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};
[[noreturn]] void internal_error(std::string_view message);

}  // namespace tilewright
