//! The paper a plot is drawn on.

/// Size of a plot and what is common to several of them. Elements have classes (`paper`, `grid`, `zero`, `axis`, `shade`,
/// `band`, `level`, `mark`, `line c0`...), so that a page may give them other colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// pixels
    pub width: f64,
    /// pixels
    pub height: f64,
    /// room for labels at the left, pixels
    pub left: f64,
    /// whether the title is drawn, or stands elsewhere
    pub is_titled: bool,
    /// whether lines come in pairs, of one colour, the second dashed
    pub is_paired: bool,
    /// range of x; else that of the lines
    pub x: Option<(f64, f64)>,
    /// ranges of x that are greyed
    pub shades: Vec<(f64, f64)>,
    /// values of y that are marked across, with what to write there
    pub levels: Vec<(f64, String)>,
    /// a range of y that is tinted behind the lines: x, lower and upper edge
    pub band: Vec<[f64; 3]>,
}

const LEFT: f64 = 78.0;
const RIGHT: f64 = 20.0;
const BOTTOM: f64 = 52.0;
const TITLE: f64 = 28.0;
const LEGEND: f64 = 20.0;
const ABOVE: f64 = 10.0;

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet {
            width: 720.0,
            height: 380.0,
            left: LEFT,
            is_titled: true,
            is_paired: false,
            x: None,
            shades: Vec::new(),
            levels: Vec::new(),
            band: Vec::new(),
        }
    }
}

impl Sheet {
    /// Right edge of the lines.
    pub fn right(&self) -> f64 {
        self.width - RIGHT
    }

    /// Lower edge of the lines.
    pub fn bottom(&self) -> f64 {
        self.height - BOTTOM
    }

    /// Upper edge of the lines.
    pub fn top(&self, has_legend: bool) -> f64 {
        // single plots have always had room for a legend
        self.legend() + ABOVE + if has_legend || self.is_titled { LEGEND } else { 0.0 }
    }

    /// Upper edge of the legend.
    pub fn legend(&self) -> f64 {
        if self.is_titled { TITLE } else { 0.0 }
    }

    /// Which colour the i-th line has, and whether it is dashed.
    pub(super) fn look(&self, i: usize) -> (usize, &'static str) {
        match self.is_paired {
            true => (i / 2, if i % 2 == 1 { " stroke-dasharray=\"5 3\"" } else { "" }),
            false => (i, ""),
        }
    }

    /// The beginning of a picture, its paper included.
    pub(super) fn open(&self, data: &str) -> String {
        let Sheet { width, height, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\"{data}>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        )
    }
}
