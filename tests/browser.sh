# shellcheck shell=sh disable=SC2034,SC2154
# What suites in a browser share: $browser is Debian's chromium, and $modules/node_modules has
# playwright-core and axe-core from npm, fetched once into build/web. Without one of them the suite
# is skipped, and says so. Sourced after claims.sh and make_scratch.
modules=$root/build/web

browser=$(command -v chromium) || skip_all 'chromium is not here'
command -v npm >/dev/null || skip_all 'npm is not here'
if [ ! -d "$modules/node_modules/playwright-core" ]; then
    mkdir -p "$modules"
    npm install --silent --no-audit --no-fund --prefix "$modules" \
        playwright-core@1.49.1 axe-core@4.10.2 >"$scratch/npm" 2>&1 ||
        skip_all "npm can't fetch playwright-core and axe-core"
fi
