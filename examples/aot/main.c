// Runs kernels that `tilewright build` wrote; links nothing of Tilewright. build.sh makes the files and this program.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "classify.h"
#include "layer.h"
#include "norm.h"
#include "softmax.h"

enum { rows = 32, inputs = 200, outputs = 48 };

/// Numbers in [-1, 1) that look random and are the same everywhere.
static double sample(uint32_t* state) {
  *state = *state * 1664525U + 1013904223U;
  return (double)(*state >> 8U) / (1 << 23) - 1.0;
}

int main(void) {
  static float x[rows * inputs], w[inputs * outputs], bias[outputs], y[rows * outputs], p[rows * outputs], q[rows * outputs];
  static double m[300 * 700];
  uint32_t state = 1;
  for (int n = 0; n < rows * inputs; ++n) x[n] = (float)sample(&state);
  for (int n = 0; n < inputs * outputs; ++n) w[n] = (float)sample(&state);
  for (int n = 0; n < outputs; ++n) bias[n] = (float)sample(&state);
  for (int n = 0; n < 300 * 700; ++n) m[n] = sample(&state);

  double norm = 0, expected_norm = 0, largest = 0;
  if (tw_layer(x, w, bias, y) != 0 || tw_softmax(y, p) != 0 || tw_norm(m, &norm) != 0) return 1;
  if (tw_classify(x, w, bias, q) != 0) return 1;

  for (int i = 0; i < rows; ++i) {
    double exact[outputs], top = 0, total = 0;
    for (int j = 0; j < outputs; ++j) {
      exact[j] = bias[j];
      for (int k = 0; k < inputs; ++k) exact[j] += (double)x[i * inputs + k] * w[k * outputs + j];
      exact[j] = exact[j] > 0 ? exact[j] : 0;
      largest = fmax(largest, fabs(exact[j] - y[i * outputs + j]));
      top = fmax(top, exact[j]);
    }
    for (int j = 0; j < outputs; ++j) total += exp(exact[j] - top);
    for (int j = 0; j < outputs; ++j) {
      largest = fmax(largest, fabs(exp(exact[j] - top) / total - p[i * outputs + j]));
      largest = fmax(largest, fabs(exp(exact[j] - top) / total - q[i * outputs + j]));
    }
  }
  for (int n = 0; n < 300 * 700; ++n) expected_norm += m[n] * m[n];
  printf("largest error %.2g; norm %.12g, expected %.12g\n", largest, norm, expected_norm);
  // Sums of 200 products below 1 in f32, at most 200 roundings of half an ulp each of a sum below 200; two sums of 210000 in f64.
  return largest < 200 * 200 * 0x1p-24 && fabs(norm - expected_norm) < 2 * 300 * 700 * 0x1p-53 * expected_norm ? 0 : 1;
}
