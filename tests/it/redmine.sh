#!/bin/sh
# Installs Redmine with SQLite, puma and git for redmine.rs. For Debian and Ubuntu, as root.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

# The package asks which database to use.
printf '%s\n' 'redmine redmine/instances/default/dbconfig-install boolean true' \
    'redmine redmine/instances/default/database-type select sqlite3' | debconf-set-selections

install() {
    apt-get install -y --no-install-recommends redmine redmine-sqlite puma git
}
if install || { apt-get update && install; }; then
    exit 0
fi
# Ruby's own Bundler can be newer than Debian's and then misses the gems of other packages.
bundler="$(ls /usr/share/rubygems-integration/all/specifications | sed -n 's/^bundler-\(.*\)\.gemspec$/\1/p' | head -n 1)"
if [ -n "$bundler" ] && BUNDLER_VERSION="$bundler" dpkg --configure -a; then
    exit 0
fi
# A package that is half configured would fail every later installation.
apt-get remove -y redmine redmine-sqlite
exit 1
