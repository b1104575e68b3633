// A scheduled nest as schedule lines: what a user would write for loops like a scheduler's own.
//
// Nest (f32, 1000³, two threads)                                          Lines
//   loop j step max(ceil(ceil(b.1 / 16) / 2), 1) * 16 parallel              tile(j, 512)
//   loop j.in step 1024                                                     tile(i, 258)
//   loop k step 256                                                         tile(k, 256)
//   loop i step 258                                                         reorder(j, k, i, j.in, i.in, k.in)
//   loop j.in.in step 16                                                    cache(b, a)
//   loop i.in step 6                                                        vectorize(j.in, 16)
//   loop k.in step 1                                                        unroll(i.in, 6)
//   loop i.in.in step 1 unroll 6 registers                                  parallel(j)
//   loop j.in.in.in step 1 vectorize 16 registers
//
// Lines have numbers where loops have expressions over extents, so the text is for the extents at hand, legal for any.
// They say less than loops do: a staged buffer is as large as the outermost tiles, and how a GPU's threads share a
// block's points follows from their number. So the schedule is one like the nest's, not the nest's itself.
#pragma once

#include <vector>

#include "lang/ast.h"
#include "nest/ir.h"
#include "support/int_expr.h"

namespace tilewright::nest {

/// Lines of a schedule block, in the order in which they are legal; to_text of lang/parse.h prints them.
using Schedule = std::vector<lang::ScheduleLine>;

/// What the loops were chosen for: a block of threads needs no register tile in its lines, a core no threads.
enum class ScheduledFor : std::uint8_t { host, gpu };

/// The lines of a nest that schedule_for_host or schedule_for_gpu has completed, whose axes are the statement's own
/// (coalesce_iterators has not run); `sizes` has the value of each extent.
Schedule write_schedule(const Nest& nest, ScheduledFor target, const SymbolValues& sizes);

/// "tile(i, 128)" and its kin.
lang::ScheduleLine call_line(std::string name, std::vector<lang::ScheduleLine::Argument> arguments);
/// "threads = 256"
lang::ScheduleLine property_line(std::string name, lang::ScheduleLine::Argument value);

}  // namespace tilewright::nest
