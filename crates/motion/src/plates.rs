//! Measured ground forces: the wrench of each force plate on the person over time.
//!
//! Computes a wrench for each plate and sample; between samples, force and moment about the world's origin are
//! interpolated linearly. Not filtered.
//! Source: tables with OpenSim's column names; plates of C3D files (`markers`).
//! We differ: z up; the arbitrary point of an unloaded sample does not affect interpolated points.
//! Checked by: tests below, `tests/it/gait2354.rs`.

use crate::error::Error;
use crate::markers::{Markers, Plate};
use crate::note::Note;
use crate::table::Table;
use anthropi_dynamics::spatial::{Force, Vec3, vec3};

/// A force at a point together with a free moment; world axes, z up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// ground force on the person, N
    pub force: Vec3,
    /// point of application, usually the centre of pressure, m
    pub point: Vec3,
    /// free moment, about the point, N m
    pub moment: Vec3,
}

impl Wrench {
    /// The same wrench about another point.
    pub fn about(&self, origin: Vec3) -> Force {
        Force { angular: self.moment + (self.point - origin).cross(self.force), linear: self.force }
    }
}

/// Wrenches of several plates at common times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroundForces {
    /// names of the plates
    pub names: Vec<String>,
    /// s, not decreasing
    pub time: Vec<f64>,
    /// by sample, then by plate
    pub wrenches: Vec<Wrench>,
    /// human-readable notes
    pub notes: Vec<Note>,
}

impl GroundForces {
    /// Ground forces from a table with OpenSim's column names, y up: `ground_force_vx`, `ground_force_px`,
    /// `ground_torque_x` and so on, with any prefix or infix that distinguishes the plates.
    ///
    /// # Errors
    /// No such columns, missing points, decreasing times, numbers that are not finite under load.
    pub fn from_table(table: &Table) -> Result<GroundForces, Error> {
        let unsuitable = |what: &str| Error::unsuitable(&table.name, what);
        let plates = columns(table);
        if plates.is_empty() {
            let what = "no force columns such as ground_force_vx, ground_force_vy, ground_force_vz";
            return Err(unsuitable(what));
        }
        if table.time.windows(2).any(|w| !(w[0] <= w[1])) {
            return Err(unsuitable("times run backwards"));
        }
        let mut notes = Vec::new();
        for plate in &plates {
            let name = &plate.name;
            if plate.point.is_none() {
                return Err(unsuitable(&format!("no point columns for the forces of {name}")));
            }
            if plate.moment.is_none() {
                notes.push(Note::warning(format!("{name} has no torque columns; assumed zero")));
            }
        }
        let used = |k: usize| plates.iter().any(|p| p.all().any(|c| c == k));
        let unused: Vec<&str> =
            table.labels.iter().enumerate().filter(|(k, _)| !used(*k)).map(|(_, l)| l.as_str()).collect();
        if !unused.is_empty() {
            notes.push(Note::warning(format!(
                "ignored columns that are not ground forces: {}",
                unused.join(", ")
            )));
        }
        let mut wrenches = Vec::with_capacity(table.rows() * plates.len());
        for row in 0..table.rows() {
            for plate in &plates {
                wrenches.push(plate.wrench(table, row)?);
            }
        }
        let names = plates.into_iter().map(|p| p.name).collect();
        Ok(GroundForces { names, time: table.time.clone(), wrenches, notes })
    }

    /// Ground forces from the plates of a recording; its first sample is at time 0.
    ///
    /// # Errors
    /// No plates, plates without samples or a rate.
    pub fn from_markers(markers: &Markers) -> Result<GroundForces, Error> {
        let unsuitable = |what: &str| Error::unsuitable(&markers.name, what);
        let samples = markers.plates.iter().map(|p| p.force.len().min(p.moment.len())).min();
        let Some(samples) = samples.filter(|n| *n > 0) else {
            return Err(unsuitable("no force plates with samples"));
        };
        let rate = markers.analog.rate;
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(unsuitable("no sampling rate of the force plates"));
        }
        let each = (0..samples).flat_map(|k| markers.plates.iter().map(move |p| plate_wrench(p, k)));
        Ok(GroundForces {
            names: (1..=markers.plates.len()).map(|k| format!("plate {k}")).collect(),
            time: (0..samples).map(|k| k as f64 / rate).collect(),
            wrenches: each.collect(),
            notes: Vec::new(),
        })
    }

    /// Wrenches of all plates at a sample.
    pub fn at(&self, sample: usize) -> &[Wrench] {
        let n = self.names.len();
        &self.wrenches[sample * n..(sample + 1) * n]
    }

    /// The wrench of a plate at a time; `None` outside the recording.
    pub fn sample(&self, plate: usize, t: f64) -> Option<Wrench> {
        let (first, last) = (self.time.first()?, self.time.last()?);
        if !(*first <= t && t <= *last) || plate >= self.names.len() {
            return None;
        }
        let next = self.time.partition_point(|x| *x <= t).min(self.time.len() - 1);
        let before = next.saturating_sub(1);
        let gap = self.time[next] - self.time[before];
        let s = if gap > 0.0 { (t - self.time[before]) / gap } else { 0.0 };
        Some(between(&self.at(before)[plate], &self.at(next)[plate], s))
    }

    /// The sum of all plates at a time, about a point; `None` outside the recording.
    pub fn total(&self, origin: Vec3, t: f64) -> Option<Force> {
        let each = (0..self.names.len()).map(|plate| self.sample(plate, t));
        each.map(|w| w.map(|w| w.about(origin))).try_fold(Force::default(), |sum, f| Some(sum + f?))
    }
}

