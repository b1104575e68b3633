// A differential case on the Metal target: planned and printed, then, once its source is compiled with those of others,
// run by the machine and compared with what the statement may give.
#pragma once

#include <memory>
#include <string>

#include "bounds.h"
#include "differential.h"
#include "metal_device.h"
#include "metal_module.h"
#include "runtime/compilation.h"

namespace tilewright::metal_shim {

/// Which threadgroups run, and which results are compared. For cases that would take minutes: all threadgroups and
/// some results; or the first, the last and some threadgroups between of the first launch, and, if it is the only one,
/// some of the results that these write. A GPU runs all.
enum class Coverage : std::uint8_t { all, some_results, some_groups };

class MetalCase {
 public:
  explicit MetalCase(differential::Case each, Coverage coverage = Coverage::all);
  ~MetalCase();

  /// Why the language or the target does not take the case; empty: it does.
  const std::string& rejection() const { return rejection_; }
  const std::string& source() const { return source_; }
  void change_source(std::string source) { source_ = std::move(source); }
  const differential::Case& specification() const { return case_; }
  std::size_t compared() const { return compared_; }  ///< results, of the last run
  /// Of the module's source number `number` (on a Mac's GPU, of its own source): what is wrong, empty where nothing is.
  std::string run(const Module* module, std::size_t number);

 private:
  struct State;
  std::string launch_all(const Module* module, std::size_t number);
  std::string run_on_machine(const Module& module, std::size_t number, DeviceLaunch& launch,
                             std::vector<Buffer>& buffers) const;
  std::string compare();
  std::string compare_some(const Buffer* output);

  differential::Case case_;
  Coverage coverage_;
  std::size_t compared_ = 0;
  std::string rejection_;
  std::string source_;
  std::unique_ptr<State> state_;
};

/// Compiles all at once and runs them; a line for each that is wrong.
std::string disagreements(std::vector<std::unique_ptr<MetalCase>>& cases);

}  // namespace tilewright::metal_shim
