"""The README's code works as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import Sandbox
from mypy import api as mypy

from karat import Karat

readme = (Path(__file__).parents[1] / "README.md").read_text()
first_trade = Path(__file__).parents[1] / "samples" / "first_trade.py"
blocks = re.findall(r"```python\n(.*?)```", readme, re.S)


def test_the_first_trade_of_the_readme_is_made_in_thirty_lines(sandbox: Sandbox) -> None:
    assert len(blocks[0].splitlines()) <= 30
    assert first_trade.read_text() == blocks[0]
    environment = {**os.environ, "KARAT_STATE_DIR": str(sandbox.folder)}
    done = subprocess.run(
        [sys.executable, first_trade], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert re.fullmatch(r"trd_\S+ 0\.0\d{1,5} \d+(\.\d+)?\n", done.stdout)


def test_the_first_trade_without_a_sandbox_ends_in_one_line(tmp_path: Path) -> None:
    environment = {**os.environ, "KARAT_STATE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, first_trade], env=environment, capture_output=True, text=True, check=False
    )
    line = f"No sandbox runs on {tmp_path}: start one, or name its state folder in KARAT_STATE_DIR.\n"
    assert (done.returncode, done.stderr) == (1, line)


def test_the_readme_names_every_method() -> None:
    named = {
        name: sorted(re.findall(r"`(\w+)`", methods))
        for names, methods in re.findall(r"^\| (itself|`[a-z].*?`) \| (`.*`) \|$", readme, re.M)
        for name in names.replace("`", "").split(", ")
    }

    def methods_of(owner: object) -> list[str]:
        names = (name for name in dir(type(owner)) if not name.startswith("_"))
        return sorted(name for name in names if callable(getattr(owner, name)))

    with Karat(api_key="key", base_url="http://127.0.0.1") as karat:
        owners = {name: owner for name, owner in vars(karat).items() if not name.startswith("_")}
        assert {name: named[name] for name in owners} == {
            name: methods_of(one) for name, one in owners.items()
        }
        assert named["itself"] == methods_of(karat)


def test_all_code_of_the_readme_has_the_types_that_it_needs(tmp_path: Path) -> None:
    script = tmp_path / "readme.py"
    cache = os.environ.get("MYPY_CACHE_DIR", str(tmp_path / "mypy"))
    given = "last_handled: str | None = None\nbody, headers, secret, transaction = b'', {'a': 'b'}, '', ''\n"
    script.write_text(given + "\n".join(blocks))
    printed, errors, status = mypy.run(["--strict", "--cache-dir", cache, str(script)])
    assert (errors, status) == ("", 0), printed
