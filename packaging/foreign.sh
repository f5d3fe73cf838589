#!/bin/sh
# foreign.sh ARCHITECTURE FOLDER PACKAGE...: unpacks Debian's packages of another architecture into
# FOLDER, from where a cross compiler takes their libraries. Nothing is installed, and apt's own
# lists stay as they are.
set -eu
architecture=$1 folder=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
mkdir -p "$folder/lists/partial" "$folder/archives/partial"
apt() {
    apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" \
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder" -o Dir::State::status=/dev/null \
        -o APT::Sandbox::User=root "$@" 2>"$folder/said" || { cat "$folder/said" >&2 && false; }
}
apt update || true # the packages may be in the lists that came
cd "$folder"
apt download "$@"
for package in *.deb; do
    dpkg-deb -x "$package" .
done
rm -r lists archives said ./*.deb
