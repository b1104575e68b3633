// What is known about each granule of a memory: who wrote and who read it last, and whether an asynchronous copy is on
// its way to or from it. A granule is as many bytes as divide every access, so that granules are as exact as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/simulate/order.h"

namespace tilewright::kernel::simulator {

enum class Hazard : std::uint8_t {
  none,
  unwritten,  ///< a read of what nobody has written
  race,       ///< an access that is not ordered with an earlier one, one of both a write
  pending,    ///< an access to what an asynchronous copy is writing
  locked,     ///< a write to what an asynchronous copy is reading
  unfenced,   ///< an access by the copy engine that an earlier one of a thread, without a fence, may come behind
};
struct Finding {
  Hazard hazard = Hazard::none;
  std::uint64_t offset = 0;  ///< of the granule
  Mark earlier;
};

class Shadow {
 public:
  /// `written`: whether the bytes have values from the start; where `states` is not null it says so for each byte from
  /// `states_begin` on. Readers are kept by warp, if `warps` is not 0; else, of many, two.
  Shadow(std::uint64_t bytes, std::uint64_t granule, bool written, std::size_t warps,
         const std::uint8_t* states = nullptr, std::uint64_t states_begin = 0);
  void reset();
  /// Readers are kept, for find_unfenced_users, until a write: also those that happen before others, and asynchronous
  /// ones beside the others of their warp. Has to happen before the first access.
  void keep_all_readers();

  /// Checks an access and takes it down. The range is inside of the memory.
  Finding read(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access);
  Finding write(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access);
  /// As a read and a write; unordered with other atomics.
  Finding atomic(const Order& order, std::uint64_t offset, std::uint64_t bytes, Mark access);

  /// An asynchronous copy to the range starts (a write that has not happened yet), and is there for its thread.
  Finding start_copy_to(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access);
  void end_copy_to(std::uint64_t offset, std::uint64_t bytes, const Mark& access);
  /// An asynchronous copy from the range starts, and has read.
  Finding start_copy_from(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access);
  /// A write in the range that the copy engine need not see.
  Finding find_unfenced(const Order& order, std::uint64_t offset, std::uint64_t bytes);
  /// A read or write in the range that may come behind what the copy engine writes there now.
  Finding find_unfenced_users(const Order& order, std::uint64_t offset, std::uint64_t bytes);
  void end_copy_from(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access);

 private:
  struct Cell {
    Mark write;
    Mark read;
    std::uint32_t more = 0;   ///< other readers, unordered with `read`: a set's index, 0 for none
    std::uint16_t locks = 0;  ///< copies that are reading
    bool written = false;
    bool pending = false;
  };
  /// The threads of a warp that have read, as the last one has.
  struct Readers {
    Mark last;
    std::uint32_t lanes = 0;  ///< a bit each; where readers are not kept by warp, of the last one alone
  };
  /// Granules are made a page at a time, when one is touched: a launch of a few blocks touches little.
  static constexpr unsigned page_shift = 9;
  using Page = std::array<Cell, std::size_t{1} << page_shift>;
  Cell& cell(std::uint64_t i) {
    std::unique_ptr<Page>& page = pages_[i >> page_shift];
    if (!page) page = make_page(i >> page_shift);
    return (*page)[i & ((std::uint64_t{1} << page_shift) - 1)];
  }
  std::unique_ptr<Page> make_page(std::uint64_t number) const;
  std::uint64_t first(std::uint64_t offset) const { return offset >> shift_; }
  std::uint64_t last(std::uint64_t offset, std::uint64_t bytes) const { return (offset + bytes - 1) >> shift_; }
  Hazard check_write(const Order& order, const Cell& cell, const Mark& access, Mark& earlier) const;
  /// Whether `is(mark)` for one of the threads, each taken to have read when the last one has.
  template <class Is>
  static bool any_of(const Readers& readers, Is&& is);
  void note_read(const Order& order, Cell& cell, const Mark& access);
  void keep_reader(Cell& cell);
  template <class Visit>
  Finding each(std::uint64_t offset, std::uint64_t bytes, Visit&& visit);

  unsigned shift_;
  bool written_;
  std::size_t slots_;  ///< of a set of readers
  bool by_warp_;
  bool keeps_all_ = false;
  std::uint64_t bytes_;
  const std::uint8_t* states_;
  std::uint64_t states_begin_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<Readers> sets_;
};

}  // namespace tilewright::kernel::simulator
