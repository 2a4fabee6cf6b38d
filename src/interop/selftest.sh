#!/bin/bash
# Runs the live peers against each other: 10 MB each way over loopback, clean.
# One PASS or FAIL line per pair, "N passed, N failed" at the end.
set -u
cd "$(dirname "$0")" || exit 1
./install.sh --check >/dev/null || ./install.sh || exit 1

new=(build/kcppeer-5.6.72)
old=(build/kcppeer-5.6.1)
c=(build/venv/bin/python c/peer.py)
tmp=$(mktemp -d)
server_pid=
cleanup() {
    [ -n "$server_pid" ] && kill "$server_pid" 2>/dev/null
    rm -rf "$tmp"
}
trap cleanup EXIT
passed=0
failed=0
bytes=10000000

field() { # file event field
    sed -n "s/^{\"event\":\"$2\".*\"$3\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$1" | head -n 1
}

# pair NAME SERVER CLIENT SERVER-OPTIONS CLIENT-OPTIONS
# SERVER and CLIENT name one of the arrays above.
pair() {
    local name=$1 port= i server_status client_status ok=yes
    local -n server=$2 client=$3
    local common="--action exchange --bytes $bytes --linger-ms 400 --timeout 40"
    # shellcheck disable=SC2086
    "${server[@]}" server --listen 127.0.0.1:0 $common $4 >"$tmp/server" 2>&1 &
    server_pid=$!
    for ((i = 0; i < 300; i++)); do
        port=$(field "$tmp/server" ready port)
        [ -n "$port" ] && break
        kill -0 $server_pid 2>/dev/null || break
        sleep 0.05
    done
    # shellcheck disable=SC2086
    "${client[@]}" client --connect "127.0.0.1:${port:-1}" $common $5 >"$tmp/client" 2>&1
    client_status=$?
    wait $server_pid
    server_status=$?
    server_pid=
    local a b
    [ $client_status = 0 ] && [ $server_status = 0 ] || ok=no
    a=$(field "$tmp/server" session received_sha256) b=$(field "$tmp/client" session sent_sha256)
    [ -n "$a" ] && [ "$a" = "$b" ] || ok=no
    a=$(field "$tmp/client" session received_sha256) b=$(field "$tmp/server" session sent_sha256)
    [ -n "$a" ] && [ "$a" = "$b" ] || ok=no
    if [ $ok = yes ]; then
        passed=$((passed + 1))
        echo "PASS $name: server $(field "$tmp/server" session ms) ms, client $(field "$tmp/client" session ms) ms"
    else
        failed=$((failed + 1))
        echo "FAIL $name: server exit $server_status, client exit $client_status"
        tail -n 2 "$tmp/server" "$tmp/client" | cut -c 1-400
    fi
}

message="--mode message --message-bytes 1200 --peer-message-bytes 1200"
pair "server 5.6.72, client 5.6.1, stream" new old "" ""
pair "server 5.6.1, client 5.6.72, stream" old new "" ""
pair "server 5.6.72, client C, stream" new c "" ""
pair "server C, client 5.6.72, stream" c new "" ""
pair "server 5.6.1, client C, stream" old c "" ""
pair "server C, client 5.6.1, stream" c old "" ""
pair "server 5.6.72, client 5.6.1, message" new old "$message" "$message"
# C sends messages of up to 30000 bytes in fragments; kcp-go never does.
pair "server 5.6.72, client C, message with fragments" new c \
    "--mode message --message-bytes 1200 --peer-message-bytes 30000" \
    "--mode message --message-bytes 30000 --peer-message-bytes 1200"
pair "server C, client 5.6.1, message with fragments" c old \
    "--mode message --message-bytes 30000 --peer-message-bytes 1200" \
    "--mode message --message-bytes 1200 --peer-message-bytes 30000"
pair "server 5.6.72, client 5.6.1, aes, FEC 10/3" new old \
    "--crypt aes --datashard 10 --parityshard 3" "--crypt aes --datashard 10 --parityshard 3"
pair "server 5.6.72, client 5.6.72, aes-256-gcm" new new "--crypt aes-256-gcm" "--crypt aes-256-gcm"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
