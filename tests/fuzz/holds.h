// What a fuzz target demands: a failure prints the demand and stops the run with the input at hand.
#pragma once

#include <cstdio>
#include <cstdlib>

#define HOLDS(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
