#include "codegen/llvm/fatal_error.h"

#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/PrettyStackTrace.h>

#include <mutex>

namespace tilewright::codegen {

namespace {

struct FatalError {
  std::string message;
};

thread_local int guarded_depth = 0;

// LLVM is built with unwind tables, and calls its handler with no lock held, so an exception may leave through its
// frames; they run no destructors, for want of which the work's objects are leaked.
void handle_fatal_error(void*, const char* reason, bool) {
  if (guarded_depth > 0) throw FatalError{reason};
}

struct Depth {
  Depth() { ++guarded_depth; }
  ~Depth() { --guarded_depth; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
};

}  // namespace

std::optional<std::string> catch_fatal_error(const std::function<void()>& work) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(handle_fatal_error); });
  // LLVM's list of what it is doing, for its crash reports, lives in the frames that the exception leaves.
  const void* stack_state = llvm::SavePrettyStackState();
  try {
    const Depth depth;
    work();
    return std::nullopt;
  } catch (const FatalError& error) {
    llvm::RestorePrettyStackState(stack_state);
    return error.message;
  }
}

}  // namespace tilewright::codegen
