//! Functions of a coordinate in joints.
//!
//! Linear ones become joints; others are evaluated where they are frozen and over their range.

use super::spline::Spline;
use crate::error::Error;
use crate::xml::Element;
use anthropi_dynamics::joint::Range;

/// Deviation from a line, relative to the spread, below which points make a linear function.
const STRAIGHT: f64 = 1e-9;
/// Samples of a function to find its largest deviation.
const SAMPLES: usize = 256;
/// Supported functions.
const KNOWN: &str = "Constant, LinearFunction, MultiplierFunction, SimmSpline, NaturalCubicSpline, GCVSpline, \
                     PiecewiseLinearFunction or PolynomialFunction";

/// A function of one coordinate.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Function {
    /// `slope x + intercept`
    Linear { slope: f64, intercept: f64 },
    /// highest power first
    Polynomial(Vec<f64>),
    /// interpolates points
    Spline(Spline),
    /// piecewise linear, constant outside the points
    PiecewiseLinear(Vec<(f64, f64)>),
    /// another function times a number
    Scaled(f64, Box<Function>),
}

impl Function {
    /// A constant.
    pub fn constant(value: f64) -> Function {
        Function::Linear { slope: 0.0, intercept: value }
    }

    /// The coordinate itself.
    pub fn identity() -> Function {
        Function::Linear { slope: 1.0, intercept: 0.0 }
    }

    /// The function inside an element, if there is one: bare (version 4) or inside `function` (before).
    pub fn inside(node: &Element) -> Result<Option<Function>, Error> {
        let found = node.children.iter().find(|c| c.name == "function" || is_function(&c.name));
        match found {
            Some(wrapper) if wrapper.name == "function" => {
                wrapper.children.first().map(Function::read).transpose()
            }
            Some(bare) => Function::read(bare).map(Some),
            None => Ok(None),
        }
    }

    fn read(node: &Element) -> Result<Function, Error> {
        match node.name.as_str() {
            "Constant" => Ok(Function::constant(node.inner_number("value")?.unwrap_or(0.0))),
            "LinearFunction" => {
                let [slope, intercept] = node.inner_numbers("coefficients")?.unwrap_or([1.0, 0.0]);
                Ok(Function::Linear { slope, intercept })
            }
            "MultiplierFunction" => {
                let inner = Function::inside(node)?.ok_or_else(|| node.refuse("has no function"))?;
                Ok(inner.scaled(node.inner_number("scale")?.unwrap_or(1.0)))
            }
            "PolynomialFunction" => {
                let list =
                    node.inner_list("coefficients")?.ok_or_else(|| node.refuse("has no coefficients"))?;
                Ok(match list[..] {
                    [intercept] => Function::constant(intercept),
                    [slope, intercept] => Function::Linear { slope, intercept },
                    _ => Function::Polynomial(list),
                })
            }
            "PiecewiseLinearFunction" => {
                let (x, y) = points(node)?;
                Ok(Function::PiecewiseLinear(x.into_iter().zip(y).collect()))
            }
            // a GCVSpline also interpolates unless it smooths, but differs between the points
            "SimmSpline" | "NaturalCubicSpline" | "natCubicSpline" | "GCVSpline" => {
                let (x, y) = points(node)?;
                let wrong = || node.refuse("expected increasing x, and as many y");
                Spline::new(x, y).map(Function::Spline).ok_or_else(wrong)
            }
            _ => Err(node.refuse(format!("function not supported; expected {KNOWN}"))),
        }
    }

    fn scaled(self, k: f64) -> Function {
        match self {
            Function::Linear { slope, intercept } => {
                Function::Linear { slope: slope * k, intercept: intercept * k }
            }
            Function::Scaled(j, inner) => Function::Scaled(j * k, inner),
            other => Function::Scaled(k, Box::new(other)),
        }
    }

    /// Value at a coordinate.
    pub fn value(&self, x: f64) -> f64 {
        match self {
            Function::Linear { slope, intercept } => slope * x + intercept,
            Function::Polynomial(list) => list.iter().fold(0.0, |sum, k| sum * x + k),
            Function::Spline(spline) => spline.value(x),
            Function::PiecewiseLinear(points) => interpolate(points, x),
            Function::Scaled(k, inner) => k * inner.value(x),
        }
    }

    /// Slope and intercept, if it is linear.
    pub fn line(&self) -> Option<(f64, f64)> {
        match self {
            Function::Linear { slope, intercept } => Some((*slope, *intercept)),
            Function::Polynomial(_) => None,
            Function::Spline(spline) => line_through(&spline.points().collect::<Vec<_>>()),
            // constant outside the points
            Function::PiecewiseLinear(points) => line_through(points).filter(|(slope, _)| *slope == 0.0),
            Function::Scaled(k, inner) => inner.line().map(|(a, b)| (k * a, k * b)),
        }
    }

    /// Largest deviation from its value at `x` over a range.
    pub fn deviation(&self, x: f64, range: Range) -> f64 {
        let here = self.value(x);
        let at = |k: usize| range.lower + (range.upper - range.lower) * k as f64 / SAMPLES as f64;
        (0..=SAMPLES).map(|k| (self.value(at(k)) - here).abs()).fold(0.0, f64::max)
    }
}

/// Whether an element is a function by its name.
fn is_function(name: &str) -> bool {
    name.ends_with("Function") || name.ends_with("Spline") || matches!(name, "Constant" | "Sine")
}

/// Points from `x` and `y`, without duplicates.
fn points(node: &Element) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let get = |name| node.inner_list(name).map(Option::unwrap_or_default);
    let (x, y) = (get("x")?, get("y")?);
    if x.is_empty() || x.len() != y.len() {
        return Err(node.refuse(format!("found {} x and {} y, expected equal numbers", x.len(), y.len())));
    }
    let mut points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
    points.dedup();
    if points.windows(2).any(|w| w[1].0 < w[0].0) {
        return Err(node.refuse("expected increasing x"));
    }
    Ok(points.into_iter().unzip())
}

fn line_through(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let ((x0, y0), (x1, y1)) = (*points.first()?, *points.last()?);
    let slope = if x1 > x0 { (y1 - y0) / (x1 - x0) } else { 0.0 };
    let largest = points.iter().fold(0.0, |m: f64, p| m.max((p.1 - y0).abs()));
    let off = points.iter().fold(0.0, |m: f64, p| m.max((y0 + slope * (p.0 - x0) - p.1).abs()));
    (off <= STRAIGHT * largest).then_some((slope, y0 - slope * x0))
}

fn interpolate(points: &[(f64, f64)], x: f64) -> f64 {
    let i = points.partition_point(|p| p.0 <= x);
    match (i.checked_sub(1).map(|k| points[k]), points.get(i)) {
        (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
        (Some((_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => 0.0,
    }
}
