"""The supervisor detects orphans and growing memory."""

import subprocess
import sys
import time
import unittest

import processes


def sampled(values):
    p = processes.Process(1, "fake", "part", 0.0)
    p.samples = [(float(t), y) for t, y in enumerate(values)]
    return p


class Growth(unittest.TestCase):
    def test_noise_is_flat(self):
        noisy = [100e6 + 5e6 * (i % 3) for i in range(200)]
        self.assertTrue(sampled(noisy).is_flat())

    def test_warm_up_is_flat(self):
        self.assertTrue(sampled([min(i, 60) * 10e6 for i in range(200)]).is_flat())

    def test_one_large_scene_is_flat(self):
        self.assertTrue(sampled([36e6 + (115e6 if 165 <= i < 190 else 0.0) for i in range(200)]).is_flat())

    def test_a_leak_below_noise_is_detected(self):
        self.assertFalse(sampled([36e6 + 0.4e6 * i + 40e6 * (i % 7 == 0) for i in range(200)]).is_flat())

    def test_a_leak_is_detected(self):
        growth, _ = sampled([100e6 + 1e6 * i for i in range(200)]).growth()
        self.assertAlmostEqual(growth, 133e6, delta=2e6)
        self.assertFalse(sampled([100e6 + 1e6 * i for i in range(200)]).is_flat())


@unittest.skipUnless(processes.has_proc(), "no /proc")
class Orphans(unittest.TestCase):
    def test_orphans_are_found_and_killed(self):
        self.assertTrue(processes.adopt_orphans())
        watch = processes.Watch()
        # a child that exits at once and leaves a grandchild in another session
        leave = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)"
        child = subprocess.Popen([sys.executable, "-c", leave])
        watch.belongs(child.pid, "part")
        child.wait()
        watch.start()
        time.sleep(0.2)
        left = watch.left("part") + watch.left(processes.UNKNOWN)
        self.assertEqual([p.name for p in left], ["sleep"])
        processes.kill(left)
        time.sleep(0.3)
        watch.sample()
        self.assertEqual(watch.left("part") + watch.left(processes.UNKNOWN), [])
        watch.end()


if __name__ == "__main__":
    unittest.main()
