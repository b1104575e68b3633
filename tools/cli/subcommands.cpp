// The table of subcommands. See subcommands.h.
#include "cli/subcommands.h"

namespace tilewright::cli {

std::span<const Subcommand> subcommands() {
  using enum Flag;
  static const std::vector<Subcommand> table = {
      {"check", "Report what is wrong with files, and nothing else", {files, list}, run_check},
      {"run",
       "Run kernels and print or write their results",
       {file, kernels, inputs, outputs, device, precision, verify, threads},
       run_run},
      {"emit", "Print what a kernel becomes at one stage", {file, kernels, inputs, target, stage, outputs}, run_emit},
      {"build",
       "Write a kernel as files that a C program compiles and links, without this library",
       {file, kernels, inputs, target, folder},
       run_build},
      {"explain",
       "Say what the compiler did with a kernel, and why",
       {file, kernels, inputs, html, device},
       run_explain},
      {"bench",
       "Time kernels against this machine's ceilings",
       {file, kernels, inputs, device, threads, json},
       run_bench},
      {"fmt", "Print a file in its canonical layout", {files, check, write}, run_fmt},
      {"tune",
       "Search for quicker schedules on the device, and keep them",
       {file, kernels, inputs, device, precision, threads, seconds, verbose, json},
       run_tune},
  };
  return table;
}

}  // namespace tilewright::cli
