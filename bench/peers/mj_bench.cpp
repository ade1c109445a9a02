// MuJoCo on our figures: mj_bench MODELS_DIR BATCHES
// Prints lines  mujoco,FIGURE,CALL,NS  and notes that start with #.
#include <mujoco/mujoco.h>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>
#include "timing.hpp"

static int batches;

struct Bench {
  std::string figure;
  mjModel* m;
  mjData* d;
  std::vector<std::vector<mjtNum>> q, v, a;

  Bench(const std::string& dir, const std::string& name, const char* suffix = ".xml") : figure(name) {
    char error[1000];
    m = mj_loadXML((dir + "/" + name + suffix).c_str(), nullptr, error, sizeof error);
    if (!m) { std::fprintf(stderr, "%s\n", error); std::exit(2); }
    d = mj_makeData(m);
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    auto random = [&](double scale) {
      std::vector<mjtNum> x(m->nv);
      for (auto& e : x) e = scale * normal(generator);
      return x;
    };
    for (int i = 0; i < STATES; i++) {
      q.emplace_back(m->qpos0, m->qpos0 + m->nq);
      mj_integratePos(m, q[i].data(), random(0.5).data(), 1.0);
      v.push_back(random(1)), a.push_back(random(1));
    }
  }
  ~Bench() { mj_deleteData(d), mj_deleteModel(m); }

  template <class F> void time(const char* call, F&& f) { report("mujoco", figure.c_str(), call, minimum_ns(f, batches)); }

  // MuJoCo takes its arguments in mjData, so copying them is part of the call
  void set(int i) { mju_copy(d->qpos, q[i].data(), m->nq), mju_copy(d->qvel, v[i].data(), m->nv); }

  // lets run.py check that all engines have the same figure
  void mass_matrix_norm() {
    mj_resetData(m, d);
    mj_forward(m, d);
    std::vector<mjtNum> M(m->nv * m->nv);
    mj_fullM(m, d, M.data());
    report("mujoco", figure.c_str(), "mass_matrix_norm", mju_norm(M.data(), m->nv * m->nv));
  }

  void rnea_and_crba() {
    std::vector<mjtNum> tau(m->nv);
    // kinematics, motion axes, velocities, forces: equivalent to Pinocchio's single call
    time("rnea", [&](int i) {
      set(i), mju_copy(d->qacc, a[i].data(), m->nv);
      mj_kinematics(m, d), mj_comPos(m, d), mj_comVel(m, d), mj_rne(m, d, 1, tau.data());
    });
    time("crba", [&](int i) { set(i), mj_kinematics(m, d), mj_comPos(m, d), mj_makeM(m, d); });
  }

  // forward dynamics; the model has no geometry, so there is no contact
  void forward() {
    mj_resetData(m, d);
    time("forward", [&](int i) { set(i), mj_forward(m, d); });
  }

  // Whole steps of a standing figure. Their cost depends on the state, and a step changes the state: so take states
  // from the running simulation, time each from the restored state (warm start of the solver included) and report the
  // mean over the states of each one's minimum.
  void step_standing() {
    const int settle = 3000, states = 64, apart = 37, kind = mjSTATE_INTEGRATION;
    const int repeats = std::max(20, batches / 25);
    std::vector<mjtNum> state(mj_stateSize(m, kind));
    double sum = 0, iterations = 0;
    int contacts = 1000;
    for (int i = 0; i < settle; i++) mj_step(m, d);
    for (int k = 0; k < states; k++) {
      for (int i = 0; i < apart; i++) mj_step(m, d);
      mj_getState(m, d, state.data(), kind);
      double best = 1e99;
      for (int r = 0; r < repeats; r++) {
        mj_setState(m, d, state.data(), kind);
        auto t0 = Clock::now();
        mj_step(m, d);
        best = std::min(best, ns_since(t0));
      }
      sum += best, iterations += d->solver_niter[0], contacts = std::min(contacts, int(d->ncon));
    }
    if (contacts != 8) { std::fprintf(stderr, "%s stands on %d contacts instead of 8\n", figure.c_str(), contacts); std::exit(2); }
    std::printf("# mujoco %s stands: 8 contacts, %d rows, %.2f iterations of the solver a step\n", figure.c_str(), int(d->nefc), iterations / states);
    report("mujoco", figure.c_str(), "step_8_contacts", sum / states);
  }
};

int main(int argc, char** argv) {
  if (argc != 3) { std::fprintf(stderr, "usage: mj_bench MODELS_DIR BATCHES\n"); return 2; }
  std::string dir = argv[1];
  batches = std::atoi(argv[2]);
  std::printf("# MuJoCo %s\n", mj_versionString());
  for (auto name : {"human28", "human42", "swing34"}) {
    Bench b(dir, name);
    b.mass_matrix_norm();
    b.rnea_and_crba();
    if (b.m->neq == 0) b.forward();  // with loops it would be another problem
  }
  for (auto name : {"chain8", "chain16", "chain32", "chain64", "chain128", "chain256"}) {
    Bench b(dir, name);
    b.mass_matrix_norm();
    b.forward();
  }
  for (auto name : {"human28", "human42"}) {
    Bench b(dir, name, "_stand.xml");
    b.m->opt.solver = mjSOL_NEWTON;  // and the pyramidal cone of the model: MuJoCo's fastest here
    b.step_standing();
  }
}
