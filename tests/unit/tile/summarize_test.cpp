// The line of a program in a trace.
#include "tile/summarize.h"

#include "programs.h"

namespace tilewright::tile {
namespace {

TEST(Summarize, NamesGridLoopsBuffersAndStores) {
  EXPECT_EQ(summarize(program_of(ragged_matmul)), "grid i by 6, j by 16; loops k by 1; stores mm [i 6, j 16]");
  EXPECT_EQ(summarize(program_of("tile c placed\n"
                                 "tensor a : f32 rank 1 strides (one) align 64\n"
                                 "tensor c : f32 rank 1 strides (one) align 64 output\n"
                                 "iter i extent a.0\n"
                                 "buffer p : f32 task [i 32 inner 16 strides (16, 1)] elements 32\n"
                                 "for i by 32 {\n"
                                 "  allocate p\n"
                                 "  copy a[i] -> p\n"
                                 "  for i by 16 {\n"
                                 "    %x = load_buffer p : f32 [i 16 lanes]\n"
                                 "    store c[i], %x nontemporal\n"
                                 "  }\n"
                                 "}\n")),
            "one task; loops i by 32, i by 16; buffer p f32 32; stores c [i 16 lanes] past the caches");
}

}  // namespace
}  // namespace tilewright::tile
