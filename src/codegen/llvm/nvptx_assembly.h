// Inline PTX: an instruction that LLVM has no intrinsic for.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <string>
#include <string_view>

namespace tilewright::codegen {

/// Address spaces of pointers.
constexpr unsigned any_space = 0;
constexpr unsigned device_space = 1;
constexpr unsigned shared_space = 3;

/// What the optimiser must know of a piece of assembly.
enum class AssemblyEffect : std::uint8_t {
  none,        ///< a function of its operands
  memory,      ///< reads or writes memory; stays where it is
  collective,  ///< as memory, and done by several threads together
};

/// A call of `text`, in which $0, $1, … are the results and then the operands: registers by their types. Pointers
/// become addresses, of shared memory in 32 bits. `result` is void, a scalar or a struct of scalars.
llvm::Value* assemble(llvm::IRBuilderBase& build, std::string_view text, llvm::Type* result,
                      llvm::ArrayRef<llvm::Value*> operands, AssemblyEffect effect);

/// The state space of a pointer as an instruction's suffix: ".global", ".shared" or "".
std::string_view space_suffix(const llvm::Value* pointer);

}  // namespace tilewright::codegen