/// Interpolates force and moment about the world's origin linearly, and the point weighted by the forces.
fn between(a: &Wrench, b: &Wrench, s: f64) -> Wrench {
    let mix = |a: Vec3, b: Vec3| a.scale(1.0 - s) + b.scale(s);
    let force = mix(a.force, b.force);
    let (wa, wb) = ((1.0 - s) * a.force.norm(), s * b.force.norm());
    let point = if wa + wb > 0.0 {
        (a.point.scale(wa) + b.point.scale(wb)).scale(1.0 / (wa + wb))
    } else {
        mix(a.point, b.point)
    };
    let about_origin = mix(a.about(Vec3::ZERO).angular, b.about(Vec3::ZERO).angular);
    Wrench { force, point, moment: about_origin - point.cross(force) }
}

/// Wrench at the centre of pressure, or at the middle of the surface without one.
fn plate_wrench(plate: &Plate, sample: usize) -> Wrench {
    let middle = plate.corners.iter().fold(Vec3::ZERO, |sum, c| sum + *c).scale(0.25);
    let (force, moment) = (plate.force[sample], plate.moment[sample]);
    let point = plate.center.get(sample).copied().flatten().unwrap_or(middle);
    Wrench { force, point, moment: moment - (point - middle).cross(force) }
}

/// Columns of one plate.
struct Columns {
    name: String,
    force: [usize; 3],
    point: Option<[usize; 3]>,
    moment: Option<[usize; 3]>,
}

fn columns(table: &Table) -> Vec<Columns> {
    let three = |stem: &str| -> Option<[usize; 3]> {
        let find = |axis: &str| table.find(&format!("{stem}{axis}"));
        Some([find("x")?, find("y")?, find("z")?])
    };
    let mut plates = Vec::new();
    for stem in table.labels.iter().filter_map(|l| l.strip_suffix("vx")) {
        let Some(force) = three(&format!("{stem}v")) else { continue };
        let named = |word: &str| stem.replacen("force", word, 1);
        let moments = [named("torque"), named("moment"), format!("{stem}m"), format!("{stem}t")];
        let moment =
            moments.iter().filter(|m| *m != stem).find_map(|m| three(m).or_else(|| three(&format!("{m}m"))));
        let name = stem.trim_end_matches('_').to_string();
        plates.push(Columns { name, force, point: three(&format!("{stem}p")), moment });
    }
    plates
}

impl Columns {
    fn all(&self) -> impl Iterator<Item = usize> {
        let some = |list: Option<[usize; 3]>| list.into_iter().flatten();
        self.force.into_iter().chain(some(self.point)).chain(some(self.moment))
    }

