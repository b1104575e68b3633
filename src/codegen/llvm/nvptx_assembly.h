// Inline PTX: an instruction that LLVM has no intrinsic for.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <string>
#include <string_view>
#include <vector>

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
/// become addresses, of shared memory in 32 bits. `result` is void, a scalar or a struct of scalars. The first `tied`
/// operands are in the results' registers.
llvm::Value* assemble(llvm::IRBuilderBase& build, std::string_view text, llvm::Type* result,
                      llvm::ArrayRef<llvm::Value*> operands, AssemblyEffect effect, unsigned tied = 0);

/// "$first", or "{$first, $first + 1, …}".
std::string register_list(unsigned first, unsigned count);

/// A value as the 32-bit registers that hold it (64-bit ones of f64, one of 16 bits for less than 32), and back.
std::vector<llvm::Value*> to_registers(llvm::IRBuilderBase& build, llvm::Value* value);
llvm::Value* from_registers(llvm::IRBuilderBase& build, llvm::ArrayRef<llvm::Value*> registers, llvm::Type* type);

/// What `assemble` gave, as a list: the fields of a struct, or the one scalar.
std::vector<llvm::Value*> results_of(llvm::IRBuilderBase& build, llvm::Value* assembled);
/// void, the type itself, or a struct of `count` of it.
llvm::Type* register_types(llvm::IRBuilderBase& build, llvm::Type* type, std::size_t count);

/// The state space of a pointer as an instruction's suffix: ".global", ".shared" or "".
std::string_view space_suffix(const llvm::Value* pointer);

}  // namespace tilewright::codegen
