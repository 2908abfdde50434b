"""The samples of the reference and the guides work, and print what those of the other SDKs do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Sandbox

packages = Path(__file__).parents[2]
program = packages / "sdk-python" / "samples" / "partner.py"
patterns = (packages / "sdk" / "samples" / "printed.txt").read_text().splitlines()


def test_the_samples_run_as_one_program(sandbox: Sandbox) -> None:
    environment = {**os.environ, "KARAT_STATE_DIR": str(sandbox.folder)}
    # A wallet belongs to one customer only, and others have used this sandbox.
    for file in reversed(sandbox.info["spare_wallets"]):
        done = subprocess.run(
            [sys.executable, program, file], env=environment, capture_output=True, text=True, check=False
        )
        if "user_already_exists" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        left = list(patterns)
        for line in done.stdout.splitlines():
            if left and re.fullmatch(left[0], line.replace("True", "true")):
                left.pop(0)
        assert left == [], done.stdout
        return
    pytest.skip("every spare wallet of this sandbox has a customer")
