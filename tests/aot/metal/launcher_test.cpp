// The generated launchers of launched.tw against the stand-in of metal-cpp and the JSON beside them. argv[1] is the
// folder of the files.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

/// The fields of a structure as the source declares them: "long begin".
std::vector<std::string> declared_fields(const std::string& source, const std::string& structure) {
  std::vector<std::string> fields;
  const std::size_t begin = source.find("struct " + structure + " {\n");
  if (begin == std::string::npos) return fields;
  const std::size_t end = source.find("};", begin);
  for (std::size_t at = source.find('\n', begin) + 1; at < end; at = source.find('\n', at) + 1)
    fields.push_back(source.substr(at + 2, source.find(';', at) - at - 2));
  return fields;
}

/// Each field has the source's name and type and the formula of its comment; of an extent the value is the shape's.
void check_fields(const std::string& folder, const std::string& name,
                  const std::map<std::string, std::int64_t>& sizes) {
  const auto description = nlohmann::json::parse(read(folder + "/" + name + ".json"));
  const std::string source = read(folder + "/" + name + ".metal");
  std::size_t checked = 0;
  for (const auto& launch : description.at("launches"))
    for (const auto& argument : launch.at("arguments")) {
      if (!argument.contains("structure")) continue;
      const std::vector<std::string> declared = declared_fields(source, argument.at("structure").get<std::string>());
      const auto& fields = argument.at("fields");
      CHECK(declared.size() == fields.size() && !declared.empty());
      for (std::size_t n = 0; n < fields.size() && n < declared.size(); ++n) {
        const std::string field = fields[n].at("name"), type = fields[n].at("type"), formula = fields[n].at("formula");
        CHECK(declared[n] == type + " " + field);
        CHECK(source.find(field + ";") != std::string::npos &&
              source.find("// " + formula + "\n") != std::string::npos);
        CHECK(fields[n].contains("value") != fields[n].contains("first_threadgroup"));
        if (sizes.count(formula) == 0) continue;
        CHECK(fields[n].at("value") == sizes.at(formula));
        ++checked;
      }
    }
  CHECK(checked > 0);
}

/// What is assumed of a tensor.
nlohmann::json assumed(const std::string& folder, const std::string& name, const std::string& tensor) {
  for (const auto& each : nlohmann::json::parse(read(folder + "/" + name + ".json")).at("assumes"))
    if (each.at("tensor") == tensor) return each;
  return {};
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
  const NS::UInteger added_bytes = 100001 * 4;
  MTL::Buffer first(added_bytes + 48), second(840000), result(added_bytes), workspace(1 << 20), one(4);
  NS::Error* error = nullptr;

  tw_added::Kernels added;
  CHECK(tw_added::load(added, &device, &error));
  CHECK(tw_added::workspace_bytes == 0);
  const auto complains = [](const tw_added::Problem& problem, const char* tensor, const char* what) {
    return problem.what != nullptr && std::string(problem.tensor) == tensor &&
           std::string(problem.what).find(what) != std::string::npos;
  };
  CHECK(complains(tw_added::encode(added, &encoder, {&first, 4}, &second, &result, nullptr), "int", "alignment"));
  CHECK(complains(tw_added::encode(added, &encoder, {&first, 64}, &second, &result, nullptr), "int", "ends before"));
  CHECK(complains(tw_added::encode(added, &encoder, &first, nullptr, &result, nullptr), "int_", "no buffer"));
  CHECK(complains(tw_added::encode(added, &encoder, &first, &second, &one, nullptr), "added", "ends before"));
  CHECK(complains(tw_added::encode(added, &encoder, &result, &second, &result, nullptr), "int", "the result"));
  CHECK(complains(tw_added::encode(added, &encoder, &first, {&second, 16}, {&second, 400016}, nullptr), "int_",
                  "the result"));
  CHECK(MTL::record.dispatches.empty());
  CHECK(tw_added::encode(added, &encoder, {&first, 48}, {&second, 0}, {&second, 400016}, nullptr).what == nullptr);
  CHECK(MTL::record.dispatches.size() == 1 && MTL::record.dispatches[0].offsets.at(0) == 48 &&
        MTL::record.dispatches[0].offsets.at(2) == 400016);
  MTL::record.dispatches.clear();
  CHECK(tw_added::encode(added, &encoder, &first, &second, &result, nullptr).what == nullptr);
  CHECK(MTL::record.dispatches.size() == 1);
  check_fields(folder, "added", {{"int.0", 100001}});
  const auto of_operand = nlohmann::json::parse(R"({"tensor": "int_", "alignment_bytes": 16,
                                                   "axes": [{"axes": [0], "stride": 1}]})");
  CHECK(assumed(folder, "added", "int_") == of_operand);
  CHECK(assumed(folder, "added", "added").at("shares_memory") == false);
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
  CHECK(tw_norm::load(norm, &device, &error));  // in place of the first
  CHECK(tw_norm::encode(norm, &encoder, &second, &result, nullptr).what != nullptr);
  CHECK(tw_norm::encode(norm, &encoder, &second, &workspace, &workspace).what != nullptr);
  CHECK(MTL::record.dispatches.empty());
  CHECK(tw_norm::encode(norm, &encoder, &second, &result, &workspace).what == nullptr);
  CHECK(MTL::record.dispatches.size() == 2);
  check_fields(folder, "norm", {{"x.0", 210000}});
  CHECK(assumed(folder, "norm", "x").at("axes") == nlohmann::json::parse(R"([{"axes": [0, 1], "stride": 1}])"));
  CHECK(MTL::record.source.find("//   x: at a multiple of 16 bytes; strides: axes 0, 1 (dense: each stride is the next "
                                "one's times its extent) one element\n") != std::string::npos);
  check_launches(folder, "norm",
                 {{"x", number(&second)}, {"norm", number(&result)}, {"workspace", number(&workspace)}});
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
