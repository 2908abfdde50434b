"""Closed lists of texts in responses, to type checkers; at run time any text, as the API may add values."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal as Literal
else:

    class Literal:
        def __class_getitem__(cls, values):
            return type(values[0] if isinstance(values, tuple) else values)
