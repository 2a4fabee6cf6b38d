#!/usr/bin/env bash
# Tests the tunnel of this library with Debian's kcptun and with kcptunpeer, in both roles: each cipher, FEC 10+3 and off, smux 1 and 2,
# compression on and off. Each of the combinations transfers 20 MB to curl; all of them take about half an hour. CI runs a small set that
# covers all pairs of settings; run this script before a release. It replaces the table in src/site/markdown/interop-kcptun.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
src/interop/install.sh
page=src/site/markdown/interop-kcptun.md
table=kcp-examples/target/kcptun-matrix.md
rm -f "$table"
status=0
mvn -B -ntp -q verify -Pinterop -Dcheckstyle.skip -pl kcp-examples -am -Dkcp.matrix=full -Dtest=LiveTunnelTest \
    -Dsurefire.failIfNoSpecifiedTests=false || status=$?
[ -s "$table" ] || exit $status
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
awk -v table="$table" -v date="$(date +%F)" -v processor="$processor" '
    /^<!-- matrix end -->/ { skip = 0 }
    !skip { print }
    /^<!-- matrix begin -->/ {
        skip = 1
        printf "\nThe tests of this table ran on %s on two cores of an %s.\n\n", date, processor
        while ((getline line < table) > 0) print line
        print ""
    }' "$page" >"$page.new"
mv "$page.new" "$page"
echo "$page is up to date"
exit $status
