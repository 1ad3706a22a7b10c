"""Two processes of a dask cluster give what one process gives, to the digit."""

import logging
from dataclasses import replace
from functools import partial
from importlib import metadata

import numpy as np
import pytest
from scale.made_blocks import (
    counted,
    failing,
    graded,
    has_betterthan,
    labelled,
    right_or_wrong,
    run,
    store,
)

import betterthan as bt
from betterthan.blocks import lazy as work
from betterthan.blocks import scheduling
from betterthan.fits import checking
from betterthan.models.likelihood_data import by_dataset
from validation import calibrate, calibration
from validation.decisions import stored
from validation.decisions.roster import CELLS
from validation.roster import validation_of

distributed = pytest.importorskip("distributed")
cloudpickle = pytest.importorskip("cloudpickle")
# a warning of how fast the disk of this machine is
pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories is taking:UserWarning")
VALUES = right_or_wrong(6000, 5, missing=0.05)


def lazy(rows=1000):
    return labelled(VALUES, missing_value=-1).chunk(item=rows)


@pytest.fixture(scope="module")
def address():
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def client(address):
    with distributed.Client(address) as one:
        yield one


def test_compare_is_the_same_with_two_workers_and_none(address, monkeypatch):
    here = bt.compare(lazy(), rope=0.01, rng=3).data
    monkeypatch.setattr(work, "MANY", 1)  # the pairs' integrals are shared out, too
    monkeypatch.setattr(work, "_PART", 4)
    with distributed.Client(address) as client, distributed.get_task_stream(client) as done:
        there = bt.compare(lazy(700), rope=0.01, rng=3).data
    assert here.attrs == there.attrs
    for name, told in here.data_vars.items():
        if told.dtype.kind == "f":
            np.testing.assert_allclose(there[name], told, rtol=0, atol=1e-12)
        else:
            np.testing.assert_array_equal(there[name], told)
    assert len({one["worker"] for one in done.data}) == 2


def test_draws_and_permutations_are_the_same_with_two_workers_and_none(address):
    values = graded(600, 3)
    data = [labelled(values).chunk(item=rows) for rows in (100, 170)]
    here = bt.scores.bootstrap_draws(data[0], draws=300, rng=3)
    tested = bt.randomization_test(data[0], shuffles=300, rng=3)
    with distributed.Client(address):
        there = bt.scores.bootstrap_draws(data[1], draws=300, rng=3)
        np.testing.assert_allclose(there, here, rtol=1e-12)
        again = bt.randomization_test(data[1], shuffles=300, rng=3)
    np.testing.assert_array_equal(again["p_value"], tested["p_value"])


def test_the_command_line_gives_its_work_to_a_cluster(address, tmp_path, capsys):
    zarr = store(tmp_path / "scores.zarr", VALUES, missing_value=-1)
    with distributed.Client(address) as client, distributed.get_task_stream(client) as done:
        given = "compare", zarr, "--scheduler", address, "--format", "json"
        there, _, code = run(capsys, *given)
    here, _, _ = run(capsys, "compare", zarr, "--format", "json")
    assert code == 0
    assert there == here
    assert done.data


def test_a_scheduler_without_workers_is_one_line(tmp_path, capsys):
    zarr = store(tmp_path / "scores.zarr", VALUES, missing_value=-1)
    none = {"n_workers": 0, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(**none, silence_logs=logging.CRITICAL) as cluster:
        given = "compare", zarr, "--scheduler", cluster.scheduler_address
        _, err, code = run(capsys, *given)
    assert code == 2
    assert "has no workers; start one with 'dask worker" in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("there", "told"), [(None, "no betterthan"), ("0.0.1", "betterthan 0.0.1")]
)
def test_workers_must_have_the_same_betterthan(client, address, there, told):
    """A worker that cannot load what it is sent stops, and its work would be waited for forever."""
    client.run(has_betterthan, there)
    try:
        with (
            pytest.raises(ValueError, match=rf"dask worker at tcp://.* has {told}; install"),
            scheduling.scheduled(address),
        ):
            pass
    finally:
        client.run(has_betterthan, metadata.version("betterthan"))
    with scheduling.scheduled(address):
        pass


def test_a_refusal_in_a_worker_is_the_same_line(client):
    values = VALUES.copy()
    with pytest.raises(ValueError, match="is -1 in int8: if that stands for a missing score"):
        bt.count(labelled(values).chunk(item=1000))


def workers_stop(block, start):
    raise distributed.KilledWorker("a block", None, 3)


def test_workers_that_stop_end_in_one_line():
    line = r"4 dask workers stopped at the same block.*data\.chunk\(item=250\)"
    with pytest.raises(ValueError, match=line):
        work.folded(work.blocks_of(lazy()), workers_stop, sum)


def test_calibration_is_shared_out_by_the_same_code(client, address, tmp_path, monkeypatch, capsys):
    cell = next(c for c in CELLS if c.name == "units/equal, 3 units of 5")
    cell = replace(cell, sets=40, block=20, key_sets=2)
    with distributed.get_task_stream(client) as done:
        assert calibrate.calibrate([cell], tmp_path / "there") == 1
    assert len(done.data) == 2
    assert calibrate.calibrate([cell], tmp_path / "here", map=map) == 1
    assert stored.read(tmp_path / "there") == stored.read(tmp_path / "here")
    monkeypatch.setattr(calibrate, "CELLS", [cell])
    given = ["units", "--folder", str(tmp_path / "again"), "--scheduler", address]
    assert calibrate.main(given) == 0
    assert stored.read(tmp_path / "again") == stored.read(tmp_path / "here")
    monkeypatch.setattr("betterthan.blocks.scheduling._SECONDS", 0.3)
    assert calibrate.main(["units", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "no dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_refits_are_shared_out_a_part_a_worker(client):
    assert list(calibration.in_parts(counted, range(5))) == [(0, 2), (1, 2), (2, 3), (3, 3), (4, 3)]
    assert list(calibration.in_parts(counted, [7])) == [(7, 1)]
    assert list(calibration.in_parts(counted, [])) == []
    with pytest.raises(ValueError, match="this step fails"):
        list(calibration.in_parts(failing, range(2)))


def test_fits_by_weights_are_ranked_the_same_by_workers(address):
    form = validation_of("item_response").forms[0]
    with distributed.Client(address) as client, distributed.get_task_stream(client) as done:
        there, k_there = calibration.by_weights(form, 3, 1)
    assert len(done.data) == 3
    here, k_here = calibration.by_weights(form, 3, 1)
    assert k_there == pytest.approx(k_here, abs=1e-9)
    assert there.coverage == here.coverage
    for name, ranks in here.ranks.items():
        np.testing.assert_array_equal(there.ranks[name], ranks)


def test_what_refits_need_can_be_sent():
    counts = bt.models.hierarchical.simulate(3, n=20, rng=1)["counts"]
    step = partial(checking._predict_left_out, by_dataset(counts), np.ones(3), 1)
    assert cloudpickle.loads(cloudpickle.dumps(step)).args[2] == 1
    for form in validation_of("hierarchical").forms:
        cloudpickle.dumps(partial(calibration._refits, form))
