"""The wire: what is kept of a call, who stands in between, and how long to wait."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from providers.wire import Exchange, TooLarge, fail_exchange, list_proxies, read_retry_after


def test_no_proxy_leads_to_this_machine_nor_to_exempt_hosts():
    environment = {
        "http": "http://proxy.example:8080",
        "https": "http://proxy.example:8080",
        "no": "intern.example, .corp.example,*.y.example,x.example:8443,:,"
        "::1,[fe80::1],10.0.0.0/8,10.1.1.1",
    }
    proxies = list_proxies(environment)
    assert proxies["https://"] == proxies["http://"] == "http://proxy.example:8080"
    assert {pattern for pattern, proxy in proxies.items() if proxy is None} == {
        "all://*intern.example",
        "all://*corp.example",
        "all://*x.example:8443",
        "all://*y.example",
        "all://[fe80::1]",
        "all://10.0.0.0/8",
        "all://10.1.1.1",
        "all://localhost",
        "all://127.0.0.1",
        "all://[::1]",
    }


def test_a_proxy_without_a_scheme_is_an_http_one():
    assert list_proxies({"https": "proxy.example:8080"})["https://"] == "http://proxy.example:8080"


@pytest.mark.parametrize("environment", [{}, {"no": "x"}, {"https": "http://p:1", "no": "*"}])
def test_without_a_proxy_there_is_none(environment):
    assert list_proxies(environment) == {}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after-ms": "x"}, None),
        ({"retry-after-ms": "20", "retry-after": "3"}, 0.02),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "nan"}, None),
        ({"retry-after-ms": "inf"}, None),
    ],
)
def test_the_wait_that_is_asked_for_is_read_and_nonsense_is_none(headers, seconds):
    assert read_retry_after(headers) == seconds


def test_a_wait_until_a_date_is_counted_from_now():
    date = format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True)
    assert 200 < (read_retry_after({"retry-after": date}) or 0) <= 300


def test_a_response_without_end_is_no_answer(monkeypatch):
    monkeypatch.setattr("providers.wire.RECEIVED_BYTES_MAX", 10)
    exchange = Exchange()
    exchange.begin(b"{}")
    exchange.open(200, {"content-type": "text/plain"})
    exchange.take(b"0123456789")
    with pytest.raises(TooLarge) as raised:
        exchange.take(b"x")
    failure = fail_exchange(exchange, raised.value)
    assert (failure.cause, failure.is_transient, failure.response) == (
        "too_large",
        False,
        b"0123456789",
    )


def test_an_sdk_s_error_is_read_by_what_it_was_raised_from():
    exchange = Exchange()
    exchange.begin(b"{}")
    error = RuntimeError("Connection error.")
    error.__cause__ = httpx2.ConnectError("nobody there")
    failure = fail_exchange(exchange, error)
    assert (failure.cause, failure.is_transient) == ("connection_failed", True)
    assert failure.detail == "no response: ConnectError: nobody there"


def test_a_detail_is_one_line_that_an_event_can_hold():
    failure = fail_exchange(Exchange(sent=b""), None, "one\n two \ud800")
    assert failure.detail == "one two \\ud800"


def test_of_the_headers_those_alone_are_kept_that_a_reader_needs():
    exchange = Exchange()
    exchange.begin(b"")
    exchange.open(200, {"set-cookie": "planted", "x-request-id": "r", "content-type": "text/css"})
    assert exchange.headers == {"x-request-id": "r", "content-type": "text/css"}
