"""Where the API may be."""

from __future__ import annotations

import re

import httpx

from karat._errors import KaratError

_here = re.compile(r"^(localhost|.*\.localhost|127(\.\d+){3}|::1)$")


def base_url_of(base_url: str) -> str:
    """
    Returns the address of the API without a slash at its end. Raises `url_insecure` for one over which others could read the
    key and change what is to be signed: http to any other machine.
    """
    try:
        url = httpx.URL(base_url)
        scheme, host = url.scheme, url.host
    except (httpx.InvalidURL, TypeError):
        scheme, host = "", ""
    if (scheme == "https" and host) or (scheme == "http" and _here.match(host)):
        return base_url.rstrip("/")
    message = f"{base_url} is no https address: http is for this machine only."
    raise KaratError("url_insecure", message=message)
