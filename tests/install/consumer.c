// Uses the installed C interface as a stranger would.
#include <string.h>
#include <tilewright.h>

int main(int argc, char** argv) {
  if (argc != 2 || strcmp(tilewright_version(), argv[1]) != 0) return 1;
  tilewright_engine* engine = NULL;
  tilewright_kernel* kernel = NULL;
  double x[] = {3, 4}, total = 0;
  int64_t extent = 2;
  const tilewright_tensor operand = {x, {TILEWRIGHT_CPU, 0}, 1, {TILEWRIGHT_FLOAT, 64, 1}, &extent, NULL, 0};
  const tilewright_tensor output = {&total, {TILEWRIGHT_CPU, 0}, 0, {TILEWRIGHT_FLOAT, 64, 1}, NULL, NULL, 0};
  const int failed = tilewright_engine_open("cpu", NULL, &engine, NULL) != TILEWRIGHT_OK ||
                     tilewright_kernel_parse("s[] ++= x[i] * x[i]", NULL, &kernel, NULL) != TILEWRIGHT_OK ||
                     tilewright_call(engine, kernel, &operand, 1, &output, NULL, NULL) != TILEWRIGHT_OK;
  tilewright_kernel_free(kernel);
  tilewright_engine_free(engine);
  return failed || total != 25;
}
