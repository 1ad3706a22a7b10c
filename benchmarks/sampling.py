"""How fast the joint models sample, beside the form one would write by hand and beside numpyro;
into README.md.

Each case runs in processes of its own with an empty cache of compiled code, then once more with it
filled.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
DRAWS, TUNE, CHAINS = 1000, 1000, 4
CASES = {
    "hierarchical": (
        "15 pairs, 10 data sets, 300 examples",
        "each data set's Dirichlet drawn, not integrated out",
    ),
    "clustered": ("3 pairs, 60 clusters of 6", "each cluster's two Beta variables drawn"),
    "davidson": (
        "20 systems, 2,000 judgments",
        "abilities free, not summing to zero; a row a judgment",
    ),
    "item_response": ("8 systems, 381 items", "each item's difficulty drawn"),
    "graded": ("10 pairs, 6 data sets, 300 items", "centres of data sets not centred"),
}


def models(name: str) -> tuple[Any, Any, list[str], float]:
    """Ours, the one by hand, the variables both have, and the target of acceptance."""
    from betterthan import models as m
    from betterthan.counts.counting import count_clusters, count_outcomes
    from validation import designs

    if name == "hierarchical":
        counts = count_outcomes(designs.scores_of(designs.Design(300, 0.5, 6, 10), 1), by="dataset")
        return (
            m.hierarchical.build(counts),
            by_hand_hierarchical(counts),
            ["mu", "correlation"],
            0.9,
        )
    if name == "clustered":
        scores = designs.scores_of(designs.Design(360, 0.3, 3, 1), 1)
        counts = count_clusters(scores.assign_coords(cluster=("item", np.arange(360) // 6)))
        return (
            m.clustered.build(counts),
            by_hand_clustered(counts),
            ["p", "s", "win_correlation"],
            0.9,
        )
    if name == "davidson":
        data = m.davidson.simulate(20, judgments=2000, rng=1)
        return m.davidson.build(data), by_hand_davidson(data), ["ability", "tie"], 0.95
    if name == "item_response":
        data = m.item_response.simulate(381, systems=8, rng=1)
        return m.item_response.build(data), by_hand_rasch(data), ["ability", "difficulty_sd"], 0.95
    scores = designs.graded_scores(designs.Design(300, 0.2, 5, 6), 1)
    return m.graded.build(scores), by_hand_graded(scores), ["centre", "centre_sd", "scale"], 0.95


def by_hand_hierarchical(counts: Any) -> Any:
    import pymc as pm

    from betterthan.models import likelihood_data

    values = likelihood_data.by_dataset(counts).values
    with pm.Model() as model:
        mu = pm.Dirichlet("mu", np.ones(3), shape=values.shape[1:])
        correlation = pm.Beta("correlation", 1, 9, shape=values.shape[1])
        theta = pm.Dirichlet("theta", (1 / correlation - 1)[:, None] * mu, shape=values.shape)
        pm.Multinomial("y", n=values.sum(-1), p=theta, observed=values)
    return model


def by_hand_clustered(counts: Any) -> Any:
    import pymc as pm

    from betterthan.models import likelihood_data

    values = likelihood_data.by_cluster(counts).values
    k = values.shape[1]
    with pm.Model() as model:
        p, s = pm.Beta("p", 1, 1, shape=k), pm.Beta("s", 2, 1, shape=k)
        win, decisive = (
            pm.Beta(f"{name}_correlation", 1, 9, shape=k) for name in ("win", "decisive")
        )
        a, b = 1 / win - 1, 1 / decisive - 1
        p_c = pm.Beta("p_c", p * a, (1 - p) * a, shape=values.shape[:2])
        s_c = pm.Beta("s_c", s * b, (1 - s) * b, shape=values.shape[:2])
        some = values[..., :2].sum(-1)
        pm.Binomial("decided", n=values.sum(-1), p=s_c, observed=some)
        pm.Binomial("wins", n=some, p=p_c, observed=values[..., 0])
    return model


def by_hand_davidson(data: Any) -> Any:
    import pymc as pm

    from betterthan.models import shrinkage

    place = {s: k for k, s in enumerate(data["system"].values)}
    a, b = (np.array([place[s] for s in data[k].values]) for k in ("system_a", "system_b"))
    with pm.Model() as model:
        sd = pm.Gamma("ability_sd", shrinkage.SHAPE, shrinkage.RATE)
        ability = pm.Normal("ability", 0, sd, shape=len(place))
        tie = pm.Normal("tie", -0.7, 1.5)
        d = ability[a] - ability[b]
        p = pm.math.softmax(pm.math.stack([d / 2, -d / 2, tie + 0 * d], axis=-1), axis=-1)
        pm.Categorical("y", p=p, observed=np.array([2, 0, 1])[data["outcome"].values])
    return model


def by_hand_rasch(data: Any) -> Any:
    import pymc as pm

    from betterthan.models import shrinkage

    y = data["successes"].values
    with pm.Model() as model:
        sd = pm.Gamma("ability_sd", shrinkage.SHAPE, shrinkage.RATE)
        ability = pm.ZeroSumNormal("ability", sd, shape=y.shape[1])
        spread, mean = pm.LogNormal("difficulty_sd", 0.3, 0.6), pm.Normal("mean", 0, 1.5)
        difficulty = pm.Normal("difficulty", 0, 1, shape=len(y))
        pm.Bernoulli("y", logit_p=mean + ability - spread * difficulty[:, None], observed=y)
    return model


def by_hand_graded(scores: Any) -> Any:
    import pymc as pm

    from betterthan.counts.graded_pairs import differences_of
    from betterthan.models import graded

    d = differences_of(scores)
    k = len(d.n)
    with pm.Model() as model:
        centre, centre_sd = (
            pm.Normal("centre", 0, 1, shape=k),
            pm.HalfNormal("centre_sd", 0.5, shape=k),
        )
        scale = pm.LogNormal("scale", *graded._SCALE, shape=k)
        tail = pm.Exponential("tail_less_one", scale=29, shape=k) + 1
        each = centre + centre_sd * pm.Normal("raw", 0, 1, shape=(len(d.datasets), k))
        pm.StudentT(
            "y", nu=tail[d.pair], mu=each[d.dataset, d.pair], sigma=scale[d.pair], observed=d.y
        )
    return model


def run(name: str, who: str) -> dict[str, float]:
    """Compile and sample one model once, in this process."""
    import arviz as az
    import pymc as pm

    from betterthan.models import sampling

    ours, by_hand, variables, target = models(name)
    model = by_hand if who == "by hand" else ours
    start = time.perf_counter()
    if who == "numpyro":
        tree = pm.sample(
            DRAWS,
            tune=TUNE,
            chains=CHAINS,
            cores=2,
            target_accept=target,
            nuts_sampler="numpyro",
            random_seed=1,
            quiet=True,
            model=model,
            nuts={"chain_method": "vectorized"},
        )
        compiled = start
    else:
        import nutpie

        with sampling.steady_arithmetic():
            code: Any = nutpie.compile_pymc_model(model)
        compiled = time.perf_counter()
        tree = nutpie.sample(
            code,
            draws=DRAWS,
            tune=TUNE,
            chains=CHAINS,
            cores=2,
            seed=1,
            target_accept=target,
            progress_bar=False,
            save_warmup=False,
        )
    end = time.perf_counter()
    posterior = tree["posterior"].to_dataset()[variables]
    if who == "by hand" and name == "davidson":
        posterior["ability"] = posterior["ability"] - posterior["ability"].mean("ability_dim_0")
    least = min(float(np.nanmin(v.values)) for v in az.ess(posterior).data_vars.values())
    diverged = int(tree["sample_stats"].to_dataset()["diverging"].sum())
    return {
        "compile": compiled - start,
        "sample": end - compiled,
        "ess": least,
        "divergences": diverged,
    }


def apart(name: str, who: str, cache: str) -> dict[str, float]:
    """The same in a process of its own, with this cache of compiled code."""
    command = [sys.executable, __file__, "--case", name, "--who", who]
    flags = {"PYTENSOR_FLAGS": f"base_compiledir={cache}", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        command, env=os.environ | flags, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.strip().split("\n")[-1])


def row(name: str) -> str:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (apart(name, "ours", cache) for _ in range(2))
        hand, jax = apart(name, "by hand", cache), apart(name, "numpyro", cache)
    rates = [one["ess"] / one["sample"] for one in (warm, hand)]
    of_jax = jax["ess"] / jax["sample"]
    task, form = CASES[name]
    diverged = int(hand["divergences"])
    told = f"; {diverged} divergence{'s' if diverged > 1 else ''}" if diverged else ""
    return (
        f"| `{name}`, {task} | {cold['compile']:.0f} s, {warm['compile']:.1f} s | "
        f"{warm['sample']:.1f} s "
        f"| {rates[0]:.0f} | {form}{told} | {rates[1]:.1f} | {rates[0] / rates[1]:.1f} | "
        f"{of_jax:.1f} |"
    )


def main() -> None:
    """Write the table, or run one case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--who", choices=("ours", "by hand", "numpyro"))
    chosen = parser.parse_args()
    if chosen.case:
        print(json.dumps(run(chosen.case, chosen.who)))
        return
    head = "| model and data | compiling: first, again | sampling | ESS/s | by hand "
    head += "| its ESS/s | ratio | numpyro, ESS/s |"
    lines = [head, "| --- | --: | --: | --: | --- | --: | --: | --: |"]
    for name in CASES:
        lines.append(row(name))
        print(lines[-1], flush=True)
    text = (HERE / "README.md").read_text()
    start, end = "<!-- sampling -->\n", "<!-- end of sampling -->"
    head, tail = text.split(start)[0], text.split(end)[1]
    (HERE / "README.md").write_text(head + start + "\n".join(lines) + "\n" + end + tail)


if __name__ == "__main__":
    main()
