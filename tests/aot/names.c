/* Headers and objects of kernels with names that end alike, in one program. */
#include <stdio.h>

#include "a.h"
#include "a_0.h"
#include "a_run.h"

int main(void) {
  const float rows[12] = {1, 2, 3, 0, 0, 1, 2, 2, 2, 0, 1, 0};
  const float x[4] = {1, 2, 3, 4};
  float products[16], doubled[4], tripled[4];
  if (tw_a(rows, products) != 0 || tw_a_run(x, doubled) != 0 || tw_a_0(x, tripled) != 0) return 1;
  /* The sums are 6, 1, 6 and 1. */
  if (products[1] != 12 || products[4] != 7 || products[2] != 42 || doubled[3] != 8 || tripled[3] != 12) {
    printf("%g %g %g %g %g\n", products[1], products[4], products[2], doubled[3], tripled[3]);
    return 1;
  }
  return 0;
}
