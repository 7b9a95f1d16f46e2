# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian's packages, also of suites that this machine has not configured.  apt
# runs on a private configuration below the cache; the machine's own one is
# read (for the mirror's address) and never written.
#
# Sourced after lib.sh.

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
APT_REFRESH_MINUTES=720

# debian_mirror PATTERN: the first configured archive address that matches, or
# nothing.
debian_mirror()
{
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		awk -v pattern="$1" '$0 ~ pattern && !found++'
}

# apt_dir SUITE ARCH: the private folder for one suite and architecture.
apt_dir()
{
	printf '%s/apt/%s-%s' "$CACHE" "$1" "$2"
}

# apt_at SUITE ARCH TOOL ARGUMENT...: run an apt tool as if the machine had
# just this suite and this architecture.
apt_at()
{
	apt_at_dir=$(apt_dir "$1" "$2")
	apt_at_arch=$2
	apt_at_tool=$3
	shift 3
	"$apt_at_tool" -q -o Dir::Etc::sourcelist="$apt_at_dir/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State::lists="$apt_at_dir/lists" \
		-o Dir::Cache="$apt_at_dir/cache" \
		-o APT::Architecture="$apt_at_arch" \
		-o APT::Architectures="$apt_at_arch" \
		-o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# apt_refresh SUITE ARCH: have an index not older than APT_REFRESH_MINUTES.
apt_refresh()
{
	under_lock "apt-$1-$2" refresh_index "$@"
}

refresh_index()
{
	apt_refresh_dir=$(apt_dir "$1" "$2")
	if [ -n "$(find "$apt_refresh_dir/fresh" -mmin -"$APT_REFRESH_MINUTES" 2>/dev/null)" ]; then
		return
	fi
	mkdir -p "$apt_refresh_dir/lists/partial" "$apt_refresh_dir/cache/archives/partial"
	apt_refresh_base=$(debian_mirror '/debian/?$')
	apt_refresh_security=$(debian_mirror '/debian-security/?$')
	if [ -z "$apt_refresh_base" ]; then
		echo "no Debian archive is configured on this machine (or its index was never fetched: apt-get update)" >&2
		return 1
	fi
	{
		echo "deb [signed-by=$KEYRING] $apt_refresh_base $1 main"
		case $1 in
		*-backports)
			# Dependencies of a backport are met by its base suite.
			echo "deb [signed-by=$KEYRING] $apt_refresh_base ${1%-backports} main"
			if [ -n "$apt_refresh_security" ]; then
				echo "deb [signed-by=$KEYRING] $apt_refresh_security ${1%-backports}-security main"
			fi
			;;
		esac
	} >"$apt_refresh_dir/sources.list"
	if ! apt_at "$1" "$2" apt-get -o APT::Update::Error-Mode=any update; then
		[ -e "$apt_refresh_dir/fresh" ] || return 1
		echo "the archive cannot be reached: going on with the last index" >&2
		return
	fi
	touch "$apt_refresh_dir/fresh"
}

# package_version SUITE ARCH PACKAGE: the version that a fetch would give.
# It is the one of just that suite: point releases come rarely, so that kernels
# in the cache stay good for months.
package_version()
{
	apt_refresh "$1" "$2" >>"$CACHE/apt.log" 2>&1 || { tail -n 5 "$CACHE/apt.log" >&2; return 1; }
	package_version_found=$(apt_at "$1" "$2" apt-cache -t "$1" policy "$3" |
		sed -n 's/^  Candidate: //p')
	if [ -z "$package_version_found" ] || [ "$package_version_found" = '(none)' ]; then
		echo "no package $3 in $1 ($2)" >&2
		return 1
	fi
	printf '%s\n' "$package_version_found"
}

# fetch_package SUITE ARCH PACKAGE VERSION: the path of its .deb, fetched once
# and verified by apt against the signed index.
fetch_package()
{
	fetch_dir=$CACHE/packages/$3-$(printf '%s' "$4" | tr ':/' '__')-$2
	[ -e "$fetch_dir/done" ] ||
		under_lock "package-${fetch_dir##*/}" download "$@" >&2 || return
	ls "$fetch_dir"/*.deb
}

# Into the folder that fetch_package names
download()
{
	[ ! -e "$fetch_dir/done" ] || return 0
	rm -rf "$fetch_dir"
	mkdir -p "$fetch_dir"
	(cd "$fetch_dir" && apt_at "$1" "$2" apt-get download "$3=$4") || return
	touch "$fetch_dir/done"
}

# real_name SUITE ARCH PACKAGE PATTERN: the first package that it depends on whose
# name begins with PATTERN and a number. Those without a version in their name are
# empty.
real_name()
{
	apt_at "$1" "$2" apt-cache -t "$1" depends "$3" |
		sed -n "s/^ *Depends: \\($4.*\\)/\\1/p" | grep '[0-9]' | head -n 1
}

# fetch_real SUITE ARCH PACKAGE PATTERN: the path of that one's .deb
fetch_real()
{
	apt_refresh "$1" "$2" >&2
	fetch_real_name=$(real_name "$@")
	fetch_package "$1" "$2" "$fetch_real_name" "$(package_version "$1" "$2" "$fetch_real_name")"
}
