"""Certificates for servers of tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def self_signed(directory: Path, *, names: str = "IP:127.0.0.1", days: int = 1) -> tuple[Path, Path]:
    """A certificate that is its own authority, with its key; one of less than 0 days has expired."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl found to make a certificate with")
    directory.mkdir(exist_ok=True)
    request, cert, key, extensions = (directory / name for name in ("request.pem", "cert.pem", "key.pem", "ext.cnf"))
    extensions.write_text(f"subjectAltName={names}")
    ask = ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test"]
    sign = ["x509", "-req", "-in", request, "-signkey", key, "-days", str(days), "-extfile", extensions, "-out", cert]
    for command in ([*ask, "-keyout", key, "-out", request], sign):
        subprocess.run([openssl, *command], check=True, capture_output=True)
    return cert, key
