// Plan IR: what one call does. Sits above the kernels: the runtime executes plans and nothing else. All sizes are
// integer expressions over extents ("a.0") and strides ("a.s0") of the plan's tensors, so that one plan serves all
// sizes. docs/ir/plan.md is the reference of the text form.
//
//   plan s
//     operand a : f32 rank 2
//     output s : f32 rank 1
//     guard stride(a, 1) is one, align(a) >= 64
//     choose {
//       when a.1 >= 8192 {
//         workspace s.partial : f32 [ceil(a.1 / 4096), a.0] strides (a.0, 1) bytes ceil(a.1 / 4096) * a.0 * 4
//         launch sums(a, s.partial) grid ceil(a.1 / 4096), ceil(a.0 / 4)
//         launch combine(s.partial, s) grid ceil(a.0 / 64)
//       }
//       otherwise {
//         launch whole(a, s) grid ceil(a.0 / 4)
//       }
//     }
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nest/facts.h"
#include "support/diagnostic.h"
#include "support/dtype.h"
#include "support/id.h"
#include "support/int_expr.h"
#include "support/scalar.h"
#include "tile/ir.h"

namespace tilewright::plan {

using nest::StrideClass;
using PlanTensorId = Id<struct PlanTensorTag>;
using KernelId = Id<struct PlanKernelTag>;

/// `workspace` tensors exist from their Workspace step on, until the call ends.
enum class Role : std::uint8_t { operand, output, workspace };

struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  int rank = 0;
  Role role = Role::operand;
};

enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge };

struct CompareGuard {
  IntExpr lhs;
  Comparison comparison = Comparison::eq;
  IntExpr rhs;
};
/// The base address is a multiple of `bytes`, a power of two.
struct AlignGuard {
  PlanTensorId tensor;
  std::uint32_t bytes = 1;
};
/// The axis's stride is 0 or 1, or its extent at most 1 (then the stride does not matter). `other` always holds.
struct StrideGuard {
  PlanTensorId tensor;
  int axis = 0;
  StrideClass stride = StrideClass::one;
};
using Guard = std::variant<CompareGuard, AlignGuard, StrideGuard>;

struct Step;
using Steps = std::vector<Step>;

/// Memory for a tensor, at an address that is a multiple of 64; its contents are unspecified. `bytes` reach from
/// element (0, …, 0), the lowest, to the end of the last one.
struct Workspace {
  PlanTensorId tensor;
  std::vector<IntExpr> shape;
  std::vector<IntExpr> strides;  ///< in elements, not negative
  IntExpr bytes;
};
/// Every element of an output or workspace becomes `value`.
struct Fill {
  PlanTensorId tensor;
  Scalar value;
};
/// Runs a kernel on every point of its grid; the points are independent of each other.
struct Launch {
  struct Argument {
    std::string parameter;  ///< a tensor of the kernel
    PlanTensorId tensor;
  };
  /// A symbol of the kernel that is neither extent nor stride of its tensors.
  struct Binding {
    std::string symbol;
    IntExpr value;
  };
  KernelId kernel;
  std::vector<Argument> arguments;  ///< one for each tensor of the kernel
  std::vector<Binding> bindings;
  std::vector<IntExpr> grid;  ///< points along each grid axis of the kernel, outermost first
  bool parallel = true;       ///< false: too little work to spread over threads
};
/// `symbol` takes begin, begin + step, … below end, one after the other.
struct Loop {
  std::string symbol;
  IntExpr begin = 0;
  IntExpr end;
  IntExpr step = 1;
  Steps body;
};
/// The steps of the first case whose guards all hold. A case without guards, always the last, is the `otherwise`; where
/// there is none, some case must hold.
struct Choose {
  struct Case {
    std::vector<Guard> guards;
    Steps steps;
  };
  std::vector<Case> cases;
};

struct Step {
  std::variant<Workspace, Fill, Launch, Loop, Choose> node;
};

struct Plan {
  std::string name;
  Table<PlanTensorId, Tensor> tensors;
  Table<KernelId, tile::Program> kernels;
  std::vector<Guard> guards;  ///< facts of the call that the plan relies on
  Steps steps;
};

/// The workspace step of a row-major tensor.
Workspace row_major_workspace(const Plan& plan, PlanTensorId tensor, std::vector<IntExpr> shape);

/// The plan without its kernels.
std::string to_text(const Plan& plan);
std::string to_text(const Plan& plan, const Guard& guard);
/// The plan, then each kernel's tile program, each from the start of a line.
std::string to_text_with_kernels(const Plan& plan);
/// Reads the latter.
Result<Plan> parse_plan(SourcePtr source);
/// The invariants listed at the top of verify.cpp. Codes P0xx.
Result<void> verify(const Plan& plan);

}  // namespace tilewright::plan
