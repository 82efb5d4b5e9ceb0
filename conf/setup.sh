#!/bin/sh
# What a fresh Debian or Ubuntu lacks: the system packages, a browser for the tests, and a virtual environment with tox.
set -eu
cd "$(dirname "$0")/.."
root=$([ "$(id -u)" = 0 ] || echo sudo)
$root apt-get update
# shellcheck disable=SC2046 # one word per package
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $(cat conf/system-packages.txt)
# Debian's Chromium; Ubuntu has it only as a snap, and its machines for CI bring another build.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || ! apt-cache show chromium 2>/dev/null | grep -q '^Depends:.*libc6' ||
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium
python3 -m venv .venv
.venv/bin/pip install --quiet 'tox>=4.20'
