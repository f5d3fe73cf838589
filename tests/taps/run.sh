#!/bin/sh
# run.sh: what is written for other package managers is read by what Debian has for each, names the
# archive by its hash, and does what it says where that can be tried here. The action's lines are
# those where documents go wrong.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
tests/need.sh ruby shellcheck python3-yaml >/dev/null 2>&1
git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip_all 'no git, or no commit, to make dist of'
recipes=$root/build/recipes

# hold CLAIM COMMAND...
hold() {
    claim=$1
    shift
    "$@" >"$said" 2>&1
    count "$claim"
}

# judged PROGRAM CLAIM COMMAND...: where the program is.
judged() {
    if command -v "$1" >/dev/null; then
        shift
        hold "$@"
    else
        skip "$2: no $1 here"
    fi
}

# block FILE: the script of a YAML file after "run: |".
block() {
    awk '/^ *run: \|$/ { is_on = 1; next } is_on { sub(/^        /, ""); print }' "$1"
}

yaml() {
    /usr/bin/python3 -c \
        'import sys, yaml; assert isinstance(yaml.safe_load(open(sys.argv[1])), dict)' "$1"
}

hold 'recipes are written' make -s recipes PLACE=https://example.org/selfattn
version=$(sed -n 's/.*SELFATTN_VERSION "\(.*\)"/\1/p' src/cli/version.h)
sum=$(sha256sum "build/selfattn-$version.tar.gz" | cut -d' ' -f1)
for file in selfattn.rb PKGBUILD meta.yaml; do
    hold "$file names the archive" grep -q "$sum" "$recipes/$file"
    hold "$file says where it is" grep -q https://example.org/selfattn/selfattn- "$recipes/$file"
done
! grep -E 'PLACE|VERSION|SUM' "$recipes"/* >"$said"
count 'nothing is left to fill in'
judged ruby 'Homebrew: ruby reads the formula' ruby -c "$recipes/selfattn.rb"
judged bash 'Arch: bash reads the PKGBUILD' bash -n "$recipes/PKGBUILD"
judged shellcheck 'Arch: shellcheck finds nothing' shellcheck "$recipes/PKGBUILD"
judged nix-instantiate 'Nix: the flake parses' nix-instantiate --parse "$recipes/flake.nix"
if /usr/bin/python3 -c 'import yaml' 2>/dev/null; then
    hold 'conda: the recipe is YAML' yaml "$recipes/meta.yaml"
    hold 'GitHub: the action is YAML' yaml packaging/action/action.yml
else
    skip 'conda, GitHub: no YAML for Python here'
fi
block packaging/action/action.yml >"$scratch/action"
hold 'GitHub: its script parses' bash -n "$scratch/action"

# ---- the action, on documents of each kind

cd "$scratch" || exit 1
mkdir golden
printf '{\n"x": [[1, 2]],\n"expected": {"output": [[1, 2]]}\n}\n' >golden/right.json
printf '{\n"x": [[1, 2]],\n"name": "50%%",\n"expected": {"output": [[1, 3]]}\n}\n' \
    >golden/wrong.json
printf '{\n"x": [[1, 2],\n[3]]\n}\n' >golden/broken.json
printf '%s\n' '{"x": [[1]], "expected": {"output": [[1]]}}' \
    '{"x": [[1]], "expected": {"output": [[2]]}}' >lines.jsonl
DOCUMENTS='golden lines.jsonl' OPTIONS=--quiet RUNNER_TEMP=$scratch \
    GITHUB_ACTION_PATH=$root/packaging/action bash -e "$scratch/action" >"$scratch/shown" 2>&1
hold 'the action fails as check does' test $? = 2
for place in golden/wrong.json,line=4::FAIL golden/broken.json,line=3::selfattn \
    lines.jsonl,line=2::FAIL; do
    hold "the action shows ${place%%::*}" grep -q "^::error file=$place" "$scratch/shown"
done
hold 'and nothing else' test "$(grep -c '^::error' "$scratch/shown")" = 3
hold 'per cent as GitHub reads it' grep -q '^::error file=golden/wrong.*50%25' "$scratch/shown"
finish
