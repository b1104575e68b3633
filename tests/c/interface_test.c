// The C interface from C: values, errors of every kind, ownership, threads.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "tilewright.h"

static tilewright_tensor dense(const char* type, void* data, int32_t rank, int64_t* shape) {
  tilewright_tensor tensor = {data, {TILEWRIGHT_CPU, 0}, rank, {0, 0, 0}, shape, NULL, 0};
  CHECK(tilewright_type_named(type, &tensor.type));
  return tensor;
}

/// The call ended with this status, and its first error has this code.
static void expect_error(tilewright_status status, tilewright_error* error, tilewright_status expected,
                         const char* code) {
  CHECK(status == expected);
  const tilewright_diagnostic* first = tilewright_error_at(error, 0);
  CHECK(first != NULL);
  if (first != NULL && strcmp(first->code, code) != 0) {
    fprintf(stderr, "expected %s, got %s", code, first->text);
    ++failures;
  }
  tilewright_error_free(error);
}

static tilewright_kernel* parsed(const char* text) {
  tilewright_kernel* kernel = NULL;
  tilewright_error* error = NULL;
  CHECK(tilewright_kernel_parse(text, NULL, &kernel, &error) == TILEWRIGHT_OK);
  CHECK(error == NULL);
  return kernel;
}

static void test_types_and_versions(void) {
  CHECK(tilewright_interface() == TILEWRIGHT_INTERFACE);
  CHECK(strcmp(tilewright_version(), TILEWRIGHT_EXPECTED_VERSION) == 0);
  const char* names[] = {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i8", "u8", "i32", "u32", "i64", "bool"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
    tilewright_type type = {0, 0, 0};
    CHECK(tilewright_type_named(names[n], &type));
    CHECK(type.lanes == 1);
    CHECK(strcmp(tilewright_type_name(type), names[n]) == 0);
  }
  tilewright_type f32;
  CHECK(tilewright_type_named("f32", &f32) && f32.code == TILEWRIGHT_FLOAT && f32.bits == 32);
  CHECK(!tilewright_type_named("f33", &f32));
  CHECK(tilewright_type_name((tilewright_type){TILEWRIGHT_FLOAT, 128, 1}) == NULL);
}

static void test_kernels(void) {
  tilewright_kernel* kernel = parsed("c[i, j] ++= a[i, k] * b[k, j] do:\n  example: a = f32 2x3, b = f32 3x4\n");
  CHECK(strcmp(tilewright_kernel_name(kernel), "c") == 0);
  CHECK(tilewright_kernel_operand_count(kernel) == 2);
  CHECK(strcmp(tilewright_kernel_operand(kernel, 1), "b") == 0);
  CHECK(tilewright_kernel_operand(kernel, 2) == NULL);
  CHECK(tilewright_kernel_result_count(kernel) == 1);
  CHECK(strcmp(tilewright_kernel_result(kernel, 0), "c") == 0);
  CHECK(!tilewright_kernel_is_program(kernel));
  CHECK(strncmp(tilewright_kernel_text(kernel), "c[i, j] ++= a[i, k] * b[k, j]", 29) == 0);
  tilewright_type type;
  int32_t rank = 0;
  int64_t shape[8];
  CHECK(tilewright_kernel_example_count(kernel) == 1);
  CHECK(tilewright_kernel_example(kernel, 0, 1, &type, &rank, shape));
  CHECK(rank == 2 && shape[0] == 3 && shape[1] == 4 && type.bits == 32);
  CHECK(!tilewright_kernel_example(kernel, 1, 0, &type, &rank, shape));
  tilewright_kernel_free(kernel);

  tilewright_kernel** kernels = NULL;
  size_t count = 0;
  CHECK(tilewright_kernels_parse("x[] ++= a[i]\ny[] *= a[i]\n", "two.tw", &kernels, &count, NULL) == TILEWRIGHT_OK);
  CHECK(count == 2);
  CHECK(strcmp(tilewright_kernel_name(kernels[1]), "y") == 0);
  tilewright_kernels_free(kernels, count);
}

