// The table of subcommands: name, one line of help, which options it takes, and the function that runs it. Each
// function is in the file of its name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace tilewright::cli {

/// What a subcommand can take besides --help; command_line.cpp has the table of what each one means.
enum class Flag : std::uint8_t {
  files,  ///< one or more
  file,   ///< one
  kernels,
  inputs,
  outputs,
  folder,
  device,
  precision,
  verify,
  threads,
  list,
  target,
  stage,
  html,
  json,
  seconds,
  verbose,
  check,
  write
};

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  std::vector<Flag> flags;
  Outcome (*run)(const Options& options);
};

std::span<const Subcommand> subcommands();

Outcome run_check(const Options& options);
Outcome run_run(const Options& options);
Outcome run_build(const Options& options);
Outcome run_emit(const Options& options);
Outcome run_explain(const Options& options);
Outcome run_bench(const Options& options);
Outcome run_fmt(const Options& options);
Outcome run_tune(const Options& options);

}  // namespace tilewright::cli
