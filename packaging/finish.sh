#!/bin/sh
# Adds checksums, filled-in templates for package managers and signatures to a folder of packages.
#
#     packaging/finish.sh VERSION FOLDER
#
# PRECEDENT_RELEASE_URL is the address below which the files can be fetched; without it there are no
# templates. PRECEDENT_SIGN is a command that signs a file, called with its path at the end.
set -eu
templates="$(cd "$(dirname "$0")" && pwd)"
version="$1"
cd "$2"

rm -f SHA256SUMS
sums="$(sha256sum -- *.*)"
printf '%s\n' "$sums" > SHA256SUMS

# The repository of a release on GitHub; the MCP registry names a server after its owner.
repository="$(printf '%s\n' "${PRECEDENT_RELEASE_URL:-}" | sed -nE 's|^(https://github\.com/[^/]+/[^/]+)/releases/.*|\1|p')"
owner="${repository#https://github.com/}"
owner="${owner%%/*}"

for template in "$templates"/*/*; do
    [ -n "${PRECEDENT_RELEASE_URL:-}" ] || break
    text="$(sed "s|@VERSION@|$version|g; s|@URL@|$PRECEDENT_RELEASE_URL|g; s|@REPOSITORY@|${repository:-@REPOSITORY@}|g
        s|@OWNER@|${owner:-@OWNER@}|g" "$template")"
    # @FILE:.deb@ is the name of the package with that ending, @SHA256:.deb@ its checksum.
    for ending in $(printf '%s\n' "$text" | grep -oE '@(FILE|SHA256):[^@]+@' | sed 's/.*://; s/@$//' | sort -u); do
        line="$(grep -m 1 -- "$ending\$" SHA256SUMS)" || continue
        text="$(printf '%s\n' "$text" | sed "s|@FILE:$ending@|${line#*  }|g; s|@SHA256:$ending@|${line%% *}|g")"
    done
    case "$text" in
        *@OWNER@*) echo "${template#"$templates"/}: left out, the release is not on GitHub" >&2 ;;
        *@FILE:* | *@SHA256:*) echo "${template#"$templates"/}: left out, its package is not here" >&2 ;;
        *)
            file="packaging/${template#"$templates"/}"
            mkdir -p "$(dirname "$file")"
            printf '%s\n' "$text" > "$file"
            [ ! -x "$template" ] || chmod +x "$file"
            ;;
    esac
done

for file in *.* SHA256SUMS; do
    [ -z "${PRECEDENT_SIGN:-}" ] || $PRECEDENT_SIGN "$file"
done
