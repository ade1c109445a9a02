//! Small figures whose numbers can be computed by hand.

/// A rod of 2 kg hangs from a hinge about y; its centre is 0.5 m below, with 0.1 kg m^2 about it.
pub const PENDULUM_URDF: &str = r#"<?xml version="1.0"?>
<!-- a pendulum -->
<robot name="pendulum">
  <link name="base"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.5" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.05"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/>
    <child link="rod"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1" effort="50" velocity="10"/>
  </joint>
</robot>
"#;

/// The same pendulum with spring 3 N m/rad, damping 0.5 N m s/rad, armature 0.2 kg m^2, on another planet.
pub const SPRUNG_MJCF: &str = r#"<mujoco model="sprung">
  <option gravity="0 0 -2"/>
  <worldbody>
    <body name="rod">
      <joint name="hinge" type="hinge" axis="0 1 0" stiffness="3" damping="0.5" armature="0.2"/>
      <inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.1 0.05"/>
    </body>
  </worldbody>
</mujoco>
"#;

/// A free brick of 4 kg.
pub const BRICK_TOML: &str = r#"
name = "brick"
stature = 1.0

[[link]]
name = "brick"
mass = 4
inertia = [0.1, 0.2, 0.25]
[link.joint]
name = "root"
kind = "free"
"#;

/// A bead of 1 kg on a turning stick without mass. Where the bead meets the axis (slide = -1) nothing resists turning.
pub const BEAD_TOML: &str = r#"
name = "bead"

[[link]]
name = "stick"
mass = 0
[link.joint]
name = "turn"
kind = "revolute"
axis = "z"

[[link]]
name = "bead"
mass = 1
inertia = [0, 0, 0]
[link.joint]
name = "slide"
kind = "prismatic"
axis = "x"
parent = "stick"
at = [1, 0, 0]
"#;

/// A chain of a ball joint, a hinge and a slider, none of them along the axes.
pub const CHAIN_TOML: &str = r#"
name = "chain"
stature = 1.5

[[link]]
name = "upper"
mass = 1.5
center = [0.01, 0.02, -0.15]
inertia = [0.02, 0.03, 0.015]
[link.joint]
name = "shoulder"
kind = "spherical"
at = [0, 0.2, 1.4]
turn_deg = [10, 20, 30]

[[link]]
name = "lower"
mass = 1
center = [0, 0.01, -0.1]
inertia = [0.01, 0.012, 0.004]
[link.joint]
name = "elbow"
kind = "revolute"
axis = [0.6, 0, 0.8]
parent = "upper"
at = [0, 0, -0.3]
range_deg = [[-10, 140]]

[[link]]
name = "tool"
mass = 0.5
inertia = [0.002, 0.003, 0.004]
[link.joint]
name = "slide"
kind = "prismatic"
axis = [0, 0.6, -0.8]
parent = "lower"
at = [0.1, 0, -0.25]
"#;

/// Two hinged rods whose ends are tied to each other.
pub const LOOP_TOML: &str = r#"
name = "tied"

[[link]]
name = "left"
mass = 1
inertia = [0.1, 0.1, 0.1]
[link.joint]
name = "left_hinge"
kind = "revolute"
axis = "y"

[[link]]
name = "right"
mass = 1
inertia = [0.1, 0.1, 0.1]
[link.joint]
name = "right_hinge"
kind = "revolute"
axis = "y"
at = [1, 0, 0]

[[connect]]
name = "knot"
a = "left"
b = "right"
kind = "spherical"
a_at = [0.5, 0, 0]
b_at = [-0.5, 0, 0]
"#;
