// The `tilewright` command: everything is in cli/.
#include "cli/command_line.h"

int main(int argc, char** argv) {
  return tilewright::cli::run_command_line(argc, argv);
}
