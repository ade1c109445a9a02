// Timing of the peers.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>

constexpr int STATES = 32;  // random states the calls cycle through

using Clock = std::chrono::steady_clock;
inline double ns_since(Clock::time_point t0) {
  return std::chrono::duration<double, std::nano>(Clock::now() - t0).count();
}

// ns per call(state): the minimum over many batches of about 150 us, short enough that some of them run
// undisturbed on a busy machine
template <class F> double minimum_ns(F&& call, int batches) {
  int state = 0;
  auto batch = [&](int n) {
    auto t0 = Clock::now();
    for (int i = 0; i < n; i++) call(state++ % STATES);
    return ns_since(t0) / n;
  };
  batch(STATES);  // warm-up
  int n = std::clamp(int(150e3 / batch(STATES)), 1, 256);
  if (n > STATES) n -= n % STATES;  // every state equally often
  double best = 1e99;
  for (int b = 0; b < batches; b++) best = std::min(best, batch(n));
  return best;
}

inline void report(const char* engine, const char* figure, const char* call, double number) {
  std::printf("%s,%s,%s,%.10g\n", engine, figure, call, number);
  std::fflush(stdout);
}
