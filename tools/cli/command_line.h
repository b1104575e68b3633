// The command line from arguments to exit code.
#pragma once

namespace tilewright::cli {

/// Parses, runs the subcommand, prints errors; the process's exit code.
int run_command_line(int argc, char** argv);

}  // namespace tilewright::cli
