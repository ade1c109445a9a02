// Messages between page and engine, generated from crates/studio/src/{protocol,command,gait,library}.rs by
// `UPDATE_PROTOCOL=1 cargo test -p anthropi-studio --lib protocol`. Do not edit.

/** Position and orientation. */
export type Pose = {
  /** m */ position: [number, number, number],
  /** unit quaternion x, y, z, w */ rotation: [number, number, number, number], };

/** A solid, or ground without bounds. */
export type Shape = { "kind": "box", half: [number, number, number], } | { "kind": "sphere", radius: number, } | { "kind": "ellipsoid", half: [number, number, number], } | { "kind": "capsule", radius: number, half_length: number, } | { "kind": "cylinder", radius: number, half_length: number, } | { "kind": "convex", points: Array<[number, number, number]>, } | { "kind": "plane" } | { "kind": "heights", spacing: [number, number], rows: Array<Array<number>>, };

/** A shape in its parent's frame: a link's, or the world's. */
export type PlacedShape = {
  /** parent from shape */ pose: Pose, } & ({ "kind": "box", half: [number, number, number], } | { "kind": "sphere", radius: number, } | { "kind": "ellipsoid", half: [number, number, number], } | { "kind": "capsule", radius: number, half_length: number, } | { "kind": "cylinder", radius: number, half_length: number, } | { "kind": "convex", points: Array<[number, number, number]>, } | { "kind": "plane" } | { "kind": "heights", spacing: [number, number], rows: Array<Array<number>>, });

/** A link of the figure. */
export type Link = {
  /** unique in the figure */ name: string,
  /** kg */ mass: number,
  /** absent for a root */ parent: string | null,
  /** joint to the parent */ joint: string,
  /** geometry in the link's frame */ shapes: Array<PlacedShape>, };

/** A degree of freedom of a joint. */
export type Dof = {
  /** lower and upper limit, rad or m */ range: [number, number] | null,
  /** whether it keeps its value */ locked: boolean, };

/** A joint of the figure. */
export type Joint = {
  /** unique in the figure */ name: string,
  /** revolute, spherical, ... */ kind: string,
  /** child link */ link: string,
  /** rotation order of a spherical joint, such as `Zyx` */ order: string,
  /** empty for free and partly free joints */ dofs: Array<Dof>,
  /** whether it has a motor */ actuated: boolean, };

/** A loop joint between two links, or a link and the world. */
export type Connection = {
  /** unique in the figure */ name: string,
  /** spherical, ... */ kind: string,
  /** first link, absent for the world */ a: string | null,
  /** second link, absent for the world */ b: string | null,
  /** in the axes of `a`, m */ at: [number, number, number], };

/** What moves the figure. */
export type Mode = "scene" | "filter" | "walk";

/** A style to choose. */
export type Choice = {
  /** name of the style */ name: string,
  /** description */ what: string, };

/** A determinant to scale. */
export type DeterminantChoice = {
  /** name of the determinant */ name: string,
  /** largest amplitude */ most: number, };

/** Styles and determinants of an endless walk. */
export type GaitChoices = {
  /** built-in styles */ styles: Array<Choice>,
  /** the six determinants of gait */ determinants: Array<DeterminantChoice>, };

/** Everything that changes only with the structure. */
export type Structure = {
  /** name of the library item or file */ source: string,
  /** what moves the figure */ mode: Mode,
  /** friction coefficient of the floor; scenes have one per material */ friction: number | null,
  /** changes with every edit of the figure */ revision: number,
  /** kg */ mass: number,
  /** length of a step, s */ dt: number,
  /** in the order of [`Frame::poses`] */ links: Array<Link>,
  /** in the order of [`Frame::angles`] */ joints: Array<Joint>,
  /** loop joints */ connections: Array<Connection>,
  /** signals the scene waits for */ signals: Array<string>,
  /** styles and determinants of an endless walk */ gaits: GaitChoices | null,
  /** ground and fixed solids, in the world */ scenery: Array<PlacedShape>, };

/** Origin of a force. */
export type ForceSource = "contact" | "connection" | "user";

/** A force to draw. */
export type Arrow = {
  /** origin of the force */ kind: ForceSource,
  /** world, m */ at: [number, number, number],
  /** world, N */ force: [number, number, number], };

/** A number to plot. */
export type Measure = {
  /** label */ name: string,
  /** unit */ unit: string,
  /** current value */ value: number, };

