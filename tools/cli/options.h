// What a command line says, whatever its subcommand, and what a subcommand answers. Filled by command_line.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "support/scalar_op.h"

namespace tilewright::cli {

/// Of the process. A defect of the compiler itself ends with bad_input's, after a message that says so.
enum class ExitCode : std::uint8_t {
  right = 0,
  wrong = 1,      ///< a wrong result, or a check that failed
  bad_input = 2,  ///< usage or input
  absent = 3      ///< the device or target is not there
};

struct Options {
  std::vector<std::string> files;    ///< "-": standard input
  std::vector<std::string> kernels;  ///< of -k; empty: all
  std::vector<std::string> inputs;   ///< of -i, as written
  std::vector<std::string> outputs;  ///< of -o, as written
  std::string device = "cpu";
  std::optional<Precision> precision;
  int threads = 0;      ///< 0: as many as there are
  double seconds = 20;  ///< that tune may take for each statement
  std::string target = "host";
  std::string stage;
  std::string html;  ///< file of explain's page; empty: text
  bool list = false;
  bool verify = false;
  bool json = false;
  bool verbose = false;
  bool check = false;
  bool write = false;
};

/// Errors are printed by the caller, which makes the exit code of their codes.
using Outcome = Result<ExitCode>;

}  // namespace tilewright::cli
