// Engine: a device that kernels run on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/error.h"
#include "tilewright/export.h"
#include "tilewright/kernel.h"
#include "tilewright/tensor.h"

namespace tilewright::TILEWRIGHT_ABI {

class TensorName;

/// A tensor with the name that a kernel calls it by.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// One argument of a call: `{"a", tensor}` in any order, or tensors alone in the order of Kernel::operand_names().
class TILEWRIGHT_API Operand {
 public:
  Operand(Tensor tensor) : tensor_(std::move(tensor)) {}
  Operand(std::string_view name, Tensor tensor) : name_(name), tensor_(std::move(tensor)) {}
  Operand(const NamedTensor& named) : name_(named.name), tensor_(named.tensor) {}
  /// By the name object of a statement in C++ (tilewright/statement.h), which may have been given no text.
  Operand(const TensorName& name, Tensor tensor);

  const std::string& name() const noexcept { return name_; }
  const Tensor& tensor() const noexcept { return tensor_; }
  const std::shared_ptr<const void>& identity() const noexcept { return identity_; }  ///< of a name without text

 private:
  std::string name_;
  std::shared_ptr<const void> identity_;
  Tensor tensor_;
};

struct EngineOptions {
  bool disk_cache = true;            ///< keep compiled kernels between processes, in a private folder
  std::int64_t workspace_limit = 0;  ///< bytes that one call may allocate beside its results; 0: no limit
  bool stored_choices = true;        ///< use the schedules that `tilewright tune` stored
};

/// What one call may ask for.
struct CallOptions {
  /// A CUstream (or cudaStream_t) of the engine's device that the call is queued on, after what is there already; the
  /// call then returns before the results are there, and operands and output must live until they are. Absent: the call
  /// waits.
  std::optional<void*> stream = {};
};

/// A handle; copies share the device and its caches. All calls are thread-safe and, without a stream of the caller's,
/// block until the results are there. The first call of a kernel with new types, strides or shapes compiles.
///
/// Errors of all calls: B0xx, operands whose types and shapes do not fit the statement, with the place in it; R073, an
/// operand that is not in memory of this device; R076, a missing, unknown or repeated operand; A020, some operands with
/// a name and some without; R078, a workspace past the limit.
class TILEWRIGHT_API Engine {
 public:
  /// "cpu", which is always there, "cuda" or "cuda:N": an NVIDIA GPU of compute capability 8.0 or later, whose driver
  /// is loaded when it is asked for, or "sim": the simulator of one, which checks every access. R072: no such device on
  /// this machine.
  static Engine open(std::string_view device = "cpu", const EngineOptions& options = {}) {
    return detail::value_or_throw(try_open(device, options));
  }
  static Result<Engine> try_open(std::string_view device = "cpu", const EngineOptions& options = {}) noexcept;

  /// Computes the only result of a kernel into a new, row-major tensor. R075: a program with several results (use run).
  Tensor eval(const Kernel& kernel, const std::vector<Operand>& operands) const {
    return detail::value_or_throw(try_eval(kernel, operands));
  }
  Result<Tensor> try_eval(const Kernel& kernel, const std::vector<Operand>& operands) const noexcept;

  /// The same into existing memory of any strides, which is untouched after an error. R074: another type or shape than
  /// the result's, or read only. R060 to R063: it overlaps an operand or itself. R077: a program. R082: a stream on a
  /// device that has none.
  void eval_into(const Kernel& kernel, const std::vector<Operand>& operands, const Tensor& output,
                 const CallOptions& options = {}) const {
    detail::value_or_throw(try_eval_into(kernel, operands, output, options));
  }
  Result<void> try_eval_into(const Kernel& kernel, const std::vector<Operand>& operands, const Tensor& output,
                             const CallOptions& options = {}) const noexcept;

  /// All results of a statement or a program, in the order of Kernel::result_names().
  std::vector<NamedTensor> run(const Kernel& kernel, const std::vector<Operand>& operands) const {
    return detail::value_or_throw(try_run(kernel, operands));
  }
  Result<std::vector<NamedTensor>> try_run(const Kernel& kernel, const std::vector<Operand>& operands) const noexcept;

  /// A row-major tensor in memory that this engine's kernels reach, with the elements of one that the host reads; the
  /// tensor itself where they reach it already. R091: the device is full.
  Tensor to_device(const Tensor& tensor) const { return detail::value_or_throw(try_to_device(tensor)); }
  Result<Tensor> try_to_device(const Tensor& tensor) const noexcept;

  /// The reverse: a tensor that the host reads. R004: no memory for it.
  Tensor to_host(const Tensor& tensor) const { return detail::value_or_throw(try_to_host(tensor)); }
  Result<Tensor> try_to_host(const Tensor& tensor) const noexcept;

  /// NumPy's einsum of these tensors, in one call; a kernel of Kernel::einsum keeps what it compiles. L070 to L076:
  /// errors in the string.
  Tensor einsum(std::string_view equation, const std::vector<Tensor>& tensors) const {
    return detail::value_or_throw(try_einsum(equation, tensors));
  }
  Result<Tensor> try_einsum(std::string_view equation, const std::vector<Tensor>& tensors) const noexcept;

  /// StableHLO's dot_general of these tensors, in one call; a kernel of Kernel::dot_general keeps what it compiles.
  /// L081 to L084: errors in the axes. B010: a pair of axes of different extents. B020: operands of different types.
  Tensor dot_general(const Tensor& lhs, const Tensor& rhs, const DotAxes& axes, const DotOptions& options = {}) const {
    return detail::value_or_throw(try_dot_general(lhs, rhs, axes, options));
  }
  Result<Tensor> try_dot_general(const Tensor& lhs, const Tensor& rhs, const DotAxes& axes,
                                 const DotOptions& options = {}) const noexcept;

  struct TILEWRIGHT_INNER Inside;  ///< the library's own

 private:
  friend Inside;
  explicit Engine(std::shared_ptr<const Inside> inside) noexcept : inside_(std::move(inside)) {}

  std::shared_ptr<const Inside> inside_;
};

/// How many threads of the host a call may use, the calling one included, from the next call on; 0: as many as this
/// process may run at once, which is the default.
TILEWRIGHT_API void set_threads(int count) noexcept;
/// The figure in force, at least 1.
TILEWRIGHT_API int threads() noexcept;

}  // namespace tilewright::TILEWRIGHT_ABI
