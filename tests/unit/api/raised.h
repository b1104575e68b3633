// What the tests of the interface share: the code of the error that a call throws.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tilewright/error.h"

namespace tilewright {

/// The first code of the Error that `call` throws; "nothing" where it returns.
template <class Call>
std::string code_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return "nothing";
}

}  // namespace tilewright
