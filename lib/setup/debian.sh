#!/bin/bash
# debian.sh GROUP...: sees to it that the packages of these groups are installed.
# Fast when they are. Without root or sudo it prints the one line to run and fails.
set -euo pipefail
cd "$(dirname "$0")"

groups=" $* "
needed=()  # the first choice of each line of which nothing is installed

installed() {
	dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p'
}

if ! command -v dpkg-query >/dev/null; then
	echo "setup: this is not Debian or Ubuntu, so nothing is installed; geak needs what they call:" \
		"$(awk -v g="$groups" '!/^#/ && index(g, " " $1 " ") {print $2}' packages.txt | paste -sd' ')" >&2
	exit 0
fi
have=$(installed)
while read -r group choices; do
	[[ $groups == *" $group "* ]] || continue
	grep -qxF "${choices// /$'\n'}" <<<"$have" || needed+=("${choices%% *}")
done < <(grep -v '^#' packages.txt)
[ ${#needed[@]} -gt 0 ] || exit 0

install=(install -y --no-install-recommends "${needed[@]}")
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
		echo "setup: Debian packages are missing and this is not root; run this, then make again:" >&2
		echo "  sudo apt-get ${install[*]}" >&2
		exit 1
	fi
	as_root=(sudo)
fi
echo "setup: installing ${needed[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
"${apt[@]}" update >/dev/null || echo "setup: apt-get update failed; trying with the lists at hand" >&2
"${apt[@]}" "${install[@]}" </dev/null
