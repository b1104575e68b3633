// Modules by the PTX that they are made of: loaded ones in memory, their machine code on disk. The driver's compiler
// takes 10 to 140 ms for a kernel, loading what it made well below one.
#pragma once

#include <string>
#include <string_view>

#include "runtime/cuda/module.h"
#include "runtime/disk_cache.h"
#include "runtime/lru.h"

namespace tilewright::cuda {

/// Usable from any thread. Threads that ask for the same PTX at once may compile it twice, and go on with one module.
class ModuleCache {
 public:
  /// `capacity`: modules kept in memory; `disk` may be off.
  ModuleCache(ContextPtr context, DiskCache disk, std::size_t capacity = 512)
      : context_(std::move(context)), disk_(std::move(disk)), modules_(capacity) {}

  /// Errors as link_ptx and Module::load.
  Result<ModulePtr> load(std::string_view ptx, const LinkOptions& options = {});

  /// What the machine code depends on: the PTX, the options, the driver's version and the device's architecture.
  static std::string key(const Context& context, std::string_view ptx, const LinkOptions& options);

 private:
  ContextPtr context_;
  DiskCache disk_;
  LruMap<std::string, ModulePtr> modules_;
};

}  // namespace tilewright::cuda
