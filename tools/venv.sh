#!/bin/sh
# Usage: tools/venv.sh EXTRA
# Makes .venv and installs the program into it, editable, with an extra ("" for none, test, dev).
# Does nothing when pyproject.toml, the version and the extra are what they were the last time.
set -eu
cd "$(dirname "$0")/.."

extra=$1
venv=${VENV:-.venv}
target=.${extra:+"[$extra]"}
log=$venv/install.log
stamp=$venv/installed-${extra:-program}

say() { printf '%s\n' "$*" >&2; }

# The first Python of 3.11 or later that can make an environment.
find_python() {
  too_old='' no_venv=''
  for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if ! "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      too_old="${too_old:+$too_old, }$name is $version"
    elif ! "$name" -c 'import ensurepip, venv' 2>/dev/null; then
      no_venv="${no_venv:-$name $version}"
    else
      echo "$name"
      return 0
    fi
  done
  if [ -n "$no_venv" ]; then
    say "shardwise: ${no_venv% *} (Python ${no_venv#* }) cannot make an environment: its venv or ensurepip module is missing."
    say "On Debian and Ubuntu: sudo apt install python${no_venv#* }-venv. Then run the same command again."
  elif [ -n "$too_old" ]; then
    say "shardwise: Python 3.11 or later is needed; found only: $too_old."
    say "Install a newer one (your system's packages, python.org or uv), or name it: make practice PYTHON=/path/to/python3.12"
  else
    say "shardwise: no Python was found (tried: ${PYTHON:-python3, python3.14 to python3.11, python})."
    say "Install Python 3.11 or later, or name it: make practice PYTHON=/path/to/python3.12"
  fi
  return 1
}

wanted=$(cat pyproject.toml quiz/_version.py tools/venv.sh | cksum)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && "$venv/bin/python" -c '' 2>/dev/null; then
  exit 0
fi

# An environment whose interpreter is gone is made again.
if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
  python=$(find_python) || exit 3
  say "Making $venv with $python ..."
  rm -rf "$venv"
  "$python" -m venv "$venv" || { say "shardwise: $python could not make $venv; the reason is above."; exit 3; }
fi

say "Installing Shardwise${extra:+ with what \"$extra\" needs} into $venv, about a minute the first time ..."
# Not compiled: Python compiles what it imports, a small part of what is installed, when it first does.
if ! "$venv/bin/python" -m pip install --disable-pip-version-check --quiet --no-compile --editable "$target" >"$log" 2>&1; then
  cat "$log" >&2
  say "shardwise: the installation failed; pip's words are above and in $log."
  say "Packages are fetched once from the package index, or from the one that pip's configuration names."
  exit 3
fi
# Our own part is compiled, so that the first start is as quick as the next ones; where that fails, only that is lost.
"$venv/bin/python" -m compileall -q quiz solvers >>"$log" 2>&1 || say "shardwise: the first start will be slower; see $log."
printf '%s\n' "$wanted" >"$stamp"