    /// Converts y up to z up; points and moments without a force may be arbitrary.
    fn wrench(&self, table: &Table, row: usize) -> Result<Wrench, Error> {
        let get = |list: Option<[usize; 3]>| {
            let values =
                |k: usize| table.values.get(row * table.labels.len() + k).copied().unwrap_or(f64::NAN);
            list.map_or(Vec3::ZERO, |[x, y, z]| vec3(values(x), -values(z), values(y)))
        };
        let (force, point, moment) = (get(Some(self.force)), get(self.point), get(self.moment));
        let is_finite = point.is_finite() && moment.is_finite();
        match (force.is_finite(), force == Vec3::ZERO) {
            (true, true) if !is_finite => Ok(Wrench::default()),
            (true, _) if is_finite => Ok(Wrench { force, point, moment }),
            _ => Err(Error::NotFinite { clip: table.name.clone(), frame: row, joint: self.name.clone() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(labels: &[&str], values: &[f64]) -> Table {
        let labels: Vec<String> = labels.iter().map(|l| l.to_string()).collect();
        let rows = values.len() / labels.len();
        let time = (0..rows).map(|k| k as f64 * 0.1).collect();
        Table { name: "grf".into(), labels, time, values: values.to_vec(), ..Table::default() }
    }

    const ONE: [&str; 9] = [
        "ground_force_vx",
        "ground_force_vy",
        "ground_force_vz",
        "ground_force_px",
        "ground_force_py",
        "ground_force_pz",
        "ground_torque_x",
        "ground_torque_y",
        "ground_torque_z",
    ];

    #[test]
    fn columns_by_any_name() {
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let want =
            Wrench { force: vec3(1.0, -3.0, 2.0), point: vec3(4.0, -6.0, 5.0), moment: vec3(7.0, -9.0, 8.0) };
        let rename = |from: &str, to: &str| ONE.map(|l| l.replace(from, to));
        for labels in [
            ONE.map(String::from),
            rename("ground", "1_ground"),
            rename("force_", "force_r_").map(|l| l.replace("torque_", "torque_r_")),
            rename("torque_", "moment_"),
            rename("torque_", "force_m"),
        ] {
            let forces =
                GroundForces::from_table(&table(&labels.each_ref().map(|l| l.as_str()), &numbers)).unwrap();
            assert_eq!((forces.wrenches.as_slice(), forces.notes.len()), (&[want][..], 0), "{labels:?}");
        }
        let labels = [&ONE[..6], &["emg"]].concat();
        let forces = GroundForces::from_table(&table(&labels, &numbers[..7])).unwrap();
        assert_eq!(forces.wrenches, [Wrench { moment: Vec3::ZERO, ..want }]);
        assert_eq!(forces.notes.len(), 2, "{:?}", forces.notes);
    }

    #[test]
    fn wrong_tables_are_refused() {
        let error = |t: Table| GroundForces::from_table(&t).unwrap_err().to_string();
        assert!(error(table(&["knee"], &[1.0])).contains("no force columns"));
        assert!(
            error(table(&ONE[..3], &[1.0, 2.0, 3.0]))
                .contains("no point columns for the forces of ground_force")
        );
        let mut numbers = [0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(GroundForces::from_table(&table(&ONE, &numbers)).unwrap().wrenches, [Wrench::default()]);
        numbers[1] = 5.0;
        assert!(error(table(&ONE, &numbers)).contains("frame 0"));
        let mut back = table(&ONE, &[[1.0; 9], [1.0; 9]].concat());
        back.time = vec![1.0, 0.0];
        assert!(error(back).contains("backwards"));
    }

    #[test]
    fn between_samples_the_wrench_is_linear() {
        // the last sample is unloaded; its point is far away
        let rows = [
            [0.0, 10.0, 2.0, 0.1, 0.0, 0.2, 0.0, 1.0, 0.0],
            [4.0, 30.0, 0.0, 0.5, 0.0, 0.2, 0.0, 3.0, 0.0],
            [0.0, 0.0, 0.0, 99.0, 0.0, 99.0, 0.0, 0.0, 0.0],
        ];
        let forces = GroundForces::from_table(&table(&ONE, &rows.concat())).unwrap();
        let about = vec3(0.3, 0.2, -0.1);
        let ends = [0, 1].map(|k| forces.at(k)[0].about(about));
        for s in [0.0, 0.25, 0.7, 1.0] {
            let got = forces.sample(0, 0.1 * s).unwrap().about(about);
            let want = ends[0].times(1.0 - s) + ends[1].times(s);
            assert!((got - want).to_array().iter().all(|x| x.abs() < 1e-13), "{s}");
            assert_eq!(forces.total(about, 0.1 * s).unwrap(), got);
        }
        assert_eq!(forces.sample(0, 0.1).unwrap().point, vec3(0.5, -0.2, 0.0));
        let late = forces.sample(0, 0.19).unwrap();
        assert!((late.point - vec3(0.5, -0.2, 0.0)).norm() < 1e-12, "{late:?}");
        assert_eq!(forces.sample(0, 0.2).unwrap().force, Vec3::ZERO);
        assert!(forces.sample(0, -0.01).is_none() && forces.sample(0, 0.21).is_none());
        assert!(forces.sample(1, 0.1).is_none());
    }

    #[test]
    fn plates_of_recordings() {
        let plate = Plate {
            kind: 2,
            corners: [vec3(1.0, 1.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0)],
            force: vec![vec3(0.0, 10.0, 100.0); 2],
            moment: vec![vec3(20.0, -10.0, 3.0); 2],
            center: vec![Some(vec3(0.6, 0.7, 0.0)), None],
        };
        let mut markers = Markers { plates: vec![plate], ..Markers::default() };
        assert!(GroundForces::from_markers(&markers).is_err());
        markers.analog.rate = 200.0;
        let forces = GroundForces::from_markers(&markers).unwrap();
        assert_eq!(
            (forces.time.as_slice(), forces.names.as_slice()),
            (&[0.0, 0.005][..], &["plate 1".to_string()][..])
        );
        let [loaded, unloaded] = [forces.at(0)[0], forces.at(1)[0]];
        // about the centre of pressure only the moment about the normal is left
        assert!((loaded.moment - vec3(0.0, 0.0, 2.0)).norm() < 1e-12, "{loaded:?}");
        assert_eq!(unloaded.point, vec3(0.5, 0.5, 0.0));
        let difference = loaded.about(Vec3::ZERO) - unloaded.about(Vec3::ZERO);
        assert!(difference.angular.norm() < 1e-12);
        markers.plates.clear();
        assert!(GroundForces::from_markers(&markers).is_err());
    }
}
