// Reading and writing of .npy files around their headers. See npy.h.
#include "runtime/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "runtime/atomic_file.h"
#include "runtime/npy_header.h"

namespace tilewright {

namespace {

/// No header of a tensor of rank 8 comes near it; a larger one is an attack or no header.
constexpr std::size_t longest_header = std::size_t{1} << 20;

/// Where bytes come from, in order.
struct ByteSource {
  /// Fills the buffer as far as there are bytes, and says how far; errors other than the end are diagnostics.
  std::function<Result<std::size_t>(std::span<std::byte>)> read;
  std::optional<std::uint64_t> size = {};  ///< of all, where it is known
  int descriptor = -1;                     ///< of a regular file, which can be mapped
};

class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

Result<std::size_t> read_descriptor(int descriptor, std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count = ::read(descriptor, buffer.data() + filled, buffer.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail("R040", fmt::format("cannot read: {}", std::strerror(errno)));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

std::unexpected<Diagnostics> truncated(std::string_view where, std::uint64_t needed, std::uint64_t found) {
  return fail("R032", fmt::format("a .npy file that ends in its {}: {} bytes needed, {} found", where, needed, found));
}

/// A header and the file offset of the data after it.
struct LocatedHeader {
  NpyHeader header;
  std::uint64_t data_offset = 0;
};

Result<std::string> read_text(const ByteSource& source, std::size_t length) {
  std::string text(length, '\0');
  Result<std::size_t> count = source.read(std::as_writable_bytes(std::span(text)));
  if (!count) return std::unexpected(std::move(count.error()));
  text.resize(*count);
  return text;
}

Result<LocatedHeader> read_header(const ByteSource& source, const NpyOptions& options) {
  Result<std::string> prefix = read_text(source, npy_prefix_bytes);
  if (!prefix) return std::unexpected(std::move(prefix.error()));
  Result<std::size_t> length_bytes = npy_length_bytes(*prefix);
  if (!length_bytes) return std::unexpected(std::move(length_bytes.error()));
  Result<std::string> length_text = read_text(source, *length_bytes);
  if (!length_text) return std::unexpected(std::move(length_text.error()));
  if (length_text->size() < *length_bytes) return truncated("header", *length_bytes, length_text->size());
  std::size_t length = 0;
  for (std::size_t byte = *length_bytes; byte-- > 0;)
    length = length << 8U | static_cast<unsigned char>((*length_text)[byte]);
  if (length > longest_header)
    return fail("R031", fmt::format("a .npy header of {} bytes", length), fmt::format("at most {}", longest_header));
  Result<std::string> text = read_text(source, length);
  if (!text) return std::unexpected(std::move(text.error()));
  if (text->size() < length) return truncated("header", length, text->size());
  Result<NpyHeader> header = parse_npy_header(*text, options.raw_as);
  if (!header) return std::unexpected(std::move(header.error()));
  return LocatedHeader{std::move(*header), npy_prefix_bytes + *length_bytes + length};
}

/// Fortran order is C order of the reversed shape, seen with its axes reversed.
Shape stored_shape(const NpyHeader& header) {
  Shape shape = header.shape;
  if (header.is_fortran_order) std::ranges::reverse(shape);
  return shape;
}

Result<Tensor> as_declared(const NpyHeader& header, Tensor stored) {
  if (!header.is_fortran_order) return stored;
  std::vector<std::size_t> reversed(stored.rank());
  std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
  return stored.transpose(reversed);
}

bool has_odd_bools(const NpyHeader& header, std::span<const std::byte> elements) {
  return header.dtype == DType::boolean && std::ranges::any_of(elements, [](std::byte b) { return b > std::byte{1}; });
}

void make_native(const NpyHeader& header, std::span<std::byte> elements) {
  if (header.is_swapped) {
    const std::size_t element = size_of(header.dtype);
    for (std::size_t at = 0; at < elements.size(); at += element) std::ranges::reverse(elements.subspan(at, element));
  }
  if (has_odd_bools(header, elements))
    for (std::byte& element : elements) element = element == std::byte{0} ? element : std::byte{1};
}

Result<Tensor> copy_data(const ByteSource& source, const NpyHeader& header) {
  Result<Tensor> tensor = Tensor::allocate(header.dtype, stored_shape(header));
  if (!tensor) return tensor;
  const std::span<std::byte> elements(tensor->data(), static_cast<std::size_t>(tensor->byte_size()));
  Result<std::size_t> count = source.read(elements);
  if (!count) return std::unexpected(std::move(count.error()));
  if (*count < elements.size()) return truncated("data", elements.size(), *count);
  make_native(header, elements);
  return as_declared(header, std::move(*tensor));
}

/// The data in place, or nullopt where it must be copied.
std::optional<Result<Tensor>> map_data(const ByteSource& source, const LocatedHeader& located, std::uint64_t bytes) {
  const NpyHeader& header = located.header;
  if (source.descriptor < 0 || bytes == 0 || header.is_swapped || located.data_offset % size_of(header.dtype) != 0)
    return std::nullopt;
  const auto length = static_cast<std::size_t>(located.data_offset + bytes);
  void* address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, source.descriptor, 0);
  if (address == MAP_FAILED) return std::nullopt;
  std::shared_ptr<void> mapping(address, [length](void* pointer) { ::munmap(pointer, length); });
  if (has_odd_bools(header,
                    {static_cast<const std::byte*>(address) + located.data_offset, static_cast<std::size_t>(bytes)}))
    return std::nullopt;
  Result<Tensor> tensor = Tensor::borrow({.data = address,
                                          .byte_offset = located.data_offset,
                                          .dtype = header.dtype,
                                          .shape = stored_shape(header),
                                          .read_only = true,
                                          .keep_alive = std::move(mapping)});
  if (!tensor) return tensor;
  return as_declared(header, std::move(*tensor));
}

Result<Tensor> read_source(const ByteSource& source, const NpyOptions& options) {
  Result<LocatedHeader> located = read_header(source, options);
  if (!located) return std::unexpected(std::move(located.error()));
  Result<std::int64_t> size = checked_byte_size(located->header.dtype, located->header.shape);
  if (!size) return std::unexpected(std::move(size.error()));
  const auto bytes = static_cast<std::uint64_t>(*size);
  // Before any memory is taken: a header may claim anything.
  if (source.size) {
    const std::uint64_t left = *source.size - std::min(*source.size, located->data_offset);
    if (left < bytes) return truncated("data", bytes, left);
  }
  if (options.map)
    if (std::optional<Result<Tensor>> mapped = map_data(source, *located, bytes)) return std::move(*mapped);
  return copy_data(source, located->header);
}

}  // namespace

Result<Tensor> read_npy(const std::filesystem::path& path, const NpyOptions& options) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return fail("R040", fmt::format("cannot open '{}': {}", path.string(), std::strerror(errno)));
  ByteSource source{.read = [&](std::span<std::byte> buffer) { return read_descriptor(file.get(), buffer); }};
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    source.size = static_cast<std::uint64_t>(status.st_size);
    source.descriptor = file.get();
  }
  Result<Tensor> tensor = read_source(source, options);
  if (!tensor)
    for (Diagnostic& diagnostic : tensor.error())
      diagnostic.message = fmt::format("'{}': {}", path.string(), diagnostic.message);
  return tensor;
}

Result<Tensor> read_npy_bytes(std::span<const std::byte> bytes, const NpyOptions& options) {
  std::span<const std::byte> rest = bytes;
  const auto read = [&](std::span<std::byte> buffer) -> Result<std::size_t> {
    const std::size_t count = std::min(buffer.size(), rest.size());
    std::ranges::copy(rest.first(count), buffer.begin());
    rest = rest.subspan(count);
    return count;
  };
  return read_source({.read = read, .size = bytes.size()}, options);
}

Result<void> write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  Result<Tensor> contiguous = tensor.device().is_host_accessible() ? tensor.contiguous() : tensor.clone();
  if (!contiguous) return std::unexpected(std::move(contiguous.error()));
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return std::unexpected(std::move(file.error()));
  const std::string header = npy_header_text(tensor.dtype(), tensor.shape());
  const std::span<const std::byte> elements(contiguous->data(), static_cast<std::size_t>(contiguous->byte_size()));
  if (Result<void> written = file->write(std::as_bytes(std::span(header))); !written) return written;
  if (Result<void> written = file->write(elements); !written) return written;
  return file->commit();
}

}  // namespace tilewright
