// Pinocchio and ProxQP: one tick of a whole-body controller standing on two feet: `wbc_bench MODELS_DIR`.
// Unknowns: accelerations and eight point forces. Equalities: root rows, fixed feet. Inequalities: friction pyramids.
// Cost: posture, trunk on a swaying path. Prints `pinocchio+proxqp,human28,filter_step[_p50],NS`.
#include "model.hpp"
#include "pinocchio/algorithm/crba.hpp"
#include "pinocchio/algorithm/jacobian.hpp"
#include "pinocchio/algorithm/kinematics.hpp"
#include "pinocchio/algorithm/rnea.hpp"
#include <proxsuite/proxqp/dense/dense.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>

using Eigen::MatrixXd;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Clock = std::chrono::steady_clock;

constexpr double HALF_LENGTH = 0.095, HALF_BREADTH = 0.06, FRICTION = 0.8, DT = 1e-3;
constexpr int RUNS = 20, TICKS = 800, BATCH = 8;

int main(int, char** argv) {
  Figure figure = read_figure(std::string(argv[1]) + "/human28.txt");
  std::vector<pin::JointIndex> joint_of;
  pin::Model model = build(figure, joint_of);
  pin::Data data(model);
  auto joint = [&](const std::string& name) {
    for (size_t i = 0; i < figure.bodies.size(); i++) if (figure.bodies[i].name == name) return joint_of[i];
    std::exit(2);
  };
  const pin::JointIndex feet[2] = {joint("LFoot"), joint("RFoot")}, trunk = joint("UpperBody");
  const int nv = model.nv, nf = 24, n = nv + nf, equalities = 18, inequalities = 40;

  // knees and elbows bent, by a tangent step about y
  VectorXd rest = pin::neutral(model), way = VectorXd::Zero(nv);
  rest[2] = 0.94;
  auto bend = [&](const std::string& name, double angle) {
    auto& j = model.joints[joint(name)];
    way[j.idx_v() + (j.nv() == 3 ? 1 : 0)] = angle;
  };
  for (std::string side : {"L", "R"}) bend(side + "UpperLeg", -0.2), bend(side + "LowerLeg", 0.4), bend(side + "Foot", -0.2), bend(side + "LowerArm", -0.5);
  rest = pin::integrate(model, rest, way);
  pin::forwardKinematics(model, data, rest);
  const pin::SE3 upright = data.oMi[trunk], held[2] = {data.oMi[feet[0]], data.oMi[feet[1]]};

  MatrixXd P = MatrixXd::Zero(n, n), A = MatrixXd::Zero(equalities, n), C = MatrixXd::Zero(inequalities, n), G = MatrixXd::Zero(6, 12);
  MatrixXd Jt = MatrixXd::Zero(6, nv), Jf[2] = {Jt, Jt};
  VectorXd g = VectorXd::Zero(n), b = VectorXd::Zero(equalities), l = VectorXd::Zero(inequalities), u = VectorXd::Constant(inequalities, 1e20);
  for (int k = 0; k < 4; k++) {  // point forces to the wrench at the ankle
    Vector3d p = figure.feet[0].sole + Vector3d((k & 1 ? 1 : -1) * HALF_LENGTH, (k & 2 ? 1 : -1) * HALF_BREADTH, 0);
    G.block<3, 3>(0, 3 * k).setIdentity();
    G.block<3, 3>(3, 3 * k) = pin::skew(p);
  }
  for (int k = 0; k < 8; k++) {
    int c = nv + 3 * k, r = 5 * k;
    for (int s = 0; s < 4; s++) C(r + s, c + s / 2) = s % 2 ? -1 : 1, C(r + s, c + 2) = FRICTION;
    C(r + 4, c + 2) = 1, l[r + 4] = 1;
  }
  using namespace proxsuite::proxqp;
  dense::QP<double> qp(n, equalities, inequalities);
  qp.settings.eps_abs = 1e-6, qp.settings.eps_rel = 0, qp.settings.max_iter = 1000;
  qp.settings.initial_guess = InitialGuessStatus::WARM_START_WITH_PREVIOUS_RESULT;
  bool is_first = true;
  double best = 1e99;
  int failures = 0;
  std::vector<double> all;
  for (int run = 0; run < RUNS; run++) {
    VectorXd q = rest, v = VectorXd::Zero(nv);
    double batch = 0;
    for (int tick = 0; tick < TICKS; tick++) {
      auto start = Clock::now();
      const double t = tick * DT;
      pin::crba(model, data, q, pin::Convention::WORLD);
      data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose();
      pin::nonLinearEffects(model, data, q, v);
      pin::forwardKinematics(model, data, q, v, VectorXd::Zero(nv));
      pin::computeJointJacobians(model, data);
      Jt.setZero(), pin::getJointJacobian(model, data, trunk, pin::LOCAL, Jt);
      for (int f = 0; f < 2; f++) Jf[f].setZero(), pin::getJointJacobian(model, data, feet[f], pin::LOCAL, Jf[f]);
      VectorXd wanted = 100 * pin::difference(model, q, rest) - 20 * v;
      pin::SE3 path = upright;
      path.translation() += Vector3d(0.05 * sin(3.14 * t), 0.05 * sin(2 * t), 0);
      auto follow = [&](pin::JointIndex j, const pin::SE3& to) {
        return Vector6d(100 * pin::log6(data.oMi[j].actInv(to)).toVector() - 20 * data.v[j].toVector() - data.a[j].toVector());
      };
      const double joints = 0.1, forces = 1e-5;
      P.topLeftCorner(nv, nv).noalias() = Jt.transpose() * Jt;
      P.diagonal().segment(6, nv - 6).array() += joints, P.diagonal().head(6).array() += 1e-6, P.diagonal().tail(nf).setConstant(forces);
      g.head(nv).noalias() = -Jt.transpose() * follow(trunk, path);
      g.segment(6, nv - 6) -= joints * wanted.tail(nv - 6);
      A.topLeftCorner(6, nv) = data.M.topRows(6);
      b.head(6) = -data.nle.head(6);
      for (int f = 0; f < 2; f++) {
        A.block(0, nv + 12 * f, 6, 12).noalias() = -Jf[f].leftCols(6).transpose() * G;
        A.block(6 + 6 * f, 0, 6, nv) = Jf[f];
        b.segment(6 + 6 * f, 6) = follow(feet[f], held[f]);
      }
      if (is_first) qp.init(P, g, A, b, C, l, u);
      else qp.update(P, g, A, b, proxsuite::nullopt, proxsuite::nullopt, proxsuite::nullopt, false);
      is_first = false;
      qp.solve();
      VectorXd x = qp.results.x, tau = data.M.bottomRows(nv - 6) * x.head(nv) + data.nle.tail(nv - 6);
      for (int f = 0; f < 2; f++) tau.noalias() -= Jf[f].rightCols(nv - 6).transpose() * (G * x.segment(nv + 12 * f, 12));
      double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
      all.push_back(ns), batch += ns;
      if (tick % BATCH == BATCH - 1) best = std::min(best, batch / BATCH), batch = 0;
      failures += qp.results.info.status != QPSolverOutput::PROXQP_SOLVED;
      v += DT * x.head(nv);
      q = pin::integrate(model, q, VectorXd(DT * v));
    }
  }
  if (failures) { std::cerr << failures << " ticks were not solved\n"; return 2; }
  std::sort(all.begin(), all.end());
  printf("pinocchio+proxqp,human28,filter_step,%.1f\npinocchio+proxqp,human28,filter_step_p50,%.1f\n", best, all[all.size() / 2]);
}
