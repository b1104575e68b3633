// The generated launchers of launched.tw against the recording driver and the JSON beside them. argv[1] is the
// folder of the files.
#include "check.h"
#include "driver.h"
#include "added.h"
#include "norm.h"

/// The number behind the `nth` `key` of a text.
static long number_in(const char* text, const char* key, int nth) {
  for (; text != NULL && nth >= 0; --nth) {
    text = strstr(text, key);
    if (text != NULL) text += strlen(key);
  }
  return text == NULL ? -1 : strtol(text, NULL, 10);
}

static void read_text(const char* folder, const char* name, char* text, size_t size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL);
  text[file == NULL ? 0 : fread(text, 1, size - 1, file)] = '\0';
  if (file != NULL) fclose(file);
}

static void check_launch(const recorded_launch* launch, const char* json, int nth) {
  CHECK(launch->grid[0] == (unsigned)number_in(json, "\"blocks\": ", nth) && launch->grid[1] == 1);
  CHECK(launch->block[0] == (unsigned)number_in(json, "\"threads\": ", nth) && launch->block[1] == 1);
  CHECK(launch->shared == (unsigned)number_in(json, "\"dynamic_shared_bytes\": ", nth));
}

int main(int argc, char** argv) {
  static char json[1 << 16];
  if (argc != 2) return 2;
  record* seen = NULL;
  tw_added_kernels added;
  CHECK(tw_added_load(&added) == 0);
  seen = dlsym(added.driver, "seen");
  CHECK(seen != NULL && seen->loaded == 1);
  if (failures != 0) return 1;

  int stream_object = 0;
  const uint64_t x = 0x10000, w = 0x20000, y = 0x40000, workspace = 0x50000;
  CHECK(tw_added_launch(&added, x, w, y, 0, &stream_object) == 0);
  CHECK(seen->launch_count == 1);
  read_text(argv[1], "added.json", json, sizeof json);
  check_launch(&seen->launches[0], json, 0);
  const int64_t* values = seen->launches[0].parameters;
  CHECK(values[0] == (int64_t)x && values[1] == (int64_t)w && values[2] == (int64_t)y);
  int extents = 0;
  for (int n = 3; n < seen->launches[0].parameter_count; ++n) extents += values[n] == 100001;
  CHECK(extents >= 1);
  CHECK(seen->launches[0].stream == &stream_object);

  CHECK(tw_added_launch(&added, x + 4, w, y, 0, NULL) == -2);
  CHECK(seen->launch_count == 1);
  seen->refuse = 700;
  CHECK(tw_added_launch(&added, x, w, y, 0, NULL) == 700);
  seen->refuse = 0;

  // Two kernels, with a workspace between them.
  tw_norm_kernels norm;
  CHECK(tw_norm_load(&norm) == 0);
  CHECK(seen->loaded == 3);
  CHECK(TW_norm_WORKSPACE > 0);
  seen->launch_count = 0;
  CHECK(tw_norm_launch(&norm, x, y, workspace, NULL) == 0);
  CHECK(seen->launch_count == 2);
  read_text(argv[1], "norm.json", json, sizeof json);
  CHECK(number_in(json, "\"workspace_bytes\": ", 0) == TW_norm_WORKSPACE);
  for (int n = 0; n < 2; ++n) check_launch(&seen->launches[n], json, n);
  CHECK(strcmp(seen->launches[0].kernel, "tw_norm_0") == 0 && strcmp(seen->launches[1].kernel, "tw_norm_1") == 0);
  CHECK(seen->launches[0].parameters[0] == (int64_t)x && seen->launches[0].parameters[1] == (int64_t)workspace);
  CHECK(seen->launches[1].parameters[0] == (int64_t)workspace && seen->launches[1].parameters[1] == (int64_t)y);

  tw_norm_unload(&norm);
  CHECK(seen->loaded == 1);
  tw_added_unload(&added);

  setenv("TILEWRIGHT_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  CHECK(tw_added_load(&added) == -1);
  return failures == 0 ? 0 : 1;
}
