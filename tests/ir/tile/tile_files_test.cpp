// Runs tests/ir/tile/**: a tile program before and after the pass that names the folder. The machine is made up:
// 32-byte vectors, a last-level cache of 8 MiB. What a pass is told beside the program stands in settings:
//
//   cache: a i 12, k 8    stage the program's first read of a, by tiles of 12 × 8
//   lanes: j              the iterator along the lanes
//   reduction: k          an iterator that is reduced over
//   align: 64             of the output, and of its rows
//   extent: i 4194304     a size bucket; 1 where not said
#include <sstream>

#include "filetest.h"
#include "tile/ir.h"
#include "tile/passes/place_for_host.h"
#include "tile/passes/stream_stores.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

using filetest::FileTest;

HostTarget machine() {
  HostTarget target;
  target.vector_bytes = 32;
  return target;
}

template <class Id, class Item>
Id named(const Table<Id, Item>& table, const std::string& name) {
  for (std::uint32_t i = 0; i < table.size(); ++i)
    if (table[Id{i}].name == name) return Id{i};
  ADD_FAILURE() << "nothing is named '" << name << "'";
  return {};
}

/// "i 12, k 8".
std::vector<std::pair<IterId, std::int64_t>> sizes(const Program& program, std::istream& text) {
  std::vector<std::pair<IterId, std::int64_t>> result;
  std::string name;
  std::int64_t size = 0;
  while (text >> name >> size) {
    result.emplace_back(named(program.iters, name), size);
    text.ignore(1, ',');
  }
  return result;
}

/// What of a nest stage_reads looks at.
nest::Nest schedule_of(const FileTest& test, const Program& program) {
  nest::Nest nest;
  for (const Iterator& iter : program.iters)
    nest.iterators.add({.name = iter.name, .role = nest::IteratorRole::output, .extent = iter.extent});
  for (const std::string& name : test.all("reduction"))
    nest.iterators[named(program.iters, name)].role = nest::IteratorRole::reduction;
  for (const std::string& lanes : test.all("lanes")) nest.schedule.lanes = named(program.iters, lanes);
  for (const std::string& line : test.all("cache")) {
    std::istringstream text(line);
    std::string name;
    text >> name;
    const TensorId tensor = named(program.tensors, name);
    std::optional<nest::Read> read;
    walk(program.body, [&](const Op& op) {
      const auto* load = std::get_if<Load>(&op.node);
      if (load && load->tensor == tensor && !read) read = nest::Read{tensor, load->index, std::nullopt};
    });
    if (!read) {
      ADD_FAILURE() << "nothing reads " << name;
      continue;
    }
    nest.schedule.caches.push_back({nest.reads.add(*read), sizes(program, text)});
  }
  return nest;
}

nest::Facts facts_of(const FileTest& test, const Program& program) {
  nest::Facts facts;
  facts.size_buckets.assign(program.iters.size(), 1);
  for (const std::string& align : test.all("align"))
    facts.output.align = facts.output.stride_align = static_cast<std::uint32_t>(std::stoul(align));
  for (const std::string& line : test.all("extent")) {
    std::istringstream text(line);
    for (const auto& [iter, size] : sizes(program, text)) facts.size_buckets[iter.index] = size;
  }
  return facts;
}

std::string produce(const FileTest& test) {
  auto program = parse_program(std::make_shared<const Source>("input", test.input));
  if (!program) return render(program.error());
  if (const auto sound = verify(*program); !sound) return render(sound.error());
  const nest::Nest nest = schedule_of(test, *program);
  program->phase = Phase::placed;
  if (test.folder == "stage_reads")
    stage_reads(*program, nest);
  else if (test.folder == "expand_copies")
    expand_copies(*program, nest.schedule.lanes, machine());
  else if (test.folder == "assign_lanes")
    assign_lanes(*program, nest.schedule.lanes, machine());
  else if (test.folder == "stream_stores")
    stream_stores(*program, facts_of(test, *program), machine());
  else
    ADD_FAILURE() << "no pass is named " << test.folder;
  if (const auto sound = verify(*program); !sound) return render(sound.error()) + to_text(*program);
  return to_text(*program);
}

class TileFiles : public testing::TestWithParam<std::string> {};

TEST_P(TileFiles, Output) {
  filetest::check(GetParam(), produce);
}

INSTANTIATE_TEST_SUITE_P(Ir, TileFiles, testing::ValuesIn(filetest::files_under("tests/ir/tile")), filetest::name);

}  // namespace
}  // namespace tilewright::tile
