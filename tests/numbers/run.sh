#!/bin/sh
# run.sh: the texts of every STRIDEth float32, and of as large a share of 100 million float64,
# proved by the C library (proof.h). All of them (STRIDE=1) take 40 minutes of one processor.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build/release}
make -s VARIANT="${build#build/}" "$build/numbers" >/dev/null
STRIDE=${STRIDE:-61} exec "$build/numbers"
