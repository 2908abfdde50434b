"""Signatures of webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from email.message import Message

import pytest
from playing import event

from karat import KaratError, verify_webhook

secret = "whsec_" + base64.b64encode(bytes([9]) * 24).decode()
body = json.dumps(event(1))


def signed(*, at: float | None = None, by: str = secret, content: str = body) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    key = base64.b64decode(by.removeprefix("whsec_"))
    made = hmac.new(key, f"evt_1.{timestamp}.{content}".encode(), hashlib.sha256).digest()
    return {
        "Webhook-Id": "evt_1",
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(made).decode()}",
    }


other = "whsec_" + base64.b64encode(bytes([1]) * 24).decode()


def test_a_webhook_is_its_event_when_it_was_signed_with_the_secret_also_next_to_another_signature() -> None:
    assert verify_webhook(body, signed(), secret).id == "evt_1"
    assert verify_webhook(body.encode(), list(signed().items()), secret).type == "trade.confirmed"
    message = Message()
    for name, value in signed().items():
        message[name] = value
    assert verify_webhook(body, message, secret).sequence == 1
    both = f"{signed(by=other)['webhook-signature']} {signed()['webhook-signature']}"
    assert verify_webhook(body, {**signed(), "webhook-signature": both}, secret).sequence == 1


@pytest.mark.parametrize(
    ("text", "headers", "by"),
    [
        pytest.param(body.replace("confirmed", "failed"), signed(), secret, id="another body"),
        pytest.param(body, signed(), other, id="another secret"),
        pytest.param(body, {**signed(), "Webhook-Id": "evt_2"}, secret, id="another id"),
        pytest.param(body, signed(at=time.time() - 360), secret, id="six minutes ago"),
        pytest.param(body, signed(at=time.time() + 660), secret, id="minutes from now"),
        pytest.param(body, {**signed(), "webhook-timestamp": "now"}, secret, id="no time"),
        pytest.param(body, {}, secret, id="no headers"),
        pytest.param(body, signed(), "", id="no secret"),
        pytest.param(body, signed(), "whsec_é", id="a secret that is no base64"),
        pytest.param(body, {**signed(), "webhook-signature": "v1,%%"}, secret, id="no base64"),
        pytest.param(body, {**signed(), "webhook-signature": "v1,é"}, secret, id="no ASCII"),
        pytest.param(body, {**signed(), "webhook-signature": "v1,"}, secret, id="no signature"),
    ],
)
def test_any_other_webhook_is_refused(text: str, headers: dict[str, str], by: str) -> None:
    with pytest.raises(KaratError) as raised:
        verify_webhook(text, headers, by)
    assert raised.value.code == "signature_invalid"


def test_a_webhook_that_is_no_event_is_no_refusal_of_its_signature() -> None:
    for content in ("{", "{}"):
        with pytest.raises(KaratError) as raised:
            verify_webhook(content, signed(content=content), secret)
        assert raised.value.code == "unexpected_response"
