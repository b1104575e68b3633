#include "kernel_cases.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>

#include "ceilings.h"
#include "runtime/engine.h"
#include "runtime/fill.h"
#include "runtime/thread_pool.h"
#include "verify.h"

namespace tilewright::bench {
namespace {

constexpr std::int64_t large = std::int64_t{1} << 26;  ///< elements of the memory-bound cases' matrices
constexpr std::int64_t side = std::int64_t{1} << 13;   ///< of such a matrix
constexpr std::int64_t rate_size = 1024;               ///< of the matrix product that stands for the machine's rate
constexpr double pause_seconds = 2e-3;  ///< between turns on several threads: longer than a peer's threads spin

/// f32 of the case's shapes over two shared blocks of normal random data, and the peers' output.
struct Data {
  Tensor first, second, output;

  const float* a() const { return reinterpret_cast<const float*>(first.data()); }
  const float* b() const { return reinterpret_cast<const float*>(second.data()); }
  float* out() const { return reinterpret_cast<float*>(output.data()); }
};

/// An operand's name and shape. The first lies in Data::first, the others one after the other in Data::second.
struct Input {
  std::string name;
  Shape shape;
};

/// Which ceiling bounds a memory-bound case.
enum class Bound { compute, copy, read, write };

struct Case {
  std::string name;
  std::string statement;
  std::vector<Input> inputs;
  Bound bound = Bound::compute;
  double work = 0;  ///< FLOP, or the bytes that must move: each operand read once, the result written once
  double goal = 0;
  /// Peers that do the same work.
  std::function<std::vector<Contestant>(const Peers&, const Data&)> same_work = {};
  /// A matrix product of rate_size stands beside it as the machine's rate.
  bool against_gemm_rate = false;
};

// --- peers of the cases
// -----------------------------------------------------------------------------------------------

double gemm_flops(double m, double n, double k) {
  return 2 * m * n * k;
}

/// `batches` products of size³ one after the other.
std::vector<Contestant> gemm_peers(const Peers& peers, const Data& d, std::int64_t size, std::int64_t batches = 1) {
  const auto real = static_cast<double>(size);
  const double work = gemm_flops(real, real, real) * static_cast<double>(batches);
  const auto each = [size, batches, &d](const auto& library) {
    return [size, batches, &d, &library] {
      for (std::int64_t i = 0; i < batches; ++i) {
        const std::int64_t offset = i * size * size;
        library->gemm(size, size, size, d.a() + offset, d.b() + offset, d.out() + offset);
      }
    };
  };
  std::vector<Contestant> result;
  if (peers.blas) result.push_back({"OpenBLAS", work, each(peers.blas)});
  if (peers.dnnl) result.push_back({"oneDNN", work, each(peers.dnnl)});
  return result;
}

std::vector<Contestant> ceilings(Bound bound, const Data& d) {
  const double bytes = large * sizeof(float);
  switch (bound) {
    case Bound::compute:
      return {};
    case Bound::copy:
      return {{"memcpy", 2 * bytes, [&d] { copy_by_library(d.a(), d.out(), large); }},
              {"streaming copy", 2 * bytes, [&d] { copy_past_caches(d.a(), d.out(), large); }}};
    case Bound::read:
      return {{"read", bytes, [&d] { d.out()[0] = read_in_order(d.a(), large); }},
              {"read in 4 streams", bytes, [&d] { d.out()[0] = read_in_streams(d.a(), large); }}};
    case Bound::write:
      return {{"memset", bytes, [&d] { write_by_library(d.out(), large); }},
              {"streaming write", bytes, [&d] { write_past_caches(d.out(), large); }}};
  }
  return {};
}

std::vector<Contestant> transpose_peer(const Peers& peers, const Data& d) {
  if (!peers.blas) return {};
  return {{"OpenBLAS somatcopy", 2.0 * large * sizeof(float),
           [&peers, &d] { peers.blas->transpose(side, side, d.a(), d.out()); }}};
}

std::vector<Contestant> dot_peer(const Peers& peers, const Data& d) {
  if (!peers.blas) return {};
  return {{"OpenBLAS sdot", 2.0 * large * sizeof(float),
           [&peers, &d] { d.out()[0] = peers.blas->dot(large, d.a(), d.b()); }}};
}

std::vector<Contestant> matvec_peer(const Peers& peers, const Data& d) {
  if (!peers.blas) return {};
  return {{"OpenBLAS sgemv", 1.0 * large * sizeof(float),
           [&peers, &d] { peers.blas->gemv(side, side, d.a(), d.b(), d.out()); }}};
}

// --- the cases
// --------------------------------------------------------------------------------------------------------

Case gemm_case(std::int64_t n, double goal) {
  const auto real = static_cast<double>(n);
  return {.name = fmt::format("gemm {0}³", n),
          .statement = "c[i, j] ++= a[i, k] * b[k, j]",
          .inputs = {{"a", {n, n}}, {"b", {n, n}}},
          .work = gemm_flops(real, real, real),
          .goal = goal,
          .same_work = [n](const Peers& peers, const Data& d) { return gemm_peers(peers, d, n); }};
}

Case memory_case(std::string name, std::string statement, std::vector<Input> inputs, Bound bound, double matrices) {
  return {.name = std::move(name),
          .statement = std::move(statement),
          .inputs = std::move(inputs),
          .bound = bound,
          .work = matrices * large * sizeof(float),
          .goal = 0.9};
}

Case with_peer(Case c, std::vector<Contestant> (*peer)(const Peers&, const Data&)) {
  c.same_work = peer;
  return c;
}

std::vector<Case> contraction_cases() {
  std::vector<Case> cases{gemm_case(256, 0), gemm_case(512, 0), gemm_case(1024, 0.9), gemm_case(2048, 0.9)};
  cases.push_back({.name = "batch of 64 of 256³ (bmm)",
                   .statement = "c[i, j, l] ++= a[i, j, k] * b[i, k, l]",
                   .inputs = {{"a", {64, 256, 256}}, {"b", {64, 256, 256}}},
                   .work = 64 * gemm_flops(256, 256, 256),
                   .same_work = [](const Peers& peers, const Data& d) { return gemm_peers(peers, d, 256, 64); }});
  cases.push_back({.name = "contraction `ijklo,mjlo->ikmo` (recipe 11)",
                   .statement = "c[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]",
                   .inputs = {{"a", {16, 32, 16, 32, 32}}, {"b", {64, 32, 32, 32}}},
                   .work = gemm_flops(16 * 16 * 32, 64, 32 * 32),
                   .goal = 0.7,
                   .against_gemm_rate = true});
  // The product over l comes first: a gemm of i × (j, k), and a dot over k for each (i, j).
  cases.push_back({.name = "bilinear `ik,jkl,il->ij` 128 (recipe 12)",
                   .statement = "c[i, j] ++= x[i, k] * w[j, k, l] * y[i, l]",
                   .inputs = {{"x", {128, 128}}, {"w", {128, 128, 128}}, {"y", {128, 128}}},
                   .work = gemm_flops(128, 128 * 128, 128),
                   .against_gemm_rate = true});
  return cases;
}

std::vector<Case> memory_cases() {
  const Input a{"a", {side, side}}, b{"b", {side, side}}, x{"x", {side}};
  return {
      memory_case("copy 8192²", "c[i, j] = a[i, j]", {a}, Bound::copy, 2),
      memory_case("Hadamard 8192²", "c[i, j] = a[i, j] * b[i, j]", {a, b}, Bound::copy, 3),
      memory_case("outer 8192²", "c[i, j] = x[i] * y[j]", {x, {"y", {side}}}, Bound::write, 1),
      with_peer(memory_case("transpose 8192²", "c[j, i] = a[i, j]", {a}, Bound::copy, 2), transpose_peer),
      memory_case("sum 8192²", "c[] ++= a[i, j]", {a}, Bound::read, 1),
      memory_case("row sum 8192²", "c[i] ++= a[i, j]", {a}, Bound::read, 1),
      memory_case("column sum 8192²", "c[j] ++= a[i, j]", {a}, Bound::read, 1),
      with_peer(memory_case("dot 2²⁶", "c[] ++= x[i] * y[i]", {{"x", {large}}, {"y", {large}}}, Bound::read, 2),
                dot_peer),
      with_peer(memory_case("matvec 8192²", "c[i] ++= a[i, k] * x[k]", {a, x}, Bound::read, 1), matvec_peer),
  };
}

// --- running
// ----------------------------------------------------------------------------------------------------------

Result<Tensor> part_of(const Tensor& block, std::int64_t first, const Shape& shape) {
  return Tensor::borrow({.data = block.data() + first * static_cast<std::int64_t>(sizeof(float)),
                         .dtype = DType::f32,
                         .shape = shape,
                         .keep_alive = block.keep_alive()});
}

Result<std::vector<Operand>> operands_of(const Case& c, const Data& data) {
  std::vector<Operand> operands;
  std::int64_t used = 0;
  for (const Input& input : c.inputs) {
    Result<Tensor> tensor = part_of(operands.empty() ? data.first : data.second, used, input.shape);
    if (!tensor) return std::unexpected(tensor.error());
    if (!operands.empty()) used += tensor->element_count();
    operands.push_back({input.name, *tensor});
  }
  return operands;
}

std::vector<Contestant> contestants_of(const Case& c, const Peers& peers, const Data& data) {
  std::vector<Contestant> all = ceilings(c.bound, data);
  if (c.against_gemm_rate)
    for (Contestant& peer : gemm_peers(peers, data, rate_size)) {
      peer.name += " gemm 1024³";
      all.push_back(std::move(peer));
    }
  if (c.same_work)
    for (Contestant& peer : c.same_work(peers, data)) all.push_back(std::move(peer));
  return all;
}

/// The goals of contractions are set against OpenBLAS, those of memory-bound cases against the ceilings.
bool counts(const Case& c, const Contestant& contestant) {
  const bool is_blas = contestant.name.starts_with("OpenBLAS");
  return c.bound == Bound::compute ? is_blas : !is_blas;
}

Row row_of(const Case& c, const KernelOptions& options, const std::vector<Contestant>& contestants,
           const Rounds& rounds) {
  Row row{.name = c.name,
          .threads = options.threads,
          .unit = c.bound == Bound::compute ? "GFLOP/s" : "GB/s",
          .time = spread_of(rounds.samples[0]),
          .goal = c.goal};
  row.waited = rounds.waited;
  row.rate = c.work / row.time.median * 1e-9;
  for (std::size_t peer = 1; peer < contestants.size(); ++peer)
    row.peers.push_back({.name = contestants[peer].name,
                         .rate = contestants[peer].work / spread_of(rounds.samples[peer]).median * 1e-9,
                         .ratio = rate_ratio(rounds, contestants, 0, peer),
                         .counts = counts(c, contestants[peer])});
  return row;
}

/// What went wrong, if anything.
std::string run_case(const Case& c, const Engine& engine, const Peers& peers, const Data& data,
                     const KernelOptions& options, Report& report) {
  const Result<Kernel> kernel = Kernel::parse(c.statement);
  if (!kernel) return render(kernel.error());
  const Result<std::vector<Operand>> operands = operands_of(c, data);
  if (!operands) return render(operands.error());
  const Result<Tensor> output = engine.eval(*kernel, *operands);
  if (!output) return render(output.error());
  if (std::string wrong = verify(engine, *kernel, *operands, *output); !wrong.empty()) return wrong;
  bool failed = false;
  std::vector<Contestant> contestants{
      {"Tilewright", c.work, [&] { failed |= !engine.eval_into(*kernel, *operands, *output); }}};
  for (Contestant& peer : contestants_of(c, peers, data)) contestants.push_back(std::move(peer));
  const Rounds rounds = measure_in_turns(
      contestants, {.seconds = options.seconds, .pause_seconds = options.threads > 1 ? pause_seconds : 0});
  if (failed) return "eval_into failed";
  report.rows.push_back(row_of(c, options, contestants, rounds));
  return {};
}

Result<Data> make_data() {
  Result<Tensor> first = random_normal(DType::f32, {large}, 1), second = random_normal(DType::f32, {large}, 2),
                 output = zeros(DType::f32, {large});
  for (const Result<Tensor>* tensor : {&first, &second, &output})
    if (!*tensor) return std::unexpected(tensor->error());
  return Data{*first, *second, *output};
}

}  // namespace

std::string input_conditions() {
  return "f32, normal (mean 0, variance 1), seeds 1 and 2, contiguous, outputs existing";
}

bool run_kernel_cases(const Peers& peers, const KernelOptions& options, Report& report) {
  set_threads(options.threads);  // before the engine opens: tasks are cut for them
  if (peers.blas) peers.blas->set_threads(options.threads);
  if (peers.dnnl) peers.dnnl->set_threads(options.threads);
  const Result<Engine> engine = Engine::open("cpu", {.disk_cache = false});
  static const Result<Data> data = make_data();
  if (!engine || !data) {
    fmt::print(stderr, "{}", render(engine ? data.error() : engine.error()));
    return false;
  }
  bool all_right = true;
  std::vector<Case> cases = contraction_cases();
  for (Case& c : memory_cases()) cases.push_back(std::move(c));
  for (const Case& c : cases) {
    if (c.name.find(options.only) == std::string::npos) continue;
    fmt::print(stderr, "{}, {} thread(s)\n", c.name, options.threads);
    const std::string wrong = run_case(c, *engine, peers, *data, options, report);
    if (wrong.empty()) continue;
    fmt::print(stderr, "{}: {}\n", c.name, wrong);
    all_right = false;
  }
  return all_right;
}

}  // namespace tilewright::bench
