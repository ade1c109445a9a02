// Pinocchio on our figures: pin_bench MODELS_DIR BATCHES
// Prints lines  pinocchio,FIGURE,CALL,NS  and notes that start with #.
#include <random>
#include "model.hpp"
#include "timing.hpp"
#include "pinocchio/algorithm/joint-configuration.hpp"
#include "pinocchio/constraints.hpp"
#include "pinocchio/algorithm/rnea.hpp"
#include "pinocchio/algorithm/aba.hpp"
#include "pinocchio/algorithm/crba.hpp"
#include "pinocchio/algorithm/proximal.hpp"
#include "pinocchio/algorithm/constrained-dynamics.hpp"
#include "pinocchio/algorithm/loop-constrained-aba.hpp"

static int batches;
static volatile double sink = 0;  // every call adds to it, so that none can be optimised away

struct Bench {
  Figure figure;
  std::vector<pin::JointIndex> joint_of;
  pin::Model model;
  std::vector<VectorXd> q, v, a, tau;

  explicit Bench(const std::string& file) : figure(read_figure(file)), model(build(figure, joint_of)) {
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    auto random = [&](double scale) { return VectorXd(VectorXd::NullaryExpr(model.nv, [&](auto) { return scale * normal(generator); })); };
    for (int i = 0; i < STATES; i++) {
      q.push_back(pin::integrate(model, pin::neutral(model), random(0.5)));
      v.push_back(random(1)), a.push_back(random(1)), tau.push_back(random(10));
    }
  }

  template <class F> void time(const char* call, F&& f) { report("pinocchio", figure.name.c_str(), call, minimum_ns(f, batches)); }

  // lets run.py check that all engines have the same figure
  void mass_matrix_norm() {
    pin::Data data(model);
    pin::crba(model, data, pin::neutral(model), pin::Convention::LOCAL);  // fills the upper triangle
    Eigen::MatrixXd M = data.M.selfadjointView<Eigen::Upper>();
    report("pinocchio", figure.name.c_str(), "mass_matrix_norm", M.norm());
  }

  void aba() {
    pin::Data data(model);
    time("aba_local", [&](int i) { sink = sink + pin::aba(model, data, q[i], v[i], tau[i], pin::Convention::LOCAL)[0]; });
    time("aba_world", [&](int i) { sink = sink + pin::aba(model, data, q[i], v[i], tau[i], pin::Convention::WORLD)[0]; });
  }

  void rnea_and_crba() {
    pin::Data data(model);
    time("rnea", [&](int i) { sink = sink + pin::rnea(model, data, q[i], v[i], a[i])[0]; });
    time("crba_local", [&](int i) { sink = sink + pin::crba(model, data, q[i], pin::Convention::LOCAL)(0, 0); });
    time("crba_world", [&](int i) { sink = sink + pin::crba(model, data, q[i], pin::Convention::WORLD)(0, 0); });
  }

  // forward dynamics with 12 rows: both soles fixed, or both loops closed
  void constrained() {
    std::vector<pin::RigidConstraintModel> rows;
    auto at = [](const Vector3d& p) { return pin::SE3(Matrix3d::Identity(), p); };
    for (auto& t : figure.feet) rows.emplace_back(pin::CONTACT_6D, model, joint_of[t.body], at(t.sole), pin::LOCAL);
    for (auto& l : figure.loops)
      rows.emplace_back(pin::CONTACT_6D, model, joint_of[l.body1], at(l.pos1), l.body2 < 0 ? 0 : joint_of[l.body2], at(l.pos2), pin::LOCAL);
    std::vector<pin::RigidConstraintData> work(rows.begin(), rows.end()), work2 = work;

    pin::Data data(model);
    pin::initConstraintDynamics(model, data, rows, work);
    pin::ProximalSettings undamped(1e-12, 0., 1);  // exact in one pass
    time("constraint_dynamics_12", [&](int i) { sink = sink + pin::constraintDynamics(model, data, q[i], v[i], tau[i], rows, work, undamped)[0]; });

    pin::Data data2(model);
    pin::computeJointMinimalOrdering(model, data2, rows);  // lcaba eliminates joints in this order
    pin::ProximalSettings proximal(1e-10, 1e-6, 10);       // the mu its documentation recommends
    auto lcaba = [&](int i) -> const VectorXd& {
      // Pinocchio 4.1 reads oa of the constrained joints before it writes it: the stale value of the last call makes every
      // second result wrong. Zero, as in fresh data, gives the right one; it costs some ns of several thousand.
      for (auto& r : rows) data2.oa[r.joint1_id].setZero(), data2.oa[r.joint2_id].setZero();
      return pin::lcaba(model, data2, q[i], v[i], tau[i], rows, work2, proximal);
    };
    time("lcaba_12", [&](int i) { sink = sink + lcaba(i)[0]; });

    double worst = 0;
    for (int i = 0; i < STATES; i++) {
      VectorXd exact = pin::constraintDynamics(model, data, q[i], v[i], tau[i], rows, work, undamped);
      worst = std::max(worst, (lcaba(i) - exact).norm() / exact.norm());
    }
    std::printf("# pinocchio %s: lcaba differs from constraintDynamics by up to %.0e\n", figure.name.c_str(), worst);
  }
};

int main(int argc, char** argv) {
  if (argc != 3) { std::fprintf(stderr, "usage: pin_bench MODELS_DIR BATCHES\n"); return 2; }
  std::string dir = argv[1];
  batches = std::atoi(argv[2]);
  std::printf("# Pinocchio %s with %s\n", PINOCCHIO_VERSION, Eigen::SimdInstructionSetsInUse());
  for (auto name : {"human28", "human42", "swing34"}) {
    Bench b(dir + "/" + name + ".txt");
    b.mass_matrix_norm();
    b.rnea_and_crba();
    b.aba();
    b.constrained();
  }
  for (auto name : {"chain8", "chain16", "chain32", "chain64", "chain128", "chain256"}) {
    Bench b(dir + "/" + name + ".txt");
    b.mass_matrix_norm();
    b.aba();
  }
}
