// What compiled Metal source and the machine that runs its threads (metal_machine.h) know of each other.
#pragma once

enum tw_exchange_kind { tw_shuffle, tw_shuffle_down, tw_shuffle_up, tw_shuffle_xor, tw_any, tw_all, tw_product };

struct tw_machine {
  void (*access)(const void* address, unsigned bytes, int writes);
  void (*barrier)(int flags, int line);
  void (*exchange)(const void* own, unsigned bytes, tw_exchange_kind kind, unsigned operand, void* result, int line);
  /// The array number `index` of the function, of all threads of the threadgroup.
  void* (*threadgroup_array)(unsigned index, unsigned long bytes);
  void (*undefined)(const char* what);  ///< behaviour that C++ leaves open
  const char* stack;                    ///< the running thread's own: its lowest byte
  unsigned long stack_bytes;
};

/// One thread of a launch.
struct tw_thread {
  void* buffers[31];
  unsigned index, group, groups, lane, simdgroup;
};

/// The machine's functions as compiled source calls them.
extern "C" void tw_barrier(int flags, int line);
extern "C" void tw_exchange_words(const void* own, unsigned bytes, tw_exchange_kind kind, unsigned operand,
                                  void* result, int line);
extern "C" void* tw_threadgroup_array(unsigned index, unsigned long bytes);
