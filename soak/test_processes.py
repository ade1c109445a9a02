"""The supervisor sees what it is there for: who is left behind, and memory that grows."""

import subprocess
import sys
import time
import unittest

import processes


def looked(values):
    p = processes.Process(1, "made up", "part", 0.0)
    p.looks = [(float(t), y) for t, y in enumerate(values)]
    return p


class Growth(unittest.TestCase):
    def test_what_is_flat_is_flat(self):
        noisy = [100e6 + 5e6 * (i % 3) for i in range(200)]
        self.assertTrue(looked(noisy).is_flat())

    def test_a_warm_up_is_no_leak(self):
        self.assertTrue(looked([min(i, 60) * 10e6 for i in range(200)]).is_flat())

    def test_a_leak_is_seen(self):
        growth, _ = looked([100e6 + 1e6 * i for i in range(200)]).growth()
        self.assertAlmostEqual(growth, 133e6, delta=2e6)
        self.assertFalse(looked([100e6 + 1e6 * i for i in range(200)]).is_flat())


@unittest.skipUnless(processes.there_is_proc(), "there is no /proc")
class Orphans(unittest.TestCase):
    def test_who_is_left_behind_is_seen_and_ended(self):
        self.assertTrue(processes.adopt_orphans())
        watch = processes.Watch()
        # a child that ends at once and leaves a grandchild, in a session of its own
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
        watch.look()
        self.assertEqual(watch.left("part") + watch.left(processes.UNKNOWN), [])
        watch.end()


if __name__ == "__main__":
    unittest.main()
