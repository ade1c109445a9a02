//! What the algorithms must do, counted: additions, multiplications, divisions and square roots, and bytes of work records.
//!
//! A scalar that counts goes through the kernels in place of `f64`. The numbers are exact and the same on every machine;
//! they stand in the headers of the algorithms. A change that moves one changes it here, too, and says why.

use super::{aba, crba, ltl, rnea};
use crate::joint::JointKind;
use crate::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, State};
use crate::spatial::{Inertia, Real, Sym3, Transform, vec3};
use allocation_counter::measure;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};
use std::cell::Cell;

/// Additions and subtractions, multiplications, divisions, square roots. Changes of sign are free.
type Flops = [u64; 4];

thread_local! {
    static FLOPS: Cell<Flops> = const { Cell::new([0; 4]) };
}

/// A number that counts what is done with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count(f64);

fn counted(kind: usize, x: f64) -> Count {
    let mut flops = FLOPS.get();
    flops[kind] += 1;
    FLOPS.set(flops);
    Count(x)
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt, $kind:expr) => {
        impl $trait for Count {
            type Output = Count;
            fn $method(self, b: Count) -> Count {
                counted($kind, self.0 $op b.0)
            }
        }
    };
}
operator!(Add, add, +, 0);
operator!(Sub, sub, -, 0);
operator!(Mul, mul, *, 1);
operator!(Div, div, /, 2);

impl Neg for Count {
    type Output = Count;
    fn neg(self) -> Count {
        Count(-self.0)
    }
}
impl AddAssign for Count {
    fn add_assign(&mut self, b: Count) {
        *self = *self + b;
    }
}
impl SubAssign for Count {
    fn sub_assign(&mut self, b: Count) {
        *self = *self - b;
    }
}

impl Real for Count {
    const LANES: usize = 1;
    fn splat(x: f64) -> Count {
        Count(x)
    }
    fn scale(self, k: f64) -> Count {
        counted(1, self.0 * k)
    }
    fn sqrt(self) -> Count {
        counted(3, self.0.sqrt())
    }
    fn lane(self, _: usize) -> f64 {
        self.0
    }
    fn set_lane(&mut self, _: usize, x: f64) {
        self.0 = x;
    }
}

/// What `f` does.
fn count(f: impl FnOnce()) -> Flops {
    FLOPS.set([0; 4]);
    f();
    FLOPS.get()
}

/// 13 links as those of `bench/peers/gen_models.py`: a free trunk, upper body, head, arms and legs of two and three links.
/// With the joints of people (34 degrees of freedom), or all spherical (42).
fn human(all_spherical: bool) -> Figure {
    let (x, y, z) = (vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0));
    let body = Inertia::about_center(2.0, vec3(0.01, 0.0, -0.1), Sym3::diagonal(vec3(0.1, 0.2, 0.2)));
    let mut b = FigureBuilder::new("human");
    let mut names = (0..).map(|i| format!("link {i}"));
    let mut add = |parent: Option<LinkHandle>, kind: JointKind| {
        let kind = if all_spherical && kind != JointKind::Free { JointKind::Spherical } else { kind };
        let mut joint = JointSpec::new(names.next().expect("names have no end"), kind);
        joint.parent = parent;
        joint.parent_from_joint = Transform::translation(vec3(0.0, 0.1, 0.2));
        b.add(LinkSpec::new(joint.name.clone(), body), joint).expect("a sound link")
    };
    let ball = JointKind::Spherical;
    let trunk = add(None, JointKind::Free);
    let upper = add(Some(trunk), ball);
    add(Some(upper), ball);
    for _ in 0..2 {
        let arm = add(Some(upper), ball);
        add(Some(arm), JointKind::Universal { first: y, second: z });
        let thigh = add(Some(trunk), ball);
        let shank = add(Some(thigh), JointKind::Revolute { axis: y });
        add(Some(shank), JointKind::Universal { first: y, second: x });
    }
    b.build().expect("a sound figure")
}

