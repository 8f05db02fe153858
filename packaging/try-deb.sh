#!/bin/sh
# Installs the newest .deb of target/release/bundle into a Debian that has never seen Precedent,
# searches there by meaning, and drives the installed window. As root, on Debian or Ubuntu, with
# debootstrap; `cargo xtask bundle` and `cargo test --workspace --test window --no-run` come first.
set -eu
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
package="$(ls -t "$target"/release/bundle/deb/*.deb | head -n 1)"
test="$(ls -t "$target"/debug/deps/window-* | grep -v '\.' | head -n 1)"
all="$target/clean-root"
root="$all/root"
. /etc/os-release
mirror="$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | sed -n "s/^$VERSION_CODENAME //p" | head -n 1)"

# Runs a command inside, with mounts that end with it: inside USER COMMAND...
inside() {
    unshare --mount --pid --fork --kill-child sh -euc '
        root=$1 user=$2; shift 2
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mkdir -p "$root/dev/shm" "$root/dev/pts"
        mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
        mount -t devpts devpts "$root/dev/pts"
        home="$(chroot "$root" sh -c "echo ~$user")"
        # Not as the first process: Xvfb tells its parent that it is ready, but never that one.
        chroot --userspec="$user:$user" "$root" /usr/bin/env -i -C "$home" HOME="$home" LANG=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" || exit $?
    ' sh "$root" "$@"
}

mkdir -p "$all"
[ -d "$all/base" ] || { debootstrap --variant=minbase "$VERSION_CODENAME" "$all/base.new" "$mirror" && mv "$all/base.new" "$all/base"; }
rm -rf "$root"
cp -a "$all/base" "$root"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp "$package" "$root/tmp/precedent.deb"
cp "$test" "$root/usr/local/bin/window"
inside root apt-get update
inside root apt-get install -y --no-install-recommends /tmp/precedent.deb
grep -qx 'MimeType=x-scheme-handler/precedent;' "$root/usr/share/applications/Precedent.desktop"
if inside root ldd /usr/bin/precedent-desktop /usr/lib/Precedent/libonnxruntime.so | grep 'not found'; then
    echo "error: the package does not name all that it needs" >&2
    exit 1
fi

inside root useradd --create-home somebody
inside somebody precedent import sample
inside somebody precedent index
inside somebody precedent search 'mode:semantic storage ran out while copying' -L 3 --json=key | grep '"key"'

inside root apt-get install -y --no-install-recommends \
    webkit2gtk-driver xvfb xauth xdotool dbus-x11 fonts-dejavu-core
# Where screens listen; only root may make it.
inside root install -d -m 1777 /tmp/.X11-unix
inside somebody env PRECEDENT_WINDOW=/usr/bin/precedent-desktop PRECEDENT_WINDOW_TESTS=required \
    PRECEDENT_SHOTS=shots xvfb-run -a -s '-screen 0 1280x900x24 -nolisten tcp -nolisten local' \
    dbus-run-session -- window --ignored --exact --nocapture installed::installed_program_searches_semantically |
    tee /dev/stderr | grep -q '1 passed'
mkdir -p "$target/screenshots"
cp "$root/home/somebody/shots/installed.png" "$target/screenshots/"
echo "The package works: $target/screenshots/installed.png"
