"""Studio, pictures and plots."""

import builtins
import sys
import urllib.request

import anthropi
import pytest
from anthropi import show


@pytest.fixture(scope="module")
def walk():
    return anthropi.Clip.load("keyed-walk")


def test_the_studio_opens_what_is_shown(walk, program, monkeypatch):
    monkeypatch.setenv("ANTHROPI", str(program))
    monkeypatch.setattr(show, "_is_notebook", lambda: True)
    for shown in [walk, walk.figure]:
        studio = shown.show()
        if isinstance(studio, show.Picture):
            assert "without the page" in studio.why, "a program without its page shows a picture"
            assert studio._repr_svg_().startswith("<svg")
            continue
        assert studio.address in studio._repr_html_()
        assert urllib.request.urlopen(studio.address.split("#")[0]).status == 200
        studio.close()
        assert studio.process.poll() is not None


def test_the_studio_is_embedded_and_closed(walk, monkeypatch, tmp_path):
    fake = tmp_path / "anthropi"
    fake.write_text(
        f"#!{sys.executable}\nimport json, sys, time\nassert sys.argv[1] == 'studio' and '--embed' in sys.argv\n"
        "print(json.dumps({'address': 'http://127.0.0.1:1/#open=' + sys.argv[2], 'port': 1}, indent=2), flush=True)\ntime.sleep(60)"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("ANTHROPI", str(fake))
    monkeypatch.setattr(show, "_is_notebook", lambda: True)
    studio = walk.show()
    assert isinstance(studio, show.Studio) and f'src="{studio.address}"' in studio._repr_html_()
    assert anthropi.Clip.load(studio.address.split("=")[1]).name == walk.name, "the file is there while it is shown"
    studio.close()
    assert studio.process.poll() is not None


def test_without_the_program_there_is_a_picture(walk, monkeypatch, tmp_path):
    monkeypatch.delenv("ANTHROPI", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    for shown in [walk, walk.figure]:
        picture = shown.show()
        assert isinstance(picture, show.Picture) and picture._repr_svg_() == shown._repr_svg_()
        picture.save(tmp_path / "x.svg")
        assert (tmp_path / "x.svg").read_text().startswith("<svg")
    monkeypatch.setenv("ANTHROPI", str(tmp_path / "none"))
    assert isinstance(walk.show(), show.Picture)


def test_plots_are_figures_of_matplotlib(walk, tmp_path):
    figure = pytest.importorskip("matplotlib.figure").Figure
    record = anthropi.Simulation.scene("pendulum").run(0.2)
    for shown in [walk, anthropi.certify(walk), record]:
        plot = shown.plot()
        assert isinstance(plot, figure)
        plot.savefig(tmp_path / "plot.png")


def test_plots_say_what_they_need(walk, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"anthropi\[plot\]"):
        walk.plot()
