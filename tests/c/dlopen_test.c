// The C interface found at run time: the program links nothing of Tilewright. argv[1] is the library.
#include <dlfcn.h>

#include "check.h"
#include "tilewright.h"

/// A function of the interface by its name, with its declared type.
#define FIND(name)                             \
  __typeof__(name)* name##_;                   \
  *(void**)&name##_ = dlsym(library, #name);   \
  if (name##_ == NULL) return fprintf(stderr, "%s\n", dlerror()), 1

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  FIND(tilewright_interface);
  FIND(tilewright_engine_open);
  FIND(tilewright_kernel_parse);
  FIND(tilewright_call);
  FIND(tilewright_type_named);
  FIND(tilewright_kernel_free);
  FIND(tilewright_engine_free);
  CHECK(tilewright_interface_() == TILEWRIGHT_INTERFACE);
  CHECK(dlsym(library, "LLVMContextCreate") == NULL);  // LLVM is inside, and hidden

  tilewright_engine* engine = NULL;
  tilewright_kernel* kernel = NULL;
  CHECK(tilewright_engine_open_("cpu", NULL, &engine, NULL) == TILEWRIGHT_OK);
  CHECK(tilewright_kernel_parse_("y[i] = x[i] * x[i]", NULL, &kernel, NULL) == TILEWRIGHT_OK);
  double x[] = {1, 2, 3}, y[3] = {0};
  int64_t shape[] = {3};
  tilewright_tensor operand = {x, {TILEWRIGHT_CPU, 0}, 1, {TILEWRIGHT_FLOAT, 64, 1}, shape, NULL, 0};
  tilewright_tensor output = operand;
  output.data = y;
  CHECK(tilewright_call_(engine, kernel, &operand, 1, &output, NULL, NULL) == TILEWRIGHT_OK);
  CHECK(y[0] == 1 && y[1] == 4 && y[2] == 9);
  tilewright_kernel_free_(kernel);
  tilewright_engine_free_(engine);
  return failures == 0 ? 0 : 1;
}
