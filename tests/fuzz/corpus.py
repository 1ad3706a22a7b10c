"""Damaged logs that were once misread, or ended in a raw exception: the change, and what is said.

Each case is a seed of `validation.fuzzing.log_seeds`, the file, a text in it, the text in its
place, and the message without the folder.
"""

DEEP = 1500
DAMAGED = {
    "a number that would be 0": (
        *("tau2", "a.json", '"reward": 0.5', '"reward": 1e-400'),
        r"a\.json, row 1: not readable as JSON \('1e-400' is so close to 0 that it would be read",
    ),
    "a number as text that would be 0": (
        *("braintrust", "a.json", '"Factual": 0.6', '"Factual": "1e-400"'),
        r"a\.json, row 1, column 'Factual', value '1e-400': is so close to 0",
    ),
    "a vote that would be 0": (
        *("one_hot", "a.csv", "a,b,0,0,1", "a,b,0,1e-400,1"),
        r"a\.csv, row 3, value .*: one of winner_model_a, .* must be 1 and the others 0",
    ),
    "a trial beyond counting": (
        *("tau2", "a.json", '"trial": 1', '"trial": 9007199254740993'),
        r"a\.json, row 2: an epoch is at most 1,000,000, item '0' has 9,007,199,254,740,994",
    ),
    "a trial of half a number": (
        *("tau2", "a.json", '"trial": 1', '"trial": 1.5'),
        r"a\.json, row 2, column 'trial', value 1\.5: is no whole number, nor null",
    ),
    "half of a character": (
        *("tau2", "a.json", '"task_id": "1"', '"task_id": "\\ud800"'),
        r"a\.json, row 3: item '\\ud800' holds half of a character",
    ),
    "a simulation that is no object": (
        *("tau2", "a.json", '"simulations": [', '"simulations": [5, '),
        r"a\.json, value 5: one of simulations is no object",
    ),
    "simulations twice": (
        *("tau2", "a.json", '"simulations": [', '"simulations": [], "simulations": ['),
        r"a\.json: the key 'simulations' occurs twice in one object",
    ),
    "a header twice": (
        *("inspect_json", "a.json", '"status": "success"', '"status": "x", "status": "success"'),
        r"a\.json: the key 'status' occurs twice in one object",
    ),
    "a sample that is null": (
        *("inspect_json", "a.json", '"samples": [', '"samples": [null, '),
        r"a\.json, row 1, value None: is no sample",
    ),
    "samples that are no list": (
        *("inspect_json", "a.json", '"samples": [', '"samples": {}, "more": ['),
        r"a\.json, value {}: samples is no list",
    ),
    "an instance that is no object": (
        *("swebench_details", "s/per_instance_details.json", '"b__b-2": {', '"b": 5, "b__b-2": {'),
        r"s/per_instance_details\.json, row 2, value 5: b is no object",
    ),
    "ids that are no list": (
        *("swebench_report", "report.json", '"unresolved_ids": ["b__b-2"]', '"unresolved_ids": 1'),
        r"report\.json, column 'unresolved_ids', value 1: is no list of ids",
    ),
    "ids that are no text": (
        *(
            "swebench_results",
            "results.json",
            '"no_generation": ["b__b-2"]',
            '"no_generation": [1]',
        ),
        r"results\.json, column 'no_generation', value \[1\]: is no list of ids",
    ),
    "metrics that are no list": (
        *("lm_eval", "samples_toy_2026-11-21T21-00-22.307630.jsonl", '["acc", "acc_norm"]', '""'),
        r"samples_toy_.*\.jsonl, row 1: is no sample of lm-eval",
    ),
    "a reward as text": (
        *("harbor", "a__0/result.json", '"reward": 1.0', '"reward": "1.0"'),
        r"a__0/result\.json, column 'reward', value '1\.0': is no reward; one is a number from",
    ),
    "more runs than fit into memory": (
        *("promptfoo", "a.json", '"repeat": 1', '"repeat": 9999999999'),
        r"a\.json: names 9999999999 runs of each item; at most 1,000,000 are counted",
    ),
    "a deep task": (
        *("tau2", "a.json", '"user_scenario": "a"', f'"user_scenario": {"[" * DEEP}{"]" * DEEP}'),
        r"a\.json: holds a value that is nested too deeply",
    ),
    "a deep game": (
        *("arena_hard", "a.jsonl", '"judge": "gpt-4"', f'"judge": {"[" * DEEP}{"]" * DEEP}'),
        r"a\.jsonl, row 1: holds a value that is nested too deeply",
    ),
    "scores that are no JSON": (
        *("braintrust", "a.json", '"scores": null', '"scores": "{\\"Exact\\": 1, \\"Exact\\": 0}"'),
        r"a\.json, row 3, column 'scores', value '{\"Exact.*: is no object of metric and score",
    ),
}
