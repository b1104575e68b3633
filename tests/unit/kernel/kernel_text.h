// Kernels written as text in tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "kernel/ir.h"
#include "kernel/passes/pipeline.h"

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

/// The passes that end every target's pipeline.
inline void run_kernel_passes(Kernel& kernel, const KernelFacts& facts) {
  for (const KernelPass& pass : kernel_passes) {
    pass.run(kernel, facts);
    if (const Result<void> sound = verify(kernel); !sound)
      throw std::runtime_error(std::string(pass.name) + ": " + render(sound.error()));
  }
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
