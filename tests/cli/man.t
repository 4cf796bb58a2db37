#!/bin/bash
# Every manual: clean mdoc, the very options of --help, and examples that do what they say.
. "$(dirname "$0")/../tap.sh"

command -v mandoc >/dev/null || skip_all "mandoc is not installed"
pages=$(ls "$ROOT"/man/*.[1-9])
page_text() { mandoc -T ascii -O width=200 "$1" | col -bx; }
section() { # section NAME < text
	awk -v name="$1" '/^[A-Z]/ { inside = ($0 == name); next } inside'
}
# What of a SYNOPSIS is an option: -x, -xyz (one letter each), --name
options_of_synopsis() {
	tr -s ' |[]' '\n' | sed 's/[=,].*//' | awk '
		/^--./ { print; next }
		/^-./ { for (i = 2; i <= length; i++) print "-" substr($0, i, 1) }' | sort -u
}
# From --help, an option a line: "-k --best"
options_of_help() {
	awk '/^ +-/ { line = substr($0, 1, 29); gsub(/\[?=[^ ,]*/, "", line); gsub(/,/, " ", line)
		$0 = line; out = ""; for (i = 1; i <= NF; i++) if ($i ~ /^-/) out = out " " $i; print substr(out, 2) }'
}
operands() { # of the first form: what is left without the options and their arguments
	sed 's/\[=[^]]*\]//g; s/\[OPTION\.\.\.\]//; s/\[-[^]]*\]//g; s/  *\.\.\./.../g' | xargs
}

for page in $pages; do
	name=$(basename "$page")
	is "$(mandoc -T lint "$page" 2>/dev/null | grep -v 'referenced manual not found')" "" "$name: mandoc has nothing to say"
	# Filled text fits by itself. What stands as it is begins in column 8 with mandoc, 10 with groff.
	is "$(awk '/^\.Bd -literal/ { d = 1; next } /^\.Ed/ { d = 0 }
		d { gsub(/\\e/, "\\") } d && length > 70' "$page")" "" "$name: displays fit into 80 columns"
	missing=
	for ref in $(sed -n 's/^\.\(It \)*Xr \(geak[a-z-]*\) \([1-9]\).*/\2.\3/p' "$page" | sort -u); do
		[ -e "$ROOT/man/$ref" ] || missing="$missing $ref"
	done
	is "$missing" "" "$name: the pages that it refers to are there"
done

for page in "$ROOT"/man/geak-*.1; do
	tool=$(basename "$page" .1)
	[ -x "$ROOT/build/$BUILD/$tool" ] || { ok 1 "$tool is built"; continue; }
	$tool --help > help
	is "$($tool --help 2>&1 >/dev/full; echo $?)" \
		"$tool: standard output cannot be written: No space left on device
74" "$tool: that its help cannot be written is told"
	page_text "$page" > text
	section SYNOPSIS < text > synopsis
	options_of_synopsis < synopsis > in_synopsis
	options_of_help < help > in_help

	unnamed=
	while read -r forms; do
		found=
		for form in $forms; do grep -qxe "$form" in_synopsis && found=1; done
		[ -n "$found" ] || case $forms in
			*--help*|*--usage*|*--version*) ;;
			*) unnamed="$unnamed $forms" ;;
		esac
	done < in_help
	is "$unnamed" "" "$tool: every option of --help stands in the SYNOPSIS"
	is "$(tr ' ' '\n' < in_help | sort -u | comm -23 in_synopsis -)" "" "$tool: and no other"
	undescribed=
	for form in $(cat in_help); do
		section DESCRIPTION < text | grep -qFe "$form" || undescribed="$undescribed $form"
	done
	is "$undescribed" "" "$tool: every form is described"
	is "$(sed -n '1s/^Usage: //p' help | cut -d' ' -f1)" "$tool" "$tool: --help names it"
	is "$(sed -n '1s/^Usage: [^ ]*//p' help | operands)" "$(awk -v tool="$tool" '$1 == tool && n++ { exit } NF { $1 = $1 == tool ? "" : $1; print }' synopsis | operands)" \
		"$tool: the operands are the same"
	like "$(section "EXIT STATUS" < text)" " 64 " "$tool: exit statuses are told"
	ok "$(section EXAMPLES < text | grep -q '^ *[$] '; echo $?)" "$tool: there are examples that can be run"
done

# An example's line "$ " is a command, "> " continues it, others are what it prints.
split_examples() { # into N.cmd and N.want in the current folder
	section EXAMPLES | awk '
		function done() { if (n && !written[n]++) { sub(/\n+$/, "\n", want); printf "%s", want > (n ".want"); close(n ".want") } want = "" }
		match($0, /^ +\$ /) { indent = RLENGTH - 2; done(); n++; printf "" > (n ".cmd"); open = 1; body = 1
			print substr($0, indent + 3) > (n ".cmd"); next }
		body && substr($0, 1, indent) ~ /^ *$/ && substr($0, indent + 1, 2) == "> " && open {
			print substr($0, indent + 3) > (n ".cmd"); next }
		body && /[^ ]/ && substr($0, 1, indent) ~ /[^ ]/ { done(); body = 0; next }
		body { open = 0; want = want substr($0, indent + 1) "\n" }
		END { done() }'
}
for page in $pages; do
	name=$(basename "$page")
	mkdir "$WORK/$name.d" && cd "$WORK/$name.d" || exit 1
	page_text "$page" | split_examples
	for cmd in $(ls ./*.cmd 2>/dev/null | sort -t/ -k2n); do
		# Exact, but for blank lines at the end.
		GEAK_MODEL='' bash "$cmd" < /dev/null 2>&1 | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' > got
		is "$(cat got)" "$(cat "${cmd%.cmd}.want")" "$name: $(head -n 1 "$cmd" | cut -c1-60)"
	done
	cd "$WORK" || exit 1
done
done_testing