/** A gait; omitted values come from the style. Of speed, step length and step frequency at most two can be set. */
export type GaitCommand = {
  /** m/s; zero means standing */ speed?: number,
  /** m */ step_length?: number,
  /** steps per second */ step_frequency?: number,
  /** name of a style */ style: string,
  /** run instead of walk */ runs?: boolean,
  /** left turn per step, degrees */ turn_deg?: number,
  /** amplitudes of gait determinants relative to the style's: 0 is off, 1 the default */ determinants?: Record<string, number>, };

/** Target speed and step length of a gait. */
export type GaitTarget = {
  /** m/s */ speed: number,
  /** m */ length: number, };

/** Gait of an endless walk. */
export type GaitState = {
  /** the last gait command */ command: GaitCommand,
  /** its speed and step length; absent for standing */ target: GaitTarget | null,
  /** whether the command is still being planned */ is_planning: boolean, };

/** Everything that changes with a step. */
export type Frame = {
  /** steps since the start */ step: number,
  /** earliest step to rewind to */ earliest: number,
  /** s */ time: number,
  /** revision of the structure */ revision: number,
  /** seven numbers per link: position, then quaternion x, y, z, w */ poses: Array<number>,
  /** poses of the reference */ ghost: Array<number> | null,
  /** centre of mass */ center: [number, number, number],
  /** centre of pressure */ pressure: [number, number, number] | null,
  /** forces to draw */ arrows: Array<Arrow>,
  /** target of the drag spring */ drag_target: [number, number, number] | null,
  /** coordinates of all degrees of freedom, rad or m */ angles: Array<number>,
  /** numbers to plot */ measures: Array<Measure>,
  /** events since the last frame */ messages: Array<string>,
  /** of an endless walk */ gait: GaitState | null,
  /** edits that can be undone */ edits: number,
  /** hash of the state, hexadecimal */ digest: string, };

/** Gains of the filter, relative to their defaults. */
export type Gains = {
  /** joint torque limits, relative to human strength */ strength: number,
  /** how fast joints, trunk and feet return to the motion */ following: number,
  /** damping of that return */ damping: number,
  /** how fast centre of mass and angular momentum return to the motion */ balance: number, };

/** A command, applied between two steps. */
export type Command = { "do": "drag",
  /** the link */ link: string,
  /** in the link's axes, m */ at: [number, number, number],
  /** world, m */ to: [number, number, number], } | { "do": "let_go" } | { "do": "push",
  /** the link */ link: string,
  /** in the link's axes, m */ at: [number, number, number],
  /** world axes, N */ force: [number, number, number],
  /** duration, s */ seconds: number, } | { "do": "force",
  /** the link; the force acts at its origin */ link: string,
  /** world axes, N */ force: [number, number, number], } | { "do": "torque",
  /** the joint */ joint: string,
  /** degree of freedom */ dof: number,
  /** N m, or N */ size: number, } | { "do": "pin",
  /** the link */ link: string,
  /** in the link's axes, m */ at: [number, number, number], } | { "do": "connect",
  /** first link */ link: string,
  /** in its axes, m */ at: [number, number, number],
  /** second link */ to: string, } | { "do": "cut",
  /** the joint */ joint: string, } | { "do": "lock",
  /** the joint */ joint: string,
  /** degree of freedom */ dof: number, } | { "do": "unlock",
  /** the joint */ joint: string,
  /** degree of freedom */ dof: number, } | { "do": "put",
  /** the joint */ joint: string,
  /** degree of freedom */ dof: number,
  /** rad or m */ value: number,
  /** rotation order of the angle, such as `zyx`; absent: the joint's own */ order?: string, } | { "do": "root",
  /** the link */ link: string, } | { "do": "signal",
  /** its name */ name: string, } | { "do": "filter",
  /** off: show the reference */ is_on: boolean,
  /** friction coefficient of the floor */ friction: number,
  /** absent: defaults */ gains?: Gains, } | { "do": "gait" } & GaitCommand;

/** Group of the library. */
export type Group = "endless_walk" | "scene" | "motion" | "filter" | "walk" | "figure";

/** An item of the library. */
export type Item = {
  /** where it is listed */ group: Group,
  /** unique in the library */ name: string,
  /** earlier name, in addresses and replays */ alias: string | null,
  /** one-line summary */ what: string, };