static void test_calls(const tilewright_engine* engine) {
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 10, 100}, c[8] = {0};
  int64_t a_shape[] = {2, 3}, b_shape[] = {3, 2}, c_shape[] = {2, 2}, c_strides[] = {4, 2};
  tilewright_tensor operands[] = {dense("f32", a, 2, a_shape), dense("f32", b, 2, b_shape)};
  tilewright_tensor output = dense("f32", c, 2, c_shape);
  output.strides = c_strides;
  output.byte_offset = sizeof(float);
  tilewright_kernel* kernel = parsed("c[i, j] ++= a[i, k] * b[k, j]");
  for (int again = 0; again < 2; ++again) {
    memset(c, 0, sizeof c);
    CHECK(tilewright_call(engine, kernel, operands, 2, &output, NULL, NULL) == TILEWRIGHT_OK);
    const float expected[] = {0, 31, 0, 302, 0, 64, 0, 605};
    CHECK(memcmp(c, expected, sizeof c) == 0);
  }
  tilewright_type type;
  int32_t rank = -1;
  int64_t shape[8];
  CHECK(tilewright_result_type(kernel, operands, 2, &type, &rank, shape, NULL) == TILEWRIGHT_OK);
  CHECK(rank == 2 && shape[0] == 2 && shape[1] == 2 && type.code == TILEWRIGHT_FLOAT);

  tilewright_timing timing;
  CHECK(tilewright_time(engine, kernel, operands, 2, &output, 0.01, &timing, NULL) == TILEWRIGHT_OK);
  CHECK(timing.calls >= 7 && timing.median > 0 && timing.low <= timing.median && timing.median <= timing.high);
  CHECK(timing.flops == 24 && timing.bytes == 4 * (6 + 6 + 4));
  tilewright_kernel_free(kernel);

  const size_t ranks[] = {2, 2};
  CHECK(tilewright_kernel_einsum("ij,jk->ki", ranks, 2, &kernel, NULL) == TILEWRIGHT_OK);
  tilewright_managed_tensor* result = NULL;
  CHECK(tilewright_run(engine, kernel, operands, 2, &result, NULL) == TILEWRIGHT_OK);
  const float* values = (const float*)((const char*)result->tensor.data + result->tensor.byte_offset);
  CHECK(result->tensor.rank == 2 && values[0] == 31 && values[1] == 64 && values[2] == 302 && values[3] == 605);
  CHECK(result->version.major == 1);
  tilewright_managed_tensor *there = NULL, *back = NULL;
  CHECK(tilewright_to_device(engine, &result->tensor, &there, NULL) == TILEWRIGHT_OK);
  tilewright_tensor_free(result);  // the copy has memory of its own
  CHECK(tilewright_to_host(engine, &there->tensor, &back, NULL) == TILEWRIGHT_OK);
  CHECK(((const float*)back->tensor.data)[3] == 605);
  tilewright_tensor_free(there);
  tilewright_tensor_free(back);
  tilewright_kernel_free(kernel);
}

static void test_programs(const tilewright_engine* engine) {
  tilewright_kernel* kernel = parsed("program two(x) -> (low, high):\n  low[] min= x[i]\n  high[] max= x[i]\n");
  CHECK(tilewright_kernel_is_program(kernel));
  int32_t x[] = {4, -2, 9};
  int64_t shape[] = {3};
  tilewright_tensor operand = dense("i32", x, 1, shape);
  tilewright_managed_tensor* results[2] = {NULL, NULL};
  CHECK(tilewright_kernel_result_count(kernel) == 2);
  CHECK(tilewright_run(engine, kernel, &operand, 1, results, NULL) == TILEWRIGHT_OK);
  CHECK(*(const int32_t*)results[0]->tensor.data == -2);
  CHECK(*(const int32_t*)results[1]->tensor.data == 9);
  tilewright_tensor_free(results[0]);
  tilewright_tensor_free(results[1]);
  tilewright_error* error = NULL;
  expect_error(tilewright_call(engine, kernel, &operand, 1, &operand, NULL, &error), error, TILEWRIGHT_BAD_INPUT,
               "R077");
  tilewright_kernel_free(kernel);
}

