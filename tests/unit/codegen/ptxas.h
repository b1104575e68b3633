// NVIDIA's assembler, where it is installed: the judge of generated PTX.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace tilewright::codegen {

/// Its path, from PATH or the toolkit's usual folder.
inline std::optional<std::string> find_ptxas() {
  std::stringstream folders(std::string(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "") +
                            ":/usr/local/cuda/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string path = folder + "/ptxas"; ::access(path.c_str(), X_OK) == 0) return path;
  return std::nullopt;
}

struct Assembled {
  int status = -1;
  std::string log;  ///< with the resources of each entry
};

/// Assembles the text and gives the assembler's report. As it is loaded: warpgroups' products as whole programs, others
/// to be linked.
inline Assembled run_ptxas(const std::string& ptxas, const std::string& arch, const std::string& ptx) {
  const bool to_be_linked =
      ptx.find("wgmma.mma_async") == std::string::npos && ptx.find("setmaxnreg") == std::string::npos;
  std::string folder = (std::filesystem::temp_directory_path() / "ptxas.XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return {};
  const std::filesystem::path text = std::filesystem::path(folder) / "kernel.ptx";
  std::ofstream(text) << ptx;
  const std::string command = fmt::format("'{}' -arch={} {} -v -o '{}/kernel.cubin' '{}' 2>&1", ptxas, arch,
                                          to_be_linked ? "-c" : "", folder, text.string());
  Assembled result;
  if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
    for (char buffer[4096]; const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe);)
      result.log.append(buffer, got);
    result.status = WEXITSTATUS(::pclose(pipe));
  }
  std::filesystem::remove_all(folder);
  return result;
}

/// Assembles without a word of complaint and without spills.
inline void expect_clean(const std::string& arch, const std::string& ptx) {
  const std::optional<std::string> ptxas = find_ptxas();
  ASSERT_TRUE(ptxas.has_value());
  const Assembled assembled = run_ptxas(*ptxas, arch, ptx);
  EXPECT_EQ(assembled.status, 0) << assembled.log << ptx;
  EXPECT_NE(assembled.log.find("0 bytes spill stores, 0 bytes spill loads"), std::string::npos) << assembled.log << ptx;
  EXPECT_EQ(assembled.log.find("C75"), std::string::npos) << assembled.log;
  EXPECT_EQ(assembled.log.find("warning"), std::string::npos) << assembled.log << ptx;
}

}  // namespace tilewright::codegen
