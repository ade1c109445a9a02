//! Shapes against height fields.
//!
//! Computes  the shape's corners, ends and rims against the triangle below each; ridges and peaks of the field against
//!           the shape, where the nearest direction lies in their normal cone.
//! Source: own; each part by the geometry of `plane`, `round`, `box_round` or `general`.
//! We differ: connected coplanar triangles are one part, so that a flat field is a plane.
//! Not here: overhangs; everything below the surface is solid, and there is nothing outside the grid.
//! Checked by: `tests/it/detect.rs` (flat field against a plane, a ball over bumps against sampling).

use super::{Form, Manifold, Placed, Work, direction, plane};
use crate::contact::scenery::HeightField;
use crate::spatial::{Mat3, Transform, Vec3, vec3};

/// Sine of the angle up to which triangles are coplanar.
const FLAT: f64 = 1e-9;
/// Depth of the solid, m.
const DEPTH: f64 = 1e4;
/// Points this far outside of a triangle are over it, in cells.
const RIM: f64 = 1e-9;
/// A ridge or peak pushes along directions this far out of its cone, as a sine.
const CONE: f64 = 1e-6;
/// A ridge pushes along directions this much along itself, as a sine.
const ALONG: f64 = 1e-2;
/// Points nearer than this are one, m.
const SAME: f64 = 1e-6;
/// Edges that leave a grid point, in grid steps; the other three come in.
const EDGES: [[usize; 2]; 3] = [[1, 0], [0, 1], [1, 1]];
/// Bit that marks a grid point at a ridge.
const PEAK: u8 = 8;

/// A height field with precomputed triangles and edges.
#[derive(Clone, Debug)]
pub struct Field {
    grid: HeightField,
    triangles: Vec<Triangle>,
    /// for each grid point, bits of the edges that are ridges, and [`PEAK`]
    ridges: Vec<u8>,
    highest: f64,
    lowest: f64,
}

#[derive(Clone, Copy, Debug)]
struct Triangle {
    normal: Vec3,
    part: u32,
}

impl Field {
    /// Precomputes triangles and edges.
    pub fn new(grid: &HeightField) -> Field {
        let mut field = Field {
            grid: grid.clone(),
            triangles: Vec::new(),
            ridges: Vec::new(),
            highest: 0.0,
            lowest: 0.0,
        };
        let (columns, rows) = (grid.columns(), grid.rows());
        let heights = (0..rows).flat_map(|r| (0..columns).map(move |c| grid.point(c, r).z));
        (field.lowest, field.highest) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        for t in 0..2 * (columns - 1) * (rows - 1) {
            let [p, q, r] = field.corners(t);
            let normal = (q - p).cross(r - p).normalized().unwrap_or(super::UP);
            field.triangles.push(Triangle { normal, part: t as u32 });
        }
        field.mark_ridges();
        field.join_flats();
        field
    }

