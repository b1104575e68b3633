// How each function of the fake driver begins.
#pragma once

#include "fake_state.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default"))) tilewright::cuda::Status

/// Holds the state for the rest of the function; returns early where the call is to fail.
#define FAKE_ENTER(name, needs_context)                                                                                \
  const std::lock_guard lock(tilewright::cuda::state().mutex);                                                         \
  if (const auto planned = tilewright::cuda::enter(name, needs_context); planned != tilewright::cuda::Status::success) \
  return planned
