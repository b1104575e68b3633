// Kernels as source in Metal's shading language, version 3.1. The source has to be compiled without fast math
// (MTLMathModeSafe, -fno-fast-math) and without contraction (it says so itself): a product and a sum are fused where it
// says fma, nowhere else. Simdgroups have 32 threads in the order of their numbers.
#pragma once

#include <string>
#include <vector>

#include "kernel/lower/tile_to_kernel.h"
#include "support/diagnostic.h"
#include "support/target.h"

namespace tilewright::codegen {

/// How a launch gives a function its arguments: the parameters of the kernel that are pointers are buffers 0, 1, …; the
/// others' values, 64 bits each, lie one behind the other in the buffer behind them, which is not there without any.
struct MetalArguments {
  std::vector<std::size_t> buffers;  ///< parameters
  std::vector<std::size_t> sizes;
};
MetalArguments metal_arguments(const kernel::Kernel& kernel);
/// What the source calls the buffers' elements ("float"), by MetalArguments::buffers. Requires a kernel that emit_metal
/// takes.
std::vector<std::string> metal_buffer_types(const kernel::Kernel& kernel);

struct MetalFunction {
  const kernel::LoweredKernel* lowered = nullptr;
  std::string name;
  std::string structure;  ///< of its sizes
};
/// The functions of a plan's kernels, with names that are legal and unlike each other's; a structure's is no tensor's
/// either.
std::vector<MetalFunction> metal_functions(const std::vector<kernel::LoweredKernel>& kernels);
/// A field of the structure of sizes.
struct MetalField {
  std::string name;
  std::string type;         ///< "long"
  std::size_t parameter{};  ///< of the kernel
  std::string formula;      ///< in extents ("a.0"), strides in elements ("a.s0") and bytes; or what it is in words
};
/// In the structure's order, as emit_metal writes it. Requires a kernel that emit_metal takes.
std::vector<MetalField> metal_fields(const MetalFunction& function);
/// A name as the name of a function.
std::string metal_name(std::string_view name);

/// One source of all functions, below a comment. Errors: verify's; G007 a limit of the target; G008 an op, an order or
/// a type that Metal lacks.
Result<std::string> emit_metal(const std::vector<MetalFunction>& functions, const GpuTarget& target,
                               std::string_view comment);

}  // namespace tilewright::codegen
