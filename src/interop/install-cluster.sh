#!/bin/sh
# Installs what the tests of the cluster run as real programs: Debian's redis-server, nginx with libnginx-mod-stream, nftables, and
# what small images lack: ip (iproute2), and kill (procps), which stops a program where it is. The tests start them with settings of their own, so no service is started here and none is left enabled.
# Where they cannot be installed it says why and succeeds: the tests that miss one skip, and say so.
#   install-cluster.sh           install what is missing
#   install-cluster.sh --check   exit 0 if all is there, 1 if not
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
    # not the one that is built into the shell
    [ -x /bin/kill ] || [ -x /usr/bin/kill ] || echo procps
}

wanted=$(missing | tr '\n' ' ')
if [ -z "$wanted" ]; then
    say "all there"
    exit 0
fi
if [ "${1:-}" = --check ]; then
    say "missing: $wanted"
    exit 1
fi

cannot() {
    say "$1; tests that need $wanted will skip"
    exit 0
}

command -v apt-get > /dev/null 2>&1 || cannot "there is no apt-get"
sudo=
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2> /dev/null || cannot "neither root nor sudo without a password"
    sudo=sudo
fi

# A policy that is there already is left as it is: whoever made it knows whether services may start.
if [ ! -e $policy ]; then
    trap '$sudo rm -f $policy' EXIT
    trap 'exit 1' INT TERM
    printf '#!/bin/sh\nexit 101\n' | $sudo tee $policy > /dev/null
    $sudo chmod 755 $policy
fi

say "apt-get install $wanted"
# shellcheck disable=SC2086 # a list of words
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