static void test_structure(void) {
  tilewright_kernel* kernel = parsed("c[i, j] ++= a[i, k] * w[k, j + r] * b[r]");
  size_t operand = 9, axis = 9;
  CHECK(tilewright_kernel_result_axis(kernel, 0, &operand, &axis) == 1 && operand == 0 && axis == 0);
  CHECK(tilewright_kernel_result_axis(kernel, 1, &operand, &axis) == 0);  // what a window leaves
  CHECK(tilewright_kernel_result_axis(kernel, 2, &operand, &axis) == -1);
  tilewright_split split;
  CHECK(tilewright_kernel_split_count(kernel) == 2);  // not j and r, which meet in one index
  CHECK(tilewright_kernel_split(kernel, 0, &split) && strcmp(split.iterator, "i") == 0 && split.result_axis == 0 &&
        split.combine == NULL);
  CHECK(tilewright_kernel_split_axis(kernel, 0, 0) == 0 && tilewright_kernel_split_axis(kernel, 0, 1) == -1);
  CHECK(tilewright_kernel_split(kernel, 1, &split) && strcmp(split.iterator, "k") == 0 && split.result_axis == -1 &&
        strcmp(split.combine, "++=") == 0);
  CHECK(tilewright_kernel_split_axis(kernel, 1, 0) == 1 && tilewright_kernel_split_axis(kernel, 1, 1) == 0);
  CHECK(!tilewright_kernel_split(kernel, 2, &split) && tilewright_kernel_split_axis(kernel, 2, 0) == -1);
  tilewright_kernel_free(kernel);

  kernel = parsed("program two(x) -> (sum, top):\n  top[i] max= x[i, j]\n  sum[] ++= top[i]\n");
  CHECK(tilewright_kernel_split_count(kernel) == 0);
  CHECK(tilewright_kernel_result_axis(kernel, 0, &operand, &axis) == -1);
  int64_t x_shape[] = {5, 0}, shapes[16];
  const tilewright_tensor x = dense("i8", NULL, 2, x_shape);
  tilewright_type types[2];
  int32_t ranks[2] = {-1, -1};
  CHECK(tilewright_result_types(kernel, &x, 1, types, ranks, shapes, NULL) == TILEWRIGHT_OK);
  CHECK(ranks[0] == 0 && strcmp(tilewright_type_name(types[0]), "i32") == 0);
  CHECK(ranks[1] == 1 && shapes[8] == 5 && strcmp(tilewright_type_name(types[1]), "i8") == 0);
  tilewright_error* error = NULL;
  x_shape[1] = -1;
  expect_error(tilewright_result_types(kernel, &x, 1, types, ranks, shapes, &error), error, TILEWRIGHT_BAD_INPUT,
               "R002");
  error = NULL;
  expect_error(tilewright_result_types(kernel, &x, 0, types, ranks, shapes, &error), error, TILEWRIGHT_BAD_INPUT,
               "R076");
  tilewright_kernel_free(kernel);

  const size_t rank = 1;
  tilewright_type type;
  CHECK(tilewright_type_named("bool", &type));
  CHECK(tilewright_kernel_einsum_of("i->", &rank, 1, type, &kernel, NULL) == TILEWRIGHT_OK);
  CHECK(strcmp(tilewright_kernel_text(kernel), "result[] max= a[i]\n") == 0);
  tilewright_kernel_free(kernel);
  type.bits = 3;
  error = NULL;
  expect_error(tilewright_kernel_einsum_of("i->", &rank, 1, type, &kernel, &error), error, TILEWRIGHT_BAD_INPUT,
               "R022");
}

