#!/bin/bash
# Runs the live peers against each other over loopback: 10 MB in each direction
# without a cipher, then 2 MB with every cipher and some FEC shapes. Then checks
# the cases that must fail: wrong keys, and ciphers that a version lacks. All
# checks take about half a minute.
# Prints one PASS or FAIL line per check, and "N passed, N failed" at the end.
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

passed() {
    passed=$((passed + 1))
    echo "PASS $1"
}

failed() { # name, what was seen
    failed=$((failed + 1))
    echo "FAIL $1: $2"
    tail -n 2 "$tmp/server" "$tmp/client" | cut -c 1-400
}

# exchange SERVER CLIENT SERVER-OPTIONS CLIENT-OPTIONS
# SERVER and CLIENT name one of the arrays above. Leaves the output in
# $tmp/server and $tmp/client and the exit codes in the variables below.
server_status= client_status=
exchange() {
    local port= i
    local -n server=$1 client=$2
    local common="--action exchange --bytes $bytes --linger-ms ${linger:-400} --timeout ${timeout:-40}"
    # Truncates the file here, because the subshell that starts the server may do so only after the loop below has read the old port.
    : >"$tmp/server"
    # shellcheck disable=SC2086
    "${server[@]}" server --listen 127.0.0.1:0 $common $3 >"$tmp/server" 2>&1 &
    server_pid=$!
    for ((i = 0; i < 300; i++)); do
        port=$(field "$tmp/server" ready port)
        [ -n "$port" ] && break
        kill -0 $server_pid 2>/dev/null || break
        sleep 0.05
    done
    # shellcheck disable=SC2086
    "${client[@]}" client --connect "127.0.0.1:${port:-1}" $common $4 >"$tmp/client" 2>&1
    client_status=$?
    wait $server_pid
    server_status=$?
    server_pid=
}

