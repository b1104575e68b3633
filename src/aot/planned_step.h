// What both targets' generators start from: a statement compiled and its call recorded for the shapes at hand, and the
// pieces of C that both write.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/compile_steps.h"
#include "runtime/recorded_call.h"

namespace tilewright::aot {

struct PlannedStep {
  std::string name;                ///< of what it computes
  std::vector<Kernel> statements;  ///< that it computes, in order
  Compilation compilation;
  RecordedCall call;
  std::vector<std::string> tensors;  ///< by the recorded call's tensors: operands, then the output
};

/// Compiles the launches in order, for operands and results at multiples of `alignment` bytes, or where that is 0 of
/// their elements' size. R083: a step that fills memory.
using CompileNest = std::function<Result<Compilation>(
    const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands, const TensorView* output)>;
Result<std::vector<PlannedStep>> plan_steps(const Kernel& kernel, const FusedProgram& fused,
                                            std::vector<nest::NamedView> operands, std::size_t alignment,
                                            const CompileNest& compile);

/// The C type of an element: "float", "uint16_t" for f16.
std::string_view c_type(DType dtype);
/// A name of the language as one of C that is no keyword, no macro and none that the generated code uses.
std::string c_name(const std::string& name);
/// "f32 64x32"
std::string described(DType dtype, const std::vector<std::int64_t>& shape);
/// A text as the body of a comment of C.
std::string commented(std::string_view text);

}  // namespace tilewright::aot
