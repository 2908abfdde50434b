"""Who signs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, SupportsBytes

from solders.pubkey import Pubkey


class KeySigner(Protocol):
    """Signs messages with one key: a `solders.keypair.Keypair`, or a key of yours elsewhere that looks like one."""

    def pubkey(self) -> Pubkey: ...
    def sign_message(self, message: bytes, /) -> SupportsBytes: ...


#: A key, or a function from the bytes of a transaction to those of the signed one, such as one that has a browser sign.
Signer = KeySigner | Callable[[bytes], bytes]
AsyncSigner = KeySigner | Callable[[bytes], bytes | Awaitable[bytes]]

#: Signs the bytes of a text with a wallet: its 64 bytes, or these in base64.
SignMessage = Callable[[bytes], SupportsBytes | str]
AsyncSignMessage = Callable[[bytes], SupportsBytes | str | Awaitable[SupportsBytes | str]]
