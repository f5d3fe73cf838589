#!/bin/sh
# man.sh: prints man/selfattn.1 with its generated part made anew from the option table, by the
# selfattn in PATH. `make man` puts it in place; the suite docs fails where they differ.
set -eu
page=$(dirname "$0")/../../man/selfattn.1
sed '/^\.\\" generated: /q' "$page"
selfattn help --completion man
sed -n '/^\.\\" end of the generated part/,$p' "$page"
