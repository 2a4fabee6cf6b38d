#!/bin/bash
# Checks that Debian's kcptun works: a TCP client sends data through
# kcptun-client and kcptun-server to a TCP echo server and receives it again,
# over loopback. Then checks that kcppeer derives the same key from a password:
# kcptun-server must accept a conversation of kcppeer with the same password,
# and reject one with another password.
#   kcptun-smoke.sh [CRYPT...]     default: aes salsa20 none
# Prints one PASS or FAIL line per check, and exits with 77 if kcptun is not
# installed. Each step has a time limit; a cipher usually takes two seconds.
set -u
cd "$(dirname "$0")" || exit 1
for program in kcptun-client kcptun-server python3; do
    command -v $program >/dev/null || { echo "$program is not installed; run install.sh"; exit 77; }
done
[ $# -gt 0 ] || set -- aes salsa20 none

tmp=$(mktemp -d)
pids=()
stop() {
    [ ${#pids[@]} -gt 0 ] && kill "${pids[@]}" 2>/dev/null && wait "${pids[@]}" 2>/dev/null
    pids=()
}
trap 'stop; rm -rf "$tmp"' EXIT
passed=0
failed=0
result() { # name, 0 or not
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
        echo "PASS $1"
    else
        failed=$((failed + 1))
        echo "FAIL $1"
        tail -n 3 "$tmp"/*.log
    fi
}

cat >"$tmp/echo.py" <<'PYTHON'
import socketserver, sys


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(1 << 16):
            self.request.sendall(data)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Echo)
print(server.server_address[1], flush=True)
server.serve_forever()
PYTHON

cat >"$tmp/client.py" <<'PYTHON'
import hashlib, random, socket, sys, threading

port, size = int(sys.argv[1]), int(sys.argv[2])
data = random.Random(1).randbytes(size)
link = socket.create_connection(("127.0.0.1", port), 10)
link.settimeout(10)
threading.Thread(target=link.sendall, args=(data,), daemon=True).start()
got = hashlib.sha256()
while size > 0:
    part = link.recv(min(size, 1 << 16))
    if not part:
        sys.exit("connection closed with %d bytes missing" % size)
    got.update(part)
    size -= len(part)
sys.exit(got.digest() != hashlib.sha256(data).digest())
PYTHON

free_port() { # tcp or udp
    python3 -c 'import socket, sys
s = socket.socket(type=socket.SOCK_DGRAM if sys.argv[1] == "udp" else socket.SOCK_STREAM)
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])' "$1"
}

# await FILE TEXT: waits up to five seconds until FILE contains TEXT.
await() {
    local i
    for ((i = 0; i < 100; i++)); do
        grep -q -- "$2" "$1" 2>/dev/null && return 0
        sleep 0.05
    done
    return 1
}

# knock CRYPT PASSWORD UDP-PORT: starts a conversation of kcppeer with
# kcptun-server. Its data is not a valid smux frame, but the server accepts the
# conversation before it parses the data.
knock() {
    timeout 5 build/kcppeer-5.6.1 client --connect "127.0.0.1:$3" --action source --bytes 1000 --timeout 1 \
        --linger-ms 300 --crypt "$1" --key "$2" --datashard 10 --parityshard 3 >"$tmp/knock.log" 2>&1
}

for crypt in "$@"; do
    udp=$(free_port udp)
    tcp=$(free_port tcp)
    python3 "$tmp/echo.py" >"$tmp/echo.log" 2>&1 &
    pids+=($!)
    await "$tmp/echo.log" '[0-9]'
    kcptun-server --listen "127.0.0.1:$udp" --target "127.0.0.1:$(head -n 1 "$tmp/echo.log")" \
        --crypt "$crypt" --key smoke --mode fast3 >"$tmp/server.log" 2>&1 &
    pids+=($!)
    kcptun-client --remoteaddr "127.0.0.1:$udp" --localaddr "127.0.0.1:$tcp" \
        --crypt "$crypt" --key smoke --mode fast3 >"$tmp/client.log" 2>&1 &
    pids+=($!)
    # Both programs start listening shortly after they have derived the key.
    await "$tmp/server.log" 'key derivation done' && await "$tmp/client.log" 'key derivation done' && sleep 0.3
    timeout 20 python3 "$tmp/client.py" "$tcp" 2000000 >"$tmp/tcp.log" 2>&1
    result "2 MB through kcptun and back, $crypt" $?

    if [ -x build/kcppeer-5.6.1 ]; then
        accepted=$(grep -c 'remote address:' "$tmp/server.log")
        if [ "$crypt" != none ]; then
            knock "$crypt" another "$udp"
            [ "$(grep -c 'remote address:' "$tmp/server.log")" = "$accepted" ]
            result "kcptun-server does not accept kcppeer with another password, $crypt" $?
        fi
        knock "$crypt" smoke "$udp"
        [ "$(grep -c 'remote address:' "$tmp/server.log")" -gt "$accepted" ]
        result "kcptun-server accepts kcppeer with its password, $crypt" $?
    fi
    stop
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
