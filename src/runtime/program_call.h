// A program's launches compiled and prepared for one signature of operands. Stands under Engine, which keeps it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backend.h"
#include "runtime/fused_program.h"

namespace tilewright {

class ProgramCall {
 public:
  /// A nest compiled with code, with Backend::compile's arguments.
  using Compile = std::function<Result<Compilation>(
      const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands, const TensorView& output)>;

  /// `operands` in the order of the program's parameters, in memory that the backend reaches; `compile` for it. The
  /// errors are fuse_program's and compile's; R078: the arena and the largest workspace are past the limit (0: none).
  static Result<ProgramCall> prepare(Backend& backend, const Compile& compile, const Kernel& kernel,
                                     const std::vector<const Tensor*>& operands, std::int64_t workspace_limit);

  /// All results, in new memory, for operands of the same signature. Thread-safe.
  Result<std::vector<Operand>> run(Backend& backend, const std::vector<const Tensor*>& operands) const;

 private:
  enum class Place : std::uint8_t { operand, result, arena };
  struct Address {
    Place place;
    std::int64_t at;  ///< the operand's or result's number, or bytes
  };
  struct ResultType {
    std::string name;
    DType dtype;
    Shape shape;
  };
  struct Step {
    std::shared_ptr<const DeviceCall> call;
    std::vector<Address> addresses;  ///< of the plan's operands in order, then of its output
  };

  std::vector<ResultType> results_;
  std::vector<Step> steps_;
  std::int64_t arena_bytes_ = 0;
};

}  // namespace tilewright
