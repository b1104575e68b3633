#include "codegen/llvm/compilation.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/emit.h"
#include "codegen/llvm/fatal_error.h"

namespace tilewright::codegen {

namespace {

// All that one compilation holds. On the heap, because a fatal error leaves it to be leaked.
struct Compilation {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::string reported;  ///< errors that LLVM reported through the context
};

void report(const llvm::DiagnosticInfo* info, void* opaque) {
  if (info->getSeverity() != llvm::DS_Error) return;
  std::string& reported = static_cast<Compilation*>(opaque)->reported;
  llvm::raw_string_ostream stream(reported);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  if (!reported.empty()) stream << "; ";
  info->print(printer);
}

std::unexpected<Diagnostics> llvm_error(const kernel::Kernel& kernel, std::string_view message) {
  return fail("G003", fmt::format("kernel {}: LLVM cannot generate code: {}", kernel.name, message),
              "this is a defect of the compiler or of its LLVM; please report the kernel");
}

Result<void> build_module(Compilation& work, const kernel::Kernel& kernel, const TargetRules& rules,
                          const MakeMachine& make_machine) {
  auto machine = make_machine();
  if (!machine) return std::unexpected(std::move(machine).error());
  work.machine = std::move(*machine);
  work.context.setDiagnosticHandlerCallBack(report, &work);
  work.module = std::make_unique<llvm::Module>(kernel.name, work.context);
  work.module->setTargetTriple(work.machine->getTargetTriple().str());
  work.module->setDataLayout(work.machine->createDataLayout());
  if (auto ok = emit_kernel(kernel, *work.module, rules); !ok) return ok;
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(*work.module, &stream)) return llvm_error(kernel, broken);
  return {};
}

Result<std::string> print_module(const Compilation& work) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  work.module->print(stream, nullptr);
  return text;
}

Result<std::string> run_codegen(Compilation& work, const kernel::Kernel& kernel, CodeForm form) {
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  const auto type =
      form == CodeForm::assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (work.machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm_error(kernel, "the target cannot emit this kind of file");
  passes.run(*work.module);
  if (!work.reported.empty()) return llvm_error(kernel, work.reported);
  return std::string(output);
}

}  // namespace

Result<std::string> compile(const kernel::Kernel& kernel, const TargetRules& rules, const MakeMachine& make_machine,
                            CodeForm form) {
  auto work = std::make_unique<Compilation>();
  Result<std::string> result;
  const auto fatal = catch_fatal_error([&] {
    if (auto ok = build_module(*work, kernel, rules, make_machine); !ok)
      result = std::unexpected(std::move(ok).error());
    else
      result = form == CodeForm::llvm ? print_module(*work) : run_codegen(*work, kernel, form);
  });
  if (!fatal) return result;
  static_cast<void>(work.release());  // see catch_fatal_error
  return llvm_error(kernel, *fatal);
}

}  // namespace tilewright::codegen
