// Kernels written by hand in PTX, for cuda_runtime_check.
#pragma once

#include <string>

namespace tilewright::cuda::kernels {

/// Of any device: `add` (c = a + b, f32), `copy` (16 bytes a thread), `reverse` (a block of 25600 words backwards,
/// through 100 KiB of shared memory), `fault` (a store to an address that nobody owns), `spills` (more values than
/// registers, compiled with a limit).
std::string any_device();
/// Of compute capability 9.0 and later: `neighbour` (each block of a cluster of two reads the other's shared memory),
/// `add_after` (add that waits for the kernel before it), `load_box` (a box of 32 x 8 f32 by the copy engine).
std::string hopper();

}  // namespace tilewright::cuda::kernels
