// What the recording driver has seen of a launch.
#pragma once

#include <stdint.h>

typedef struct recorded_launch {
  char kernel[64];
  unsigned grid[3], block[3];
  unsigned shared;
  void* stream;
  int64_t parameters[16];
  int parameter_count;
} recorded_launch;

typedef struct record {
  recorded_launch launches[8];
  int launch_count;
  int loaded;  ///< modules that are loaded now
  int refuse;  ///< not 0: launches return it
} record;