    /// Middle, half edges, radius.
    pub fn bounds(&self) -> (Vec3, Vec3, f64) {
        let far = self.grid.point(self.grid.columns() - 1, self.grid.rows() - 1);
        let half = vec3(far.x, far.y, 0.5 * (self.highest - self.lowest + DEPTH));
        (vec3(0.0, 0.0, self.highest - half.z), half, half.norm())
    }

    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        let cells = self.grid.columns() - 1;
        let (cell, is_second) = (triangle / 2, triangle % 2 == 1);
        let (c, r) = (cell % cells, cell / cells);
        let at = |c, r| self.grid.point(c, r);
        if is_second {
            [at(c, r), at(c + 1, r + 1), at(c, r + 1)]
        } else {
            [at(c, r), at(c + 1, r), at(c + 1, r + 1)]
        }
    }

    /// The triangles on both sides of an edge that leaves a grid point, and the third corner of each.
    fn sides(&self, c: usize, r: usize, edge: usize) -> [Option<(usize, Vec3)>; 2] {
        let (cells, rows) = (self.grid.columns() - 1, self.grid.rows() - 1);
        let side = |c: Option<usize>, r: Option<usize>, second: usize, third: [usize; 2]| {
            let (c, r) = (c.filter(|c| *c < cells)?, r.filter(|r| *r < rows)?);
            Some((2 * (r * cells + c) + second, self.grid.point(c + third[0], r + third[1])))
        };
        match edge {
            0 => [side(Some(c), Some(r), 0, [1, 1]), side(Some(c), r.checked_sub(1), 1, [0, 0])],
            1 => [side(Some(c), Some(r), 1, [1, 1]), side(c.checked_sub(1), Some(r), 0, [0, 0])],
            _ => [side(Some(c), Some(r), 0, [1, 0]), side(Some(c), Some(r), 1, [0, 1])],
        }
    }

    /// The other end of an edge that leaves a grid point, if it is on the grid.
    fn end(&self, c: usize, r: usize, edge: usize) -> Option<[usize; 2]> {
        let [dc, dr] = EDGES[edge];
        (c + dc < self.grid.columns() && r + dr < self.grid.rows()).then_some([c + dc, r + dr])
    }

    fn mark_ridges(&mut self) {
        let (columns, rows) = (self.grid.columns(), self.grid.rows());
        self.ridges = vec![0; columns * rows];
        for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            for edge in 0..3 {
                let Some([ec, er]) = self.end(c, r, edge) else { continue };
                let p = self.grid.point(c, r);
                let is_ridge = match self.sides(c, r, edge) {
                    [Some((t, _)), Some((_, third))] => {
                        self.triangles[t].normal.dot(third - p) < -FLAT * (third - p).norm()
                    }
                    _ => true,
                };
                if is_ridge {
                    self.ridges[r * columns + c] |= 1 << edge | PEAK;
                    self.ridges[er * columns + ec] |= PEAK;
                }
            }
        }
    }

    /// Triangles of one plane get the number of the first of them.
    fn join_flats(&mut self) {
        let (columns, rows) = (self.grid.columns(), self.grid.rows());
        loop {
            let mut is_done = true;
            for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
                for edge in 0..3 {
                    let [Some((t, _)), Some((u, third))] = self.sides(c, r, edge) else { continue };
                    if self.end(c, r, edge).is_none() {
                        continue;
                    }
                    let (p, q) = (self.triangles[t], self.triangles[u]);
                    let away = third - self.grid.point(c, r);
                    let is_flat = p.normal.cross(q.normal).norm() < FLAT
                        && p.normal.dot(away).abs() < FLAT * away.norm();
                    if is_flat && p.part != q.part {
                        let part = p.part.min(q.part);
                        (self.triangles[t].part, self.triangles[u].part) = (part, part);
                        is_done = false;
                    }
                }
            }
            if is_done {
                return;
            }
        }
    }

    /// Cells under an interval along x or y.
    fn cells(&self, axis: usize, low: f64, high: f64) -> core::ops::Range<usize> {
        let (points, first) = match axis {
            0 => (self.grid.columns(), self.grid.point(0, 0).x),
            _ => (self.grid.rows(), self.grid.point(0, 0).y),
        };
        let number = |x: f64| ((x - first) / self.grid.spacing()[axis]).max(-1.0);
        let last = (points - 1) as f64;
        if !(number(high) >= 0.0 && number(low) <= last) {
            return 0..0;
        }
        (number(low).max(0.0) as usize).min(points - 2)..(number(high).min(last) as usize + 1).min(points - 1)
    }

    /// Whether a point lies over a triangle of a cell.
    fn is_over(&self, c: usize, r: usize, is_second: bool, p: Vec3) -> bool {
        let corner = self.grid.point(c, r);
        let [sx, sy] = self.grid.spacing();
        let (x, y) = ((p.x - corner.x) / sx, (p.y - corner.y) / sy);
        let (x, y) = if is_second { (y, x) } else { (x, y) };
        y >= -RIM && x <= 1.0 + RIM && x >= y - RIM
    }
}

/// All contacts of a nearer than `margin`, by part.
pub fn touch(
    a: Placed,
    field: &Field,
    world_from_field: &Transform,
    margin: f64,
    work: &mut Work,
    found: &mut Vec<Manifold>,
) {
    found.clear();
    let field_from_a = world_from_field.inverse() * *a.world_from_it;
    let a = Placed { form: a.form, world_from_it: &field_from_a };
    let (centre, half, radius) = a.form.bounds();
    let (centre, m) = (field_from_a.point(centre), &field_from_a.rotation);
    let along = |x: f64, y: f64, z: f64| {
        (x.abs() * half.x + y.abs() * half.y + z.abs() * half.z).min(radius) + margin
    };
    let reach = vec3(along(m.x.x, m.y.x, m.z.x), along(m.x.y, m.y.y, m.z.y), along(m.x.z, m.y.z, m.z.z));
    let lowest = centre.z - reach.z;
    if !(lowest <= field.highest) {
        return;
    }
    let columns = field.cells(0, centre.x - reach.x, centre.x + reach.x);
    let rows = field.cells(1, centre.y - reach.y, centre.y + reach.y);
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    let under = Under { a, field, lowest, margin };
    for r in rows.clone() {
        for c in columns.clone() {
            under.cell(c, r, found);
        }
    }
    for r in rows.start..=rows.end {
        for c in columns.start..=columns.end {
            under.ridges(c, r, work, found);
        }
    }
    for r in rows.start..=rows.end {
        for c in columns.start..=columns.end {
            under.peak(c, r, work, found);
        }
    }
    found.sort_unstable_by_key(|m| m.part);
    for m in found {
        m.normal = world_from_field.rotation.mul(m.normal);
        m.points[..m.count].iter_mut().for_each(|p| p.1 = world_from_field.point(p.1));
    }
}

/// A shape over a field, in the field's frame.
struct Under<'a> {
    a: Placed<'a>,
    field: &'a Field,
    lowest: f64,
    margin: f64,
}

