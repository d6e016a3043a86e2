"""Bad suites: an edit of a sound one, and the line that has to be among its faults.

A line may be the beginning of the fault, where the rest is another module's sentence. The module is
as long as its table.
"""

import json

from tests.trials.suites import AMOUNT, JUDGED, record

SECOND = {"variant_name": "robust", "prompt_file": "prompts/robust.md"}


def replace(old, new):
    """Return an edit of the suite file's text."""

    def edit(draft):
        text = json.dumps(draft.suite)
        assert old in text
        draft.files["eval_suite.json"] = text.replace(old, new)

    return edit


def assign(**fields):
    return lambda draft: draft.suite.update(fields)


def check(index, **fields):
    return lambda draft: draft.check(index, **fields)


def remove(name):
    return lambda draft: draft.suite.pop(name)


def add(path, content):
    return lambda draft: draft.files.update({path: content})


def lines(*records):
    return lambda draft: draft.records(*records)


def variant(**fields):
    return lambda draft: draft.variant(**fields)


def variants(*items):
    def edit(draft):
        draft.suite["variants"] += items
        draft.files["prompts/robust.md"] = "{{question}}"

    return edit


def place(path, content, edit):
    """Return an edit that adds a file and then names it."""

    def both(draft):
        add(path, content)(draft)
        edit(draft)

    return both


def reference(edit=lambda _: None):
    """Return an edit that gives ``june`` an edited reference."""
    return lambda draft: draft.reference(edit)


def revise(case, facts):
    """Return an edit that revises the facts of ``case``."""
    return place(f"keys/{case}/expected_facts.json", facts, assign(keys="keys"))


def replace_check(index, **fields):
    """Return an edit that gives a check another grader, with no fields but these."""

    def edit(draft):
        old = draft.suite["checks"][index]
        common = ("check_name", "minimum_pass_rate", "description")
        draft.suite["checks"][index] = {name: old[name] for name in common} | fields

    return edit


def extracting(schema):
    """Return an edit that lets a model extract the amount, by ``schema``."""

    def edit(draft):
        draft.suite["checks"][0].pop("pattern")
        draft.suite["fact_extraction"] = {"instructions_file": "i.md", "schema_file": "f.json"}
        draft.files |= {"i.md": "Copy.", "f.json": schema}

    return edit


def judged(edit=lambda _: None, **fields):
    """Return an edit that adds a check with a judge, and then edits the draft."""

    def both(draft):
        draft.judged(**fields)
        edit(draft)

    return both


