#!/bin/sh
# man.sh PAGE: prints man/PAGE with its generated part made anew from the tables, by the selfattn in
# PATH. `make man` puts it in place; the suite docs fails where they differ.
set -eu
page=$(dirname "$0")/../../man/$1
sed '/^\.\\" generated: /q' "$page"
$(sed -n 's/^\.\\" generated: //p' "$page")
sed -n '/^\.\\" end of the generated part/,$p' "$page"
