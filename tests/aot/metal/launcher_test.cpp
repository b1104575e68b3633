// The generated launchers of launched.tw against the stand-in of metal-cpp and the JSON beside them. argv[1] is the
// folder of the files.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "added.h"
#include "norm.h"

namespace {

int failures = 0;

void check(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d: %s\n", line, what);
  ++failures;
}
#define CHECK(condition) check(condition, #condition, __LINE__)

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What was encoded is what the description says, with these buffers by the tensors' names.
void check_launches(const std::string& folder, const std::string& name, const nlohmann::json& buffers) {
  const auto description = nlohmann::json::parse(read(folder + "/" + name + ".json"));
  CHECK(MTL::record.source == read(folder + "/" + name + ".metal"));
  CHECK(!MTL::record.fast_math && MTL::record.language == MTL::LanguageVersion3_1);
  const auto& launches = description.at("launches");
  CHECK(MTL::record.dispatches.size() == launches.size());
  for (std::size_t n = 0; n < MTL::record.dispatches.size() && n < launches.size(); ++n) {
    const MTL::Record::Dispatch& seen = MTL::record.dispatches[n];
    const auto& said = launches[n];
    CHECK(seen.function == said.at("function").get<std::string>());
    CHECK(seen.groups == said.at("threadgroups").get<NS::UInteger>() &&
          seen.threads == said.at("threads_per_threadgroup").get<NS::UInteger>());
    CHECK(seen.buffers.size() + 1 == said.at("arguments").size());
    for (const auto& argument : said.at("arguments")) {
      const std::size_t index = argument.at("buffer");
      if (argument.contains("tensor")) {
        const std::string key = argument.at("tensor");
        CHECK(reinterpret_cast<std::uintptr_t>(seen.buffers.at(index)) == buffers.at(key).get<std::uintptr_t>());
        CHECK(seen.offsets.at(index) == argument.at("offset").get<NS::UInteger>());
        continue;
      }
      CHECK(index == seen.sizes_index && argument.at("fields").size() == seen.sizes.size());
      for (std::size_t field = 0; field < seen.sizes.size(); ++field) {
        const auto& value = argument.at("fields")[field];
        CHECK(seen.sizes[field] ==
              value.at(value.contains("value") ? "value" : "first_threadgroup").get<std::int64_t>());
      }
    }
  }
}

std::uintptr_t number(const MTL::Buffer* buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  MTL::Device device;
  MTL::ComputeCommandEncoder encoder;
  MTL::Buffer first, second, result, workspace;
  NS::Error* error = nullptr;

  tw_added::Kernels added;
  CHECK(tw_added::load(added, &device, &error));
  CHECK(tw_added::workspace_bytes == 0);
  tw_added::encode(added, &encoder, &first, &second, &result, nullptr);
  CHECK(MTL::record.dispatches.size() == 1);
  check_launches(folder, "added", {{"int", number(&first)}, {"int_", number(&second)}, {"added", number(&result)}});
  int extents = 0;
  for (const std::int64_t size : MTL::record.dispatches[0].sizes) extents += size == 100001 ? 1 : 0;
  CHECK(extents >= 1);
  tw_added::unload(added);
  CHECK(MTL::record.alive == 0);

  MTL::record.dispatches.clear();
  tw_norm::Kernels norm;
  CHECK(tw_norm::load(norm, &device, &error));
  CHECK(tw_norm::workspace_bytes > 0);
  tw_norm::encode(norm, &encoder, &first, &result, &workspace);
  CHECK(MTL::record.dispatches.size() == 2);
  check_launches(folder, "norm", {{"x", number(&first)}, {"norm", number(&result)}, {"workspace", number(&workspace)}});
  tw_norm::unload(norm);

  // Devices that do not run it.
  MTL::record.width = 16;
  CHECK(!tw_norm::load(norm, &device, &error) && norm.functions[0] == nullptr);
  MTL::record.width = 32;
  MTL::record.most_threads = 16;
  CHECK(!tw_norm::load(norm, &device, &error) && norm.functions[0] == nullptr);
  CHECK(MTL::record.alive == 0);
  return failures == 0 ? 0 : 1;
}
