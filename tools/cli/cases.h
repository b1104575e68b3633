// Cases: a kernel with a set of operands to run, explain or time it on, from -i or from its example lines. A case holds
// descriptions; the data of random operands is made when it is asked for, one case at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "lang/bind.h"
#include "nest/evaluate.h"
#include "runtime/kernel.h"

namespace tilewright::cli {

/// One operand: read from a file, random, or a type alone.
struct Input {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::optional<std::uint64_t> seed = {};  ///< of random data; where none is said, the operand's number
  std::optional<Tensor> file;              ///< its contents; else they are random
  bool has_data = true;                    ///< false for `a=f32:64x64`
};

struct Case {
  const Kernel* kernel = nullptr;
  std::vector<Input> inputs;  ///< in the order of the kernel's operands
};

enum class Need : std::uint8_t { data, types };

/// Parses one -i. C005: not NAME=WHAT. C006: the data or the type is none that there is. Errors of read_npy.
Result<Input> parse_input(const std::string& text);

/// The cases of `kernels` (which must outlive them): one a kernel where -i is given, else one an example line. C005 to
/// C009: an operand that is malformed, given twice, unknown, missing, or a type where data is needed; C010: a kernel
/// with operands has neither -i nor examples.
Result<std::vector<Case>> make_cases(const std::vector<Kernel>& kernels, const Options& options, Need need);

/// The types, shapes and strides of its operands; data where a file holds it.
std::vector<nest::NamedView> views_of(const Case& each);
Result<std::vector<Operand>> make_operands(const Case& each);
/// "a = f32 64x64, alpha = f32"
std::string describe(const Case& each);
/// "64x64"; empty for rank 0.
std::string extents_text(const Shape& shape);

}  // namespace tilewright::cli
