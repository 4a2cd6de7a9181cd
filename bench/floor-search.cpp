// The floor of a route query: one shortest path by Dijkstra's algorithm from the destination back, in C++.
//
// It is the plain algorithm: exact amounts to the destination, a label for each node, an indexed heap with four children,
// and incoming directions that are adjacent in memory. It knows no layers, no limits on fee, delay or hops, and no second
// part, and it gives no reason for a refusal. So its time shows what the search alone takes on this machine, and its cost shows
// whether our answers of one path are as cheap. It keeps one label for each node, as most routers do. A costlier path with
// a smaller amount may cost less in the end, so an answer of ours may also be cheaper.
//
// Cost of a direction: fee + R * -ln(1 - x / (capacity + 1)) + D * x * delay, as in src/engine/question/objective.ts.
//
// floor-search FILE: little-endian, doubles and 64-bit integers as below. It prints, for each query, the microseconds
// that it took and the cost in msat, which is -1 where there is no path.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

struct Arc {
  int64_t tail, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, htlcMinimumMsat, htlcMaximumMsat, capacityMsat;
};

struct Query {
  int64_t source, destination, amountMsat;
  double riskPrice, delayRate;
};

struct Label {
  double cost;
  int64_t amountMsat;
  uint32_t stamp;
  uint32_t place;
};

constexpr uint32_t kSettled = std::numeric_limits<uint32_t>::max();

template <typename T> std::vector<T> readMany(FILE *file, size_t count) {
  std::vector<T> values(count);
  if (std::fread(values.data(), sizeof(T), count, file) != count) std::exit(2);
  return values;
}

std::vector<int64_t> start;
std::vector<Arc> arcs;
std::vector<Label> labels;
std::vector<uint32_t> heap;

void put(size_t place, uint32_t node) {
  heap[place] = node;
  labels[node].place = static_cast<uint32_t>(place);
}

void rise(size_t place, uint32_t node) {
  while (place > 0) {
    const size_t parent = (place - 1) / 4;
    if (labels[heap[parent]].cost <= labels[node].cost) break;
    put(place, heap[parent]);
    place = parent;
  }
  put(place, node);
}

uint32_t popLeast() {
  const uint32_t least = heap[0];
  const uint32_t node = heap.back();
  heap.pop_back();
  if (heap.empty()) return least;
  size_t place = 0;
  for (;;) {
    const size_t first = place * 4 + 1;
    if (first >= heap.size()) break;
    size_t best = first;
    for (size_t child = first + 1; child < first + 4 && child < heap.size(); child++)
      if (labels[heap[child]].cost < labels[heap[best]].cost) best = child;
    if (labels[heap[best]].cost >= labels[node].cost) break;
    put(place, heap[best]);
    place = best;
  }
  put(place, node);
  return least;
}

double search(const Query &query, uint32_t stamp) {
  heap.clear();
  heap.push_back(static_cast<uint32_t>(query.destination));
  labels[query.destination] = {0, query.amountMsat, stamp, 0};
  while (!heap.empty()) {
    const uint32_t node = popLeast();
    Label &settled = labels[node];
    settled.place = kSettled;
    if (node == query.source) return settled.cost;
    const int64_t amount = settled.amountMsat;
    const double x = static_cast<double>(amount);
    for (int64_t at = start[node]; at < start[node + 1]; at++) {
      const Arc &arc = arcs[at];
      if (amount > arc.htlcMaximumMsat || amount < arc.htlcMinimumMsat || amount > arc.capacityMsat) continue;
      Label &label = labels[arc.tail];
      const bool isKnown = label.stamp == stamp;
      if (isKnown && (label.place == kSettled || label.cost <= settled.cost)) continue;
      const bool isFree = arc.tail == query.source;
      const int64_t fee =
          isFree ? 0 : arc.feeBaseMsat + static_cast<int64_t>(static_cast<__int128>(amount) * arc.feeProportionalMillionths / 1000000);
      const double delay = isFree ? 0 : static_cast<double>(arc.cltvExpiryDelta);
      const double risk = -std::log1p(-x / (static_cast<double>(arc.capacityMsat) + 1));
      const double cost = settled.cost + static_cast<double>(fee) + query.riskPrice * risk + query.delayRate * x * delay;
      if (isKnown && label.cost <= cost) continue;
      if (!isKnown) {
        label.stamp = stamp;
        label.place = static_cast<uint32_t>(heap.size());
        heap.push_back(static_cast<uint32_t>(arc.tail));
      }
      label.cost = cost;
      label.amountMsat = amount + fee;
      rise(label.place, static_cast<uint32_t>(arc.tail));
    }
  }
  return -1;
}

} // namespace

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
  if (file == nullptr) return 2;
  const auto counts = readMany<int64_t>(file, 3);
  start = readMany<int64_t>(file, counts[0] + 1);
  arcs = readMany<Arc>(file, counts[1]);
  const auto queries = readMany<Query>(file, counts[2]);
  labels.assign(counts[0], {0, 0, 0, 0});
  uint32_t stamp = 0;
  for (const Query &query : queries) {
    const auto began = std::chrono::steady_clock::now();
    const double cost = search(query, ++stamp);
    const auto ended = std::chrono::steady_clock::now();
    std::printf("%.3f %.6f\n", std::chrono::duration<double, std::micro>(ended - began).count(), cost);
  }
}