impl Under<'_> {
    /// Corners, ends and rims over the triangles of a cell.
    fn cell(&self, c: usize, r: usize, found: &mut Vec<Manifold>) {
        let grid = &self.field.grid;
        for second in 0..2 {
            let t = 2 * (r * (grid.columns() - 1) + c) + second;
            let corners = self.field.corners(t);
            if corners.iter().all(|p| p.z < self.lowest) {
                continue;
            }
            let Triangle { normal, part } = self.field.triangles[t];
            let mut here = Manifold::default();
            plane::touch(self.a, normal, corners[0], self.margin, &mut here);
            for &(id, place, gap) in here.points() {
                if self.belongs(c, r, second == 1, normal, place, gap) {
                    add(found, part, normal, id, place, gap);
                }
            }
        }
    }

    /// Whether this triangle supports a point of the shape.
    fn belongs(&self, c: usize, r: usize, is_second: bool, n: Vec3, place: Vec3, gap: f64) -> bool {
        let is_over = |p: Vec3| self.field.is_over(c, r, is_second, p);
        match self.a.form {
            // the nearest point of the field to the centre; below the surface, the field above it
            Form::Sphere { radius } | Form::Capsule { radius, .. } => {
                is_over(place) || (gap + radius < 0.0 && is_over(place + n.scale(gap + radius)))
            }
            Form::Ellipsoid { .. } => is_over(place) || (gap < 0.0 && is_over(place + n.scale(gap))),
            _ => is_over(place + n.scale(gap)),
        }
    }

    /// Ridges that leave a grid point.
    fn ridges(&self, c: usize, r: usize, work: &mut Work, found: &mut Vec<Manifold>) {
        let grid = &self.field.grid;
        let bits = self.field.ridges[r * grid.columns() + c];
        for edge in (0..3).filter(|e| bits & (1 << e) != 0) {
            let Some([ec, er]) = self.field.end(c, r, edge) else { continue };
            let (p, q) = (grid.point(c, r), grid.point(ec, er));
            let Some((along, length)) = direction(q - p) else { continue };
            if p.z.max(q.z) < self.lowest {
                continue;
            }
            let x = along.any_perpendicular();
            let rotation = Mat3 { x, y: along.cross(x), z: along };
            let place = Transform { rotation, translation: p + (q - p).scale(0.5) };
            let form = Form::Capsule { radius: 0.0, half_length: 0.5 * length };
            let mut here = Manifold::default();
            super::touch(self.a, Placed { form: &form, world_from_it: &place }, self.margin, work, &mut here);
            let n = here.normal;
            let sides = self.field.sides(c, r, edge);
            let is_pushed_by_side = sides.iter().flatten().any(|(_, third)| {
                let away = *third - p;
                let away = away - along.scale(along.dot(away));
                n.dot(away) > CONE * away.norm()
            });
            if n.dot(along).abs() <= ALONG && !is_pushed_by_side && n.z > 0.0 {
                let cells = (grid.columns() - 1) * (grid.rows() - 1);
                let part = (2 * cells + 3 * (r * grid.columns() + c) + edge) as u32;
                here.points().iter().for_each(|&(id, place, gap)| add(found, part, n, id, place, gap));
            }
        }
    }

    /// A grid point.
    fn peak(&self, c: usize, r: usize, work: &mut Work, found: &mut Vec<Manifold>) {
        let grid = &self.field.grid;
        let p = grid.point(c, r);
        if self.field.ridges[r * grid.columns() + c] & PEAK == 0 || p.z < self.lowest {
            return;
        }
        let form = Form::Sphere { radius: 0.0 };
        let place = Transform::translation(p);
        let mut here = Manifold::default();
        super::touch(self.a, Placed { form: &form, world_from_it: &place }, self.margin, work, &mut here);
        let n = here.normal;
        let is_in_cone = EDGES.iter().all(|&[dc, dr]| {
            let before = c.checked_sub(dc).zip(r.checked_sub(dr));
            let after = (c + dc < grid.columns() && r + dr < grid.rows()).then_some((c + dc, r + dr));
            [before, after].into_iter().flatten().all(|(c, r)| {
                let away = grid.point(c, r) - p;
                n.dot(away) <= CONE * away.norm()
            })
        });
        if !is_in_cone || n.z <= 0.0 {
            return;
        }
        // not if a ridge or triangle already gives this contact
        let is_same =
            |m: &Manifold| m.normal.dot(n) > 1.0 - CONE && m.points().iter().any(|q| (q.1 - p).norm() < SAME);
        if found.iter().any(is_same) {
            return;
        }
        let cells = (grid.columns() - 1) * (grid.rows() - 1);
        let points = grid.columns() * grid.rows();
        let part = (2 * cells + 3 * points + r * grid.columns() + c) as u32;
        here.points().iter().for_each(|&(id, place, gap)| add(found, part, n, id, place, gap));
    }
}

/// Adds a point to its part, once.
fn add(found: &mut Vec<Manifold>, part: u32, normal: Vec3, id: u32, place: Vec3, gap: f64) {
    let at = found.iter().position(|m| m.part == part).unwrap_or_else(|| {
        found.push(Manifold { normal, part, ..Manifold::default() });
        found.len() - 1
    });
    let m = &mut found[at];
    if !m.points().iter().any(|p| p.0 == id) {
        m.push(id, place, gap);
    }
}