static void test_errors(const tilewright_engine* engine) {
  tilewright_error* error = NULL;
  tilewright_kernel* kernel = NULL;
  tilewright_status status =
      tilewright_kernel_parse("o[i] = sine(a[i])\np[i] = cosine(a[i])\n", "mine.tw", &kernel, &error);
  CHECK(status == TILEWRIGHT_BAD_INPUT && kernel == NULL);
  CHECK(tilewright_error_count(error) == 2);
  const tilewright_diagnostic* first = tilewright_error_at(error, 0);
  CHECK(strcmp(first->code, "L017") == 0 && strcmp(first->source, "mine.tw") == 0);
  CHECK(first->line == 1 && first->column == 8);
  CHECK(strstr(first->text, "    o[i] = sine(a[i])\n           ^^^^\n") != NULL);
  CHECK(strstr(tilewright_error_text(error), "mine.tw:2:") != NULL);
  CHECK(tilewright_error_at(error, 2) == NULL);
  tilewright_error_free(error);

  tilewright_engine* none = NULL;
  expect_error(tilewright_engine_open("abacus", NULL, &none, &error), error, TILEWRIGHT_ABSENT, "R072");
  tilewright_engine_options odd = {3, 0, 0};
  expect_error(tilewright_engine_open("cpu", &odd, &none, &error), error, TILEWRIGHT_BAD_INPUT, "A041");
  CHECK(none == NULL);
  expect_error(tilewright_kernel_parse(NULL, NULL, &kernel, &error), error, TILEWRIGHT_BAD_INPUT, "A040");
  CHECK(tilewright_kernel_parse(NULL, NULL, &kernel, NULL) == TILEWRIGHT_BAD_INPUT);

  kernel = parsed("y[i] = 2.0 * x[i]");
  float x[] = {1, 2, 3}, y[] = {-1, -1, -1};
  int64_t three[] = {3}, two[] = {2}, nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, negative[] = {-1};
  const tilewright_tensor operand = dense("f32", x, 1, three), output = dense("f32", y, 1, three);
  tilewright_tensor wrong = operand;
#define EXPECT(code, operands, count, out) \
  expect_error(tilewright_call(engine, kernel, operands, count, out, NULL, &error), error, TILEWRIGHT_BAD_INPUT, code)
  EXPECT("R076", &operand, 2, &output);
  EXPECT("A040", NULL, 1, &output);
  EXPECT("A040", &operand, 1, NULL);
  EXPECT("R060", &operand, 1, &operand);
  wrong.shape = two;
  EXPECT("R074", &operand, 1, &wrong);
  wrong.shape = NULL;
  EXPECT("R020", &wrong, 1, &output);
  wrong.shape = negative;
  EXPECT("R002", &wrong, 1, &output);
  wrong.shape = nine;
  wrong.rank = 9;
  EXPECT("R001", &wrong, 1, &output);
  wrong = operand;
  wrong.type.bits = 33;
  EXPECT("R022", &wrong, 1, &output);
  wrong = operand;
  wrong.device.kind = 99;
  EXPECT("R023", &wrong, 1, &output);
  wrong = operand;
  wrong.data = NULL;
  EXPECT("R007", &wrong, 1, &output);
  wrong = operand;
  wrong.byte_offset = 2;
  EXPECT("R008", &wrong, 1, &output);
  wrong = operand;
  wrong.device.kind = TILEWRIGHT_CUDA;
  EXPECT("R073", &wrong, 1, &output);
  wrong = operand;
  CHECK(tilewright_type_named("bool", &wrong.type));
  EXPECT("B021", &wrong, 1, &output);
  int none_there = 0;
  tilewright_call_options with_stream = {sizeof with_stream, 1, &none_there};
  expect_error(tilewright_call(engine, kernel, &operand, 1, &output, &with_stream, &error), error, TILEWRIGHT_BAD_INPUT,
               "R082");
  CHECK(y[0] == -1 && y[1] == -1 && y[2] == -1);  // no error has written anything

  char* bytes = NULL;
  expect_error(tilewright_emit(kernel, "host", "cake", &operand, 1, &bytes, NULL, &error), error, TILEWRIGHT_BAD_INPUT,
               "C014");
  expect_error(tilewright_emit(kernel, "nvptx:sm_1", "ptx", &operand, 1, &bytes, NULL, &error), error,
               TILEWRIGHT_ABSENT, "C016");
  CHECK(bytes == NULL);
  tilewright_kernel_free(kernel);

  const size_t ranks[] = {2, 2};
  expect_error(tilewright_kernel_einsum("ij,jk,kl", ranks, 2, &kernel, &error), error, TILEWRIGHT_BAD_INPUT, "L071");

  CHECK(tilewright_error_count(NULL) == 0 && tilewright_error_at(NULL, 0) == NULL);
  CHECK(strcmp(tilewright_error_text(NULL), "") == 0);
  tilewright_error_free(NULL);
  tilewright_kernel_free(NULL);
  tilewright_engine_free(NULL);
  tilewright_tensor_free(NULL);
  tilewright_bytes_free(NULL);
  tilewright_kernels_free(NULL, 0);
}

