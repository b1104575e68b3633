// A folder of stored choices of its own for each test, and a product of whole numbers to choose schedules for.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "runtime/engine.h"
#include "runtime/fill.h"

namespace tilewright::tune {

namespace fs = std::filesystem;

inline constexpr const char* product = "mm[i, j] ++= a[i, k] * b[k, j]";

class ChoiceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tilewright-tune-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ::setenv("TILEWRIGHT_CACHE", folder_.c_str(), 1);
    ::unsetenv("TILEWRIGHT_TUNED");
  }
  void TearDown() override {
    ::unsetenv("TILEWRIGHT_CACHE");
    ::unsetenv("TILEWRIGHT_TUNED");
    fs::remove_all(folder_);
  }

  static Engine open() { return *Engine::open(); }
  static std::vector<Operand> operands(std::int64_t size = 24) {
    return {{"a", *arange(DType::i32, {size, size}, 1)}, {"b", *arange(DType::i32, {size, size}, 2)}};
  }
  static std::vector<nest::NamedView> views(const std::vector<Operand>& operands) {
    std::vector<nest::NamedView> all;
    for (const Operand& each : operands) all.push_back({each.name, each.tensor.view()});
    return all;
  }
  static std::vector<std::string> passes(const Engine& engine, const Kernel& kernel,
                                         const std::vector<Operand>& operands) {
    const auto compiled = engine.compile(kernel, views(operands), false);
    EXPECT_TRUE(compiled) << render(compiled.error());
    std::vector<std::string> names;
    for (const nest::TraceEntry& entry : compiled->trace.entries) {
      names.push_back(entry.pass);
      if (entry.pass == "stored_choice") note_ = entry.notes.at(0);
    }
    return names;
  }
  static bool uses_choice(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands) {
    return passes(engine, kernel, operands).front() == "stored_choice";
  }

  /// What explain says of the stored choice; empty: nothing.
  static std::string note(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands) {
    note_.clear();
    (void)passes(engine, kernel, operands);
    return note_;
  }

  static Result<bool> is_right(const Kernel&, const Compilation&, const std::vector<Operand>& operands,
                               const Tensor& result) {
    const std::int64_t size = result.shape()[0];
    for (std::int64_t i = 0; i < size; i += 7)
      for (std::int64_t j = 0; j < size; j += 5) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < size; ++k)
          sum += operands[0].tensor.view().get({i, k}).as_int() * operands[1].tensor.view().get({k, j}).as_int();
        if (result.view().get({i, j}).as_int() != sum) return false;
      }
    return true;
  }

  fs::path folder_;
  static inline std::string note_;
};

}  // namespace tilewright::tune
