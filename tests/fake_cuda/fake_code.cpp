// The fake driver's compiler, modules and launches. Its machine code is "CUBIN sm_90" and a line with the PTX.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "fake_call.h"

using namespace tilewright::cuda;

namespace {

/// Reads no further than the first difference: an image does not say how long it is.
bool begins_with(const void* image, std::string_view head) {
  const char* text = static_cast<const char*>(image);
  return std::ranges::all_of(head, [&](char expected) { return *text++ == expected; });
}

std::string binary_head() {
  const FakeDevice& device = current_device()->description;
  return fmt::format("CUBIN sm_{}{}\n", device.major, device.minor);
}

/// The names behind ".entry ".
std::vector<std::string> entries_of(const std::string& ptx) {
  constexpr std::string_view head = ".entry ";
  std::vector<std::string> names;
  for (std::size_t at = ptx.find(head); at != std::string::npos; at = ptx.find(head, at + 1)) {
    const std::size_t begin = at + head.size();
    names.push_back(ptx.substr(begin, ptx.find_first_of(" (\n", begin) - begin));
  }
  return names;
}

template <class T>
T parameter(void** parameters, std::size_t index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof value);
  return value;
}

void set_sticky(int device, Status status) {
  state().devices[static_cast<std::size_t>(device)]->sticky = status;
}

/// What a launch does when it runs; parameters are read now.
std::function<void()> work_of(const std::string& kernel, void** parameters, int device) {
  if (kernel == "fault") return [device] { set_sticky(device, Status::illegal_address); };
  if (kernel == "add") {
    const auto a = parameter<DevicePointer>(parameters, 0);
    const auto b = parameter<DevicePointer>(parameters, 1);
    const auto c = parameter<DevicePointer>(parameters, 2);
    const auto count = parameter<std::int32_t>(parameters, 3);
    return [=] {
      for (std::int32_t n = 0; n < count; ++n)
        reinterpret_cast<float*>(c)[n] = reinterpret_cast<float*>(a)[n] + reinterpret_cast<float*>(b)[n];
      state().clock_ns += 10000;
    };
  }
  return [] { state().clock_ns += 10000; };
}

}  // namespace

FAKE_EXPORT cuLinkCreate_v2(unsigned count, LinkOption* options, void** values, LinkHandle* link) {
  FAKE_ENTER("cuLinkCreate", true);
  auto object = std::make_unique<LinkObject>();
  for (unsigned n = 0; n < count; ++n) {
    if (options[n] == LinkOption::info_log) object->info_log = static_cast<char*>(values[n]);
    if (options[n] == LinkOption::error_log) object->error_log = static_cast<char*>(values[n]);
  }
  *link = state().links.add(std::move(object));
  return Status::success;
}

FAKE_EXPORT cuLinkAddData_v2(LinkHandle link, LinkInput, void* data, std::size_t size, const char*, unsigned,
                             LinkOption*, void**) {
  FAKE_ENTER("cuLinkAddData", true);
  link->ptx.assign(static_cast<const char*>(data), size - 1);
  if (link->ptx.find("nonsense") == std::string::npos) return Status::success;
  std::strcpy(link->error_log, "ptxas application ptx input, line 7; fatal   : Parsing error near 'nonsense'\n");
  return Status::invalid_ptx;
}

FAKE_EXPORT cuLinkComplete(LinkHandle link, void** cubin, std::size_t* size) {
  FAKE_ENTER("cuLinkComplete", true);
  link->cubin = binary_head() + link->ptx;
  std::string log;
  for (const std::string& name : entries_of(link->ptx))
    log += fmt::format(
        "ptxas info    : Function properties for {}\n    24 bytes stack frame, 8 bytes spill stores, 4 bytes spill "
        "loads\nptxas info    : Used 40 registers\n",
        name);
  std::strcpy(link->info_log, log.c_str());
  *cubin = link->cubin.data();
  *size = link->cubin.size();
  return Status::success;
}

FAKE_EXPORT cuLinkDestroy(LinkHandle link) {
  FAKE_ENTER("cuLinkDestroy", false);
  return state().links.remove(link) ? Status::success : invalid_handle;
}

FAKE_EXPORT cuModuleLoadData(ModuleHandle* module, const void* image) {
  FAKE_ENTER("cuModuleLoadData", true);
  const std::string head = binary_head();
  const bool is_ptx = begins_with(image, "//");
  if (is_ptx && std::strstr(static_cast<const char*>(image), "nonsense") != nullptr) return Status::invalid_ptx;
  if (!is_ptx && !begins_with(image, "CUBIN")) return Status::invalid_image;
  if (!is_ptx && !begins_with(image, head)) return Status::no_binary_for_gpu;
  // Every image of the tests has a '}' behind the names of its entries.
  const char* text = static_cast<const char*>(image);
  auto object = std::make_unique<ModuleObject>();
  object->text.assign(text, std::ranges::find(text, std::unreachable_sentinel, '}'));
  for (const std::string& name : entries_of(object->text))
    object->functions.push_back(std::make_unique<FunctionObject>(FunctionObject{name}));
  *module = state().modules.add(std::move(object));
  return Status::success;
}

