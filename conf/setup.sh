#!/bin/sh
# What a fresh Debian or Ubuntu lacks: the system packages, and a virtual environment with tox.
set -eu
cd "$(dirname "$0")/.."
root=$([ "$(id -u)" = 0 ] || echo sudo)
$root apt-get update
# shellcheck disable=SC2046 # one word per package
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(cat conf/system-packages.txt)
python3 -m venv .venv
.venv/bin/pip install --quiet 'tox>=4.20'
