// Messages on standard error.
#pragma once

#include <string_view>

namespace tilewright::cli {

/// Where standard error cannot be written, the text is lost and the exit code says what there is to say.
void print_message(std::string_view text);

}  // namespace tilewright::cli