FAKE_EXPORT cuModuleUnload(ModuleHandle module) {
  FAKE_ENTER("cuModuleUnload", false);
  return state().modules.remove(module) ? Status::success : invalid_handle;
}

FAKE_EXPORT cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
  FAKE_ENTER("cuModuleGetFunction", true);
  for (const auto& known : module->functions)
    if (known->name == name) {
      *function = known.get();
      return Status::success;
    }
  return Status::not_found;
}

FAKE_EXPORT cuFuncGetAttribute(int* value, FunctionAttribute attribute, FunctionHandle) {
  FAKE_ENTER("cuFuncGetAttribute", true);
  constexpr std::pair<FunctionAttribute, int> figures[]{
      {FunctionAttribute::registers, 40},      {FunctionAttribute::local_bytes, 24},
      {FunctionAttribute::shared_bytes, 1024}, {FunctionAttribute::max_threads_per_block, 512},
      {FunctionAttribute::ptx_version, 80},    {FunctionAttribute::binary_version, 90}};
  for (const auto& [known, figure] : figures)
    if (known == attribute) *value = figure;
  return Status::success;
}

FAKE_EXPORT cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
  FAKE_ENTER("cuFuncSetAttribute", true);
  if (attribute == FunctionAttribute::max_dynamic_shared_bytes) function->dynamic_limit = value;
  if (attribute == FunctionAttribute::non_portable_cluster_size) function->any_cluster = value != 0;
  return Status::success;
}

FAKE_EXPORT cuLaunchKernelEx(const LaunchConfig* config, FunctionHandle function, void** parameters, void**) {
  FAKE_ENTER("cuLaunchKernelEx", true);
  FakeLaunch launch{function->name,
                    {config->grid_x, config->grid_y, config->grid_z},
                    {config->block_x, config->block_y, config->block_z},
                    {1, 1, 1},
                    config->shared_bytes};
  for (unsigned n = 0; n < config->attribute_count; ++n) {
    const LaunchAttribute& attribute = config->attributes[n];
    if (attribute.id == LaunchAttributeId::cluster_dimension)
      launch.cluster = {attribute.value.cluster.x, attribute.value.cluster.y, attribute.value.cluster.z};
    else
      launch.overlaps_previous = attribute.value.flag != 0;
  }
  // The kernels have 1024 bytes of their own within the 48 KiB that need no asking.
  const unsigned allowed =
      function->dynamic_limit == 48 << 10 ? (48U << 10) - 1024U : static_cast<unsigned>(function->dynamic_limit);
  if (launch.shared_bytes > allowed) return Status::invalid_value;
  const unsigned blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (blocks > 8 && !function->any_cluster) return invalid_cluster_size;
  const int device = current_device()->context.device;
  const Status pushed = state().push(config->stream, work_of(function->name, parameters, device));
  if (pushed == Status::success) state().launches.push_back(launch);
  return pushed;
}

FAKE_EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, FunctionHandle, int block_size,
                                                        std::size_t shared_bytes) {
  FAKE_ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor", true);
  const int by_threads = 2048 / block_size;
  const auto by_shared = static_cast<int>(233472 / (shared_bytes + 2048));
  *blocks = by_threads < by_shared ? by_threads : by_shared;
  return Status::success;
}

FAKE_EXPORT cuOccupancyMaxActiveClusters(int* clusters, FunctionHandle, const LaunchConfig* config) {
  FAKE_ENTER("cuOccupancyMaxActiveClusters", true);
  *clusters = static_cast<int>(132 / config->attributes[0].value.cluster.x);
  return Status::success;
}

#ifndef FAKE_CUDA_OLD
FAKE_EXPORT cuTensorMapEncodeTiled(TensorMap* map, TensorMapType type, std::uint32_t rank, void* address,
                                   const std::uint64_t* extents, const std::uint64_t* strides, const std::uint32_t* box,
                                   const std::uint32_t* element_strides, int interleave, TensorMapSwizzle swizzle,
                                   TensorMapPromotion promotion, TensorMapFill fill) {
  FAKE_ENTER("cuTensorMapEncodeTiled", true);
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  map->words[0] = reinterpret_cast<std::uint64_t>(address);
  map->words[1] = number(type) | rank << 8U | number(swizzle) << 16U | number(promotion) << 24U | number(fill) << 32U |
                  number(interleave) << 40U;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    map->words[2 + axis] = extents[axis];
    if (axis > 0) map->words[7 + axis - 1] = strides[axis - 1];
    map->words[11 + axis] = box[axis] | number(element_strides[axis]) << 32U;
  }
  return Status::success;
}
#endif
