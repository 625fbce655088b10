"""Tests of the package against the program that AIBD names."""

import collections
import copy
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import time
import types
import warnings
from pathlib import Path

import numpy as np
import pandas
import pytest

import aibd
from aibd._estimator import _EXPECTED_FAILED_CHECKS
from aibd._program import in_python, run
from aibd._settings import KEYS

pytestmark = pytest.mark.filterwarnings("ignore:the chains (do not agree|agree on what)")
SHORT = dict(warmup=50, draws=60, chains=2, progress=False)
N, D = 12, 4


@pytest.fixture(scope="module")
def x():
    rng = np.random.default_rng(1)
    z = rng.integers(0, 2, (N, 3))
    return z @ rng.normal(size=(3, D)) + 0.1 * rng.normal(size=(N, D))


@pytest.fixture(scope="module")
def fitted(x):
    return aibd.fit(x, distance=np.arange(N), center=False, scale=False, **SHORT)


def test_draws_by_name(fitted, x):
    assert "mass" in fitted and "unknown" not in fitted and list(fitted) == fitted.names and len(fitted) == len(fitted.names)
    with pytest.raises(KeyError, match="found no 'mas' among the draws, expected one of mass, temperature"):
        fitted["mas"]
    with pytest.raises(KeyError, match="the features have no weights"):
        aibd.fit(x, features="binary", **SHORT).W(0, 0)


def test_arrays(fitted, x):
    assert fitted.names == ["mass", "temperature", "sigma_x", "sigma_a", "weight_common", "weight_near", "weight_rate", "weight_own",
                            "n_features", "n_ones", "log_lik", "log_prior", "noise_scale", "permutation", "Z", "W"]
    assert fitted["noise_scale"].shape == (2, 60, D)
    assert fitted["mass"].shape == (2, 60) and fitted["mass"].dtype == float
    assert np.array_equal(fitted.X, x)
    assert fitted.items == [str(i + 1) for i in range(N)] and fitted.variables == ["x1", "x2", "x3", "x4"]
    assert fitted.chains == [1, 2]
    assert fitted.spec["distance"][0]["kind"] == "absolute"
    for draw in range(60):
        z = fitted.Z(1, draw)
        assert z.shape == (N, fitted["n_features"][1, draw]) and z.sum() == fitted["n_ones"][1, draw]
        assert sorted(fitted["permutation"][1, draw]) == list(range(N))


@pytest.mark.parametrize("features", ["weighted", "graded"])
def test_weights(x, features):
    fit = aibd.fit(x, np.arange(N), features=features, **SHORT)
    assert fit.spec["likelihood"]["features"] == features
    assert fit["W"].shape == fit["Z"].shape and not fit["W"][fit["Z"] == 0].any() and fit["W"].any()
    assert fit.W(1, 9).shape == fit.Z(1, 9).shape
    shares = ["weight_common", "weight_near", "weight_own"]
    assert [name for name in fit.names if name.startswith("weight_")] == [*shares[:2], "weight_rate", shares[2]]
    assert sum(fit[name] for name in shares) == pytest.approx(1) and (fit["weight_rate"] > 0).all()
    independent = aibd.fit(x, features=features, **SHORT)
    assert [name for name in independent.names if name.startswith("weight_")] == (shares[::2] if features == "graded" else [])
    g = fit.estimate()
    assert g.shape[0] == len(fit.items) and (g.shape[1] == 0 or not np.isin(g, [0, 1]).all())
    groups = fit.to_inference_data()
    assert np.array_equal(groups["posterior"]["W"].values, fit["W"])
    assert "W" not in aibd.fit(x, np.arange(N), features="binary", **SHORT).names
    with pytest.raises(aibd.AIBDError, match="features"):
        aibd.fit(x, features="grated", **SHORT)
    assert aibd.AIBD(features=features, settings=SHORT).fit(x).fit_["W"].any()


def test_summary(fitted):
    summary = fitted.summary()
    mass = summary["quantities"][0]
    assert mass["name"] == "mass" and mass["mean"] == pytest.approx(fitted["mass"].mean())
    assert "agreed" in summary["verdict"]
    assert "The chains" in str(fitted) and "12 items, 2 chains of 60 draws" in repr(fitted)


def test_sharing(fitted):
    assert fitted.sharing() == pytest.approx(np.array(json.loads(fitted.call("sharing", json=True))["mean"]))


def test_estimate(fitted):
    z = fitted.estimate()
    assert len(z) == N and z.any(axis=0).all()
    parts = fitted._estimated()["parts"]
    assert sum([part["features"] for part in parts], []) == list(range(1, z.shape[1] + 1))
    assert (np.diff([part["percent"] for part in parts]) <= 0).all()


@pytest.mark.parametrize("distance, kind", [
    (None, "none"),
    (np.abs(np.subtract.outer(np.arange(N), np.arange(N))), "matrix"),
    (np.arange(2 * N).reshape(N, 2), "euclidean"),
])
def test_distances(x, distance, kind):
    fit = aibd.fit(x, distance, **SHORT)
    assert fit.spec["distance"][0]["kind"] == kind
    assert ("temperature" in fit.names) == (distance is not None)


def test_dates(x):
    dates = pandas.date_range("2024-01-01", periods=N, freq="7D")
    days = (dates - pandas.Timestamp(0)).days
    expected = aibd.fit(x, days, **SHORT)
    assert np.array_equal(aibd.fit(x, "absolute:date", side={"date": dates.values}, **SHORT)["temperature"], expected["temperature"])
    for given in [
        dates, dates.values, dates.tz_localize("UTC"), dates.to_series(index=range(N)), list(dates), [date.date() for date in dates],
        dates.to_period("D"), dates - pandas.Timestamp(0), dates.to_frame(index=range(N)), pandas.Series(days, dtype="Int64"),
    ]:
        assert np.array_equal(aibd.fit(x, given, **SHORT)["temperature"], expected["temperature"])
    new = x[:2] + [[np.nan], [1]]
    assert np.array_equal(expected.predict(new, dates[:2]).mean, expected.predict(new, days[:2]).mean)
    with pytest.raises(ValueError, match="^distance: could not convert string to float: .*expected numbers or dates"):
        aibd.fit(x, np.array([str(date) for date in dates]), **SHORT)


def test_distances_in_any_unit(x):
    assert "istance" in str(aibd.fit(x, 1e18 * np.arange(N), **SHORT))


