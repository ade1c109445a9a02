//! Where the centre of mass is, so that the ground pushes where the feet are.
//!
//! With heights z(t) and the rate of angular momentum L' given, level forces must pass through the centre of pressure p:
//!     c'' = w2 (c - p~),  w2 = (g + z'')/(z - p_z),  p~ = p + (L'_y, -L'_x) / (m (g + z''))
//! with c given at both ends: one tridiagonal solve by central differences over the whole walk. Nothing diverges, and
//! starting and stopping are part of it. In flight w2 = 0: c goes straight on.
//! Source: [K2003 cart and table]; the boundary-value form is our own.

/// Solves c'' = w2 (c - p) with c = p at both ends.
pub(crate) fn level(p: &[f64], w2: &[f64], dt: f64) -> Vec<f64> {
    let n = p.len();
    let mut c = vec![0.0; n];
    let mut upper = vec![0.0; n];
    (c[0], upper[0]) = (p[0], 0.0);
    for k in 1..n - 1 {
        // c[k-1] - (2 + w2 dt^2) c[k] + c[k+1] = -w2 dt^2 p[k]
        let x = w2[k] * dt * dt;
        let pivot = -(2.0 + x) - upper[k - 1];
        upper[k] = 1.0 / pivot;
        c[k] = (-x * p[k] - c[k - 1]) / pivot;
    }
    c[n - 1] = p[n - 1];
    for k in (0..n - 1).rev() {
        c[k] -= upper[k] * c[k + 1];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_falls_away_from_the_pressure_and_lands_where_it_ends() {
        let (dt, n) = (0.001, 4001);
        let w2 = vec![10.0; n];
        let p: Vec<f64> = (0..n).map(|k| if (1500..2500).contains(&k) { 1.0 } else { 0.0 }).collect();
        let c = level(&p, &w2, dt);
        // closed form at the middle: 1 - exp(-w/2) for a box of one second
        let w = 10f64.sqrt();
        assert!((c[2000] - (1.0 - libm::exp(-0.5 * w))).abs() < 2e-3, "{}", c[2000]);
        assert!(c[0] == 0.0 && c[n - 1] == 0.0);
        let k = 1700;
        let acceleration = (c[k + 1] - 2.0 * c[k] + c[k - 1]) / (dt * dt);
        assert!((acceleration - 10.0 * (c[k] - p[k])).abs() < 1e-6);
    }
}