INSIDE = "cases/june/inputs/p.md"
SUITE_FAULTS = {
    "unknown field": (
        assign(gated_variannt="plain"),
        "eval_suite.json: gated_variannt: unknown field; did you mean 'gated_variant'?",
    ),
    "unknown field unlike any": (
        assign(colour=1),
        (
            "eval_suite.json: colour: unknown field; known are: cases, checks, description, "
            "fact_extraction, gated_variant, grader_configurations, keys, prices, "
            "refuse_other_models, repetitions, suite_name, variants"
        ),
    ),
    "unknown field of a variant": (
        variant(prompt="x"),
        "eval_suite.json: variants[0].prompt: unknown field; did you mean 'prompt_file'?",
    ),
    "missing field": (remove("cases"), "eval_suite.json: cases: is missing; add it"),
    "wrong kind": (
        assign(suite_name=5),
        "eval_suite.json: suite_name: 5 is not a string; put it in quotes",
    ),
    "unsafe name": (
        assign(suite_name="../x"),
        (
            "eval_suite.json: suite_name: '../x' is not a name; use letters, digits, '.', '_' and "
            "'-', at most 100, a letter or digit first"
        ),
    ),
    "name with a line end": (
        variant(variant_name="plain\n"),
        (
            "eval_suite.json: variants[0].variant_name: 'plain\\n' is not a name; use letters, "
            "digits, '.', '_' and '-', at most 100, a letter or digit first"
        ),
    ),
    "no checks": (assign(checks=[]), "eval_suite.json: checks: is empty; list at least one"),
    "no variants": (assign(variants=[]), "eval_suite.json: variants: is empty; list at least one"),
    "a check that is no object": (
        assign(checks=[3]),
        "eval_suite.json: checks[0]: 3 is not an object",
    ),
    "no repetitions": (
        assign(repetitions=0),
        "eval_suite.json: repetitions: 0 is not between 1 and 10000",
    ),
    "repetitions with a fraction": (
        assign(repetitions=1.0),
        "eval_suite.json: repetitions: 1.0 is not a whole number",
    ),
    "repetitions by yes": (
        assign(repetitions=True),
        "eval_suite.json: repetitions: true is not a whole number",
    ),
    "critical in words": (
        check(0, critical="yes"),
        "eval_suite.json: checks[0].critical: 'yes' is not true or false",
    ),
    "two variants and no gate": (
        variants(SECOND),
        (
            "eval_suite.json: gated_variant: is missing where there are several variants; name one "
            "of plain, robust"
        ),
    ),
    "unknown gated variant": (
        assign(gated_variant="plian"),
        "eval_suite.json: gated_variant: 'plian' is no variant; did you mean 'plain'?",
    ),
    "two variants of one name": (
        variants(SECOND | {"variant_name": "plain"}),
        (
            "eval_suite.json: variants[1].variant_name: 'plain' is also the name of variants[0]; a "
            "name stands once"
        ),
    ),
    "two checks of one name": (
        lambda draft: draft.suite["checks"].append(AMOUNT),
        (
            "eval_suite.json: checks[2].check_name: 'total' is also the name of checks[0]; a name "
            "stands once"
        ),
    ),
    "a rate above one": (
        check(0, minimum_pass_rate=1.2),
        "eval_suite.json: checks[0].minimum_pass_rate: 1.2 is not between 0 and 1",
    ),
    "a rate below nought": (
        check(1, minimum_pass_rate="-0.1"),
        "eval_suite.json: checks[1].minimum_pass_rate: -0.1 is not between 0 and 1",
    ),
    "a rate in percent": (
        check(0, minimum_pass_rate="80 %"),
        (
            "eval_suite.json: checks[0].minimum_pass_rate: '80 %' is not a decimal; write one such "
            "as 0.95"
        ),
    ),
    "a rate with an exponent": (
        replace("0.8,", "8e-1,"),
        (
            "eval_suite.json: checks[0].minimum_pass_rate: 8e-1 is not a decimal; write one such "
            "as 0.95"
        ),
    ),
    "a misspelt common field of a check": (
        replace('"minimum_pass_rate": 0.8', '"minimum_passrate": 0.8'),
        (
            "eval_suite.json: checks[0].minimum_passrate: unknown field; did you mean "
            "'minimum_pass_rate'?"
        ),
    ),
    "a grader's unknown field": (
        check(0, tolerence="0"),
        "eval_suite.json: checks[0].tolerence: this grader has no such field; it takes ",
    ),
    "a grader's field on two lines": (
        check(0, **{"a\nb": 1}),
        "eval_suite.json: checks[0].'a\\nb': unknown field; no field is spelt so",
    ),
    "a grader's field that no event can hold": (
        check(0, more={"é": 1}),
        "eval_suite.json: checks[0].more: key 'é' is not an ASCII string: use a list of pairs",
    ),
    "an unknown grader": (
        check(0, grader="amuont"),
        "eval_suite.json: checks[0].grader: 'amuont' is unknown; there are amount, ",
    ),
    "a pattern that is none": (
        check(0, pattern="TOTAL (.*"),
        "eval_suite.json: checks[0].pattern: not a regular expression: ",
    ),
    "a pattern of two groups": (
        check(0, pattern="(TOTAL) (.*)"),
        "eval_suite.json: checks[0].pattern: it has 2 capturing groups and takes exactly one: ",
    ),
    "a schema that is none": (
        add("grading/schema.json", '{"type": 5}'),
        "eval_suite.json: checks[1].schema_file: ",
    ),
    "a schema in the suite file": (
        check(1, schema={}),
        ("eval_suite.json: checks[1].schema: stands in the suite file; name a file in schema_file"),
    ),
    "no schema": (
        lambda draft: draft.suite["checks"][1].pop("schema_file"),
        "eval_suite.json: checks[1].schema_file: it is missing",
    ),
    "a file named by a number": (
        check(1, schema_file=3),
        "eval_suite.json: checks[1].schema_file: 3 is not a string; name a file",
    ),
}
PATH_FAULTS = {
    "a missing prompt": (
        variant(prompt_file="prompts/plan.md"),
        (
            "eval_suite.json: variants[0].prompt_file: prompts/plan.md is missing; add it or "
            "correct the path"
        ),
    ),
    "a path below a file": (
        variant(prompt_file="prompts/plain.md/x"),
        (
            "eval_suite.json: variants[0].prompt_file: prompts/plain.md/x is missing; add it or "
            "correct the path"
        ),
    ),
    "a path out of the folder": (
        variant(prompt_file="prompts/../../p.md"),
        (
            "eval_suite.json: variants[0].prompt_file: prompts/../../p.md leads out of the folder; "
            "move the file into it"
        ),
    ),
    "an absolute path": (
        check(1, schema_file="/etc/passwd"),
        (
            "eval_suite.json: checks[1].schema_file: /etc/passwd is not a relative path with '/' "
            "between its parts"
        ),
    ),
    "a path with backslashes": (
        assign(cases="cases\\june"),
        "eval_suite.json: cases: cases\\june is not a relative path with '/' between its parts",
    ),
    "a path without end": (
        variant(prompt_file="x/" * 600),
        f"eval_suite.json: variants[0].prompt_file: {'x/' * 40}… is longer than 1000 characters",
    ),
    "an empty path": (
        variant(prompt_file=""),
        "eval_suite.json: variants[0].prompt_file: '' is no path; name a file",
    ),
    "the folder itself": (
        assign(cases="cases/.."),
        "eval_suite.json: cases: cases/.. is the folder itself; name something in it",
    ),
    "a folder as prompt": (
        variant(prompt_file="prompts"),
        "eval_suite.json: variants[0].prompt_file: prompts is a folder; name a file",
    ),
    "cases of another ending": (
        assign(cases="prompts/plain.md"),
        (
            "eval_suite.json: cases: prompts/plain.md is neither a .json nor a .jsonl file nor a "
            "folder"
        ),
    ),
    "a schema of another ending": (
        place("s.txt", "{}", check(1, schema_file="s.txt")),
        "s.txt: is not a .json, .yaml or .yml file",
    ),
    "a prompt among the inputs": (
        place(INSIDE, "{{question}}", variant(prompt_file=INSIDE)),
        (
            f"eval_suite.json: variants[0].prompt_file: {INSIDE} lies among the inputs of case "
            "'june', where every trial would read it; move it out"
        ),
    ),
    "a prompt among the inputs by a way round": (
        place(INSIDE, "{{question}}", variant(prompt_file="cases/june/inputs/../inputs/p.md")),
        (
            f"eval_suite.json: variants[0].prompt_file: {INSIDE} lies among the inputs of case "
            "'june', where every trial would read it; move it out"
        ),
    ),
    "a schema among the inputs": (
        place("cases/june/inputs/s.json", "{}", check(1, schema_file="cases/june/inputs/s.json")),
        (
            "eval_suite.json: checks[1].schema_file: cases/june/inputs/s.json lies among the "
            "inputs of case 'june', where every trial would read it; move it out"
        ),
    ),
    "a rubric among the inputs": (
        place(INSIDE, "Good?", check(0, rubric_file=INSIDE)),
        (
            f"eval_suite.json: checks[0].rubric_file: {INSIDE} lies among the inputs of case "
            "'june', where every trial would read it; move it out"
        ),
    ),
    "a key among the inputs": (
        add("cases/june/inputs/x/expected_facts.json", "{}"),
        (
            "cases/june/inputs/x/expected_facts.json: a key among the inputs, where every trial "
            "would read it; move it to cases/june"
        ),
    ),
    "a key copied to the inputs": (
        add("cases/june/inputs/n.txt", '{"total": ["12.50", "13"]}'),
        (
            "cases/june/expected_facts.json: cases/june/expected_facts.json is the same as "
            "cases/june/inputs/n.txt, one of the inputs of case 'june', where every trial would "
            "read it; move it out"
        ),
    ),
}
CASE_FAULTS = {
    "a case file that is a folder": (
        lambda draft: (
            draft.files.pop("cases/july/case.json"),
            add("cases/july/case.json/x", "")(draft),
        ),
        "cases/july/case.json: is a folder; it has to be a file",
    ),
    "no case": (lines(), "eval_suite.json: cases: cases.jsonl holds no case; add one"),
    "two equal ids": (
        lines(record(), record(question="Two?")),
        "cases.jsonl line 2: id: 'a' is also the id of cases.jsonl line 1; an id stands once",
    ),
    "two equal cases": (
        lines(record(), "", record(id="b", category="other")),
        (
            "cases.jsonl line 3: question: identical to 'a' (cases.jsonl line 1), inputs too; "
            "remove one"
        ),
    ),
    "an unsafe id": (
        lines(record(), record(id="a/b")),
        (
            "cases.jsonl line 2: id: 'a/b' is not a name; use letters, digits, '.', '_' and '-', "
            "at most 100, a letter or digit first"
        ),
    ),
    "no id": (lines('{"question": "One?"}'), "cases.jsonl line 1: id: is missing; add it"),
    "an unknown field of a record": (
        lines(record(must_inclued=[])),
        "cases.jsonl line 1: must_inclued: unknown field; did you mean 'must_include'?",
    ),
    "a record that is a list": (lines("[]"), "cases.jsonl line 1: a list is not an object"),
    "a record that is a word": (lines('"a"'), "cases.jsonl line 1: 'a' is not an object or a list"),
    "an empty question": (
        lines(record(question=" ")),
        "cases.jsonl line 1: question: is empty; write it or leave the field out",
    ),
    "an empty phrase": (
        lines(record(must_include=[""])),
        "cases.jsonl line 1: must_include[0]: is empty; write it or leave the field out",
    ),
    "a fact without a value": (
        lines(record(facts={"total": []})),
        (
            "cases.jsonl line 1: facts.total: has no accepted value; list at least one or leave "
            "the fact out"
        ),
    ),
    "a fact of true": (
        lines(record(facts={"total": True})),
        (
            "cases.jsonl line 1: facts.total: true is not an accepted value; write a string, or a "
            "number without an exponent"
        ),
    ),
    "a fact with an exponent": (
        lines('{"id": "a", "question": "?", "facts": {"total": [1e3]}}'),
        (
            "cases.jsonl line 1: facts.total: 1e3 is not an accepted value; write a string, or a "
            "number without an exponent"
        ),
    ),
    "a fact without a name": (
        lines(record(facts={"": "1"})),
        "cases.jsonl line 1: facts.'': is empty; write it or leave the field out",
    ),
    "records in an object": (
        place("c.json", "{}", assign(cases="c.json")),
        "c.json: is an object; write a list of records",
    ),
    "a bad record of a list": (
        place("c.json", '[{"id": 3}]', assign(cases="c.json")),
        "c.json: [0].id: 3 is not a string; put it in quotes",
    ),
    "a stray file among the cases": (
        add("cases/june.json", "{}"),
        "cases/june.json: is not the folder of a case; move it elsewhere",
    ),
    "a folder's name that is no id": (
        add("cases/j une/case.json", "{}"),
        (
            "'cases/j une': the folder's name is no id; use letters, digits, '.', '_' and '-', at "
            "most 100, a letter or digit first"
        ),
    ),
    "an id in a case's folder": (
        add("cases/july/case.json", '{"id": "x"}'),
        "cases/july/case.json: id: the folder's name is the id; remove 'x'",
    ),
    "a misspelt key file": (
        add("cases/july/expected_fact.json", "{}"),
        "cases/july/expected_fact.json: did you mean 'expected_facts.json'? rename it",
    ),
    "a key file of another ending": (
        add("cases/july/expected_facts.yaml", "{}"),
        "cases/july/expected_facts.yaml: did you mean 'expected_facts.json'? rename it",
    ),
    "misspelt inputs": (
        add("cases/july/input/a.txt", "x"),
        "cases/july/input: did you mean 'inputs'? rename it",
    ),
    "inputs that are a file": (
        add("cases/july/inputs", "x"),
        "cases/july/inputs: is not a folder; put the input into one",
    ),
    "a fact in both files": (
        add("cases/july/expected_facts.json", '{"total": ["1"]}'),
        "cases/july/expected_facts.json: total: also stands in case.json; keep one of them",
    ),
    "a bad key file": (
        add("cases/june/expected_facts.json", '{"total": [null]}'),
        (
            "cases/june/expected_facts.json: facts.total: null is not an accepted value; write a "
            "string, or a number without an exponent"
        ),
    ),
}
TEXT_FAULTS = {
    "an empty prompt": (add("prompts/plain.md", " \n"), "prompts/plain.md: is empty; write it"),
    "a prompt that is not UTF-8": (
        add("prompts/plain.md", b"{{question}}\xff"),
        "prompts/plain.md: not valid UTF-8 at byte 12 (0xff)",
    ),
    "a prompt with a NUL": (
        add("prompts/plain.md", b"{{question}}\0"),
        "prompts/plain.md: holds a NUL at byte 12; it has to be a text file",
    ),
    "a prompt with a mark": (
        add("prompts/plain.md", b"\xef\xbb\xbf{{question}}"),
        "prompts/plain.md: begins with a byte order mark; save it as UTF-8 without one",
    ),
    "a prompt without a place": (
        add("prompts/plain.md", "Answer."),
        (
            "prompts/plain.md: has no {{question}}, but case 'july' (and 1 more) asks a question; "
            "say where it goes"
        ),
    ),
    "a place without a question": (
        add("cases/july/case.json", "{}"),
        "prompts/plain.md: has a {{question}}, but case 'july' asks no question; add one",
    ),
    "another placeholder": (
        add("prompts/plain.md", "{{question}} {{ name }}"),
        ("prompts/plain.md: '{{ name }}' is an unknown placeholder; only {{question}} is replaced"),
    ),
    "a placeholder with spaces": (
        add("prompts/plain.md", "{{question}} {{ question }}"),
        (
            "prompts/plain.md: '{{ question }}' is an unknown placeholder; only {{question}} is "
            "replaced"
        ),
    ),
    "cases that are not UTF-8": (
        place("c.jsonl", b'{"id": "\xe9"}', assign(cases="c.jsonl")),
        "c.jsonl: not valid UTF-8 at byte 8 (0xe9)",
    ),
    "a record cut off": (
        lines(record(), '{"id": "b"'),
        "cases.jsonl line 2: not JSON at column 11: Expecting ',' delimiter",
    ),
    "a key twice": (
        lines('{"id": "a", "question": "?", "id": "a"}'),
        "cases.jsonl line 1: id: the key stands twice in one object; keep one of them",
    ),
    "a list as suite": (
        add("eval_suite.json", "[]"),
        "eval_suite.json: is a list; write an object",
    ),
    "trailing data": (
        add("eval_suite.json", "{}\n{}"),
        "eval_suite.json: not JSON at line 2 column 1: Extra data",
    ),
    "NaN": (
        replace("0.8,", "NaN,"),
        (
            "eval_suite.json: checks[0].minimum_pass_rate: NaN is not JSON; write a number or a "
            "string"
        ),
    ),
    "a rubric that is missing": (
        check(0, rubric_file="r.md"),
        "eval_suite.json: checks[0].rubric_file: r.md is missing; add it or correct the path",
    ),
    "an alias that contains itself": (
        place("s.yaml", "a: &a [*a]", check(1, schema_file="s.yaml")),
        "s.yaml: a[0][0]",
    ),
    "a rubric that is blank": (
        place("r.md", "", check(0, rubric_file="r.md")),
        "r.md: is empty; write it",
    ),
}
LEDGER = "cases/june/reference_ledger.json"
REFERENCE_FAULTS = {
    "a repetition of another amount": (
        reference(lambda it: it["entries"][1].update(amount="13.50")),
        (
            f"{LEDGER}: entries[0].duplicate_of: the line 1 has the amount 13.50, and this one "
            "12.50; a repetition has the same"
        ),
    ),
    "a total of one value where two are accepted": (
        reference(lambda it: it["entries"][2].pop("alternatives")),
        (
            f"{LEDGER}: totals[0]: the entries give 12.50, but cases/june/expected_facts.json "
            "accepts 12.50 or 13 for 'total'; correct one of them"
        ),
    ),
    "a total of two values where one is accepted": (
        lambda draft: (
            reference()(draft),
            add("cases/june/expected_facts.json", '{"total": 12.5}')(draft),
        ),
        (
            f"{LEDGER}: totals[0]: the entries give 12.50 or 13.00, but "
            "cases/june/expected_facts.json accepts 12.5 for 'total'; correct one of them"
        ),
    ),
    "a total of a fact in words": (
        lambda draft: (
            reference()(draft),
            add("cases/june/expected_facts.json", '{"total": "over"}')(draft),
        ),
        (
            f"{LEDGER}: totals[0]: the entries give 12.50 or 13.00, but "
            "cases/june/expected_facts.json accepts 'over' for 'total'; correct one of them"
        ),
    ),
    "a total of another month": (
        reference(lambda it: it["totals"][0].update(period="2026-07")),
        f"{LEDGER}: totals[0]: the entries give 0, but ",
    ),
    "a total of an unknown fact": (
        reference(lambda it: it["totals"][0].update(fact_name="totla")),
        f"{LEDGER}: totals[0].fact_name: 'totla' is no fact of the case; did you mean 'total'?",
    ),
    "a total where there are no facts": (
        lambda draft: (reference()(draft), draft.files.pop("cases/june/expected_facts.json")),
        f"{LEDGER}: totals[0].fact_name: 'total' is no fact of the case; there are none",
    ),
    "a total twice": (
        reference(lambda it: it["totals"].append(it["totals"][0])),
        f"{LEDGER}: totals[1].fact_name: 'total' is also the fact of totals[0]; a fact stands once",
    ),
    "no totals": (
        reference(lambda it: it.update(totals=[])),
        f"{LEDGER}: totals: is empty; list at least one",
    ),
    "an entry twice": (
        reference(lambda it: it["entries"].append(it["entries"][1])),
        f"{LEDGER}: entries[3].line: 1 is also the line of entries[1]; a line stands once",
    ),
    "an entry of no line": (
        reference(lambda it: it["entries"][0].update(line=0)),
        f"{LEDGER}: entries[0].line: 0 is no line; the first one is 1",
    ),
    "an unknown field of an entry": (
        reference(lambda it: it["entries"][0].update(amuont="1")),
        f"{LEDGER}: entries[0].amuont: unknown field; did you mean 'amount'?",
    ),
    "an unknown field of an alternative": (
        reference(lambda it: it["entries"][2]["alternatives"][0].update(polcy="x")),
        f"{LEDGER}: entries[2].alternatives[0].polcy: unknown field; did you mean 'policy'?",
    ),
    "an amount with a currency": (
        reference(lambda it: it["entries"][0].update(amount="$12.50")),
        f"{LEDGER}: entries[0].amount: '$12.50' is not a decimal; write one such as \"24.10\"",
    ),
    "an amount with an exponent": (
        reference(lambda it: it["entries"][0].update(amount=1e300)),
        f'{LEDGER}: entries[0].amount: 1e+300 is not a decimal; write one such as "24.10"',
    ),
    "an amount of 41 digits": (
        reference(lambda it: it["entries"][0].update(amount="1" * 41)),
        f"{LEDGER}: entries[0].amount: '{'1' * 41}' is not a decimal; ",
    ),
    "a repetition of nothing": (
        reference(lambda it: it["entries"][0].update(duplicate_of=9)),
        f"{LEDGER}: entries[0].duplicate_of: no entry has the line 9; name one that is there",
    ),
    "a repetition of itself": (
        reference(lambda it: it["entries"][0].update(duplicate_of=3)),
        (
            f"{LEDGER}: entries[0].duplicate_of: the line 3 is itself a repetition; name the one "
            "that is counted"
        ),
    ),
    "repetitions in a circle": (
        reference(lambda it: it["entries"][1].update(duplicate_of=3)),
        (
            f"{LEDGER}: entries[1].duplicate_of: the line 3 is itself a repetition; name the one "
            "that is counted"
        ),
    ),
    "a policy twice on an entry": (
        reference(
            lambda it: it["entries"][2]["alternatives"].append(
                {"policy": "Tip in Food", "category": "Fun"}
            )
        ),
        (
            f"{LEDGER}: entries[2].alternatives[1].policy: 'Tip in Food' stands twice on this "
            "entry; keep one"
        ),
    ),
    "an alternative that is none": (
        reference(lambda it: it["entries"][2]["alternatives"][0].update(category="Other")),
        (
            f"{LEDGER}: entries[2].alternatives[0].category: 'Other' is where the entry stands "
            "already; name another"
        ),
    ),
    "more policies than anybody accepts": (
        reference(
            lambda it: it["entries"][2].update(
                alternatives=[{"policy": f"p{n}", "category": "Food"} for n in range(7)]
            )
        ),
        f"{LEDGER}: totals[0]: more than 6 policies touch it; merge some",
    ),
    "a reference that is a list": (
        add(LEDGER, "[]"),
        f"{LEDGER}: is a list; write an object",
    ),
    "a reference in YAML": (
        add("cases/june/reference_ledger.yaml", "{}"),
        "cases/june/reference_ledger.yaml: did you mean 'reference_ledger.json'? rename it",
    ),
    "a reference among the inputs": (
        add("cases/june/inputs/reference_ledger.json", "{}"),
        (
            "cases/june/inputs/reference_ledger.json: a key among the inputs, where every trial "
            "would read it; move it to cases/june"
        ),
    ),
}
KEY_FAULTS = {
    "keys that are missing": (
        assign(keys="keys"),
        "eval_suite.json: keys: keys is missing; add it or correct the path",
    ),
    "keys in a file": (
        assign(keys="prompts/plain.md"),
        (
            "eval_suite.json: keys: prompts/plain.md is a file; name a folder with a folder for "
            "each case"
        ),
    ),
    "keys that are no path": (
        assign(keys=3),
        "eval_suite.json: keys: 3 is not a string; put it in quotes",
    ),
    "keys that give nothing": (
        place("keys/.keep", "", assign(keys="keys")),
        "eval_suite.json: keys: keys holds no key; add one or leave the field out",
    ),
    "the key of an unknown case": (
        revise("juen", '{"total": "1"}'),
        (
            "eval_suite.json: keys: keys/juen is the key of no case; name the folder as a case is "
            "named"
        ),
    ),
    "the key of an unknown record": (
        lambda draft: (lines(record())(draft), revise("b", '{"total": "1"}')(draft)),
        "eval_suite.json: keys: keys/b is the key of no case; name the folder as a case is named",
    ),
    "another file among the keys": (
        place("keys/june/case.json", "{}", revise("june", '{"total": "1"}')),
        (
            "keys/june/case.json: is no key; the folder takes expected_facts.json and "
            "reference_ledger.json"
        ),
    ),
    "a key beside the folders": (
        place("keys/expected_facts.json", "{}", revise("june", '{"total": "1"}')),
        "keys/expected_facts.json: is not the folder of a case; move it elsewhere",
    ),
    "a bad revised key": (
        revise("june", '{"total": []}'),
        (
            "keys/june/expected_facts.json: facts.total: has no accepted value; list at least one "
            "or leave the fact out"
        ),
    ),
    "a revised key without its reference": (
        lambda draft: (reference()(draft), revise("june", '{"total": "12.50"}')(draft)),
        (
            f"{LEDGER}: totals[0]: the entries give 12.50 or 13.00, but "
            "keys/june/expected_facts.json accepts 12.50 for 'total'; correct one of them"
        ),
    ),
    "a revised key among the inputs": (
        place("cases/june/inputs/n.txt", '{"total": "1"}', revise("june", '{"total": "1"}')),
        (
            "keys/june/expected_facts.json: keys/june/expected_facts.json is the same as "
            "cases/june/inputs/n.txt, one of the inputs of case 'june'"
        ),
    ),
}
INSTRUCTIONS = {"instructions_file": "grading/i.md", "schema_file": "grading/schema.json"}
MODEL_FAULTS = {
    "an extraction without a schema": (
        assign(fact_extraction={"instructions_file": "grading/i.md"}),
        "eval_suite.json: fact_extraction.schema_file: is missing; add it",
    ),
    "an extraction with an unknown field": (
        assign(fact_extraction=INSTRUCTIONS | {"schema": {}}),
        "eval_suite.json: fact_extraction.schema: unknown field; did you mean 'schema_file'?",
    ),
    "an extraction that is a path": (
        assign(fact_extraction="grading/i.md"),
        "eval_suite.json: fact_extraction: 'grading/i.md' is not an object",
    ),
    "instructions that are missing": (
        assign(fact_extraction=INSTRUCTIONS),
        (
            "eval_suite.json: fact_extraction.instructions_file: grading/i.md is missing; add it "
            "or correct the path"
        ),
    ),
    "instructions that are blank": (
        place("grading/i.md", "\n", assign(fact_extraction=INSTRUCTIONS)),
        "grading/i.md: is empty; write it",
    ),
    "instructions among the inputs": (
        place(
            INSIDE, "Copy.", assign(fact_extraction=INSTRUCTIONS | {"instructions_file": INSIDE})
        ),
        (
            f"eval_suite.json: fact_extraction.instructions_file: {INSIDE} lies among the inputs "
            "of case 'june', where every trial would read it; move it out"
        ),
    ),
    "a schema of facts that is a list": (
        place(
            "grading/f.json",
            "[]",
            assign(fact_extraction=INSTRUCTIONS | {"schema_file": "grading/f.json"}),
        ),
        "grading/f.json: is a list; write an object",
    ),
    "an extraction in a check": (
        check(0, extraction_schema={}),
        (
            "eval_suite.json: checks[0].extraction_schema: unknown field; fact_extraction says it "
            "for all checks"
        ),
    ),
    "an amount by a model without an extraction": (
        lambda draft: draft.suite["checks"][0].pop("pattern"),
        "eval_suite.json: checks[0].pattern: it is missing; ",
    ),
    "a fact by a model without an extraction": (
        replace_check(0, grader="fact_value", fact_name="total"),
        "eval_suite.json: checks[0].grader: a model has to read the fact: ",
    ),
    "a schema of facts that is no schema": (
        extracting('{"type": "objct"}'),
        "eval_suite.json: fact_extraction.schema_file: ",
    ),
    "a schema of facts that leads elsewhere": (
        extracting('{"properties": {"total": {"$ref": "https://example.com/s"}}}'),
        "eval_suite.json: fact_extraction.schema_file: the reference 'https://example.com/s' ",
    ),
    "a fact that the schema of facts lacks": (
        extracting('{"properties": {"sum": {}}}'),
        "eval_suite.json: checks[0].fact_name: 'total' is no property of the extraction schema; ",
    ),
    "a check whose extractor nobody is": (
        extracting('{"properties": {"total": {}}}'),
        (
            "eval_suite.json: checks[0].grader: asks an extractor, and grader_configurations names "
            "none; add one"
        ),
    ),
    "a kind of tool that is none": (
        replace_check(0, grader="tool_use", tool_kind="bash", tool_input_pattern="python"),
        (
            "eval_suite.json: checks[0].tool_kind: 'bash' is no kind of tool; there are shell, "
            "read, write, edit, search, web, other"
        ),
    ),
    "a pattern of a tool's input that is none": (
        replace_check(0, grader="tool_use", tool_kind="shell", tool_input_pattern="(python"),
        "eval_suite.json: checks[0].tool_input_pattern: not a regular expression: ",
    ),
    "a judge without a rubric": (
        replace_check(0, grader="judge"),
        "eval_suite.json: checks[0].rubric_file: it is missing",
    ),
    "a rubric in the suite file": (
        replace_check(0, grader="judge", rubric="Is it kind?"),
        ("eval_suite.json: checks[0].rubric: stands in the suite file; name a file in rubric_file"),
    ),
    "a check whose judge nobody is": (
        lambda draft: draft.suite["checks"].append(JUDGED),
        (
            "eval_suite.json: checks[2].grader: asks a judge, and grader_configurations names "
            "none; add one"
        ),
    ),
    "a role that no check asks": (
        assign(grader_configurations={"extractor": "grading/judge.json"}),
        "eval_suite.json: grader_configurations.extractor: no check asks an extractor; remove it",
    ),
    "a misspelt role": (
        judged(lambda draft: draft.suite.update(grader_configurations={"jugde": "x.json"})),
        (
            "eval_suite.json: grader_configurations.jugde: no check asks a jugde; did you mean "
            "'judge'?"
        ),
    ),
    "a role that is no name": (
        assign(grader_configurations={"the judge": "x.json"}),
        "eval_suite.json: grader_configurations.'the judge': 'the judge' is not a name; ",
    ),
    "roles in a list": (
        assign(grader_configurations=["judge"]),
        "eval_suite.json: grader_configurations: a list is not an object",
    ),
    "a configuration of a grader in place": (
        judged(lambda draft: draft.suite.update(grader_configurations={"judge": {}})),
        "eval_suite.json: grader_configurations.judge: an object is not a string; put it in quotes",
    ),
    "a configuration of a grader that is missing": (
        judged(lambda draft: draft.files.pop("grading/judge.json")),
        (
            "eval_suite.json: grader_configurations.judge: grading/judge.json is missing; add it "
            "or correct the path"
        ),
    ),
    "a judge without a model": (
        judged(model=" "),
        "grading/judge.json: model: is empty; write it or leave the field out",
    ),
    "a judge with an unknown field": (
        judged(modle="x"),
        "grading/judge.json: modle: unknown field; did you mean 'model'?",
    ),
    "a judge without answers": (
        judged(settings={}),
        (
            "grading/judge.json: settings.answers_file: the provider 'recorded' needs the path of "
            "a file of answers"
        ),
    ),
    "a judge whose answers are missing": (
        judged(settings={"answers_file": "../replies/a.jsonl"}),
        (
            "grading/judge.json: settings.answers_file: replies/a.jsonl is missing; add it or "
            "correct the path"
        ),
    ),
    "a judge whose answers lie outside": (
        judged(settings={"answers_file": "../../a.jsonl"}),
        (
            "grading/judge.json: settings.answers_file: ../a.jsonl leads out of the folder; move "
            "the file into it"
        ),
    ),
    "a judge whose answers lie anywhere": (
        judged(settings={"answers_file": "/a.jsonl"}),
        (
            "grading/judge.json: settings.answers_file: /a.jsonl is not a relative path with '/' "
            "between its parts"
        ),
    ),
    "a judge among the inputs": (
        judged(
            lambda draft: (
                draft.suite.update(grader_configurations={"judge": "cases/june/inputs/j.json"}),
                add("cases/june/inputs/j.json", '{"provider": "x", "model": "m"}')(draft),
            )
        ),
        (
            "eval_suite.json: grader_configurations.judge: cases/june/inputs/j.json lies among the "
            "inputs of case 'june', where every trial would read it; move it out"
        ),
    ),
    "a judge's answers among the inputs": (
        judged(
            add("cases/june/inputs/r.jsonl", '{"answer": "x"}'),
            settings={"answers_file": "../cases/june/inputs/r.jsonl"},
        ),
        (
            "grading/judge.json: settings.answers_file: cases/june/inputs/r.jsonl lies among the "
            "inputs of case 'june', where every trial would read it; move it out"
        ),
    ),
}
PRICE = {
    "provider": "acme",
    "model": "m-1",
    "input_usd_per_million": 2.50,
    "output_usd_per_million": "10",
}
RUN_FAULTS = {
    "a system text that is missing": (
        variant(system_file="prompts/system.md"),
        (
            "eval_suite.json: variants[0].system_file: prompts/system.md is missing; add it or "
            "correct the path"
        ),
    ),
    "a system text that is blank": (
        place("prompts/system.md", " \n", variant(system_file="prompts/system.md")),
        "prompts/system.md: is empty; write it",
    ),
    "a system text with a placeholder": (
        place("prompts/system.md", "On {{question}}", variant(system_file="prompts/system.md")),
        (
            "prompts/system.md: nothing is replaced in a system text, and it has '{{question}}'; "
            "write it in the prompt"
        ),
    ),
    "a system text among the inputs": (
        place(INSIDE, "Be brief.", variant(system_file=INSIDE)),
        (
            f"eval_suite.json: variants[0].system_file: {INSIDE} lies among the inputs of case "
            "'june', where every trial would read it; move it out"
        ),
    ),
    "a copy of a system text among the inputs": (
        place(
            INSIDE,
            "Be brief.",
            place("system.md", "Be brief.", variant(system_file="system.md")),
        ),
        (
            f"eval_suite.json: variants[0].system_file: system.md is the same as {INSIDE}, one of "
            "the inputs of case 'june', where every trial would read it; move it out"
        ),
    ),
    "a system text in place": (
        variant(system="Be brief."),
        "eval_suite.json: variants[0].system: unknown field; did you mean 'system_file'?",
    ),
    "evidence with a capital letter": (
        check(0, evidence="Report"),
        (
            "eval_suite.json: checks[0].evidence: 'Report' is no name of a part; use lower-case "
            "letters, digits, '_', '-' and '.', at most 100"
        ),
    ),
    "evidence with a line end": (
        check(0, evidence="report\n"),
        "eval_suite.json: checks[0].evidence: 'report\\n' is no name of a part; use lower-case ",
    ),
    "evidence in a list": (
        check(0, evidence=["report"]),
        "eval_suite.json: checks[0].evidence: a list is not a string; put it in quotes",
    ),
    "misspelt evidence": (
        check(0, evidnce="report"),
        "eval_suite.json: checks[0].evidnce: unknown field; did you mean 'evidence'?",
    ),
    "a refusal in words": (
        assign(refuse_other_models="yes"),
        "eval_suite.json: refuse_other_models: 'yes' is not true or false",
    ),
    "prices by model": (
        assign(prices={"m-1": PRICE}),
        "eval_suite.json: prices: an object is not a list",
    ),
    "a price without a model": (
        assign(prices=[{key: PRICE[key] for key in PRICE if key != "model"}]),
        "eval_suite.json: prices[0].model: is missing; add it",
    ),
    "a price below nothing": (
        assign(prices=[PRICE | {"input_usd_per_million": -1}]),
        "eval_suite.json: prices[0].input_usd_per_million: -1 is below 0",
    ),
    "a price with a currency": (
        assign(prices=[PRICE | {"output_usd_per_million": "$10"}]),
        (
            "eval_suite.json: prices[0].output_usd_per_million: '$10' is not a decimal; write one "
            'such as "2.50"'
        ),
    ),
    "a price of nothing known": (
        assign(prices=[PRICE | {"cached_usd_per_million": 1}]),
        (
            "eval_suite.json: prices[0].cached_usd_per_million: unknown field; did you mean "
            "'cache_read_usd_per_million'?"
        ),
    ),
    "two prices of one model": (
        assign(prices=[PRICE, PRICE | {"model": "m-2"}, PRICE | {"input_usd_per_million": 3}]),
        (
            "eval_suite.json: prices[2].model: 'm-1' of acme also stands in prices[0]; a model has "
            "one price"
        ),
    ),
    "a judge without patience": (
        judged(limits={"deadline_s": 0}),
        "grading/judge.json: limits.deadline_s: 0 is not above 0 and at most 86400",
    ),
    "a judge with an unknown limit": (
        judged(limits={"deadline": 5}),
        "grading/judge.json: limits.deadline: unknown field; did you mean 'deadline_s'?",
    ),
}
ALL = (
    SUITE_FAULTS
    | PATH_FAULTS
    | CASE_FAULTS
    | TEXT_FAULTS
    | REFERENCE_FAULTS
    | KEY_FAULTS
    | MODEL_FAULTS
    | RUN_FAULTS
)
