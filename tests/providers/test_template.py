import base64
import json
from email import message_from_bytes
from typing import Any

import pytest

from providers.provider import Limits, SessionRequest, TrialPlace
from providers.template import Unsendable, parse_template
from tests.providers.processes import make_input

FILES = (make_input("notes/a.txt", "é\n".encode()), make_input("b.bin", b"\xff\x00"))


def make_request(**fields) -> SessionRequest:
    place = TrialPlace("the-case", "the-variant", 7)
    return SessionRequest(
        **{"place": place, "prompt": "What?", "model": "m", "effort": None, **fields}
    )


def format_body(root, *, is_multipart=False, **fields):
    return parse_template(root, is_multipart=is_multipart).format(make_request(**fields))


def fill(root, **fields):
    data, media = format_body(root, **fields)
    assert media == "application/json"
    return json.loads(data)


def test_a_placeholder_alone_takes_the_value_itself():
    root = {"p": "{{prompt}}", "s": "{{system}}", "n": ["{{output_tokens_max}}", True, 3, None]}
    assert fill(root) == {"p": "What?", "s": None, "n": [None, True, 3, None]}
    limits = Limits(output_tokens_max=9)
    assert fill(root, system="Brief.", limits=limits)["n"] == [9, True, 3, None]


def test_within_a_text_a_missing_value_is_nothing():
    assert fill("<{{system}}|{{model}}|{{effort}}|{{prompt}}>", effort="low") == "<|m|low|What?>"


def test_what_is_inserted_is_never_read_as_a_placeholder():
    prompt = "{{model}} {{system}}"
    assert fill(["{{prompt}}", "a {{prompt}}"], prompt=prompt) == [prompt, f"a {prompt}"]


def test_a_number_with_a_fraction_is_sent_as_one():
    assert format_body(["{{prompt}}", "{{number:0.2}}"])[0] == b'["What?", 0.2]'


def test_a_lone_surrogate_is_sent_as_json_escapes_it():
    assert fill("{{prompt}}", prompt="\ud800é") == "\ud800é"


def test_files_are_objects_with_their_text_or_bytes():
    assert fill({"f": "{{inputs}}"}, inputs=FILES) == {
        "f": [
            {"path": "notes/a.txt", "text": "é\n"},
            {"path": "b.bin", "base64": base64.b64encode(b"\xff\x00").decode()},
        ]
    }


def test_one_file_is_its_text():
    root = ["{{file:notes/a.txt}}", "<{{file:notes/a.txt}}>"]
    assert fill(root, inputs=FILES) == ["é\n", "<é\n>"]


@pytest.mark.parametrize(
    ("root", "message"),
    [
        ("{{prompt}}", "has no place for the input files"),
        ("{{file:b.bin}}", "'b.bin' is not UTF-8"),
        ("{{file:c.txt}}", "no input file 'c.txt'"),
    ],
)
def test_a_file_that_cannot_be_sent_is_not_left_out_in_silence(root, message):
    with pytest.raises(Unsendable, match=message):
        format_body(root, inputs=FILES)


def test_a_form_holds_the_request_and_each_file():
    data, media = format_body({"q": "{{prompt}}"}, is_multipart=True, inputs=FILES)
    head = f"Content-Type: {media}\r\n\r\n".encode()
    form: Any = message_from_bytes(head + data)
    parts = [
        (
            part.get_param("name", header="content-disposition"),
            part.get_filename(),
            part.get_content_type(),
            part.get_payload(decode=True),
        )
        for part in form.get_payload()
    ]
    assert parts == [
        ("request", None, "application/json", b'{"q": "What?"}'),
        ("files", "notes/a.txt", "text/plain", "é\n".encode()),
        ("files", "b.bin", "application/octet-stream", b"\xff\x00"),
    ]


def test_the_same_form_is_the_same_bytes_and_another_has_another_boundary():
    first = format_body("{{prompt}}", is_multipart=True, inputs=FILES)
    assert first == format_body("{{prompt}}", is_multipart=True, inputs=FILES)
    assert first[1] != format_body("{{prompt}}", is_multipart=True, inputs=FILES[:1])[1]


def test_a_name_of_a_file_cannot_end_its_field():
    file = make_input('a"; x="\r\nY: z', b"")
    data, _ = format_body("{{prompt}}", is_multipart=True, inputs=(file,))
    assert b'filename="a%22; x=%22%0D%0AY: z"\r\n' in data
