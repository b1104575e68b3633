// A stand-in for the CUDA driver: the functions that a generated launcher calls, checked as the driver checks them and
// recorded. Functions know how many parameters they have from their PTX.
#include "driver.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { invalid_value = 1, invalid_image = 200, not_found = 500 };

typedef struct function {
  char name[64];
  int parameter_count;
  int shared_limit;
} function;

record seen;

int cuModuleLoadData(void** module, const void* image) {
  const char* text = image;
  if (strstr(text, ".version") == NULL || strstr(text, ".target sm_90a") == NULL) return invalid_image;
  char* copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  *module = copy;
  ++seen.loaded;
  return 0;
}

int cuModuleUnload(void* module) {
  free(module);
  --seen.loaded;
  return 0;
}

int cuModuleGetFunction(void** result, void* module, const char* name) {
  static function functions[8];
  static int count = 0;
  char entry[96];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  const char* at = strstr(module, entry);
  if (at == NULL || count == 8) return not_found;
  function* made = &functions[count++];
  snprintf(made->name, sizeof made->name, "%s", name);
  const char* end = strchr(at, ')');
  for (made->parameter_count = 0; (at = strstr(at, ".param")) != NULL && at < end; ++at) ++made->parameter_count;
  made->shared_limit = 48 << 10;
  *result = made;
  return 0;
}

int cuFuncSetAttribute(void* given, int attribute, int value) {
  if (attribute != 8 || value > 227 << 10) return invalid_value;
  ((function*)given)->shared_limit = value;
  return 0;
}

int cuLaunchKernel(void* given, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, void* stream, void** parameters, void** extra) {
  const function* called = given;
  if (seen.refuse != 0) return seen.refuse;
  if (extra != NULL || grid_x == 0 || block_x == 0 || block_x > 1024 || shared > (unsigned)called->shared_limit ||
      called->parameter_count > 16 || seen.launch_count == 8)
    return invalid_value;
  recorded_launch* launch = &seen.launches[seen.launch_count++];
  *launch = (recorded_launch){.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .shared = shared,
                              .stream = stream, .parameter_count = called->parameter_count};
  snprintf(launch->kernel, sizeof launch->kernel, "%s", called->name);
  for (int n = 0; n < called->parameter_count; ++n) launch->parameters[n] = *(int64_t*)parameters[n];
  return 0;
}
