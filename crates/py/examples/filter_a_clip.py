"""Filters an impossible walk into one that ground and joints allow."""

import tempfile
from pathlib import Path

import anthropi

folder = Path(tempfile.mkdtemp())

# any .bvh, .amc, .npz or .mot file; here a built-in motion, played too fast
walk = anthropi.Clip.load("keyed-walk").cut(0, 1.5).at_speed(1.8)
before = anthropi.certify(walk)
print(before)
for finding in before.findings[:3]:
    print("  ", finding["what"])

filtered = anthropi.filter(walk)
result = filtered.to_dict()
print(filtered)
print(f"   residual force {result['input']['root_residual']['force_rms_N']:.1f} N before, "
      f"{result['output']['root_residual']['force_rms_N']:.1e} N after; joints moved by "
      f"{result['tracking']['joint_rms_deg']:.1f} degrees rms")
assert filtered.fell is None and filtered.is_consistent

filtered.save(folder / "real.bvh")
(folder / "real.html").write_text(filtered.to_html())
print(f"motion and page: {folder}")
