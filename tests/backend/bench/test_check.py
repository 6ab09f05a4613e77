"""The families are what they say they are, and the table tells what was measured."""

import json

import pytest

from ebb.backend import driver
from ebb.backend.automata.build import build
from ebb.backend.bench import check, families
from ebb.backend.bench.check import Measurement, Report, Row
from ebb.backend.bench.families import Instance
from ebb.backend.checker import engines
from ebb.backend.checker.limits import Limits
from ebb.formats.bp_check import read

SMALL = [families.instance(family, sizes[0]) for family, sizes in families.SIZES.items()]


@pytest.mark.parametrize("instance", families.instances(), ids=lambda instance: instance.name)
def test_every_instance_has_its_verdict(instance: Instance) -> None:
    answer = engines.check(build(read(instance.text)), "auto", Limits())
    assert answer.verdict == instance.verdict


@pytest.mark.parametrize("instance", SMALL, ids=lambda instance: instance.name)
def test_the_engines_agree_on_small_instances(instance: Instance) -> None:
    automata = build(read(instance.text))
    for engine in ("bdd", "cubes"):
        assert engines.check(automata, engine, Limits()).verdict == instance.verdict


def row(own: float, **others: float | None) -> Row:
    measurements = [Measurement("auto", "safe", own)]
    for engine, seconds in others.items():
        known = seconds is not None
        measurements.append(
            Measurement(engine, "safe" if known else "unknown", seconds if seconds is not None else 60.2)
        )
    return Row(families.instance("lock", 2), tuple(measurements))


def test_a_row_tells_how_far_ahead_we_are() -> None:
    assert row(0.5, spin=2.0, abc=1.0).ahead == 2.0
    assert row(0.5, spin=None).ahead > 100
    assert row(0.5, spin=2.0).is_slow
    assert not row(0.5, spin=0.9).is_slow


def test_a_wrong_verdict_is_told() -> None:
    wrong = Row(families.instance("lock", 2), (Measurement("auto", "safe", 1.0), Measurement("abc", "unsafe", 1.0)))
    unsure = Row(families.instance("lock", 2), (Measurement("auto", "unknown", 1.0),))
    report = Report(("auto", "abc"), 1, 60.0, (wrong, row(1.0, abc=None)))
    assert report.differing == (wrong,)
    assert not unsure.agrees
    assert "wrong: lock-2" in check.show_report(report)


def test_the_table() -> None:
    report = Report(("auto", "spin"), 1, 60.0, (row(0.5, spin=2.0), row(2.0, spin=1.0), row(0.2, spin=None)))
    assert check.show_report(report) == (
        "instance  verdict  auto s  spin s  ahead by\n"
        "lock-2    safe       0.50    2.00       4.0\n"
        "lock-2    safe       2.00    1.00       0.5\n"
        "lock-2    safe       0.20    > 60     301.0\n"
        "\n"
        "ahead of every other checker: 2 of 3\n"
        "and where one takes more than a second: 2 of 3\n"
    )


def test_a_measurement_is_a_whole_process(capsys: pytest.CaptureFixture[str]) -> None:
    assert driver.main(["bench", "check", "--family", "ring", "--engines", "bdd", "--rounds", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["engines"] == ["auto", "bdd"]
    assert [instance["size"] for instance in found["instances"]] == list(families.SIZES["ring"])
    for instance in found["instances"]:
        assert instance["engines"]["auto"]["verdict"] == instance["verdict"] == "safe"
        assert instance["engines"]["bdd"]["seconds"] > 0


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert driver.main(["bench", "check", "--family", "rings"]) == 64
    assert "there is no family rings; there are lock" in capsys.readouterr().err
    assert driver.main(["bench", "check", "--family", "ring", "--engines", "spine"]) == 64
    assert "spine" in capsys.readouterr().err
