// Bytes → is this text at all? Before the lexer.
#pragma once

#include <optional>

#include "support/diagnostic.h"

namespace tilewright::lang {

/// The first NUL byte (L001), byte sequence that is no UTF-8 (L002) or excess size (L001), whichever comes first.
std::optional<Diagnostic> find_text_defect(const SourcePtr& source);

}  // namespace tilewright::lang