static void test_looking(const tilewright_engine* engine) {
  tilewright_kernel* kernel = parsed("s[i] ++= x[i, k]");
  int64_t shape[] = {64, 48};
  const tilewright_tensor typed = dense("f32", NULL, 2, shape);
  char* bytes = NULL;
  size_t size = 0;
  CHECK(tilewright_emit(kernel, "host", "nest", &typed, 1, &bytes, &size, NULL) == TILEWRIGHT_OK);
  CHECK(bytes != NULL && strlen(bytes) == size && strstr(bytes, "nest s[i] : f32\n") == bytes);
  tilewright_bytes_free(bytes);
  CHECK(tilewright_emit(kernel, "nvptx:sm_90a", "ptx", &typed, 1, &bytes, NULL, NULL) == TILEWRIGHT_OK);
  CHECK(strstr(bytes, ".target sm_90a") != NULL);
  tilewright_bytes_free(bytes);
  CHECK(tilewright_emit(kernel, "host", "obj", &typed, 1, &bytes, &size, NULL) == TILEWRIGHT_OK);
  CHECK(size > 64 && memcmp(bytes, "\177ELF", 4) == 0);
  tilewright_bytes_free(bytes);
  CHECK(tilewright_explain(engine, kernel, &typed, 1, 0, &bytes, NULL) == TILEWRIGHT_OK);
  CHECK(strstr(bytes, "== s\n") == bytes && strstr(bytes, "Choices and reasons") != NULL);
  tilewright_bytes_free(bytes);
  CHECK(tilewright_explain(engine, kernel, &typed, 1, 1, &bytes, NULL) == TILEWRIGHT_OK);
  CHECK(strstr(bytes, "<!DOCTYPE html>") == bytes);
  tilewright_bytes_free(bytes);
  tilewright_kernel_free(kernel);
}

struct Caller {
  const tilewright_engine* engine;
  const tilewright_kernel* kernel;
  int64_t extent;
  int wrong;
};

static void* call_again_and_again(void* argument) {
  struct Caller* caller = argument;
  float *x = malloc(sizeof(float) * (size_t)caller->extent), total = 0;
  for (int64_t i = 0; i < caller->extent; ++i) x[i] = 1;
  const tilewright_tensor operand = dense("f32", x, 1, &caller->extent), output = dense("f32", &total, 0, NULL);
  for (int n = 0; n < 50; ++n) {
    total = -1;
    const tilewright_status status = tilewright_call(caller->engine, caller->kernel, &operand, 1, &output, NULL, NULL);
    caller->wrong += status != TILEWRIGHT_OK || total != (float)caller->extent;
  }
  free(x);
  return NULL;
}

/// Threads share an engine and a kernel, and compile for shapes of their own at once.
static void test_threads(const tilewright_engine* engine) {
  tilewright_kernel* kernel = parsed("total[] ++= x[i]");
  pthread_t threads[4];
  struct Caller callers[4];
  for (int t = 0; t < 4; ++t) {
    callers[t] = (struct Caller){engine, kernel, 1000 + 77 * (t / 2), 0};
    CHECK(pthread_create(&threads[t], NULL, call_again_and_again, &callers[t]) == 0);
  }
  for (int t = 0; t < 4; ++t) {
    CHECK(pthread_join(threads[t], NULL) == 0);
    CHECK(callers[t].wrong == 0);
  }
  tilewright_kernel_free(kernel);
}

int main(void) {
  tilewright_engine* engine = NULL;
  const tilewright_engine_options options = {sizeof options, 1, 0};
  if (tilewright_engine_open(NULL, &options, &engine, NULL) != TILEWRIGHT_OK) return 1;
  CHECK(strcmp(tilewright_engine_device(engine), "cpu") == 0);
  CHECK(strlen(tilewright_engine_processor(engine)) > 0);
  tilewright_set_threads(2);
  CHECK(tilewright_threads() == 2);
  test_types_and_versions();
  test_kernels();
  test_calls(engine);
  test_programs(engine);
  test_structure();
  test_errors(engine);
  test_looking(engine);
  test_threads(engine);
  tilewright_engine_free(engine);
  return failures == 0 ? 0 : 1;
}
