// Ahead of time: a kernel as files that a C or C++ program compiles and links, without Tilewright. The types, shapes
// and strides are those that the operands have here; what is generated asks for them.
//
//   host           NAME.h   the function tw_NAME(operands…, result), which runs the plan's steps
//                  NAME*.o  machine code, an object for each kernel
//   nvptx:ARCH     NAME.h   functions that load the kernels and queue the plan's launches; finds the driver by dlopen
//                  NAME*.ptx  the kernels' PTX, a file each (NAME.h holds it too), for other launchers: with
//                  NAME.json  grid, block, shared memory and arguments of each launch
//   metal          NAME.h   a launcher over metal-cpp: compiles the source (which it holds) and encodes the launches
//                  NAME.metal  the kernels' source, for other launchers: with
//                  NAME.json  grid, threads, threadgroup memory and buffers of each launch
#pragma once

#include <string>
#include <vector>

#include "report/stages.h"

namespace tilewright::aot {

struct BuiltFile {
  std::string name;
  std::string bytes;
};

/// The kernel's files; operands need no data. Errors: those of binding and of code generation; R083: a plan that
/// generated code does not run (one that fills memory; a program for a GPU).
Result<std::vector<BuiltFile>> build(const report::EmitTarget& target, const Kernel& kernel,
                                     const std::vector<nest::NamedView>& operands);

}  // namespace tilewright::aot
