// Kernels written as text in tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "kernel/ir.h"

namespace tilewright::kernel {

inline SourcePtr source_of(std::string_view text) {
  return std::make_shared<const Source>("test", std::string(text));
}

/// The kernel of a text that parses; verification is the test's.
inline Kernel read_kernel(std::string_view text) {
  Result<Kernel> kernel = parse_kernel(source_of(text));
  if (!kernel) throw std::runtime_error(render(kernel.error()));
  return *std::move(kernel);
}

/// "K010 K013", or "" of a success.
template <class T>
std::string codes(const Result<T>& result) {
  std::string text;
  if (!result)
    for (const Diagnostic& diagnostic : result.error()) text += (text.empty() ? "" : " ") + diagnostic.code;
  return text;
}

}  // namespace tilewright::kernel
