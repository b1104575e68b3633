// A program's launches compiled and prepared for one signature of operands. Stands under Engine, which keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backend.h"
#include "runtime/fused_program.h"

namespace tilewright {

/// A nest compiled with code, and a call of it.
struct PreparedNest {
  Compilation compilation;
  std::shared_ptr<const DeviceCall> call;
  std::string choice;  ///< stands for the stored choice that it has; empty: none
};

/// An address of no memory, a multiple of all alignments, unlike the others' and any operand's: a call is recorded for
/// it, and patched with others when it runs.
std::byte* pretended(std::size_t number);

class ProgramCall {
 public:
  /// A nest prepared, with Backend::compile's arguments; with a stored choice only if that takes no more workspace than
  /// `room` bytes, where that is said.
  using Prepare =
      std::function<Result<PreparedNest>(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                         const TensorView& output, std::optional<std::int64_t> room)>;

  /// `operands` in the order of the program's parameters, in memory that `prepare_nest` is for. The errors are
  /// fuse_program's and prepare_nest's; R078: the arena and the largest workspace are past the limit (0: none).
  static Result<ProgramCall> prepare(const Prepare& prepare_nest, const Kernel& kernel,
                                     const std::vector<const Tensor*>& operands, std::int64_t workspace_limit);

  /// All results, in new memory, for operands of the same signature. Where a launch fails that has a stored choice,
  /// that is put into `failed_choice`. Thread-safe.
  Result<std::vector<Operand>> run(Backend& backend, const std::vector<const Tensor*>& operands,
                                   std::string& failed_choice) const;

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
    std::string choice;              ///< as PreparedNest's
  };

  std::vector<ResultType> results_;
  std::vector<Step> steps_;
  std::int64_t arena_bytes_ = 0;
};

}  // namespace tilewright
