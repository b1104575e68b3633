// LLVM ends the process on what it calls a fatal error. Here such an error comes back as a value.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace tilewright::codegen {

/// Runs `work`. Returns LLVM's message if it met a fatal error in it, on this thread. What `work` had LLVM allocate is
/// then in an unknown state and must be leaked, not destroyed: keep it outside of `work`. Other exceptions pass. A
/// fatal error outside of any such call is not ours: LLVM's own handling proceeds.
std::optional<std::string> catch_fatal_error(const std::function<void()>& work);

}  // namespace tilewright::codegen
