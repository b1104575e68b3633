#include "report.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace tilewright::bench {
namespace {

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  return fmt::format("{:.3g} ms", seconds * 1e3);
}

std::string spread_text(const Spread& spread) {
  return fmt::format("{} ({} to {})", time_text(spread.median), time_text(spread.lower), time_text(spread.upper));
}

std::string verdict(const Row& row) {
  if (row.is_disturbed()) return fmt::format("machine busy ({:.2f})", row.waited);
  if (row.goal == 0) return "";
  return row.meets_goal() ? "met" : "**short**";
}

std::string rate_row(const Row& row) {
  std::string peers;
  for (const PeerFigure& peer : row.peers)
    peers += fmt::format("{}{} {:.3g}: {}{:.2f}{}", peers.empty() ? "" : "; ", peer.name, peer.rate,
                         &peer == row.best() ? "**" : "", peer.ratio, &peer == row.best() ? "**" : "");
  const std::string goal = row.goal > 0 ? fmt::format("≥ {:.2g}", row.goal) : "";
  return fmt::format("| {} | {} | {} | {:.3g} | {} | {} | {} |\n", row.name, row.threads, spread_text(row.time),
                     row.rate, peers, goal, verdict(row));
}

std::string rate_table(const Report& report, const std::string& unit) {
  std::string table = fmt::format(
      "| case | threads | median (quartiles) | {} | peer, its {}: our rate over its | goal | "
      "|\n|---|---|---|---|---|---|---|\n",
      unit, unit);
  for (const Row& row : report.rows)
    if (row.unit == unit) table += rate_row(row);
  return table;
}

std::string latency_table(const Report& report) {
  std::string table = "| case | median (quartiles) | goal | |\n|---|---|---|---|\n";
  for (const Row& row : report.rows)
    if (row.unit == "s")
      table += fmt::format("| {} | {} | {} | {} |\n", row.name, spread_text(row.time),
                           row.goal > 0 ? "≤ " + time_text(row.goal) : "", verdict(row));
  return table;
}

nlohmann::ordered_json to_json(const Row& row) {
  nlohmann::ordered_json json{{"name", row.name},
                              {"threads", row.threads},
                              {"unit", row.unit},
                              {"seconds", row.time.median},
                              {"lower_quartile", row.time.lower},
                              {"upper_quartile", row.time.upper},
                              {"samples", row.time.samples},
                              {"waited", row.waited}};
  if (row.unit != "s") json["rate"] = row.rate;
  for (const PeerFigure& peer : row.peers)
    json["peers"].push_back({{"name", peer.name}, {"rate", peer.rate}, {"ratio", peer.ratio}, {"counts", peer.counts}});
  if (row.goal > 0) {
    json["goal"] = row.goal;
    json["met"] = row.meets_goal();
  }
  return json;
}

}  // namespace

const PeerFigure* Row::best() const {
  const PeerFigure* best = nullptr;
  for (const PeerFigure& peer : peers)
    if (peer.counts && (best == nullptr || peer.ratio < best->ratio)) best = &peer;
  return best;
}

bool Row::meets_goal() const {
  if (unit == "s") return time.median <= goal;
  return best() == nullptr || best()->ratio >= goal;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json{{"machine",
                               {{"cpu", report.machine.cpu},
                                {"llvm_cpu", report.machine.llvm_cpu},
                                {"processors", report.machine.processors},
                                {"vector_bytes", report.machine.vector_bytes},
                                {"l1_bytes", report.machine.l1_bytes},
                                {"l2_bytes", report.machine.l2_bytes},
                                {"l3_bytes", report.machine.l3_bytes}}},
                              {"peers", report.peers},
                              {"conditions", report.conditions}};
  for (const Row& row : report.rows) json["rows"].push_back(to_json(row));
  return json.dump(1) + "\n";
}

std::string to_markdown(const Report& report) {
  const Machine& m = report.machine;
  std::string peers;
  for (const std::string& peer : report.peers) peers += (peers.empty() ? "" : "; ") + peer;
  std::string text = fmt::format(
      "Machine: {} (LLVM's {}), {} processors, vectors of {} bytes, caches {} KiB / {} KiB / {} MiB.\n\nPeers: {}.\n\n"
      "Inputs: {}.\n\n",
      m.cpu, m.llvm_cpu, m.processors, m.vector_bytes, m.l1_bytes >> 10, m.l2_bytes >> 10, m.l3_bytes >> 20, peers,
      report.conditions);
  for (const char* unit : {"GFLOP/s", "GB/s"}) text += rate_table(report, unit) + "\n";
  return text + latency_table(report);
}

bool replace_table(const std::string& path, const std::string& table) {
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string begin = "<!-- bench_host begins -->\n", end = "<!-- bench_host ends -->";
  const std::size_t from = text.find(begin);
  const std::size_t to = from == std::string::npos ? from : text.find(end, from);
  if (to == std::string::npos) return false;
  text.replace(from + begin.size(), to - from - begin.size(), table);
  std::ofstream(path) << text;
  return true;
}

}  // namespace tilewright::bench
