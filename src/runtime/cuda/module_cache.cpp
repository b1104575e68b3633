// Memory, then disk, then the driver's compiler. See module_cache.h.
#include "runtime/cuda/module_cache.h"

namespace tilewright::cuda {
namespace {

/// Changes with the form of what Cubin::pack writes.
constexpr std::string_view format = "cuda cubin 1";

}  // namespace

std::string ModuleCache::key(const Context& context, std::string_view ptx, const LinkOptions& options) {
  return cache_key({format, context.driver().version_text(), context.device().binary_target(), options.text(), ptx});
}

Result<ModulePtr> ModuleCache::load(std::string_view ptx, const LinkOptions& options) {
  const std::string name = key(*context_, ptx, options);
  if (std::optional<ModulePtr> known = modules_.find(name)) return *known;
  if (options.whole_program) {
    const auto* text = reinterpret_cast<const std::byte*>(ptx.data());
    Cubin program{{text, text + ptx.size()}, {}};
    program.image.push_back(std::byte{0});
    Result<ModulePtr> module = Module::load(context_, std::move(program));
    if (!module) return module;
    return modules_.insert(name, std::move(*module));
  }
  if (const auto bytes = disk_.load(name)) {
    // A file that the driver does not take is as good as none.
    if (std::optional<Cubin> cubin = Cubin::unpack(*bytes))
      if (Result<ModulePtr> module = Module::load(context_, std::move(*cubin)))
        return modules_.insert(name, std::move(*module));
  }
  Result<Cubin> cubin = link_ptx(*context_, ptx, options);
  if (!cubin) return std::unexpected(std::move(cubin.error()));
  (void)disk_.store(name, cubin->pack());  // a cache that cannot be written is a cache that misses
  Result<ModulePtr> module = Module::load(context_, std::move(*cubin));
  if (!module) return module;
  return modules_.insert(name, std::move(*module));
}

}  // namespace tilewright::cuda
