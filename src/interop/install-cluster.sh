#!/bin/sh
# Installs the programs that the cluster tests run: Debian's redis-server, nginx with libnginx-mod-stream, nftables, and the commands
# ip (iproute2) and kill (procps), which small images lack. The tests start these programs with their own configuration, so this script
# starts no service and disables the services that it installs.
# If a program cannot be installed, the script prints the reason and exits with 0. Tests that need the program are then skipped.
#   install-cluster.sh           install the missing programs
#   install-cluster.sh --check   exit with 0 if all programs are installed, otherwise with 1
set -eu
PATH=$PATH:/usr/sbin:/sbin

policy=/usr/sbin/policy-rc.d
stream_module=/usr/lib/nginx/modules/ngx_stream_module.so

say() { echo "cluster: $*"; }

missing() {
    command -v redis-server > /dev/null 2>&1 || echo redis-server
    command -v nginx > /dev/null 2>&1 || echo nginx
    [ -f $stream_module ] || echo libnginx-mod-stream
    command -v nft > /dev/null 2>&1 || echo nftables
    command -v ip > /dev/null 2>&1 || echo iproute2
    # The kill that is built into the shell does not count.
    [ -x /bin/kill ] || [ -x /usr/bin/kill ] || echo procps
}

wanted=$(missing | tr '\n' ' ')
if [ -z "$wanted" ]; then
    say "all programs are installed"
    exit 0
fi
if [ "${1:-}" = --check ]; then
    say "missing: $wanted"
    exit 1
fi

cannot() {
    say "$1; tests that need $wanted will be skipped"
    exit 0
}

command -v apt-get > /dev/null 2>&1 || cannot "apt-get is missing"
sudo=
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2> /dev/null || cannot "installing needs root or sudo without a password"
    sudo=sudo
fi

# Prevents apt-get from starting the services. An existing policy is not changed.
if [ ! -e $policy ]; then
    trap '$sudo rm -f $policy' EXIT
    trap 'exit 1' INT TERM
    printf '#!/bin/sh\nexit 101\n' | $sudo tee $policy > /dev/null
    $sudo chmod 755 $policy
fi

say "apt-get install $wanted"
# shellcheck disable=SC2086 # $wanted is a list of package names.
if ! $sudo apt-get -qq update ||
    ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $wanted > /dev/null; then
    cannot "apt-get failed"
fi
if [ -d /run/systemd/system ]; then
    for service in redis-server nginx; do
        case " $wanted " in
            *" $service "*) $sudo systemctl disable --quiet $service || say "could not disable the service $service" ;;
        esac
    done
fi
say "installed; no service was started"
