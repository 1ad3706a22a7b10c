"""The same small result as the tools write it whose logs hold ids and scores, and little else."""

import json

from tests.logs.test_harbor import job, trial
from tests.logs.test_helm import SPEC, instance, stat
from tests.logs.test_sacrebleu import SIGNED
from tests.logs.test_tau2 import INFO, simulation

from .toy_logs import MEANS


def harbor(folder, results):
    for system, given in results.items():
        trials = []
        for one in given:
            reward = one.wrote if one.failed else one.score
            failed = "VerifierTimeoutError" if one.failed else None
            made = trial(f"t{one.id}", reward, failed, model=system)
            trials.append(made | {"task_checksum": f"sum of {one.q}"})
        job(folder / system, trials, total=len(results["a"]))


def swebench(folder, results):
    for system, given in results.items():
        ids = {kind: [] for kind in ("resolved", "unresolved", "error")}
        for one in given:
            if one.failed:
                ids["error"].append(instance_of(one))
            if not one.failed or one.wrote is not None:
                ids["resolved" if (one.wrote or one.score) == 1 else "unresolved"].append(
                    instance_of(one)
                )
        told = {f"{kind}_ids": which for kind, which in ids.items()}
        told |= {"submitted_ids": sorted({x for which in ids.values() for x in which})}
        told |= {"schema_version": 2, "total_instances": 6, "incomplete_ids": []}
        told |= {"resolved_instances": {"a": 4, "b": 2}[system]}
        (folder / f"{system}.json").write_text(json.dumps(told))


def instance_of(one):
    return f"owner__repo-{one.id}"


def tau2(folder, results):
    for system, given in results.items():
        tasks = {one.id: {"id": one.id, "user_scenario": one.q} for one in given}
        simulations = []
        for one in given:
            ended = "too_many_errors" if one.failed else "user_stop"
            reward = one.wrote if one.failed else one.score
            simulations.append(simulation(one.id, 0, reward, ended))
        info = INFO | {"num_trials": 1, "agent_info": {"implementation": "llm", "llm": system}}
        told = {"timestamp": "2025-06-11T00:00:00", "info": info, "tasks": list(tasks.values())}
        (folder / f"{system}.json").write_text(json.dumps(told | {"simulations": simulations}))


def helm(folder, results):
    for system, given in results.items():
        rows = []
        for one in given:
            score = stat("exact_match", one.wrote or one.score, count=0 if one.failed else 1)
            rows.append(instance(f"id{one.id}", score))
        (folder / system).mkdir()
        adapter = SPEC["adapter_spec"] | {"model": system}
        spec = SPEC | {"adapter_spec": adapter, "name": f"toy:model={system}"}
        told = [stat("exact_match", MEANS[system])]
        names = {"per_instance_stats": rows, "run_spec": spec, "stats": told}
        for name, value in names.items():
            (folder / system / f"{name}.json").write_text(json.dumps(value))


def trec_eval(folder, results):
    for system, given in results.items():
        lines = [f"map\tq{one.id}\t{one.score:.4f}" for one in given if not one.failed]
        lines.append(f"map\tall\t{MEANS[system]:.4f}")
        (folder / f"{system}.txt").write_text("\n".join(lines) + "\n")


def ir_measures(folder, results):
    for system, given in results.items():
        lines = [f"q{one.id}\tAP\t{one.score:.4f}" for one in given if not one.failed]
        lines.append(f"all\tAP\t{MEANS[system]:.4f}")
        (folder / f"{system}.txt").write_text("\n".join(lines) + "\n")


def sacrebleu(folder, results):
    for system, given in results.items():
        lines = [f"BLEU|{SIGNED} = {100 * one.score:.1f} 75.0/63.6 (BP = 1.000)" for one in given]
        (folder / f"{system}.txt").write_text("\n".join(lines) + "\n")


# tool: how it writes, and the metric that the score stands under
TOOLS = {
    "Harbor": (harbor, "reward"),
    "SWE-bench": (swebench, "resolved"),
    "tau2": (tau2, "reward"),
    "HELM": (helm, "exact_match"),
    "trec_eval": (trec_eval, "map"),
    "ir_measures": (ir_measures, "AP"),
    "sacrebleu": (sacrebleu, "BLEU"),
}
