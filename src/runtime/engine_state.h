// What the handles of an engine share. Private to engine.cpp and engine_choices.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/backend.h"
#include "runtime/choice_store.h"
#include "runtime/engine.h"

namespace tilewright {

struct Engine::State {
  State(std::shared_ptr<Backend> device, EngineOptions settings) : backend(std::move(device)), options(settings) {}

  std::shared_ptr<Backend> backend;
  EngineOptions options;
  ChoiceStore choices;  ///< off: no stored schedule is used
  std::mutex trouble_mutex;
  std::optional<Diagnostics> trouble;  ///< the first that using them met
  std::int64_t number = next_number++;

  /// Tells the calls prepared for this engine from another's, and those prepared before a choice was stored or
  /// forgotten from those after it.
  void add_to(CallSignature& signature) const {
    signature.words.push_back(number);
    signature.words.push_back(changes.load(std::memory_order_acquire));
  }
  /// Of stored choices, in this process.
  static inline std::atomic<std::int64_t> changes = 0;

 private:
  static inline std::atomic<std::int64_t> next_number = 0;
};

/// In the folder of the disk cache, if that is private; off where TILEWRIGHT_CACHE or TILEWRIGHT_TUNED say so.
ChoiceStore default_choice_store();

}  // namespace tilewright
