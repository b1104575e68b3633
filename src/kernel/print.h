// The text of one op, for messages. The whole kernel's text is to_text in ir.h.
#pragma once

#include <string>

#include "kernel/ir.h"

namespace tilewright::kernel {

/// The op's first line as to_text(kernel) prints it (of a for or if: up to its "{"), without indentation.
std::string op_text(const Kernel& kernel, const Op& op);

/// A value's name as to_text(kernel) prints it, with its '%'.
std::string value_text(const Kernel& kernel, ValueId value);

/// Whether the type in the op's text is that of its first operand, which it stores.
bool has_stored_type(Opcode code);

}  // namespace tilewright::kernel
