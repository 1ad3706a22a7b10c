"""Mistakes of new users: each ends in one line that names the option or call that solves it."""

import json
import re
import warnings

import pyarrow
import pytest
from typer.testing import CliRunner

import betterthan as bt
from betterthan.cli import commands
from betterthan.cli.options import in_options

ROWS = range(12)
IDS = [f"q{k}" for k in ROWS]


def wide(*columns, names="item,old,new", sep=","):
    rows = zip(IDS, *columns, strict=True)
    return names.replace(",", sep) + "\n" + "".join(f"{sep.join(map(str, row))}\n" for row in rows)


RIGHT = [int(k % 3 > 0) for k in ROWS]
WRONG = [k % 2 for k in ROWS]
YES = ["yes" if x else "no" for x in RIGHT]
TOPIC = [f"t{k // 4}" for k in ROWS]
BY_SYSTEM = "".join(f"{s},{','.join(map(str, RIGHT))}\n" for s in ("old", "new"))
LONG = "system,item,doc,run,em\n" + "".join(
    f"{s},{i},d{k // 4},{r},{RIGHT[k]}\n"
    for s in ("old", "new")
    for k, i in enumerate(IDS)
    for r in (1, 2)
)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Exit code and the last line of standard error of a command on one file."""

    def of(text, *options, command="compare", file="r.csv", stdout=None):
        path = tmp_path / file
        path.write_text(text)
        monkeypatch.setattr("sys.argv", ["betterthan", command, str(path), *options])
        with pytest.raises(SystemExit) as stop:
            commands.main()
        streams = capsys.readouterr()
        lines = streams.err.splitlines()
        if stdout is not None:
            stdout.append(streams.out)
        return stop.value.code or 0, lines[-1] if lines else ""

    return of


@pytest.mark.parametrize(
    ("text", "said", "solution"),
    [
        (wide(YES, YES), "text, not scores", ("--true", "yes", "--false", "no")),
        (wide(["50%"] * 12, ["75%"] * 12), "percentages, not numbers", ("--percent",)),
        (wide(TOPIC, RIGHT, WRONG, names="item,topic,old,new"), "", ("--ignore", "topic")),
        (wide(["0,5"] * 12, ["0,7"] * 12, sep=";"), "", ("--sep", ";", "--decimal", ",")),
        (wide(RIGHT, WRONG, sep=";"), "separated by semicolons", ("--sep", ";")),
        (
            LONG,
            "--run run if these are repeated runs",
            ("--run", "run", "--score", "em", "--cluster", "doc"),
        ),
    ],
    ids=["yes", "percent", "category", "commas", "semicolons", "runs"],
)
def test_the_message_names_the_option_that_solves_it(run, text, said, solution):
    options = ("--score", "em") if text is LONG else ()
    code, error = run(text, *options)
    assert code == 2
    assert said in error
    if solution[0] != "--run":
        assert solution[0] in error
    assert "=" not in error
    assert run(text, *solution)[0] == 0


def test_an_option_for_another_separator_names_both(run):
    code, error = run(wide(RIGHT, WRONG), "--sep", ";")
    assert code == 2
    assert error.endswith("cells are separated by commas, not by semicolons; pass --sep ,")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model,accuracy\nold,0.7\nnew,0.8\n", "one row per model, so these are averages"),
        ("metric,old,new\nacc,0.7,0.8\nf1,0.6,0.7\n", "one row per metric, so these are averages"),
        (f"model,{','.join(IDS)}\n{BY_SYSTEM}", "transpose the table: one row per item"),
        (f"name,{','.join(IDS)}\n{BY_SYSTEM}", "transpose the table: one row per item"),
    ],
)
def test_averages_and_transposed_tables_are_recognised(run, text, said):
    code, error = run(text)
    assert (code, said in error) == (2, True), error


def test_a_column_of_clusters_and_one_of_runs(run):
    code, error = run(LONG, "--run", "run", "--score", "em")
    assert code == 0, error
    text = wide(TOPIC, RIGHT, WRONG, names="item,topic,old,new")
    assert run(text, "--cluster", "topic")[0] == 0
    assert bt.read(read(LONG), run="run", score="em", cluster="doc")["epoch"].size == 24


def read(text):
    import io

    import pandas as pd

    return pd.read_csv(io.StringIO(text))


def test_an_ignored_column_that_groups_the_items_is_pointed_out():
    frame = read(LONG)
    hint = "column 'doc' groups 12 items into 3: if items of a group are alike, pass cluster='doc'"
    assert hint in bt.read(frame[frame["run"] == 1], score="em").attrs["reading"]
    summary = bt.read(frame, score="em", run="run", cluster="doc").attrs["reading"]
    assert "cluster from column 'doc'" in summary
    assert "epoch from column 'run'" in summary
    assert "groups" not in summary


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        ("nope", "has no column 'nope' among 'item', 'topic', 'old', 'new'"),
        ("item", "--cluster item has another value in each row"),
        ("old", "--cluster old is a column of scores"),
    ],
)
def test_a_column_that_is_no_cluster_is_refused(run, cluster, said):
    text = wide(TOPIC, RIGHT, WRONG, names="item,topic,old,new")
    code, error = run(text, "--cluster", cluster)
    assert (code, said in error) == (2, True), error


def test_a_column_is_passed_once_and_is_not_there_twice(run):
    code, error = run(LONG, "--run", "run", "--cluster", "run", "--score", "em")
    assert (code, "column 'run' is passed as --cluster and --run" in error) == (2, True), error
    text = wide(TOPIC, TOPIC, RIGHT, WRONG, names="item,topic,cluster,old,new")
    code, error = run(text, "--cluster", "topic")
    assert (code, "has a column 'cluster', too; pass --ignore cluster" in error) == (2, True), error
    code, error = run("left,right,winner,prompt\nA,B,A,p1\n", "--cluster", "prompt")
    assert (code, "is for scores and TP/FP/FN counts" in error) == (2, True), error


@pytest.mark.parametrize("command", ["compare", "audit"])
def test_an_option_is_given_once(run, command):
    code, error = run(wide(RIGHT, WRONG), "--rope", "0.1", "--rope=0.2", command=command)
    assert (code, error) == (2, "error: --rope is given 2 times; give it once")


def test_percent_signs_are_read_and_proportions_are_no_percentages(run, tmp_path):
    table = wide(RIGHT, WRONG)
    assert run(table, "--threshold", "95%", "--rope", "5%", "-o", str(tmp_path / "a.md"))[0] == 0
    assert run(table, "--threshold", "0.95", "--rope", "0.05", "-o", str(tmp_path / "b.md"))[0] == 0
    assert (tmp_path / "a.md").read_text() == (tmp_path / "b.md").read_text()
    for option, said in {
        "--threshold": "such as 0.95 for 95%",
        "--rope": "such as 0.95 for 95%",
    }.items():
        code, error = run(table, option, "95")
        assert (code, said in error) == (2, True), error
    code, error = run(table, "--rope", "five")
    assert (code, "'five' is not a number; give one such as 0.05 or 5%" in error) == (2, True)
    ratings = wide([k % 5 for k in ROWS], [k % 4 for k in ROWS])
    for command, options in (
        ("compare", ("--rope", "5%", "--quantity", "mean")),
        ("show", ("--rope", "5%", "--quantity", "mean", "--no-browser")),
        ("compare", ("--tie-margin", "5%")),
    ):
        code, error = run(ratings, *options, command=command)
        assert (code, "5% is for scores within 0 and 1; these go from 0 to 4" in error) == (2, True)
    assert run(ratings, "--rope", "5%", "--quantity", "wins")[0] == 0
    assert run(ratings, "--rope", "0.05", "--quantity", "mean")[0] == 0
    code, error = run(table, "--percent")
    assert (code, "these are proportions, so leave --percent out" in error) == (2, True), error
    with pytest.raises(ValueError, match=r"rope is '5%'; give a number, such as 0\.05"):
        bt.compare(read(table), rope="5%")


TOPICS = [1 + k // 4 for k in ROWS]


@pytest.mark.parametrize(
    ("columns", "refused"),
    [
        ((TOPICS, RIGHT, WRONG), True),
        (([k // 4 for k in ROWS], RIGHT, WRONG), True),
        (([120 + 7 * k % 90 for k in ROWS], RIGHT, WRONG), True),  # lengths of answers
        (([-0.5 - k for k in ROWS], RIGHT, WRONG), True),
        (([k * 3 % 4 for k in ROWS], RIGHT, WRONG), True),  # numbers of folds or turns
        (([k * 3 % 4 for k in ROWS], RIGHT), False),  # errors counted: one system has more
        (([0.5 + k % 5 / 2 for k in ROWS], RIGHT, WRONG), True),  # weights of items
        (([0.3] * len(ROWS), RIGHT, WRONG), False),
        ((TOPICS, [k % 5 for k in ROWS], WRONG), True),
        (([1 + k % 3 for k in ROWS], [k % 5 for k in ROWS], [k % 4 for k in ROWS]), False),
    ],
)
def test_a_column_of_groups_or_lengths_is_no_system(run, columns, refused):
    table = wide(*columns, names=",".join(["item", "number", "old", "new"][: len(columns) + 1]))
    code, error = run(table)
    assert code == (2 if refused else 0), error
    if refused:
        least, most = min(columns[0]), max(columns[0])
        assert f"column 'number': runs from {least:g} to {most:g}, while '" in error
        assert "--ignore number to leave it out, or --systems " in error
        assert least > 20 or "--systems number,old,new if it is a system, too" in error
        assert least > 20 or "--cluster number if it groups the items" in error
        assert run(table, "--ignore", "number")[0] == 0
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*not on one scale", UserWarning)
            assert run(table, "--systems", "number,old,new")[0] == 0


FRAMES = {"old": RIGHT, "new": WRONG}


def test_a_title(run, tmp_path):
    page = tmp_path / "page.md"
    assert run(wide(RIGHT, WRONG), "--title", "New prompt", "-o", str(page))[0] == 0
    assert page.read_text().startswith("# New prompt")
    assert run(wide(RIGHT, WRONG), "--title", "New prompt", "-f", "markdown")[0] == 0
    for words in ([], ["--full"], ["-f", "json"], ["-f", "json", "-o", str(tmp_path / "c.json")]):
        code, err = run(wide(RIGHT, WRONG), "--title", "New prompt", *words)
        assert code == 2
        assert "--title is for reports; add --output FILE, or leave it out" in err


def test_files_of_other_kinds(run):
    assert "save the sheet as CSV" in run("x", file="r.xlsx")[1]
    assert "rename it to .csv" in run("item,A,B\nq,1,0\n", file="r.txt")[1]
    frame = bt.compare(pyarrow.table({"item": IDS, "old": RIGHT, "new": WRONG}))
    assert frame.data.sizes["system_a"] == 2


def test_frames_of_arrow_and_polars_are_read_wherever_frames_are():
    of = {name: pyarrow.table({"item": IDS, "score": own}) for name, own in FRAMES.items()}
    frames = {name: table.to_pandas() for name, table in of.items()}
    assert bt.read(of).equals(bt.read(frames))
    assert bt.compare(of).statement() == bt.compare(frames).statement()
    gated, same = (bt.gate(*sides.values(), margin=0.1) for sides in (of, frames))
    assert gated.evidence == same.evidence

    class LazyFrame:
        """What is not computed yet, as in Polars."""

        __module__ = "polars.lazyframe.frame"

        def collect(self):
            return of["old"]

    assert bt.read({"old": LazyFrame(), "new": of["new"]}).equals(bt.read(frames))


def test_names_of_other_packages_get_a_suggestion():
    comparison = bt.compare(bt.datasets.contingency_case("a"))
    with pytest.raises(AttributeError, match=r"no 'summary'; print it, or call \.report\(\)"):
        _ = comparison.summary
    with pytest.raises(AttributeError, match=r"did you mean betterthan\.compare\?"):
        _ = bt.compair
    assert not hasattr(comparison, "anything_else")


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("pass metric='acc'", "pass --metric acc"),
        ("systems=['a b', 'c'], item=", "--systems 'a b,c', --item"),
        ("percent=True, higher_is_better=False", "--percent, --lower-is-better"),
        ("format='inspect'", "--tool inspect"),
        ("fit(counts, prior=prior)", "fit(counts, prior=prior)"),
        ("units=20 clusters", "units=20 clusters"),
        ("pass tests=('sign',) to compare", "pass --tests sign to compare"),
        (
            "a joint model, which compare(..., method='advised') fits",
            "a joint model, which --method advised fits",
        ),
        ("read(..., unit='judgment')", "read(..., unit='judgment')"),
        ("error: which is 'ttest'; choose one", "error: tests is 'ttest'; choose one"),
        ("error: ci_kind is 'x'", "error: interval is 'x'"),
        ("error: rng is -1; give", "error: seed is -1; give"),
        ("error: the system which is", "error: the system which is"),
        ("a (seed=1, k=2) is better", "a (seed=1, k=2) is better"),
        (
            "two files are called 'x'; give a mapping of name to file",
            "two files are called 'x'; give NAME=FILE for each",
        ),
        (
            "method='exact' is not possible; use method='monte_carlo'",
            "--permutations exact is not possible; use --permutations monte_carlo",
        ),
        ("format='sentence' is of one comparison", "--format sentence is of one comparison"),
        ("pass format='inspect'", "pass --tool inspect"),
    ],
)
def test_arguments_are_options_on_the_command_line(python, options):
    assert in_options(python) == options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--tests", "ttest"), "error: tests is 'ttest'; choose one of sign"),
        (("--interval", "x"), "error: interval is 'x'; choose one of hdi"),
        (("--seed", "-1"), "error: seed is -1; give a whole number"),
        (("--tool", "x"), "error: tool is 'x'; choose one of inspect"),
        (("--format", "x"), "error: format is 'x'; choose one of text"),
    ],
)
def test_a_wrong_value_is_reported_under_its_option(run, options, said):
    code, error = run(wide(RIGHT, WRONG), *options)
    assert (code, said in error) == (2, True), error


MISSING = [x if k else "" for k, x in enumerate(RIGHT)]
RATINGS = [[(7 * k + shift) % 5 for k in ROWS] for shift in (0, 1, 3)]
THREE = "item,old,new,b (seed=1)"


@pytest.mark.parametrize(
    ("table", "options", "python", "said"),
    [
        (RATINGS, ["--quantity", "wins"], "quantity='", "--quantity mean has a joint answer"),
        ([RIGHT, WRONG, MISSING], [], "missing='", "--missing complete compares all"),
        (
            [RIGHT, WRONG, YES],
            ["--true", "yes", "--false", "no", "--full"],
            "threshold=",
            "with --threshold 0.975",
        ),
        (
            [RIGHT, WRONG, YES],
            ["--true", "yes", "--false", "no", "--full"],
            " counts.dis",
            "In Python, betterthan.counts.disagreements gives every item",
        ),
    ],
)
def test_what_a_comparison_prints_speaks_in_options(printed, table, options, python, said):
    text = printed(wide(*table, names=THREE), *options)
    assert said in text
    assert python not in text
    assert "b (seed=1)" in text


def test_what_an_audit_prints_speaks_in_options(printed, tmp_path):
    rows = [
        {"doc_id": k, "doc": {"q": "same"}, "target": "0", "resps": [], "acc": 1.0} for k in (0, 1)
    ]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    audit = printed(text, command="audit", file="samples_x.jsonl")
    assert "pass NAME=FILE for each" in audit
    assert "pass --cluster content to treat them as one cluster" in audit
    assert "cluster='content'" in printed(
        text, "-f", "json", command="audit", file="samples_x.jsonl"
    )


def test_what_a_gate_prints_speaks_in_options(run, tmp_path):
    rows = [
        {"doc_id": k, "doc": {"q": str(k // 2)}, "target": "0", "resps": [], "acc": k % 3 / 2}
        for k in range(8)
    ]
    for name in ("new", "old"):
        folder = tmp_path / name
        folder.mkdir()
        text = "".join(json.dumps(row | {"note": name}) + "\n" for row in rows)
        (folder / f"samples_{name}.jsonl").write_text(text)
    stdout = []
    options = (str(tmp_path / "new"), "--metric", "acc", "--margin", "0.1")
    run(text, *options, command="gate", file="old/samples_old.jsonl", stdout=stdout)
    assert "cluster='content'" not in stdout[0]
    assert "--cluster content" in stdout[0]


@pytest.fixture
def printed(run, capsys):
    """What a command prints, on one line."""

    def of(*arguments, **how):
        stdout = []
        code, error = run(*arguments, **how, stdout=stdout)
        assert code == 0, error
        return " ".join("".join(stdout).split())

    return of


@pytest.mark.parametrize("command", ["compare", "plan", "audit", "groups", "gate", "measures"])
def test_a_saved_answer_is_opened_by_show(run, tmp_path, command):
    path = tmp_path / "two.nc"
    other = tmp_path / "other.csv"
    other.write_text(wide(RIGHT, WRONG))
    options = (str(other), "--margin", "0.1") if command == "gate" else ()
    code, error = run("x", *options, command=command, file="two.nc")
    wrong = "two.nc: is a netCDF file, not a table; open a saved comparison with"
    assert (code, error) == (2, f"error: {wrong} betterthan show {path}")
    with pytest.raises(ValueError, match=re.escape(f"{wrong} betterthan.load({str(path)!r})")):
        bt.read(path)


def test_a_saved_answer_that_is_not_there():
    result = CliRunner().invoke(commands.app, ["show", "nothing.nc"])
    assert str(result.exception) == "no such file: nothing.nc"


def test_a_column_of_scores_is_not_one_of_names(run):
    code, error = run(wide(RIGHT, WRONG), "--system", "old")
    assert (code, "--system old is for the names of systems in rows" in error) == (2, True), error
    assert "columns are systems ('old', 'new'); leave it out" in error


def test_one_of_several_columns_is_not_the_one_of_scores(run):
    code, error = run(wide(RIGHT, WRONG), "--score", "old")
    assert (code, "--score old is for the only column of scores" in error) == (2, True), error


def test_a_plan_of_judgments_by_cluster_is_refused(run):
    rows = "".join(f"A,B,{'AB'[k % 3 > 0]},j{k % 5}\n" for k in range(30))
    votes = f"model_a,model_b,winner,judge\n{rows}"
    options = "--layout", "judgments", "--cluster", "judge"
    code, error = run(votes, *options, command="plan")
    assert (code, "these are judgments by cluster, of which compare says" in error) == (2, True)


@pytest.mark.parametrize("command", ["groups", "measures"])
def test_votes_are_no_scores_of_items(run, command):
    rows = "".join(f"A,B,{'AB'[k % 3 > 0]}\n" for k in range(30))
    code, error = run(f"model_a,model_b,winner\n{rows}", command=command)
    assert (code, "got counts of wins, losses and ties, which do not say of" in error) == (2, True)


def test_a_stored_baseline_is_no_table(run):
    stored = "# betterthan baseline 2: written by betterthan gate --accept\nitem,score\nq1,1\n"
    for command in ("compare", "plan", "audit"):
        code, error = run(stored, command=command)
        assert (code, "is a baseline that betterthan gate --accept wrote" in error) == (2, True)


def test_no_items_at_most_are_refused(run):
    code, error = run(wide(RIGHT, WRONG), "--most", "0", command="plan")
    assert (code, "most is 0" in error) == (2, True), error


RATINGS = wide(*([1 + (k + d) % 5 for k in ROWS] for d in (0, 2)))


@pytest.mark.parametrize(
    ("command", "options", "reason"),
    [
        *(
            ("groups", ["--test", "sign", *option], f"{option[0]} is for --test randomization")
            for option in (["--statistic", "f1"], ["--shuffles", "7"], ["--permutations", "exact"])
        ),
        ("show", ["--rope", "5%", "--no-browser", "-o", "s.html"], "is for scores within 0 and 1"),
        *(
            ("compare", ["--title", "T", "--format", form], "--title is for reports")
            for form in ("latex-table", "latex-macros", "sentence", "pull-request", "json")
        ),
        ("compare", ["-o", "a.md", "--junit", "a.md"], "--output and --junit need a file each"),
        ("compare", ["-o", "f", "--junit", "f/report.html"], "need a file each"),
        ("compare", ["-o", "f", "--figures", "r.csv"], "r.csv: is a file; give a folder"),
    ],
)
def test_options_without_effect_and_outputs_over_each_other_are_refused(
    run, tmp_path, monkeypatch, command, options, reason
):
    monkeypatch.chdir(tmp_path)
    code, line = run(RATINGS, *options, command=command)
    assert code == 2
    assert reason in line
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]  # nothing is written


def test_groups_by_the_sign_test_count_the_unit_that_is_named(run):
    clustered = wide(TOPIC, RIGHT, WRONG, names="item,cluster,old,new")
    printed = []
    for options in ([], ["--unit", "item"]):
        code, _ = run(clustered, "--test", "sign", *options, command="groups", stdout=printed)
        assert code == 0
    assert printed[0] != printed[1]


@pytest.mark.parametrize(
    "option", [["-k", "2"], ["--rope", "0.3"], ["--ci-prob", "0.5"], ["--missing", "foo"]]
)
def test_runs_of_one_system_take_no_options_of_several(run, option, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(wide(RIGHT, names="item,score"))
    text = wide(WRONG, names="item,score")
    code, line = run(text, str(other), "--same", *option, command="runs")
    assert code == 2
    assert f"{option[0]} does not go with --same" in line


def test_systems_called_like_options_keep_their_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k},1,{k % 2},{k % 3 // 2}\n" for k in range(40))
    (tmp_path / "r.csv").write_text(f"item,k=5,k=1,beta=0.1\n{rows}")

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["betterthan", "compare", "r.csv", *arguments])
        with pytest.raises(SystemExit) as ended:
            commands.main()
        return ended.value.code, capsys.readouterr().err

    code, printed = run("-o", "seed=3.md")
    assert (code, "--" in printed) == (0, False)
    assert "wrote seed=3.md\nk=5 is the best of 3 systems" in printed
    code, printed = run("--baseline", "k=2")
    assert code == 2
    assert printed.endswith("error: baseline is 'k=2'; choose one of 'k=5', 'k=1', 'beta=0.1'\n")
