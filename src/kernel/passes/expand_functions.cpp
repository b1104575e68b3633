// Which function is expanded how.
#include "kernel/passes/expand_functions.h"

#include "kernel/passes/circular_functions.h"
#include "kernel/passes/error_functions.h"
#include "kernel/passes/exponential_functions.h"
#include "kernel/walk.h"

namespace tilewright::kernel {

namespace {

using Expansion = Formula (*)(Formula x);

Expansion expansion_of(Opcode code) {
  switch (code) {
    case Opcode::exp:
      return expand_exp;
    case Opcode::log:
      return expand_log;
    case Opcode::tanh:
      return expand_tanh;
    case Opcode::sin:
      return expand_sin;
    case Opcode::cos:
      return expand_cos;
    case Opcode::erf:
      return expand_erf;
    case Opcode::erfc:
      return expand_erfc;
    default:
      return nullptr;
  }
}

}  // namespace

bool is_expanded(Opcode code) {
  return code == Opcode::pow || expansion_of(code) != nullptr;
}

void expand_functions(Kernel& kernel, bool has_f64) {
  kernel = rewrite(kernel, [has_f64](Builder& builder, const Op& op, Type) -> Replacement {
    if (op.code == Opcode::pow)
      return std::vector{expand_pow({builder, op.operands[0]}, {builder, op.operands[1]}, has_f64).value()};
    const Expansion expansion = expansion_of(op.code);
    if (expansion == nullptr) return std::nullopt;
    return std::vector{expansion({builder, op.operands[0]}).value()};
  });
}

}  // namespace tilewright::kernel
