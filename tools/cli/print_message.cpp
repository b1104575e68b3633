// Messages on standard error. See print_message.h.
#include "cli/print_message.h"

#include <cstdio>

namespace tilewright::cli {

void print_message(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

}  // namespace tilewright::cli