@pytest.mark.skipif(os.name == "nt", reason="a script")
def test_broken_program(tmp_path, monkeypatch):
    program = tmp_path / "aibd"
    program.write_text("#!/bin/sh\necho 'panic: it broke' >&2\necho 'goroutine 1' >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setenv("AIBD", str(program))
    with pytest.raises(aibd.AIBDError, match="^panic: it broke$") as caught:
        run(["version"])
    assert not isinstance(caught.value, aibd.UsageError)


def test_predict(x):
    holed = 1000 + 10 * x
    holed[2, 1] = np.nan
    fit = aibd.fit(holed, np.arange(N), **SHORT)
    p = fit.predict()
    assert (p.item, p.variable, p.features) == (["3"], ["x2"], None)
    assert abs(p.mean[0] - 1000) < 100 and p.lower[0] < p.mean[0] < p.upper[0]
    p = fit.predict([[1000, np.nan, 1000, 990], [np.nan] * D], [2.5, 40], items=["u", "v"], seed=3)
    assert p.item == ["u"] + ["v"] * D and p.variable[0] == "x2"
    assert p.features.shape == (2, fit.estimate().shape[1]) and np.isfinite(p.features).all()
    held = aibd.fit(x, holdout=0.2, **SHORT).predict()
    assert held.features is None and not np.isnan(held.held_out).any() and np.isfinite(held.log_density).all()
    with pytest.raises(aibd.AIBDError, match="no unknown cells"):
        aibd.fit(x, **SHORT).predict()
    with pytest.raises(ValueError, match="distance: found an array of shape"):
        fit.predict(x[:2], [1])


def test_predict_categories(x):
    y = np.column_stack([x, np.arange(N) % 3, np.arange(N) % 2])
    y[0] = np.nan
    fit = aibd.fit(y, ordinal=f"x{D + 1}", binary=f"x{D + 2}", **SHORT)
    for p in [fit.predict(), fit.predict([[np.nan] * (D + 2)])]:
        assert p.probabilities[:D] == [{}] * D
        assert [list(of) for of in p.probabilities[D:]] == [["0", "1", "2"], ["0", "1"]]
        for of, mean in zip(p.probabilities[D:], p.mean[D:]):
            assert sum(of.values()) == pytest.approx(1)
            assert sum(int(label) * q for label, q in of.items()) == pytest.approx(mean)


def test_counts(x):
    y = np.column_stack([x, np.arange(N) % 4 * np.arange(N)])
    y[1, D] = np.nan
    fit = aibd.fit(y, count=[f"x{D + 1}"], **SHORT)
    for p in [fit.predict(), fit.predict([[0.0] * D + [np.nan]])]:
        assert p.variable == [f"x{D + 1}"] and p.mean[0] > 0
        assert p.lower[0] == int(p.lower[0]) and p.upper[0] == int(p.upper[0])
    with pytest.raises(aibd.AIBDError, match="found -?[0-9.]+, expected a count"):
        aibd.fit(x, count="x1", **SHORT)


def test_pictures(fitted, tmp_path):
    picture = fitted.plot("density", tmp_path / "density.png")
    assert "<svg" in picture._repr_svg_() and (tmp_path / "density.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(aibd.UsageError, match="did you mean"):
        fitted.plot("desnity")
    fitted.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_axes(fitted):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axes = pytest.importorskip("matplotlib.pyplot").subplots()[1]
    assert fitted.plot("trace", ax=axes).startswith("<?xml")
    shown = axes.get_images()[0].get_array()
    assert shown.shape[0] > 500 and shown[..., :3].std() > 0 and not axes.axison


def test_no_temporary_directory_is_shown(x, tmp_path):
    fit = aibd.fit(x, np.arange(N), **SHORT)
    fit.report(tmp_path / "report.html")
    for text in [fit.plot("trace"), (tmp_path / "report.html").read_text(), str(fit)]:
        assert fit.path.parts[-2] not in text
    assert "  fit.resume(more=" in str(fit)
    for match, wrong in [(r'^X: row 0 \(from 0\), column "x2": found "inf"', lambda: aibd.fit(np.where(x == x[0, 1], np.inf, x), **SHORT)), (r"^X: row 0 \(from 0\), column", lambda: fit.predict([[1, np.inf, 3, 4]], [3]))]:
        with pytest.raises(aibd.AIBDError, match=match):
            wrong()


def test_scale(x):
    def error(factor, mean, **settings):
        held = aibd.fit(factor * x + mean, holdout=0.15, **settings, **SHORT).predict()
        return np.sqrt(np.mean((held.mean - held.held_out) ** 2)) / factor

    # Predictions are on the scale of X, centered and scaled or not.
    for settings in [dict(center=True, scale=True), dict(center=True, scale=False), dict(center=False, scale=False)]:
        assert error(1, 0, **settings) < 1.2
        assert error(1000, 0, **settings) == pytest.approx(error(1, 0, **settings), rel=0.05)
    # The model assumes a mean of 0. Columns far from it need centering or an intercept. Without
    # them every draw spends a feature of all items on the mean.
    assert error(1, 1000, center=True) < 1.2
    assert error(1, 1000, center=False, intercept=True) < 1.2
    shifted = aibd.fit(x + 100, center=False, features="binary", **SHORT)
    assert (shifted["Z"].all(axis=2).any(axis=2)).all()


def test_settings_without_a_flag():
    """Each setting is an argument: by its flag, or by a name for its key."""
    listed = re.findall(r"^([a-z_.]+)(.*)", run(["settings", "data", "likelihood", "distance", "prior", "sampler"]), re.M)
    assert {key for key, notes in listed if "--" not in notes} == set(KEYS.values())


def test_call(fitted):
    assert "Two items share" in fitted.call("sharing", top=1)
    with pytest.raises(aibd.UsageError, match="^unknown argument"):
        fitted.call("sharing", tpo=1)


def test_side_and_names(x, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f'ï "{i}", x' for i in range(N)]
    fit = aibd.fit(x, "absolute", side={"age": range(N)}, distance_columns="age", items=names, variables=list("abcd"), out="new", mass_shape=2, **SHORT)
    assert fit.items == names and fit.variables == list("abcd") and fit.spec["prior"]["mass"]["shape"] == 2
    again = aibd.load(tmp_path / "new" / "run")
    assert np.array_equal(again["mass"], fit["mass"]) and np.array_equal(again.X, fit.X)
    longer = again.resume(progress=False, more=40)
    assert longer["mass"].shape == (2, 100) and np.array_equal(longer["mass"][:, :60], fit["mass"])


def test_same_seed(x, fitted):
    again = aibd.fit(x, distance=np.arange(N), center=False, scale=False, **SHORT)
    assert np.array_equal(again["Z"], fitted["Z"])
    path = again.path
    del again
    assert not path.exists()


def test_data_frame(x):
    class Frame:  # as pandas has it
        index, columns = [f"i{i}" for i in range(N)], list("abcd")

        def __array__(self, dtype=None):
            return np.asarray(x, dtype)

    fit = aibd.fit(Frame(), **SHORT)
    assert fit.items == Frame.index and fit.variables == Frame.columns


def test_columns_of_frames(x):
    """The program reads numbers in text, and leaves out other text, with a warning."""
    texts = pandas.DataFrame(dict(
        sales=[f"{1e4 * v:,.3f}" for v in x[:, 0]], level=[str(v) for v in x[:, 1]], when=pandas.date_range("2020-01-01", periods=N),
        count=pandas.array([None, *range(1, N)], "Int64"), flag=[None, True, False] * (N // 3), group=list("uvw") * (N // 3),
    ))
    texts.loc[3, "sales"], texts.loc[5, "level"] = "n/a", None
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UserWarning)
        fit = aibd.fit(texts, center=False, scale=False, log="none", **SHORT)
    assert fit.variables == ["sales", "level", "count", "flag"]
    expected = np.column_stack([1e4 * x[:, 0], x[:, 1], np.arange(N), np.tile([np.nan, 1, 0], N // 3)])
    expected[3, 0] = expected[5, 1] = expected[0, 2] = np.nan
    assert fit.X == pytest.approx(expected, abs=1e-3, nan_ok=True)
    left_out = [w for w in found if str(w.message).startswith("X: left out: ")]
    assert [re.search("left out: (.*?): ", str(w.message))[1] for w in left_out] == ["when", "group"]
    assert all(w.filename == __file__ for w in left_out) and "distance='same:COLUMN'" in str(left_out[1].message)
    assert fit.predict(texts.iloc[:1]).variable == ["count", "flag"]
    # Columns of X that are not data measure distances, also of new items.
    measured = aibd.fit(texts, ["absolute:when", "same:group"], **SHORT)
    assert measured.variables == fit.variables
    found = measured.predict(texts.iloc[:1], seed=1)
    assert np.array_equal(found.mean, measured.predict(texts.iloc[:1], side=texts.iloc[:1], seed=1).mean)
    assert aibd.fit(texts[["sales", "group"]].assign(sex=["f", "m"] * (N // 2)), binary=["sex"], **SHORT).variables == ["sales", "sex"]


def test_files(x, tmp_path, monkeypatch):
    """Files are found from the directory of Python."""
    apart = np.abs(np.subtract.outer(np.arange(N), np.arange(N)))
    np.savetxt(tmp_path / "d.csv", apart, delimiter=",")
    monkeypatch.chdir(tmp_path)
    expected = aibd.fit(x, apart, **SHORT)["mass"]
    for distance, settings in [("matrix:d.csv", {}), (["far=matrix:d.csv"], {}), ("matrix", dict(distance_file="d.csv"))]:
        assert np.array_equal(aibd.fit(x, distance, **settings, **SHORT)["mass"], expected)
    with pytest.raises(aibd.AIBDError, match="^distance: found no matrix, expected distance=the matrix itself"):
        aibd.fit(x, "matrix", **SHORT)
    names = [f"n{i}" for i in range(N)]
    pandas.DataFrame({"id": names, "age": range(N)}).to_csv("people.csv", index=False)
    pandas.DataFrame({"item": names[1:3], "variable": ["a", "b"]}).to_csv("hidden.csv", index=False)
    pandas.DataFrame(np.ones((N, 1), int), names, ["f"]).to_csv("z.csv")
    Path("order.txt").write_text("\n".join(str(i) for i in range(N, 0, -1)))
    Path("spec.toml").write_text("[prior.mass]\nshape = 2\n")
    Path("data").touch()  # a word of init
    frame = pandas.DataFrame(x, names, list("abcd"))
    fit = aibd.fit(frame, "absolute:age", side=Path("people.csv"), permutation="order.txt", holdout_file="hidden.csv", spec="spec.toml", init="data", **SHORT)
    assert fit.spec["prior"]["mass"]["shape"] == 2 and (fit["permutation"] == np.arange(N)[::-1]).all()
    assert fit.predict(out="cells.csv", plot="cells.svg").item == ["n1", "n2"]
    new = frame.iloc[:1].set_axis(["new"]).mask(lambda x: x > 9)
    pandas.DataFrame({"id": ["new"], "age": [1]}).to_csv("new.csv", index=False)
    fit.predict(new, side="new.csv", features="features.csv")
    fit.call("sharing", csv="shared.csv", plot=Path("sharing.svg"))
    fit.call("export", "draws.csv")
    assert {"cells.csv", "cells.svg", "features.csv", "shared.csv", "sharing.svg", "draws.csv"} <= set(os.listdir())
    assert aibd.fit(frame, "absolute:age", side="people.csv", init="z.csv", features="binary", **SHORT).spec["distance"][0]["kind"] == "absolute"


def test_words(x):
    """What the program says is in words of Python."""
    for said, expected in [
        ("--distance euclidean:x,y measures distances, --columns '!x,!y' leaves them out", "distance='euclidean:x,y' measures distances, columns='!x,!y' leaves them out"),
        ("(--scale=false keeps the units; --missing -9; --binary and --ordinal)", "(scale=False keeps the units; missing=-9; binary=... and ordinal=...)"),
        ("(--set data.noise=common)", "(noise='common')"),
        ("  aibd fit run/run.json --set sampler.skip=0 --thin 1 --out run-2   # why", "  aibd.fit(X, ..., skip=0, thin=1)   # why"),
        ("aibd report run (a page), aibd compare run --baseline (why)", "fit.report(file) (a page), fit.call('compare', baseline=True) (why)"),
        ("a -- b, x--y", "a -- b, x--y"),
    ]:
        assert in_python(said) == expected
    lines = []
    aibd.fit(x, **{**SHORT, "progress": lines.append})
    assert any("distance=..." in line for line in lines) and not any("--" in line for line in lines)


def test_names_of_frames(x):
    names, order = [f"i{i}" for i in range(N)], np.random.default_rng(2).permutation(N)
    frame = pandas.DataFrame(x, names, list("abcd"))
    places = pandas.Series(np.arange(N) ** 2.0, names, name="place")
    expected = aibd.fit(frame, places, **SHORT)
    apart = np.abs(np.subtract.outer(places.values, places.values))
    matrix = aibd.fit(frame, pandas.DataFrame(apart, names, names), **SHORT)
    for distance, side, first, settings in [
        (places.iloc[order], None, expected, {}),
        ("absolute", places.iloc[order].to_frame(), expected, dict(distance_columns="place")),
        (pandas.DataFrame(apart, names, names).iloc[order, order[::-1]], None, matrix, {}),
        (pandas.DataFrame(apart, names, names).iloc[:, order], None, matrix, {}),
    ]:
        again = aibd.fit(frame, distance, side=side, **settings, **SHORT)
        assert np.array_equal(again["temperature"], first["temperature"])
    for other in places.rename({"i3": "elsewhere"}), places.iloc[[0, *range(N - 1)]]:
        with pytest.raises(ValueError, match='distance: found no row for "i3"|distance: row 1 .*: found the id "i0" as in line 2'):
            aibd.fit(frame, other, **SHORT)
    with pytest.warns(UserWarning, match="distance: the row 'i0' is taken for the first row of X"):
        unnamed = aibd.fit(x, places.iloc[order], **SHORT)
    assert np.array_equal(unnamed["mass"], expected["mass"])

    new = frame.iloc[:2] + 0.01
    found = expected.predict(new, [0.5, 1.5])
    turned = expected.predict(new[list("dbca")].assign(e=0), [0.5, 1.5])
    assert np.array_equal(turned.features, found.features) and turned.variable == found.variable
    with pytest.raises(ValueError, match="X: found no column 'b', expected a, b, c, d"):
        expected.predict(new[["a", "c"]], [0.5, 1.5])
    with pytest.raises(ValueError, match="X: found 3 columns, expected a, b, c, d"):
        expected.predict(x[:, :3], np.arange(N))


def test_further_rows_are_left_out(x):
    names = [f"i{i}" for i in range(N)]
    frame, further = pandas.DataFrame(x, names, list("abcd")), [*names[::-1], "new"]
    place = np.arange(N + 1) ** 2.0
    expected = aibd.fit(frame, place[:N][::-1], **SHORT)["temperature"]
    apart = np.abs(np.subtract.outer(place, place))
    for given in pandas.Series(place, further), pandas.DataFrame({"place": place}, further):
        with pytest.warns(UserWarning, match='distance: 1 row of no item left out: "new"'):
            found = aibd.fit(frame, given, **{**SHORT, "progress": False})
        assert np.array_equal(found["temperature"], expected)
    matrix = aibd.fit(frame, apart[:N, :N][::-1, ::-1], **SHORT)["temperature"]
    assert np.array_equal(aibd.fit(frame, pandas.DataFrame(apart, further, further), **SHORT)["temperature"], matrix)
    with pytest.raises(ValueError, match='distance: found no row for "i0", .*did you mean "I0"'):
        aibd.fit(frame, pandas.Series(place[:N], [name.upper() for name in names]), **SHORT)


def test_times_are_days(x):
    days = np.array([0, 1, 3, 4, 8, 9, 10, 12, 13, 17, 20, 21]) / 4
    at = pandas.Timestamp("2021-03-27", tz="UTC") + pandas.to_timedelta(days, "D")
    expected = aibd.fit(x, days, **SHORT)["mass"]
    for times in at, at.tz_convert("America/New_York"), at.tz_localize(None), at - at[0]:
        for distance, side in (times, None), ("absolute:t", {"t": times}), ("absolute:t", pandas.DataFrame({"t": times})), ("absolute:t", {"t": times.to_numpy()}):
            assert np.array_equal(aibd.fit(x, distance, side=side, **SHORT)["mass"], expected), (distance, side)


def test_rows_are_matched_by_name(x):
    order = np.random.default_rng(3).permutation(N)
    place = np.arange(N) ** 2.0
    apart = np.abs(np.subtract.outer(place, place))
    numbers, zero = [str(i + 1) for i in range(N)], [str(i) for i in range(N)]
    words = [chr(ord("a") + i) * 3 for i in range(N)]
    frames = {name: pandas.DataFrame(x, index, list("abcd")) for name, index in [("numbers", numbers), ("zero", zero), ("words", words)]}
    frames["none"] = x
    masses = {"by name": aibd.fit(x, apart, **SHORT)["mass"], "in order": aibd.fit(x, apart[order][:, order], **SHORT)["mass"]}
    X, the = [f"X{i}" for i in numbers], [f"the {word}" for word in words]
    for items, names, expected, warned in [
        ("numbers", X, "by name", True), ("numbers", numbers, "by name", False), ("numbers", words, "in order", True),
        ("zero", zero, "by name", False), ("zero", [f"s{i}" for i in zero], "by name", True), ("zero", numbers, "by name", True),
        ("words", words, "by name", False), ("words", the, None, False), ("words", X, None, False),
        ("none", X, "by name", True), ("none", numbers, "by name", False), ("none", zero, "by name", True), ("none", words, "in order", True),
    ]:
        index = pandas.Index(names)
        for given in [pandas.DataFrame(apart, index, index).iloc[order, order], pandas.DataFrame(apart, index).iloc[order, order]]:
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always", UserWarning)
                if expected is None:
                    with pytest.raises(ValueError, match="distance: found no row for .*expected one for each item of X"):
                        aibd.fit(frames[items], given, **SHORT)
                    continue
                mass = aibd.fit(frames[items], given, **SHORT)["mass"]
            assert np.array_equal(mass, masses[expected]), (items, names)
            assert warned == any("distance: " in str(w.message) for w in found), (items, names)
    turned = pandas.DataFrame(x, range(N), list("abcd")).iloc[order]
    with pytest.warns(UserWarning, match="distance: its index only counts"):
        aibd.fit(turned, pandas.Series(place), **SHORT)


def test_names_of_variables_may_be_numbers(x):
    for columns in [range(4), [1000, 900, 800.5, 7], [-1, -2, 3, 0]]:
        frame = pandas.DataFrame(x, columns=columns)
        place = pandas.DataFrame({7: np.arange(N)})
        fit = aibd.fit(frame, place, **SHORT)
        assert fit.variables == [str(c) for c in frame.columns]
        assert len(fit.predict(frame.iloc[:1], [0.5]).item) == 0


def test_masked_arrays(x):
    masked = np.ma.masked_equal(np.where(np.arange(N)[:, None] == 1, -999.0, x), -999)
    assert np.isnan(aibd.fit(masked, **SHORT).X[1]).all()


def test_copies(x, tmp_path):
    for one in copy.deepcopy(aibd.fit(x, **SHORT)), pickle.loads(pickle.dumps(aibd.fit(x, **SHORT))):
        assert "12 items" in repr(one) and "The chains" in str(one)  # the first Fit is gone, with its directory


def test_broken_progress(x, tmp_path):
    class Broken(Exception):
        pass

    def look(line):
        if list(tmp_path.glob("out/run/chain-1/draws-*.parquet")):
            raise Broken

    with pytest.raises(Broken):
        aibd.fit(x, out=tmp_path / "out", **{**SHORT, "draws": 20_000, "progress": look, "checkpoint": 0})
    assert aibd.load(tmp_path / "out" / "run")["mass"].size > 0


def test_errors(x, monkeypatch, tmp_path):
    with pytest.raises(aibd.UsageError, match='^unknown argument "sead", did you mean "seed"\\?$'):
        aibd.fit(x, sead=2, **SHORT)
    with pytest.raises(aibd.AIBDError, match="^mass_shape: found -1, expected"):
        aibd.fit(x, mass_shape=-1, **SHORT)
    with pytest.raises(aibd.AIBDError, match="draws.*found 0"):
        aibd.fit(x, **{**SHORT, "draws": 0})
    with pytest.raises(aibd.AIBDError, match="not-there: no such file or directory"):
        aibd.load(tmp_path / "not-there")
    with pytest.raises(aibd.NotAgreed, match="^strict: ") as caught:
        aibd.fit(x, strict=True, out=tmp_path / "strict", **SHORT)
    assert aibd.load(caught.value.path)["mass"].shape == (2, 60)
    with pytest.raises(ValueError, match="X: found 1 dimensions"):
        aibd.fit(x[0], **SHORT)
    with pytest.raises(ValueError, match="items: found 1 names, expected 12"):
        aibd.fit(x, items=["a"], **SHORT)
    with pytest.raises(ValueError, match="distance: found an array of shape"):
        aibd.fit(x, np.zeros(3), **SHORT)
    with pytest.raises(ValueError, match="^X: column 'b': found 'red', expected numbers: .*get_dummies"):
        aibd.AIBD().fit(pandas.DataFrame({"a": x[:, 0], "b": ["1", "red"] * (N // 2)}))
    with pytest.raises(aibd.AIBDError, match=r'^X: row 1 \(from 0\), column "b": found "red", expected a finite number .*missing=\.\.\.'):
        aibd.fit(pandas.DataFrame({"a": x[:, 0], "b": ["1", "red", *"2345678902"]}), **SHORT)
    with pytest.raises(aibd.AIBDError, match="^X: found no column of numbers, expected at least one"):
        aibd.fit(pandas.DataFrame({"a": list("abcdef")}), **SHORT)
    with pytest.raises(TypeError, match="^X: found the text 'lab.csv', expected .*read_csv"):
        aibd.fit("lab.csv", **SHORT)
    for named in dict(index=list("ab") * (N // 2)), dict(columns=list("abca")):
        with pytest.raises(ValueError, match="^(items|variables): found 'a' more than once, expected distinct names"):
            aibd.fit(pandas.DataFrame(x, **named), **SHORT)
    with pytest.raises(aibd.AIBDError, match='^distance_columns: X: unknown column "age"'):
        aibd.fit(pandas.DataFrame(x), "absolute", distance_columns="age", **SHORT)
    square = np.abs(np.subtract.outer(np.arange(N), np.arange(N)))
    for near in square[:, 1:], square[1:]:
        with pytest.raises(ValueError, match=f"^distance: found {len(near)} x {near.shape[1]} numbers, expected a square matrix"):
            aibd.fit(x, near, **SHORT)
    for out in tmp_path, tmp_path / "no" / "such":
        with pytest.raises(aibd.AIBDError, match="out: (File exists|No such file or directory), expected a new directory"):
            aibd.fit(x, out=out, **SHORT)
    with pytest.raises(aibd.DataError, match="^side: 'no.csv': no such file"):
        aibd.fit(x, "absolute:age", side="no.csv", **SHORT)
    with pytest.raises(TypeError, match="^distance: found a sparse matrix"):
        aibd.fit(x, types.SimpleNamespace(toarray=None), **SHORT)
    for wrong in np.where(x == x[0, 1], np.inf, x), x[:0], x[:1], x[0]:
        for fit in lambda x: aibd.fit(x, **SHORT), lambda x: aibd.AIBD(chains=1, settings=dict(warmup=2, draws=4)).fit(x):
            with pytest.raises(aibd.DataError, match="^X: ") as caught:
                fit(wrong)
            assert isinstance(caught.value, ValueError)
    for settings in dict(mass_shape=-1), dict(draws=0), dict(warmup=-1), dict(features="bin"), dict(prior="crp"), dict(holdout=2), dict(seed=-1), dict(columns="no"), dict(noise="none"):
        with pytest.raises(aibd.UsageError):
            aibd.fit(x, **{**SHORT, **settings})
    monkeypatch.delenv("AIBD", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="found no program aibd"):
        aibd.fit(x, **SHORT)


def test_progress(x, capfd):
    lines = []
    aibd.fit(x, **{**SHORT, "progress": lines.append})
    assert any("scans in" in line for line in lines)
    aibd.fit(x, **{**SHORT, "progress": True})
    assert "scans in" in capfd.readouterr().err


def test_export(fitted, tmp_path):
    fitted.export(tmp_path / "d.csv", columns=["mass", "n_features"])
    header, first = (tmp_path / "d.csv").read_text().splitlines()[:2]
    assert header == ".chain,.iteration,.draw,mass,n_features"
    assert float(first.split(",")[3]) == fitted["mass"][0, 0]


def test_inference_data(fitted, monkeypatch):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    monkeypatch.setitem(sys.modules, "arviz", None)
    groups = fitted.to_inference_data()
    assert sorted(groups) == ["log_likelihood", "observed_data", "posterior", "sample_stats"]
    assert sorted(fitted.to_inference_data(log_likelihood=False)) == ["observed_data", "posterior", "sample_stats"]
    assert groups["log_likelihood"].X.shape == (2, 60, N, D)
    assert groups["posterior"].noise_scale.dims == ("chain", "draw", "variable")
    assert np.array_equal(groups["posterior"].mass, fitted["mass"])
    arviz = types.ModuleType("arviz")
    arviz.from_zarr = lambda store: {g: xarray.open_zarr(store, group=g).load() for g in ["posterior", "observed_data", "log_likelihood"]}.copy()
    monkeypatch.setitem(sys.modules, "arviz", arviz)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "arviz", arviz)
    data = fitted.to_inference_data()
    assert np.array_equal(data["posterior"].mass, fitted["mass"])
    assert data["log_likelihood"].X.shape == (2, 60, N, D)


@pytest.mark.skipif(os.name == "nt", reason="SIGINT")
def test_interrupt(x, tmp_path):
    np.save(tmp_path / "x.npy", x)
    script = textwrap.dedent("""
        import signal, sys, numpy, aibd
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also if this process ignores it
        try:
            aibd.fit(numpy.load("x.npy"), out="out", warmup=10, draws=8_000, chains=2, checkpoint=0)
        except aibd.Interrupted as stopped:
            print(stopped)
            fit = aibd.load(stopped.path)
            mass, rows = fit["mass"], [chain - 1 for chain in fit.chains]  # one chain, if it is far ahead
            fit.resume(progress=False)
            again = fit["mass"][rows, : mass.shape[1]]
            print(0 < mass.shape[1] < 8_000, fit["mass"].shape, numpy.array_equal(again, mass))
    """)
    child = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path(aibd.__file__).parents[1])}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(36_000):  # half an hour, which only a very slow machine needs
        if child.poll() is not None or list(tmp_path.glob("out/run/chain-2/draws-*.parquet")):
            break
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=1800)
    assert child.returncode == 0, err
    assert out.startswith("stopped early: run has ") and out.endswith("True (2, 8000) True\n")


@pytest.mark.skipif(os.name == "nt", reason="SIGINT")
def test_interrupt_without_draws(tmp_path):
    script = textwrap.dedent("""
        import os, signal, numpy, aibd
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sent = []

        def stop(line):
            if line.startswith("Run ") and not sent:
                sent.append(os.kill(os.getpid(), signal.SIGINT))

        try:
            aibd.fit(numpy.random.default_rng(1).normal(size=(200, 10)), out="out", warmup=3_000, draws=20, chains=1, progress=stop)
        except aibd.Interrupted as stopped:
            print(f"aibd.load({str(stopped.path)!r}).resume() continues" in str(stopped))
            fit = aibd.load(stopped.path)
            print(repr(fit).startswith("<aibd.Fit without draws in "))
            try:
                fit["mass"]
            except aibd.AIBDError as none:
                print("found no draws: resume()" in str(none))
            print(fit.resume(progress=False)["mass"].shape)
    """)
    env = {**os.environ, "PYTHONPATH": str(Path(aibd.__file__).parents[1])}
    found = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert found.stdout.split("\n") == ["True", "True", "True", "(1, 20)", ""], found.stderr


def test_prepared(x):
    fit = aibd.fit(x, prepare=True, **SHORT)
    assert "without draws" in repr(fit) and not hasattr(fit, "unknown")
    assert np.array_equal(copy.copy(fit).resume(progress=False)["mass"], aibd.fit(x, **SHORT)["mass"])


def test_while_sampling(x, tmp_path):
    seen = []

    def look(line):
        if list(tmp_path.glob("out/run/chain-2/draws-*.parquet")) and not seen:
            seen.append(aibd.load(tmp_path / "out" / "run")["mass"].shape[1])

    aibd.fit(x, out=tmp_path / "out", **{**SHORT, "draws": 1000, "progress": look})
    assert seen and seen[0] > 0


def test_scikit_learn():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks that do not apply
        model = aibd.AIBD(chains=1, settings=dict(warmup=3, draws=4))
        if "expected_failed_checks" in inspect.signature(checks.check_estimator).parameters:  # from 1.6 on
            checks.check_estimator(model, expected_failed_checks=_EXPECTED_FAILED_CHECKS)
        else:
            checks.check_estimator(model)


def test_scikit_learn_tags(monkeypatch):
    utils = pytest.importorskip("sklearn.utils")
    if not hasattr(utils, "Tags"):  # before 1.6: the fields that its documentation lists
        fields = {
            "Tags": "estimator_type target_tags transformer_tags classifier_tags regressor_tags array_api_support no_validation non_deterministic requires_fit input_tags",
            "TargetTags": "required one_d_labels two_d_labels positive_only multi_output single_output",
            "TransformerTags": "preserves_dtype",
            "InputTags": "one_d_array two_d_array three_d_array sparse categorical string dict positive_only allow_nan pairwise",
        }
        for name, of in fields.items():
            tags = collections.namedtuple(name, of, defaults=[None] * len(of.split()))
            monkeypatch.setattr(utils, name, tags, raising=False)
    tags = aibd.AIBD().__sklearn_tags__()
    assert tags.input_tags.allow_nan and not tags.target_tags.required and tags.transformer_tags.preserves_dtype == []


def test_estimator(x):
    model = aibd.AIBD(seed=3, settings=dict(warmup=50, draws=60))
    assert model.set_params(chains=2) is model and model.get_params()["chains"] == 2
    assert repr(model) == "AIBD(seed=3, chains=2, settings={'warmup': 50, 'draws': 60})"
    with pytest.raises(ValueError, match="found the parameter 'chain'"):
        model.set_params(chain=2)
    with pytest.raises(AttributeError):
        model.transform(x)
    z = model.fit_transform(x)
    assert z.shape[0] == N and np.array_equal(model.transform(x), z) and model.n_features_in_ == D
    new = model.transform(x[:2] + 0.01)
    assert new.shape == (2, z.shape[1]) and new.dtype == float and np.allclose(new, z[:2], atol=0.5)
    assert type(model)(features="binary", settings=dict(warmup=50, draws=60)).fit(x).transform(x[:2] + 0.01).dtype == np.int8
    again = type(model)(**model.get_params())
    assert np.array_equal(again.fit(x).allocation_, z)
    calls = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aibd.Fit, "call", lambda fit, verb, *a, __call=aibd.Fit.call, **k: [calls.append(verb), __call(fit, verb, *a, **k)][1])
        few = type(model)(features="binary", most=5, settings=dict(warmup=50, draws=60)).fit(x)
    assert calls.count("estimate") == 1
    few.fit_.estimate()
    new = few.fit_.predict(x[:4] + 0.01, most=5).features
    assert np.array_equal(few.transform(x[:4] + 0.01), new > 0.5) and np.array_equal(new * 5, np.round(new * 5))
    some = aibd.AIBD(settings=dict(warmup=50, draws=60, columns=["b", "d"]))
    frame = pandas.DataFrame(x, columns=list("abcd"))
    z = some.fit_transform(frame)
    assert some.n_features_in_ == D and list(some.feature_names_in_) == list("abcd")
    assert np.array_equal(some.transform(frame[list("dcba")]), z)
    assert np.array_equal(some.transform(x[:3] + 0.01), some.transform(frame.iloc[:3] + 0.01))


def test_names_of_the_estimator(x):
    settings = dict(warmup=20, draws=30)
    frame = pandas.DataFrame(x, columns=[" a ", "b", " c", "d"]).assign(**{"t ": np.arange(N)})
    fit = aibd.fit(frame, "absolute:t", columns=[" a ", "b"], **SHORT)
    assert fit.variables == ["a", "b"] and fit.predict(frame.iloc[:2]).item == []
    model = aibd.AIBD("absolute:t", chains=1, settings=settings).fit(frame)
    expected = aibd.AIBD("absolute:t", chains=1, settings=settings).fit(frame.set_axis(list("abcdt"), axis=1))
    for new in frame.iloc[:3], frame.iloc[:3, ::-1], frame.iloc[:3].set_axis(list("abcdt"), axis=1), frame.iloc[:3].set_axis(range(5), axis=1):
        assert np.array_equal(model.transform(new), expected.transform(new)) and np.isfinite(model.score(new))
    with pytest.raises(ValueError, match="^X: found the columns A, B, C, D, T, expected a, b, c, d, t$"):
        model.transform(frame.set_axis(list("ABCDT"), axis=1))
    with pytest.raises(ValueError, match="^X: found the columns A, B, C, D, expected a, b, c, d$"):
        aibd.fit(frame.iloc[:, :4], **SHORT).predict(pandas.DataFrame(x[:2], columns=list("ABCD")))
    own = aibd.fit(frame.iloc[:, :4], variables=list("ABCD"), **SHORT)
    assert own.variables == list("ABCD") and own.predict(frame.iloc[:1, :4]).item == []
    own = aibd.AIBD(chains=1, settings=dict(variables=list("ABCD"), **settings)).fit(frame.iloc[:, :4])
    assert len(own.transform(frame.iloc[:2, :4])) == 2


def test_rows_of_one_name(x):
    frame = pandas.DataFrame(x, list("ab") * (N // 2))
    model = aibd.AIBD(np.arange(N), chains=1, settings=dict(warmup=20, draws=30)).fit(frame)
    assert model.fit_.items[-1] == str(N) and len(model.transform(frame.iloc[:4], np.arange(4))) == 4
    assert np.isfinite(model.score(frame)) and np.isfinite(model.score(frame.iloc[:4], distance=np.arange(4)))
    with pytest.raises(ValueError, match="^items: found 'a' more than once"):
        aibd.AIBD(pandas.Series(np.arange(N), frame.index), chains=1).fit(frame)


def test_lists_of_columns(x):
    frame = pandas.DataFrame(x, columns=list("abcd"))
    for columns in [frame.columns[:2], pandas.Series(["a", "b"]), {"a", "b"}, {"a": 1, "b": 2}.keys(), ("a", "b"), (c for c in "ab")]:
        assert aibd.fit(frame, columns=columns, **SHORT).variables == ["a", "b"]


def test_random_state(x):
    settings = dict(warmup=5, draws=10)
    expected = aibd.AIBD(seed=7, chains=1, settings=settings).fit(x).fit_["mass"]
    assert np.array_equal(aibd.AIBD(random_state=7, chains=1, settings=settings).fit(x).fit_["mass"], expected)
    for kind in np.random.RandomState, np.random.default_rng:
        seeds = [aibd.AIBD(random_state=kind(1), chains=1, settings=settings).fit(x).fit_.spec["sampler"]["seed"] for _ in range(2)]
        assert seeds[0] == seeds[1] > 7
    with pytest.raises(aibd.UsageError, match='^unknown argument "random_state", did you mean "seed"'):
        aibd.fit(x, random_state=1, **SHORT)


def test_nullable_columns_of_the_estimator(x):
    frame = pandas.DataFrame(x.copy(), columns=list("abcd"))
    nullable = frame.astype("Float64")
    frame.iloc[2, 1], nullable.iloc[2, 1] = np.nan, pandas.NA
    model = aibd.AIBD(chains=1, settings=dict(warmup=20, draws=30)).fit(nullable)
    assert np.array_equal(model.allocation_, aibd.AIBD(chains=1, settings=dict(warmup=20, draws=30)).fit(frame).allocation_)
    assert np.array_equal(model.transform(frame), model.allocation_)


def test_warnings_of_the_estimator(x):
    exceptions = pytest.importorskip("sklearn.exceptions")
    pipeline = pytest.importorskip("sklearn.pipeline")
    frame = pandas.DataFrame(x, columns=list("abcd")).assign(code=np.arange(N))
    for model in aibd.AIBD(settings=dict(warmup=3, draws=8)), pipeline.make_pipeline(aibd.AIBD(settings=dict(warmup=3, draws=8))):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            model.fit_transform(frame)
        assert [w.category for w in found] == [UserWarning, exceptions.ConvergenceWarning]
        assert "codes: code (columns='!code' leaves" in str(found[0].message) and str(found[1].message).startswith(("the chains do not agree. ", "the chains agree on what is large only. "))
        assert all(w.filename == __file__ for w in found)
    rng = np.random.default_rng(1)
    known = np.outer(np.arange(20) % 2, [3, -3, 2]) + 0.5 * rng.normal(size=(20, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aibd.AIBD(features="binary", settings=dict(mass=0.1, fix_mass=True, log="none")).fit(known)


def test_set_output(x):
    frame = pandas.DataFrame(x, index=[f"i{i}" for i in range(N)])
    model = aibd.AIBD(settings=dict(warmup=20, draws=30)).set_output(transform="pandas")
    z = model.fit_transform(frame)
    assert list(z.index) == list(frame.index) and list(z.columns) == list(model.get_feature_names_out())
    assert np.array_equal(z, model.allocation_) and z.equals(model.set_output().transform(frame))
    assert list(model.transform(frame.iloc[:2] + 0.01).index) == ["i0", "i1"]
    assert isinstance(model.set_output(transform="default").transform(frame), np.ndarray)
    with pytest.raises(ValueError, match="transform: found 'polars'"):
        model.set_output(transform="polars")
    sklearn = pytest.importorskip("sklearn")
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(model.transform(frame), np.ndarray)  # as it says itself
        assert isinstance(aibd.AIBD(settings=dict(warmup=20, draws=30)).fit_transform(x), pandas.DataFrame)


def test_components(x):
    model = aibd.AIBD(features="binary", settings=dict(warmup=50, draws=60, center=False, scale=False, intercept=False, columns=["a", "b", "d"]))
    with pytest.raises(AttributeError):
        model.get_feature_names_out()
    frame = pandas.DataFrame(x, columns=list("abcd"))
    z = model.fit_transform(frame)
    assert model.components_.shape == (z.shape[1], D) and not model.components_[:, 2].any()
    left = x - z @ model.components_
    assert (left[:, [0, 1, 3]] ** 2).sum() < (x[:, [0, 1, 3]] ** 2).sum() / 4
    assert list(model.get_feature_names_out()) == [f"aibd{k}" for k in range(z.shape[1])]


# Chains of weighted features do not agree on tables that are not centered and have hardly any noise.
@pytest.mark.parametrize(
    "features, settings",
    [("weighted", {}), ("binary", {}), ("binary", dict(center=False, scale=True)), ("binary", dict(center=False, scale=False, intercept=False))],
)
def test_inverse_transform(features, settings):
    rng = np.random.default_rng(4)
    z = rng.integers(0, 2, (40, 2))
    if features == "weighted":
        z = z * rng.normal(1.5, 0.3, size=z.shape)
    y = z @ [[2, -1, 0, 3, 1, 2], [0, 2, 3, -1, 2, 1]] + (0 if "center" in settings else [5, -3, 1, 7, 3, 2])
    x = np.column_stack([y[:, :3], np.exp(y[:, 3]), 100 * y[:, 4], y[:, 5]]) * (1 + 0.02 * rng.normal(size=y.shape))
    settings = dict(warmup=500, draws=500, columns=["x1", "x2", "x3", "x4", "x5"], log="x4", min_noise=0, **settings)
    model = aibd.AIBD(features=features, chains=2, settings=settings).fit(x)
    again = model.inverse_transform(model.allocation_)
    assert again.shape == x.shape and np.isnan(again[:, 5]).all()
    for found, column in zip(again.T[:5], x.T):
        assert 1 - np.mean((found - column) ** 2) / np.var(column) > (0.75 if "center" in settings else 0.95)  # those chains disagree
    with pytest.raises(ValueError, match="^Z: found an array of shape"):
        model.inverse_transform(x)


def test_inverse_transform_of_categories():
    rng = np.random.default_rng(4)
    z = rng.integers(0, 2, (60, 2))
    x = np.column_stack([z @ [[3, 1], [-1, 2]] + 0.1 * rng.normal(size=(60, 2)), z[:, 0], 2 + z.sum(axis=1), 3 + 20 * z[:, 1]])
    model = aibd.AIBD(features="binary", settings=dict(warmup=300, draws=300, chains=2, binary="x3", ordinal="x4", count="x5")).fit(x)
    again = model.inverse_transform(model.allocation_)
    assert np.isin(again[:, 2], [0, 1]).all() and np.isin(again[:, 3], [2, 3, 4]).all() and (again[:, 4] == again[:, 4].round()).all()
    assert (again[:, 2:4] == x[:, 2:4]).mean() > 0.9 and np.abs(again[:, 4] - x[:, 4]).max() < 4


@pytest.mark.parametrize("features", ["binary", "weighted"])
def test_score(x, features):
    places = pandas.DataFrame({"east": np.arange(N), "north": np.arange(N) % 3}, [f"i{i}" for i in range(N)])
    frame = pandas.DataFrame(x, places.index, list("abcd"))
    model = aibd.AIBD(places, features=features, settings=dict(warmup=50, draws=60)).fit(frame)
    known = model.score(frame)
    assert known == model.score(frame, None, places[::-1])  # matched by name
    assert known == pytest.approx(model.score(frame, side=places), abs=1e-9)
    holed = frame.copy()
    holed.iloc[0, 1] = np.nan
    assert np.isfinite(model.score(holed, None, places))
    # A table whose rows do not have the features of X is less likely.
    assert model.score(frame.iloc[:, ::-1].set_axis(list("abcd"), axis=1), None, places) < known
    # Densities are in the units of X.
    tall = aibd.AIBD(places, features=features, settings=dict(warmup=50, draws=60)).fit(1000 * frame)
    assert tall.score(1000 * frame) == pytest.approx(known - np.log(1000), abs=0.3)
    with pytest.raises(aibd.AIBDError, match="matrix of distances"):
        apart = np.abs(np.subtract.outer(np.arange(N), np.arange(N)))
        aibd.AIBD(apart, features=features, settings=dict(warmup=5, draws=10)).fit(x).score(x)


def test_distances_in_columns_of_the_estimator(x):
    model_selection = pytest.importorskip("sklearn.model_selection")
    frame = pandas.DataFrame(x, columns=list("abcd")).assign(t=np.arange(N), when=pandas.date_range("2020-01-01", periods=N), firm=list("uv") * (N // 2))
    settings = dict(warmup=20, draws=30)
    for distance, X in [("absolute:t", frame.iloc[:, :5]), ("absolute:x5", frame.iloc[:, :5].values), (["absolute:when", "firms=same:firm"], frame.drop(columns="t"))]:
        model = aibd.AIBD(distance, chains=1, features="weighted", settings=settings).fit(X)
        first = X[:3] if isinstance(X, np.ndarray) else X.iloc[:3]
        new = model.transform(first)
        assert new.shape == (3, model.allocation_.shape[1]) and np.array_equal(model.transform(X), model.allocation_)
        assert np.isfinite(model.score(X)) and np.isfinite(model.score(first))
        assert np.isfinite(model_selection.cross_val_score(model, X, cv=3, error_score="raise")).all()
        if X is not first and not isinstance(X, np.ndarray):
            side = first[list({"t", "when", "firm"} & set(X.columns))]
            assert np.array_equal(model.transform(first, side=side), new)
            moved = X.assign(**{c: X[c].values[::-1] for c in side})
            assert not np.array_equal(model.transform(moved), model.allocation_)  # not the X of fit
    with pytest.raises(ValueError, match="^X: column 'when': found '2020-01-01 00:00:00', expected numbers: .*distance='absolute:when'"):
        aibd.AIBD("absolute:t", chains=1, settings=settings).fit(frame)
    with pytest.raises(ValueError, match="^X: column 'firm': found 'u', expected numbers"):
        aibd.AIBD("absolute:when", chains=1, settings=settings).fit(frame)


def test_score_of_categories(x):
    y = np.column_stack([x, np.arange(N) % 2, np.arange(N) % 3])
    model = aibd.AIBD(features="binary", settings=dict(warmup=50, draws=60, binary="x5", ordinal="x6")).fit(y)
    other = y.copy()
    other[:, 4:] = [[1 - b, 2 - o] for b, o in y[:, 4:]]
    assert np.isfinite(model.score(y)) and model.score(y) != model.score(other)


def test_several_distances() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 2))
    side = {"firm": ["a", "b"] * 6, "year": list(range(12))}
    fit = aibd.fit(x, distance=["same:firm", "absolute:year", "both=gower:firm,year"], side=side, warmup=5, draws=20, chains=2, seed=1, features="binary", progress=False)
    assert (fit["temperature_2"] > 0).all() and (fit["temperature"] != fit["temperature_2"]).any()
    assert (fit["temperature_3"] > 0).all()
    new = fit.predict(np.array([[np.nan, 1.0]]), side={"firm": ["new"], "year": [3.5]})
    assert len(new.mean) == 1
    own = {"distance.year.shift": 1, "distance.firm.temperature.value": 0.5, "distance.firm.temperature.fixed": True}
    fit = aibd.fit(x, distance=["same:firm", "absolute:year"], side=side, warmup=5, draws=20, chains=2, seed=1, features="binary", progress=False, **own)
    assert fit.spec["distance"][1]["shift"] == 1 and (fit["temperature"] == 0.5).all() and (fit["temperature_2"] != 0.5).any()


def test_documentation():
    """The documentation names all parameters, in lines of at most 120 characters."""
    for name in inspect.signature(aibd.AIBD).parameters:
        assert f"\n{name}: " in inspect.getdoc(aibd.AIBD), name
    for name in inspect.signature(aibd.fit).parameters:
        assert name in inspect.getdoc(aibd.fit)
    of = [getattr(aibd, name) for name in aibd.__all__]
    for documented in of + [method for kind in of if isinstance(kind, type) for method in vars(kind).values()]:
        assert all(len(line) <= 120 for line in str(getattr(documented, "__doc__", "")).split("\n")), documented


@pytest.mark.parametrize("missing", ["xarray", "zarr"])
def test_no_xarray(fitted, monkeypatch, missing):
    """Test that one line says what to_inference_data needs."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match="^to_inference_data needs xarray and zarr: python3 -m pip install xarray zarr$") as found:
        fitted.to_inference_data()
    assert found.value.__context__ is None


def test_named_on_path(tmp_path):
    """Test that python -m aibd finds a program that AIBD names without a folder, as fit does."""
    (tmp_path / "bin").mkdir()
    os.symlink(Path(aibd.program()).resolve(), tmp_path / "bin/aibd-by-name")
    env = {**os.environ, "PYTHONPATH": str(Path(aibd.__file__).parents[1]), "AIBD": "aibd-by-name", "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    assert subprocess.check_output([sys.executable, "-m", "aibd", "version"], cwd=tmp_path, env=env, text=True).startswith("aibd ")


def test_no_numpy(tmp_path):
    """Test that python -m aibd needs no NumPy, and that one line says that all else does."""
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError('none', name='numpy')")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(aibd.__file__).parents[1]}", "AIBD": aibd.program()}
    assert subprocess.check_output([sys.executable, "-m", "aibd", "version"], cwd=tmp_path, env=env, text=True).startswith("aibd ")
    for code in ["import aibd; aibd.fit", "from aibd import fit"]:
        found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert found.stderr.endswith("\nImportError: aibd needs NumPy: python3 -m pip install numpy\n")
