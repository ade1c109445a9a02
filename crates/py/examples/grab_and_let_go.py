"""A figure falls, grabs a point in the air, swings on it and lets go."""

import anthropi
import numpy as np

figure = anthropi.Figure("human-28")
hand = next(link for link in figure.links if "forearm" in link or "hand" in link)
fall = anthropi.Simulation(figure)
fall.run(0.2, every=20)

before = fall.figure.momentum(fall.state)
fall.connect(hand, name="grip", kind="spherical")
swing = fall.run(0.8, every=20)
print(f"swings on its {hand}: {fall.figure.connections}, open by {fall.closure_error[0]:.1e} m")
assert fall.closure_error[0] < 1e-9

fall.cut("grip")
momentum = fall.figure.momentum(fall.state)
fall.step()
assert np.allclose(momentum[:3], fall.figure.momentum(fall.state)[:3], atol=1e-3), "free flight keeps the spin"
print(f"lets go at {fall.time:.2f} s with {fall.energy['kinetic']:.0f} J")
fall.run(0.3, every=20).to_clip().save("flight.bvh")
