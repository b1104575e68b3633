// What the files of the public face share: the inner values that public handles hold, and the way from inner errors to
// public ones. The face sees both worlds, so it spells out the public namespace: in tilewright::v0, `Tensor` is the
// public handle and `tilewright::Tensor` the runtime's type (docs/adr/0005).
#pragma once

#define TILEWRIGHT_ABI v0

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine.h"
#include "runtime/kernel.h"
#include "runtime/tensor.h"
#include "support/diagnostic.h"
#include "tilewright/engine.h"
#include "tilewright/error.h"
#include "tilewright/kernel.h"
#include "tilewright/tensor.h"
#include "tilewright/types.h"

namespace tilewright::v0 {

struct Tensor::Inside {
  tilewright::Tensor tensor;

  static Tensor wrap(tilewright::Tensor tensor);
  static const tilewright::Tensor& of(const Tensor& tensor);
  static std::shared_ptr<const Inside> empty();
};

/// A name object of a statement in C++ and the text that the kernel gave it.
struct AssignedName {
  std::shared_ptr<const void> identity;
  std::string name;
};

struct Kernel::Inside {
  tilewright::Kernel kernel;
  std::vector<std::string> results;
  std::string text;
  std::vector<AssignedName> names;

  static Kernel wrap(tilewright::Kernel kernel, std::vector<AssignedName> names = {});
  static const Inside& of(const Kernel& kernel) { return *kernel.inside_; }
};

struct Engine::Inside {
  tilewright::Engine engine;
};

/// The public enum has the inner one's enumerators in the same order (types.cpp holds it to that).
inline tilewright::DType inner(DType type) {
  return static_cast<tilewright::DType>(type);
}
inline DType outer(tilewright::DType type) {
  return static_cast<DType>(type);
}

Diagnostic outer(const tilewright::Diagnostic& diagnostic);
std::unexpected<Diagnostics> outer(const tilewright::Diagnostics& diagnostics);
Result<Tensor> outer(tilewright::Result<tilewright::Tensor> tensor);
Result<void> outer(const tilewright::Result<void>& done);

/// One error of the face as the unexpected value of a public Result.
std::unexpected<Diagnostics> fail_here(std::string_view code, std::string message, std::string remedy);

/// An exception that came up from below: a defect of the library, or memory that ran out. It has no code.
std::unexpected<Diagnostics> defect(const std::exception& exception);

/// Runs the body of a try_ function; what it throws becomes a value.
template <std::invocable Body>
std::invoke_result_t<Body> guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    return std::unexpected(error.diagnostics());
  } catch (const std::exception& exception) {
    return defect(exception);
  }
}

}  // namespace tilewright::v0
