// What the handles of an engine share. Private to engine*.cpp.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "runtime/backend.h"
#include "runtime/choice_store.h"
#include "runtime/engine.h"

namespace tilewright {

struct Engine::State {
  State(std::shared_ptr<Backend> device, EngineOptions settings) : backend(std::move(device)), options(settings) {}

  std::shared_ptr<Backend> backend;
  EngineOptions options;
  ChoiceStore choices;                         ///< off: no stored schedule is used
  std::mutex mutex;                            ///< of the next two
  std::optional<Diagnostics> trouble;          ///< the first that looking for choices met; then none is looked for
  std::map<std::string, std::string> refused;  ///< choices with which calls failed, and the first reason of each
  std::atomic<std::int64_t> refusals = 0;
  std::int64_t number = next_number++;

  /// Tells the calls prepared for this engine from another's, and those prepared before its stored choices changed from
  /// those after it.
  void add_to(CallSignature& signature) const {
    signature.words.push_back(number);
    signature.words.push_back(choices.changes() + refusals.load(std::memory_order_acquire));
  }

  /// Whether a call that was prepared with this stored choice (PreparedNest::choice) is to be made once more without
  /// it, since the choice may be why it failed. The choice is not used from now on.
  bool refuse(const std::string& choice, const Diagnostics& why);

 private:
  static inline std::atomic<std::int64_t> next_number = 0;
};

/// R078: the call of the statement `name` needs a workspace of more than `room` bytes, where that is said.
Result<void> check_workspace(const std::string& name, const DeviceCall& call, std::optional<std::int64_t> room);

/// In the folder of the disk cache, if that is private; off where TILEWRIGHT_CACHE or TILEWRIGHT_TUNED say so.
ChoiceStore default_choice_store();

}  // namespace tilewright
