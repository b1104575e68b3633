// Metal sources compiled by the host's compiler with the shim, and loaded.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "metal_machine.h"
#include "metal_text.h"

namespace tilewright::metal_shim {

class Module {
 public:
  /// Many sources at once, by as many compilers as there are processors. The error is to_host's or the compiler's.
  static std::expected<std::unique_ptr<Module>, std::string> compile(const std::vector<std::string>& sources);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// A function of a source; null: it has none of that name.
  struct Entry {
    const Function* function = nullptr;
    Launch::Entry call = nullptr;
  };
  Entry find(std::size_t source, const std::string& name) const;

 private:
  Module() = default;

  std::vector<HostText> sources_;
  std::vector<void*> libraries_;
  std::vector<std::size_t> library_of_;  ///< by source
};

}  // namespace tilewright::metal_shim
