// A relocatable object → executable memory of this process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/llvm/host_jit.h"
#include "support/diagnostic.h"

namespace tilewright::codegen {

/// Maps, relocates and protects the object and finds its entry `kernel_name`. Names that the object does not define are
/// resolved by host_symbol alone. Errors: G004 with what is wrong with the object.
Result<std::shared_ptr<const HostCode>> load_object(std::vector<std::byte> object, const std::string& kernel_name);

}  // namespace tilewright::codegen
