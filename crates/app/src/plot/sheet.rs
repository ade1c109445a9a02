//! Size and shared settings of plots.

/// Size and shared settings of plots. Elements have classes (`paper`, `grid`, `zero`, `axis`, `shade`, `band`, `level`,
/// `mark`, `line c0`...), so that a page can restyle them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// pixels
    pub width: f64,
    /// pixels
    pub height: f64,
    /// left margin for labels, pixels
    pub left: f64,
    /// whether the title is drawn
    pub is_titled: bool,
    /// whether lines come in pairs of one colour, the second dashed
    pub is_paired: bool,
    /// range of x; by default that of the lines
    pub x: Option<(f64, f64)>,
    /// greyed ranges of x
    pub shades: Vec<(f64, f64)>,
    /// labelled horizontal lines
    pub levels: Vec<(f64, String)>,
    /// tinted band behind the lines: x, lower and upper edge
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
    /// Right edge of the plot area.
    pub fn right(&self) -> f64 {
        self.width - RIGHT
    }

    /// Lower edge of the plot area.
    pub fn bottom(&self) -> f64 {
        self.height - BOTTOM
    }

    /// Upper edge of the plot area.
    pub fn top(&self, has_legend: bool) -> f64 {
        // titled plots always reserve room for a legend
        self.legend() + ABOVE + if has_legend || self.is_titled { LEGEND } else { 0.0 }
    }

    /// Upper edge of the legend.
    pub fn legend(&self) -> f64 {
        if self.is_titled { TITLE } else { 0.0 }
    }

    /// Colour index of the i-th line and its dash attribute.
    pub(super) fn look(&self, i: usize) -> (usize, &'static str) {
        match self.is_paired {
            true => (i / 2, if i % 2 == 1 { " stroke-dasharray=\"5 3\"" } else { "" }),
            false => (i, ""),
        }
    }

    /// Opens the SVG and paints the background.
    pub(super) fn open(&self, data: &str) -> String {
        let Sheet { width, height, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\"{data}>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        )
    }
}
