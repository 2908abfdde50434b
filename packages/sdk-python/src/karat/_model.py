"""What all records of the API have in common."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from karat._errors import KaratError

_M = TypeVar("_M", bound=BaseModel)


class Model(BaseModel):
    """A record of the API. Fields that this version does not know are kept in `model_extra`."""

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=())


def read_model(model: type[_M], data: object, *, status: int | None = None) -> _M:
    """Returns the record that data is. Raises `unexpected_response` for anything else."""
    try:
        return model.model_validate(data)
    except ValidationError as cause:
        message = f"The response is not what the API documents: {cause}"
        raise KaratError("unexpected_response", message=message, status=status, body=data) from cause
