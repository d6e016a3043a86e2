"""Bad suites: an edit of a sound one, and the line that has to be among its faults.

A line may be the beginning of the fault, where the rest is another module's sentence. The module is
as long as its table.
"""

import json

from tests.trials.suites import AMOUNT, record

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
            "gated_variant, repetitions, suite_name, variants"
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
        (
            "eval_suite.json: checks[0].tolerence: this grader has no such field; it takes "
            "fact_name, occurrence, pattern, tolerance"
        ),
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
        (
            "eval_suite.json: checks[0].grader: 'amuont' is unknown; there are amount, "
            "json_schema, phrases"
        ),
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
    "a rubric that is blank": (
        place("r.md", "", check(0, rubric_file="r.md")),
        "r.md: is empty; write it",
    ),
}
ALL = SUITE_FAULTS | PATH_FAULTS | CASE_FAULTS | TEXT_FAULTS
