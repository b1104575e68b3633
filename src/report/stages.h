// What a compiled kernel is at one stage of compilation, for one target, as text or bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/compile_steps.h"
#include "support/target.h"

namespace tilewright::report {

/// The languages that code leaves the compiler in, by kind of target.
enum class CodeKind : std::uint8_t { host, nvptx, metal };

/// What code is made for.
struct EmitTarget {
  std::string name;  ///< "host", "nvptx:sm_90a", "metal"
  CodeKind code = CodeKind::host;
  const GpuTarget* gpu = nullptr;  ///< null: the host
};

/// C014: no such target. C016: the target is not there.
Result<EmitTarget> emit_target_named(const std::string& name);

/// The kernel's statements compiled for the target, without machine code; no device is needed.
Result<std::vector<CompiledStep>> compile_for(const EmitTarget& target, const Kernel& kernel,
                                              std::vector<nest::NamedView> operands);

/// "nest", "tile", "kernel", "llvm", "asm", "ptx", "msl": each kernel's text, a blank line between them; "obj": the
/// bytes of the object.
using StageText = Result<std::string> (*)(const EmitTarget& target, const CompiledStep& step);
/// C014: no such stage. C016: the target has no such stage.
Result<StageText> stage_named(const std::string& name, const EmitTarget& target);

/// All statements at the stage, a blank line between them. C014, C016; C015: an object holds one kernel, and these are
/// several.
Result<std::string> stage_text(const std::string& stage, const EmitTarget& target, const Kernel& kernel,
                               const std::vector<CompiledStep>& steps);

}  // namespace tilewright::report
