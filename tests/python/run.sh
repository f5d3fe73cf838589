#!/bin/sh
# run.sh: a wheel is the same bytes twice, pip installs it without a network, the module gives the
# program's bits and words, with NumPy and without, and README's pytest file passes.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
tests/need.sh zip python3-numpy python3-pytest python3-pip >/dev/null 2>&1
find_python 'import numpy, pytest, pip'
command -v zip >/dev/null || skip_all 'no zip here'
# Of tests only this: its folders have names of modules.
mkdir "$scratch/path" && cp tests/claims.py "$scratch/path/"
PYTHONPATH=$scratch/path PYTHONDONTWRITEBYTECODE=1 SOURCE_DATE_EPOCH=1000000000
export PYTHONPATH PYTHONDONTWRITEBYTECODE SOURCE_DATE_EPOCH
# Programs are found where pip puts them, and nowhere else.
native=$root/${BUILD:-build/release}/selfattn PATH=${PATH#*:}

# hold CLAIM COMMAND...
hold() {
    claim=$1
    shift
    "$@" >"$said" 2>&1
    count "$claim"
}

# pack FOLDER MASK ZONE: this program's wheel, as somebody makes it there.
pack() (
    umask "$2"
    mkdir "$1"
    cp "$native" "$1/selfattn-linux-$(uname -m)"
    TZ=$3 packaging/wheel.sh "$1/selfattn-linux-$(uname -m)" >"$1/name"
)

# install_into NAME [OPTION]: an environment of Python with the wheel.
# shellcheck disable=SC2086 # words are meant
install_into() {
    $python -m venv --without-pip ${2:-} "$scratch/$1" || return
    $python -m pip --python "$scratch/$1/bin/python" --disable-pip-version-check install -q \
        --no-index "$wheel"
}

hold 'a wheel is packed' pack "$scratch/a" 022 UTC
wheel=$(cat "$scratch/a/name")
hold 'and elsewhere' pack "$scratch/b" 077 Asia/Tokyo
hold 'with the same bytes' cmp "$wheel" "$(cat "$scratch/b/name")"
hold 'its record is true' $python "$tests/record.py" "$wheel"
hold 'pip installs it' install_into numpy --system-site-packages
hold 'its script is the program' cmp "$native" "$scratch/numpy/bin/selfattn"
hold 'with NumPy' "$scratch/numpy/bin/python" "$tests/arrays.py" "$native"
awk '/^```/ { is_on = 0 } /^import numpy/ { is_on = 1 } is_on' README.md \
    >"$scratch/test_readme.py"
sed 's| / 2||' "$scratch/test_readme.py" >"$scratch/test_wrong.py"
hold "README's lines of pytest" "$scratch/numpy/bin/python" -m pytest -q "$scratch/test_readme.py"
"$scratch/numpy/bin/python" -m pytest -q "$scratch/test_wrong.py" >"$scratch/failed"
hold 'say what is wrong, as README has it' grep -F \
    "$(sed -n 's/^Without .* it fails with .\(.*\)`.$/\1/p' README.md)" "$scratch/failed"
hold 'pip installs it where nothing is' install_into bare
hold 'without NumPy' "$scratch/bare/bin/python" "$tests/lists.py" "$native"
hold 'pip installs it into a folder' $python -m pip --disable-pip-version-check install -q \
    --no-index --target "$scratch/folder" "$wheel"
hold 'where it works, too' env PYTHONPATH="$scratch/folder" $python -c \
    'import selfattn; assert selfattn.run(x=[[1, 2]])["output"].tolist() == [[1, 2]]'
hold 'the module has at most 150 lines' awk 'END { exit NR > 150 }' packaging/python/selfattn.py
finish