# transferred SERVER CLIENT SERVER-OPTIONS CLIENT-OPTIONS [CHECK...]: runs both
# peers once, and succeeds if all sent data arrives and CHECK succeeds.
transferred() {
    local a b
    exchange "$1" "$2" "$3" "$4"
    [ $client_status = 0 ] && [ $server_status = 0 ] || return 1
    a=$(field "$tmp/server" session received_sha256) b=$(field "$tmp/client" session sent_sha256)
    [ -n "$a" ] && [ "$a" = "$b" ] || return 1
    a=$(field "$tmp/client" session received_sha256) b=$(field "$tmp/server" session sent_sha256)
    [ -n "$a" ] && [ "$a" = "$b" ] || return 1
    [ $# = 4 ] || "${@:5}"
}

# pair NAME SERVER CLIENT SERVER-OPTIONS CLIENT-OPTIONS [CHECK...]: passes if all
# sent data arrives and the command CHECK, if given, succeeds afterwards.
pair() {
    local name=$1
    shift
    # A kcp-go program exits when no datagram has arrived for 1.5 s, even if data is unacknowledged. On a slow machine, its peer may need
    # longer to retransmit. A failed transfer is therefore repeated once.
    if transferred "$@" || { echo "     $name: server exit $server_status, client exit $client_status; repeating"; transferred "$@"; }; then
        passed "$name: server $(field "$tmp/server" session ms) ms, client $(field "$tmp/client" session ms) ms"
    else
        failed "$name" "server exit $server_status, client exit $client_status"
    fi
}

# apart NAME SERVER CLIENT SERVER-OPTIONS CLIENT-OPTIONS COUNTER: passes if no
# data arrives, both peers time out, and COUNTER of the server is not zero.
apart() {
    local count
    timeout=2 exchange "$2" "$3" "$4" "$5"
    count=$(field "$tmp/server" error "$6")
    if [ $server_status = 3 ] && [ $client_status = 3 ] && [ "${count:-0}" -gt 0 ] &&
        [ "$(field "$tmp/server" error received)" = 0 ]; then
        passed "$1: $6 $count"
    else
        failed "$1" "server exit $server_status, client exit $client_status, $6 ${count:-none}"
    fi
}

# refused NAME PEER EXIT-CODE ARGUMENTS: passes if PEER prints an error and exits
# with EXIT-CODE.
refused() {
    local status
    local -n peer=$2
    # shellcheck disable=SC2086
    timeout 5 "${peer[@]}" $4 >"$tmp/client" 2>&1
    status=$?
    : >"$tmp/server"
    if [ $status = "$3" ] && [ -n "$(field "$tmp/client" error error)" ]; then
        passed "$1: exit $status"
    else
        failed "$1" "exit $status"
    fi
}

oob_arrived() {
    [ "$(field "$tmp/server" session oob_from_peer)" = 60 ] &&
        [ "$(field "$tmp/server" session oob_received_crc32_sum)" = "$(field "$tmp/client" session oob_sent_crc32_sum)" ] &&
        [ "$(field "$tmp/server" session OOBPackets)" = 60 ] &&
        [ "$(field "$tmp/client" session oob_returned)" = 60 ] &&
        [ "$(field "$tmp/client" session oob_received_crc32_sum)" = "$(field "$tmp/client" session oob_sent_crc32_sum)" ]
}

parity_arrived() {
    [ "$(field "$tmp/server" session FECParityShards)" -gt 100 ] && [ "$(field "$tmp/client" session FECParityShards)" -gt 100 ]
}

no_parity_at_client() {
    [ "$(field "$tmp/server" session FECParityShards)" -gt 100 ] && [ "$(field "$tmp/client" session FECParityShards)" = 0 ]
}

message="--mode message --message-bytes 1200 --peer-message-bytes 1200"
pair "server 5.6.72, client 5.6.1, stream" new old "" ""
pair "server 5.6.1, client 5.6.72, stream" old new "" ""
pair "server 5.6.72, client C, stream" new c "" ""
pair "server C, client 5.6.72, stream" c new "" ""
pair "server 5.6.1, client C, stream" old c "" ""
pair "server C, client 5.6.1, stream" c old "" ""
pair "server 5.6.72, client 5.6.1, message" new old "$message" "$message"
# The C peer sends messages of up to 30000 bytes in fragments. kcp-go never sends fragments.
pair "server 5.6.72, client C, message with fragments" new c \
    "--mode message --message-bytes 1200 --peer-message-bytes 30000" \
    "--mode message --message-bytes 30000 --peer-message-bytes 1200"
pair "server C, client 5.6.1, message with fragments" c old \
    "--mode message --message-bytes 30000 --peer-message-bytes 1200" \
    "--mode message --message-bytes 1200 --peer-message-bytes 30000"
fec="--datashard 10 --parityshard 3"
pair "server 5.6.72, client 5.6.1, aes, FEC 10/3" new old "--crypt aes $fec" "--crypt aes $fec" parity_arrived

bytes=2000000
linger=100
key="--key some-password"
for crypt in none xor aes-128 aes-192 aes salsa20 tea xtea blowfish twofish cast5 3des sm4; do
    pair "server 5.6.72, client 5.6.1, $crypt" new old "--crypt $crypt $key" "--crypt $crypt $key"
done
for crypt in aes-128-gcm aes-256-gcm chacha20-poly1305; do
    pair "server 5.6.72, client 5.6.72, $crypt" new new "--crypt $crypt $key" "--crypt $crypt $key"
done
pair "server 5.6.1, client 5.6.72, salsa20, FEC 10/3 and 3/1" old new "--crypt salsa20 $fec" \
    "--crypt salsa20 --datashard 3 --parityshard 1" parity_arrived
pair "server 5.6.72, client 5.6.72, aes-128-gcm, FEC 10/3 of the client only" new new "--crypt aes-128-gcm" \
    "--crypt aes-128-gcm $fec" no_parity_at_client
pair "server 5.6.72, client 5.6.72, aes-128-gcm, FEC 10/3, 60 out-of-band messages returned" new new \
    "--crypt aes-128-gcm $fec --oob-echo" "--crypt aes-128-gcm $fec --oob 60 --oob-bytes 5,64,1000,max" oob_arrived
pair "server 5.6.72, client 5.6.72, key of the default password in hex" new new "--crypt aes" \
    "--crypt aes --hexkey 25d7d7bd51050742d8d791f2b653c6c8b2366b7e25a124cf7a2e12eaf4ffa444"

apart "wrong key, aes" new new "--crypt aes --key one" "--crypt aes --key two" InCsumErrors
apart "wrong key, aes-128-gcm" new new "--crypt aes-128-gcm --key one" "--crypt aes-128-gcm --key two" InCsumErrors
apart "wrong cipher" old old "--crypt salsa20 $key" "--crypt aes $key" InCsumErrors

refused "5.6.1 and aes-128-gcm" old 4 "client --connect 127.0.0.1:1 --action exchange --crypt aes-128-gcm"
refused "5.6.1 and out-of-band messages" old 4 "client --connect 127.0.0.1:1 --action exchange $fec --oob 1"
refused "5.6.72 and an unknown cipher" new 4 "client --connect 127.0.0.1:1 --action exchange --crypt rot13"
refused "out-of-band messages without FEC" new 2 "client --connect 127.0.0.1:1 --action exchange --oob 1"
refused "a short key" new 2 "client --connect 127.0.0.1:1 --action exchange --crypt aes --hexkey 00"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
