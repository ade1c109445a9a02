// A figure in the flat format of gen_models.py, and its Pinocchio model.
#pragma once
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#include "pinocchio/spatial.hpp"
#include "pinocchio/multibody.hpp"
#include "pinocchio/multibody/joint.hpp"

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Body { std::string name, joint, axes; int parent; Vector3d pos, com, inertia; double mass; };
struct Loop { int body1, body2; Vector3d pos1, pos2; };
struct Foot { int body; Vector3d sole; };
struct Figure { std::string name; std::vector<Body> bodies; std::vector<Loop> loops; std::vector<Foot> feet; };

inline std::istream& operator>>(std::istream& s, Vector3d& v) { return s >> v[0] >> v[1] >> v[2]; }

inline Figure read_figure(const std::string& file) {
  std::ifstream s(file);
  Figure f;
  size_t bodies = 0, loops = 0, feet = 0;
  s >> f.name >> bodies >> loops >> feet;
  f.bodies.resize(bodies), f.loops.resize(loops), f.feet.resize(feet);
  for (auto& b : f.bodies) s >> b.name >> b.parent >> b.joint >> b.axes >> b.pos >> b.mass >> b.com >> b.inertia;
  for (auto& l : f.loops) s >> l.body1 >> l.pos1 >> l.body2 >> l.pos2;
  for (auto& t : f.feet) s >> t.body >> t.sole;
  if (!s) { std::cerr << "cannot read " << file << "\n"; std::exit(2); }
  return f;
}

inline Vector3d axis(char a) { return Vector3d(a == 'x', a == 'y', a == 'z'); }

// Joints of several dof are native Pinocchio joints, not chains of hinges with massless links: twice as fast.
inline pin::JointIndex add_joint(pin::Model& model, const Body& b, pin::JointIndex parent) {
  // the position of a free body is in q
  pin::SE3 at(Matrix3d::Identity(), b.joint == "free" ? Vector3d(0, 0, 0) : b.pos);
  if (b.joint == "free") return model.addJoint(parent, pin::JointModelFreeFlyer(), at, b.name);
  if (b.joint == "spherical") return model.addJoint(parent, pin::JointModelSpherical(), at, b.name);
  if (b.joint == "universal") return model.addJoint(parent, pin::JointModelUniversal(axis(b.axes[0]), axis(b.axes[1])), at, b.name);
  // the fixed-axis types are faster than JointModelRevoluteUnaligned
  if (b.axes == "x") return model.addJoint(parent, pin::JointModelRX(), at, b.name);
  if (b.axes == "y") return model.addJoint(parent, pin::JointModelRY(), at, b.name);
  return model.addJoint(parent, pin::JointModelRZ(), at, b.name);
}

// joint_of[i]: the joint that carries body i
inline pin::Model build(const Figure& f, std::vector<pin::JointIndex>& joint_of) {
  pin::Model model;
  joint_of.clear();
  for (auto& b : f.bodies) {
    joint_of.push_back(add_joint(model, b, b.parent < 0 ? 0 : joint_of[b.parent]));
    model.appendBodyToJoint(joint_of.back(), pin::Inertia(b.mass, b.com, Matrix3d(b.inertia.asDiagonal())), pin::SE3::Identity());
  }
  model.gravity.linear() = Vector3d(0, 0, -9.81);
  return model;
}
