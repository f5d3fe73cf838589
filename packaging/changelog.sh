#!/bin/sh
# changelog.sh VERSION: Debian's changelog of it, dated as the last commit.
set -eu
cat <<END
selfattn ($1-1) unstable; urgency=medium

  * Version $1; /usr/share/doc/selfattn/changelog.gz says what is new.

 -- The selfattn authors <selfattn@example.org>  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
