#include "codegen/llvm/object_loader.h"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/Memory.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/Process.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <array>

#include "codegen/llvm/fatal_error.h"
#include "codegen/llvm/math_library.h"

namespace tilewright::codegen {

namespace {

// One mapping an object, so that its sections are within reach of each other's 32-bit offsets: code, read-only data and
// data, each on its own pages. Writable until finalizeMemory, which leaves no page both writable and executable.
class CodeMemory final : public llvm::RuntimeDyld::MemoryManager {
 public:
  CodeMemory() = default;
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory() override {
    if (mapping_.base()) llvm::sys::Memory::releaseMappedMemory(mapping_);
  }

  bool needsToReserveAllocationSpace() override { return true; }
  void reserveAllocationSpace(std::uintptr_t code, llvm::Align code_align, std::uintptr_t constants,
                              llvm::Align constants_align, std::uintptr_t data, llvm::Align data_align) override {
    const std::array<std::uintptr_t, 3> sizes{code + code_align.value(), constants + constants_align.value(),
                                              data + data_align.value()};
    const std::uintptr_t page = llvm::sys::Process::getPageSizeEstimate();
    std::uintptr_t total = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) total += parts_[i].bytes = llvm::alignTo(sizes[i], page);
    std::error_code error;
    mapping_ = llvm::sys::Memory::allocateMappedMemory(total, nullptr,
                                                       llvm::sys::Memory::MF_READ | llvm::sys::Memory::MF_WRITE, error);
    if (error) return;  // the allocations below fail
    auto* base = static_cast<std::uint8_t*>(mapping_.base());
    for (Part& part : parts_) {
      part.base = base;
      base += part.bytes;
    }
  }
  std::uint8_t* allocateCodeSection(std::uintptr_t bytes, unsigned align, unsigned, llvm::StringRef) override {
    return take(parts_[0], bytes, align);
  }
  std::uint8_t* allocateDataSection(std::uintptr_t bytes, unsigned align, unsigned, llvm::StringRef,
                                    bool is_constant) override {
    return take(parts_[is_constant ? 1 : 2], bytes, align);
  }
  bool finalizeMemory(std::string*) override {
    using Memory = llvm::sys::Memory;
    return protect(parts_[0], Memory::MF_READ | Memory::MF_EXEC) || protect(parts_[1], Memory::MF_READ);
  }
  // Generated code never unwinds.
  void registerEHFrames(std::uint8_t*, std::uint64_t, std::size_t) override {}
  void deregisterEHFrames() override {}

 private:
  struct Part {
    std::uint8_t* base = nullptr;
    std::uintptr_t bytes = 0;
    std::uintptr_t used = 0;
  };
  static std::uint8_t* take(Part& part, std::uintptr_t bytes, unsigned align) {
    const std::uintptr_t at = llvm::alignTo(part.used, std::max(align, 1U));
    if (!part.base || at + bytes > part.bytes) return nullptr;
    part.used = at + bytes;
    return part.base + at;
  }
  static bool protect(const Part& part, unsigned flags) {
    return static_cast<bool>(llvm::sys::Memory::protectMappedMemory({part.base, part.bytes}, flags));
  }

  llvm::sys::MemoryBlock mapping_;
  std::array<Part, 3> parts_;
};

class HostSymbols final : public llvm::LegacyJITSymbolResolver {
 public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    if (void* address = host_symbol(name))
      return {reinterpret_cast<std::uintptr_t>(address), llvm::JITSymbolFlags::Exported};
    return nullptr;
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }
};

class LoadedCode final : public HostCode {
 public:
  explicit LoadedCode(std::vector<std::byte> object) : object_(std::move(object)) {}
  HostEntry entry() const override { return entry_; }
  std::span<const std::byte> object() const override { return object_; }

  /// Empty, or what is wrong.
  std::string load(const std::string& kernel_name);

 private:
  std::vector<std::byte> object_;
  CodeMemory memory_;
  HostEntry entry_ = nullptr;
};

std::string LoadedCode::load(const std::string& kernel_name) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object_.data()), object_.size());
  auto parsed = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, kernel_name));
  if (!parsed) return llvm::toString(parsed.takeError());
  const llvm::Triple host(llvm::sys::getProcessTriple());
  if ((*parsed)->getArch() != host.getArch() || !(*parsed)->isRelocatableObject())
    return "it is no relocatable object of this machine's architecture";
  HostSymbols symbols;
  llvm::RuntimeDyld linker(memory_, symbols);
  linker.loadObject(**parsed);
  if (!linker.hasError()) linker.resolveRelocations();
  if (linker.hasError()) return linker.getErrorString().str();
  if (memory_.finalizeMemory(nullptr)) return "its memory cannot be made executable";
  entry_ = reinterpret_cast<HostEntry>(static_cast<std::uintptr_t>(linker.getSymbol(kernel_name).getAddress()));
  return entry_ ? "" : "it does not define the kernel";
}

}  // namespace

Result<std::shared_ptr<const HostCode>> load_object(std::vector<std::byte> object, const std::string& kernel_name) {
  auto code = std::make_unique<LoadedCode>(std::move(object));
  std::string problem;
  if (const auto fatal = catch_fatal_error([&] { problem = code->load(kernel_name); })) {
    static_cast<void>(code.release());  // see catch_fatal_error
    problem = *fatal;
  }
  if (!problem.empty())
    return fail("G004", fmt::format("kernel {}: its object code cannot be loaded: {}", kernel_name, problem),
                "remove the cached file; it will be compiled again");
  return std::shared_ptr<const HostCode>(std::move(code));
}

}  // namespace tilewright::codegen