/// Flops of each algorithm on a figure, and the bytes that its work records and the matrix it makes have: what it takes
/// from the heap when it is cold.
fn counts(figure: &Figure) -> [(&'static str, Flops, u64); 4] {
    let forest = figure.forest();
    let n = forest.nv();
    let s = State::home(figure);
    let numbers = |from: &[f64]| -> Vec<Count> { from.iter().map(|x| Count(*x)).collect() };
    let (q, v, x) = (numbers(&s.q), numbers(&vec![0.3; n]), numbers(&vec![0.7; n]));
    let (plain_v, plain_x) = (vec![0.3; n], vec![0.7; n]);
    let (mut y, mut plain) = (vec![Count(0.0); n], vec![0.0; n]);

    let flops = count(|| rnea::kernel(forest, &q, &v, &x, None, &mut rnea::Work::default(), &mut y));
    let bytes = measure(|| {
        rnea::kernel(forest, &s.q, &plain_v, &plain_x, None, &mut rnea::Work::default(), &mut plain);
    });
    assert_eq!(numbers(&plain), y, "counting changes nothing");
    let rnea = ("rnea", flops, bytes.bytes_total);

    let flops = count(|| aba::kernel(forest, &q, &v, &x, None, None, &mut aba::Work::default(), &mut y));
    let bytes = measure(|| {
        aba::kernel(forest, &s.q, &plain_v, &plain_x, None, None, &mut aba::Work::default(), &mut plain);
    });
    assert_eq!(numbers(&plain), y, "counting changes nothing");
    let aba = ("aba", flops, bytes.bytes_total);

    let (mut m, mut plain_m) = (crba::PathMatrix::default(), crba::PathMatrix::default());
    let flops = count(|| crba::kernel(forest, &q, &mut crba::Work::default(), &mut m));
    let bytes = measure(|| crba::kernel(forest, &s.q, &mut crba::Work::default(), &mut plain_m));
    assert_eq!(numbers(&plain_m.packed), m.packed, "counting changes nothing");
    let crba = ("crba", flops, bytes.bytes_total);

    let flops = count(|| ltl::kernel(forest, &mut m.packed).expect("the mass matrix is positive"));
    let bytes =
        measure(|| ltl::Factor::default().compute(forest, &plain_m).expect("the mass matrix is positive"));
    let ltl = ("ltl", flops, bytes.bytes_total);
    [rnea, aba, crba, ltl]
}

//                     + and -, *, /, sqrt  bytes
const HUMAN28: [(&str, Flops, u64); 4] = [
    ("rnea", [2120, 2453, 0, 0], 5376),
    ("aba", [3936, 4636, 18, 0], 11648),
    ("crba", [2688, 3373, 0, 0], 6080),
    ("ltl", [1458, 1736, 34, 0], 2496),
];
const HUMAN42: [(&str, Flops, u64); 4] = [
    ("rnea", [2028, 2301, 0, 0], 5376),
    ("aba", [3438, 4152, 14, 0], 11648),
    ("crba", [3012, 3825, 0, 0], 6992),
    ("ltl", [2216, 2600, 42, 0], 3408),
];

#[test]
fn algorithms_do_what_they_did() {
    assert_eq!([counts(&human(false)), counts(&human(true))], [HUMAN28, HUMAN42]);
}

#[test]
fn headers_say_how_much_it_is() {
    let texts = [
        include_str!("../rnea.rs"),
        include_str!("../aba.rs"),
        include_str!("../crba.rs"),
        include_str!("../ltl.rs"),
    ];
    for ((text, few), many) in texts.iter().zip(HUMAN28).zip(HUMAN42) {
        let (name, total) = (few.0, |c: (&str, Flops, u64)| c.1.iter().sum::<u64>());
        let line = format!(
            "//! Cost: {} flops and {} bytes of work for human28, {} and {} for human42",
            total(few),
            few.2,
            total(many),
            many.2
        );
        assert!(text.contains(&line), "the header of {name} must have the line\n{line}");
    }
}
