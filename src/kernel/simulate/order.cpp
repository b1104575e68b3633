// Merging and looking up what threads know.
#include "kernel/simulate/order.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace tilewright::kernel::simulator {

namespace {

/// One entry a location and scope, of the most notes.
void take_up(std::vector<Acquired>& all, const Acquired& more) {
  for (Acquired& own : all)
    if (own.notes == more.notes && own.scope == more.scope) {
      own.count = std::max(own.count, more.count);
      return;
    }
  all.push_back(more);
}

/// The last of those, in ascending order of their index, whose index is below `count`; null if there is none.
template <class T, class Index>
const T* last_before(const std::vector<T>& all, std::size_t count, Index&& index) {
  const auto end = std::ranges::lower_bound(all, count, {}, index);
  return end == all.begin() ? nullptr : &*std::prev(end);
}

/// The note is the next one of the location.
void add_to_chain(Notes::Chain& chain, const Notes& location, Note& note) {
  const auto index = static_cast<std::uint32_t>(location.all.size());
  if (!chain.notes.empty()) {
    const std::vector<std::uint32_t>& before = location.all[chain.notes.back()].known;
    for (std::size_t i = 0; i < before.size(); ++i) note.known[i] = std::max(note.known[i], before[i]);
  }
  chain.notes.push_back(index);
  for (const std::uint32_t key : {std::uint32_t{note.thread}, Notes::Chain::warp_key(note.thread / warp_threads)}) {
    std::vector<Notes::Chain::Release>& releases = chain.by_thread[key];
    releases.push_back({index, std::max(note.epoch, releases.empty() ? 0 : releases.back().epoch)});
  }
}

}  // namespace

Order::Order(std::uint32_t block, std::size_t warps, std::uint32_t cluster_blocks)
    : block_(block),
      cluster_blocks_(cluster_blocks),
      epochs_(warps + 1, 1),
      known_((warps + 1) * (warps + 1), 0),
      warps_(warps),
      async_fences_(warps * warp_threads, 0) {}

void Order::arrive(std::size_t warp, Meeting& meeting) {
  meeting.known.resize(epochs_.size());
  for (std::size_t i = 0; i < epochs_.size(); ++i) meeting.known[i] = std::max(meeting.known[i], known(warp)[i]);
  meeting.known[warp] = epochs_[warp]++;
  for (const Acquired& own : warps_[warp]) take_up(meeting.acquired, own);
  take_up_threads(warp, meeting.acquired);
}

void Order::take_up_threads(std::size_t warp, std::vector<Acquired>& all) const {
  for (const auto& [thread, acquired] : threads_)
    if (thread / warp_threads == warp)
      for (const Acquired& own : acquired) take_up(all, own);
}

void Order::release_warp(std::size_t warp, Notes& location, MemoryScope scope) {
  Note all = note(static_cast<unsigned>(warp * warp_threads), scope);
  take_up_threads(warp, all.acquired);
  all.known[warp] = epochs_[warp]++;
  publish(location, std::move(all));
}

void Order::acquire_warp(std::size_t warp, const Notes& location, std::size_t count, MemoryScope scope) {
  if (count == 0) return;
  take_up(warps_[warp], {&location, count, scope});
  has_acquired_ = true;
}

void Order::leave(std::size_t warp, const Meeting& meeting) {
  for (std::size_t i = 0; i < epochs_.size(); ++i) known(warp)[i] = std::max(known(warp)[i], meeting.known[i]);
  for (const Acquired& own : meeting.acquired) take_up(warps_[warp], own);
  std::erase_if(threads_, [&](const auto& entry) { return entry.first / warp_threads == warp; });
}

Note Order::note(unsigned thread, MemoryScope scope) const {
  const std::size_t warp = thread / warp_threads;
  Note note{block_, static_cast<std::uint16_t>(thread),          epochs_[warp],
            scope,  {known(warp), known(warp) + epochs_.size()}, warps_[warp]};
  if (const auto own = threads_.find(thread); own != threads_.end())
    for (const Acquired& acquired : own->second) take_up(note.acquired, acquired);
  return note;
}

void Order::publish(Notes& location, Note note) {
  const std::size_t index = location.all.size();
  for (const Acquired& own : note.acquired) {
    if (own.notes == &location) continue;  // earlier ones of this location are acquired with it
    const MemoryScope scope = std::min(note.scope, own.scope);
    auto found = std::ranges::find_if(location.further, [&](const Notes::Further& further) {
      return further.notes == own.notes && further.block == note.block && further.scope == scope;
    });
    if (found == location.further.end()) found = location.further.insert(found, {own.notes, note.block, scope, {}});
    if (found->from.empty() || found->from.back().count < own.count) found->from.push_back({index, own.count});
  }
  note.acquired.clear();
  add_to_chain(location.by_block[note.block][static_cast<std::size_t>(note.scope)], location, note);
  location.all.push_back(std::move(note));
}

