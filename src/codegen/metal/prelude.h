// Functions that the printed source brings with it: what the kernel IR means where Metal's own differs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::codegen::metal {

class Prelude {
 public:
  /// The source of the function for a type ("float4") is written, once. Requires a function of the list in prelude.cpp.
  void need(std::string_view function, std::string_view scalar, int lanes);
  /// All that is needed so far, in the order of first need.
  const std::string& text() const { return text_; }

 private:
  std::vector<std::string> known_;
  std::string text_;
};

}  // namespace tilewright::codegen::metal
