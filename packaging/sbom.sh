#!/bin/sh
# sbom.sh FILE...: writes FILE.spdx.json next to each: what it is made of (SPDX 2.3).
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*SELFATTN_VERSION "\(.*\)"/\1/p' src/cli/version.h)
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)

# package NAME VERSION LICENSE [REST]: one of the list.
package() {
    printf '    {"SPDXID": "SPDXRef-%s", "name": "%s", "versionInfo": "%s",\n' "$1" "$1" "$2"
    printf '     "licenseConcluded": "%s", "downloadLocation": "NOASSERTION",\n' "$3"
    printf '     "filesAnalyzed": false%s},\n' "${4:-}"
}

# needed NAME VERSION LICENSE: a package that selfattn is made of.
needed() {
    package "$@"
    relations="$relations,
    {\"spdxElementId\": \"SPDXRef-selfattn\", \"relationshipType\": \"DEPENDS_ON\",
     \"relatedSpdxElement\": \"SPDXRef-$1\"}"
}

# library NAME HEADER WORDS LICENSE: its version, as its header's words here say.
library() {
    number=$(printf '#include <%s>\nversion %s\n' "$2" "$3" | ${CC:-cc} -E -P - |
        sed -n 's/^version *//p' | tr -d ' "')
    needed "$1" "$number" "$4"
}

for file; do
    name=$(basename "$file") sum=$(sha256sum "$file" | cut -d' ' -f1)
    relations='    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
     "relatedSpdxElement": "SPDXRef-selfattn"}'
    {
        cat <<END
{
  "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
  "name": "$name", "documentNamespace": "https://selfattn.invalid/spdx/$name-$sum",
  "creationInfo": {"created": "$created", "creators": ["Organization: the selfattn authors"]},
  "packages": [
END
        case $name in
        *.wasm | *.tgz | *.html) needed wasi-libc NOASSERTION MIT ;;
        *.exe)
            library mingw-w64 _mingw.h '__MINGW64_VERSION_MAJOR . __MINGW64_VERSION_MINOR' ZPL-2.1
            needed winpthreads NOASSERTION MIT
            needed libgcc "$(x86_64-w64-mingw32-gcc -dumpversion)" \
                'GPL-3.0-or-later WITH GCC-exception-3.1' ;;
        *linux*) library glibc features.h '__GLIBC__ . __GLIBC_MINOR__' LGPL-2.1-or-later ;;
        *) library cJSON cjson/cJSON.h \
            'CJSON_VERSION_MAJOR . CJSON_VERSION_MINOR . CJSON_VERSION_PATCH' MIT ;;
        esac
        case $name in *.wasm | *.tgz | *.html | *.exe) ;; *) library zlib zlib.h ZLIB_VERSION Zlib ;; esac
        package selfattn "$version" MIT ", \"packageFileName\": \"$name\",
     \"checksums\": [{\"algorithm\": \"SHA256\", \"checksumValue\": \"$sum\"}]" | sed '$s/,$//'
        printf '  ],\n  "relationships": [\n%s\n  ]\n}\n' "$relations"
    } >"$file.spdx.json"
done
