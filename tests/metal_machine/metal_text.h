// Metal source as C++ for the shim. The parts of the language that C++ has not (attributes, address spaces, arrays in
// threadgroup memory) are checked here and taken out: what is unknown is an error.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::metal_shim {

struct Function {
  std::string name;
  unsigned max_threads = 0;  ///< max_total_threads_per_threadgroup
  unsigned buffers = 0;
  std::string call;  ///< a C++ call with a `const tw_thread* t`
};

struct HostText {
  std::string text;
  std::vector<Function> functions;
};

/// The error says what the text has that it must not.
std::expected<HostText, std::string> to_host(std::string_view metal);

}  // namespace tilewright::metal_shim
