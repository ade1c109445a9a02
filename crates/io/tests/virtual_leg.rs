mod walking;

use anthropi_motion::hybrid::{Settings, refine};
use anthropi_motion::virtual_leg::{Sharing, VirtualLeg, ride};

#[test]
fn explore() {
    for name in ["human-28", "anthropi-42"] {
        let (figure, course) = walking::step(name);
        let mut last = vec![];
        for (n, i) in course.instants.iter().enumerate() {
            let feet = vec![i.on[0] || i.on[1] || i.on[2] || i.on[3], i.on[4] || i.on[5] || i.on[6] || i.on[7]];
            if feet != last {
                println!("{n}: {feet:?}");
                last = feet;
            }
        }
        let weight = figure.mass() * figure.gravity().norm();
        let rigid = refine(&figure, &figure, &course, &Settings::default()).unwrap();
        for stiff in [10.0, 20.0, 40.0] {
            for rate in [0.0, 5.0, 10.0, 20.0, 40.0] {
                for keeps in [false, true] {
                    let mut leg = VirtualLeg { turn_rate: rate, sharing: Sharing::Cosine, ..VirtualLeg::new(weight, 0.95) };
                    leg.stiffness = stiff * weight / 0.95;
                    leg.rest_length = 0.95 + weight / leg.stiffness;
                    match ride(&figure, &course, &leg, keeps) {
                        Ok(r) => println!(
                            "{name} {stiff} {rate} {keeps}: {:.3?} slid {:.3} lifted {:.3} mu {:.2} {:?}",
                            r.rest_lengths, r.slid, r.lifted, r.friction,
                            r.against(&rigid.motion, &rigid.ground)
                        ),
                        Err(e) => println!("{e}"),
                    }
                }
            }
        }
    }
}