void Order::release(unsigned thread, Notes& location, MemoryScope scope) {
  publish(location, note(thread, scope));
  ++epochs_[thread / warp_threads];  // what the thread does from now on is not in the note
}

void Order::acquire(unsigned thread, const Notes& location, std::size_t count, MemoryScope scope) {
  if (count == 0) return;
  take_up(threads_[thread], {&location, count, scope});
  has_acquired_ = true;
}

void Order::atomic(unsigned thread, Notes& location, MemoryOrder order, MemoryScope scope) {
  const bool acquires = order == MemoryOrder::acquire || order == MemoryOrder::acq_rel;
  const bool releases = order == MemoryOrder::release || order == MemoryOrder::acq_rel;
  if (acquires)
    acquire(thread, location, location.all.size(), scope);
  else if (!location.all.empty())
    take_up(seen_[thread], {&location, location.all.size(), scope});
  if (releases) return release(thread, location, scope);
  const auto fenced = fenced_.find(thread);
  if (fenced == fenced_.end()) return;
  Note note = fenced->second;
  note.scope = std::min(note.scope, scope);
  publish(location, std::move(note));
}

void Order::fence(unsigned thread, MemoryScope scope) {
  if (const auto seen = seen_.find(thread); seen != seen_.end()) {
    for (const Acquired& own : seen->second) acquire(thread, *own.notes, own.count, std::min(own.scope, scope));
    seen_.erase(seen);
  }
  fenced_.insert_or_assign(thread, note(thread, scope));
  ++epochs_[thread / warp_threads];
}

void Order::fence_async(unsigned thread) {
  async_fences_[thread] = epochs_[thread / warp_threads]++;
}

bool Order::is_unfenced(const Mark& access) const {
  return access.epoch != 0 && access.block == block_ && (access.flags & Mark::async) == 0 &&
         access.thread < async_fences_.size() && access.epoch > async_fences_[access.thread];
}

void Order::release_by_engine(Notes& location, MemoryScope scope) {
  const Mark mark = engine_mark(0);
  publish(location, {block_, mark.thread, mark.epoch, scope, std::vector<std::uint32_t>(epochs_.size()), {}});
  ++epochs_.back();
}

bool Order::reaches(MemoryScope scope, std::uint32_t block) const {
  if (block == block_ || scope >= MemoryScope::device) return true;
  return scope == MemoryScope::cluster && block / cluster_blocks_ == block_ / cluster_blocks_;
}

/// Whether the notes say so themselves, without what they pass on of others.
bool Order::covers(const Acquired& acquired, const Mark& access) const {
  const Notes& notes = *acquired.notes;
  const auto own = notes.by_block.find(access.block);
  if (own == notes.by_block.end()) return false;
  const std::uint32_t warp = access.thread / warp_threads;
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    const Notes::Chain& chain = own->second[scope];
    const std::uint32_t* last = last_before(chain.notes, acquired.count, std::identity{});
    if (last == nullptr || !reaches(std::min(static_cast<MemoryScope>(scope), acquired.scope), access.block)) continue;
    if (access.epoch <= notes.all[*last].known[warp]) return true;
    if ((access.flags & Mark::many) != 0) continue;
    const bool whole = (access.flags & Mark::whole_warp) != 0;
    const auto releases = chain.by_thread.find(whole ? Notes::Chain::warp_key(warp) : access.thread);
    if (releases == chain.by_thread.end()) continue;
    const auto* release = last_before(releases->second, acquired.count, &Notes::Chain::Release::index);
    if (release != nullptr && access.epoch <= release->epoch) return true;
  }
  return false;
}

/// Notes are looked at once, unless more of them are known by another way.
void Order::search_at(const Acquired& next) const {
  const bool known = std::ranges::any_of(search_, [&](const Acquired& other) {
    return other.notes == next.notes && other.count >= next.count && other.scope >= next.scope;
  });
  if (!known) search_.push_back(next);
}

bool Order::is_acquired(const Mark& access, unsigned thread) const {
  if (thread / warp_threads >= warps_.size()) return false;  // the engine, which waits for nobody
  search_ = warps_[thread / warp_threads];
  if (const auto own = threads_.find(thread); own != threads_.end())
    search_.insert(search_.end(), own->second.begin(), own->second.end());
  for (std::size_t i = 0; i < search_.size(); ++i) {
    const Acquired at = search_[i];
    if (covers(at, access)) return true;
    for (const Notes::Further& further : at.notes->further) {
      const MemoryScope scope = std::min(further.scope, at.scope);
      const auto* from = last_before(further.from, at.count, &Notes::Further::From::index);
      if (from != nullptr && reaches(scope, further.block)) search_at({further.notes, from->count, scope});
    }
  }
  return false;
}

}  // namespace tilewright::kernel::simulator
