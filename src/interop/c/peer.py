#!/usr/bin/env python3
"""KCP peer running the C implementation (package "kcp", see requirements.txt).

Command line, JSON events and data generator are those of the Go peer; see
../go/README.md, section "The C peer" for the differences.
"""

import argparse
import ctypes
import hashlib
import json
import math
import random
import resource
import selectors
import signal
import socket
import sys
import time

from kcp.exceptions import KCPConvMismatchError, KCPException
from kcp.extension import KCP

MASK = (1 << 64) - 1
OVERHEAD = 24
MAX_FRAGMENTS = 127  # ikcp_send rejects messages of 128 or more fragments.

EXIT_FAILED, EXIT_USAGE, EXIT_TIMEOUT = 1, 2, 3


def emit(event, **fields):
    line = json.dumps({"event": event, **fields}, separators=(",", ":"))
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Failure(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def generate(seed, total):
    """Returns the first total bytes of the splitmix64 stream."""
    words = []
    state = seed & MASK
    for _ in range((total + 7) // 8):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        words.append((z ^ (z >> 31)).to_bytes(8, "little"))
    return b"".join(words)[:total]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def cpu_ms():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return round((u.ru_utime + u.ru_stime) * 1000, 3)


def set_c_stream(kcp, conv, value):
    """Sets the stream member of the C control block and returns True, or returns False.

    The package does not expose the member. The block's address follows the
    object header and the method table pointer, and is used only if the block
    starts with our conv. The function then searches for the member:
    fastresend is set to a marker, and the words after it must be
    fastlimit = 5, nocwnd = the flag just set, stream = 0, logmask = 0.
    """
    marker = 0x51EA77
    kcp.set_performance_options(True, 10, marker, True)
    block = ctypes.c_void_p.from_address(id(kcp) + 24).value
    if not block or ctypes.c_uint32.from_address(block).value != conv & 0xFFFFFFFF:
        return False
    words = (ctypes.c_int32 * 72).from_address(block)
    hits = [i for i in range(68) if words[i] == marker and list(words[i + 1:i + 5]) == [5, 1, 0, 0]]
    if len(hits) != 1:
        return False
    words[hits[0] + 3] = value
    return True


class Peer:
    def __init__(self, o):
        self.o = o
        self.kcp = None
        self.conv = o.conv
        self.remote = None
        self.out = b""
        self.sent = 0
        self.writes = 0
        self.send_started = None
        self.send_on_first = False
        self.sent_reported = False
        self.want = 0
        self.inbox = []
        self.got = 0
        self.extra = 0
        self.messages = 0
        self.shortest = None
        self.longest = 0
        self.bad_sizes = 0
        self.received_reported = False
        self.expected = None
        self.started = None
        self.echo_queue = []
        self.last_datagram = time.monotonic()
        self.datagrams_in = 0
        self.datagrams_out = 0
        self.send_drops = 0
        self.conv_mismatch = 0
        self.input_errors = 0
        self.dirty = False
        self.stopped = None
        self.deadline = time.monotonic() + o.timeout if o.timeout > 0 else math.inf
        self.is_server = o.role == "server"
        family = socket.AF_INET
        self.sock = socket.socket(family, socket.SOCK_DGRAM)
        if o.sockbuf > 0:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, o.sockbuf)
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, o.sockbuf)
        self.sock.setblocking(False)
        self.selector = selectors.DefaultSelector()
        if self.is_server:
            self.sock.bind(host_port(o.listen))
        else:
            self.sock.bind(("", 0))
            host, port = host_port(o.connect)
            self.remote = (socket.gethostbyname(host), port)
            if self.conv < 0:
                self.conv = random.SystemRandom().getrandbits(32)
        self.selector.register(self.sock, selectors.EVENT_READ)
        if o.stdin_eof:
            self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ)

    # ---- transport

    def transmit(self, _kcp, data):
        self.datagrams_out += 1
        try:
            self.sock.sendto(data, self.remote)
        except (BlockingIOError, ConnectionRefusedError):
            self.send_drops += 1

    def open_kcp(self):
        o = self.o
        signed = self.conv - (1 << 32) if self.conv >= 1 << 31 else self.conv
        self.kcp = KCP(signed)
        self.kcp.include_outbound_handler(self.transmit)
        self.stream = "off"
        self.piece = o.message_bytes
        if o.mode == "stream":
            if not o.stream_pieces and set_c_stream(self.kcp, self.conv, 1):
                self.stream = "native"
            else:
                self.stream = "pieces"
                self.piece = min(self.piece, o.mtu - OVERHEAD)
        # Also replaces the marker that set_c_stream stored in fastresend.
        self.kcp.set_performance_options(o.nodelay > 0, o.interval, max(o.resend, 0), o.nc > 0)
        self.kcp.set_maximum_transmission(o.mtu)
        self.kcp.set_window_size(o.sndwnd, o.rcvwnd)
        self.kcp.update()
        self.started = time.monotonic()

    def read_socket(self):
        for _ in range(512):
            try:
                data, addr = self.sock.recvfrom(65536)
            except BlockingIOError:
                return
            except ConnectionRefusedError:
                continue
            if self.remote is None or self.kcp is None:
                if len(data) < OVERHEAD:
                    continue
                if self.remote is None:
                    self.remote = addr
                    self.conv = int.from_bytes(data[:4], "little")
                    self.open_kcp()
                    emit("accepted", session=1, conv=self.conv, remote="%s:%d" % addr, stream=self.stream)
                    self.begin()
            if addr != self.remote:
                continue
            self.datagrams_in += 1
            self.last_datagram = time.monotonic()
            try:
                self.kcp.receive(data)
                self.dirty = True
            except KCPConvMismatchError:
                self.conv_mismatch += 1
            except KCPException:
                self.input_errors += 1

    # ---- data

    def begin(self):
        o = self.o
        a = o.action
        if a in ("exchange", "echo") and not (a == "echo" and self.is_server):
            self.want = o.bytes
            self.out = self.prepared
        elif a == "echo":
            self.want = o.bytes
        elif a == "sink":
            self.want = o.bytes
            if not self.is_server:
                self.kcp.enqueue(b"\x01")
        elif a == "source":
            if self.is_server:
                self.send_on_first = True
            else:
                self.out = self.prepared
        self.send_started = time.monotonic()

    def prepare(self):
        """Generates the outgoing and expected data before the measured run."""
        o = self.o
        self.prepared = b""
        echo_server = self.is_server and o.action == "echo"
        if o.action in ("exchange", "source", "echo") and not echo_server:
            self.prepared = generate(int(o.seed, 0), o.bytes)
        if o.action in ("exchange", "sink") and o.peer_seed != "none":
            self.expected = generate(int(o.peer_seed, 0), o.bytes)
        if o.action == "echo" and not self.is_server:
            self.expected = self.prepared

    def pump_in(self):
        for message in self.kcp.get_all_received():
            n = len(message)
            if self.send_on_first:
                self.send_on_first = False
                self.out = self.prepared
                self.send_started = time.monotonic()
                continue
            if self.is_server and self.o.action == "echo":
                self.echo_queue.append(bytes(message))
            elif self.got >= self.want:
                self.extra += n
                continue
            self.messages += 1
            self.shortest = n if self.shortest is None else min(self.shortest, n)
            self.longest = max(self.longest, n)
            over = self.got + n - self.want
            endless = self.is_server and self.o.action == "echo" and self.want == 0
            if over > 0 and not endless:
                self.extra += over
                message = message[:n - over]
            p = self.o.peer_message_bytes
            if self.o.mode == "message" and p and n != p and not (over >= 0 and n < p):
                self.bad_sizes += 1
            self.got += len(message)
            if not endless:
                self.inbox.append(bytes(message))

    def pump_out(self):
        limit = 2 * self.o.sndwnd
        wrote = False
        while self.sent < len(self.out) and self.kcp.get_outbound_packets() < limit:
            part = self.out[self.sent:self.sent + self.piece]
            self.kcp.enqueue(part)
            self.sent += len(part)
            self.writes += 1
            wrote = True
        while self.echo_queue and self.kcp.get_outbound_packets() < limit:
            part = self.echo_queue.pop(0)
            if self.stream == "pieces":
                step = self.o.mtu - OVERHEAD
            else:
                step = MAX_FRAGMENTS * (self.o.mtu - OVERHEAD)
            for i in range(0, len(part), step):
                self.kcp.enqueue(part[i:i + step])
            self.sent += len(part)
            self.writes += 1
            wrote = True
        return wrote

    def turn(self):
        """Waits for datagrams, processes them, delivers data and sends."""
        now = time.monotonic()
        if now > self.deadline:
            raise Failure(EXIT_TIMEOUT, "timeout after %d s" % self.o.timeout)
        if self.stopped:
            return
        wait = 0.2
        if self.kcp is not None:
            wait = min(wait, max(0, self.kcp.update_check()) / 1000)
        for key, _ in self.selector.select(wait):
            if key.fileobj is self.sock:
                self.read_socket()
            elif not sys.stdin.buffer.raw.read(4096):
                self.stopped = "stdin"
        if self.kcp is None:
            return
        self.kcp.update()
        self.pump_in()
        wrote = self.pump_out()
        if (wrote and not self.o.writedelay) or (self.dirty and self.o.acknodelay):
            self.kcp.flush()
        self.dirty = False
        self.report()

    def report(self):
        if self.out and not self.sent_reported and self.sent == len(self.out):
            self.sent_reported = True
            emit("sent", session=1, bytes=self.sent, messages=self.writes, sha256=sha256(self.out),
                 ms=self.ms(self.send_started))
        if self.want and not self.received_reported and self.got >= self.want:
            self.received_reported = True
            data = b"".join(self.inbox)
            fields = dict(session=1, bytes=len(data), sha256=sha256(data), ms=self.ms(self.started),
                          messages=self.messages, shortest=self.shortest, longest=self.longest)
            if self.expected is not None:
                fields["match"] = data == self.expected
                if not fields["match"]:
                    pairs = zip(data, self.expected)
                    fields["first_mismatch"] = next(i for i, (x, y) in enumerate(pairs) if x != y)
            emit("echoed" if self.is_server and self.o.action == "echo" else "received", **fields)
            self.received_sha = fields["sha256"]
            if fields.get("match") is False:
                raise Failure(EXIT_FAILED, "received data differs at byte %d" % fields["first_mismatch"])
            if self.bad_sizes:
                raise Failure(EXIT_FAILED, "%d received messages have the wrong size" % self.bad_sizes)

    @staticmethod
    def ms(since):
        return round((time.monotonic() - since) * 1000, 3)

    # ---- runs

    def run(self):
        o = self.o
        self.prepare()
        if self.is_server:
            emit("ready", port=self.sock.getsockname()[1], kcp="c")
        else:
            self.open_kcp()
            emit("ready", port=self.sock.getsockname()[1], kcp="c", conv=self.conv, stream=self.stream)
            if o.action == "pingpong":
                self.pingpong()
                self.linger()
                return
            self.begin()
        while not self.complete():
            self.turn()
        if self.stopped:
            return
        took = self.ms(self.started)
        self.linger()
        if self.extra:
            raise Failure(EXIT_FAILED, "received %d bytes more than expected" % self.extra)
        fields = dict(session=1, ms=took)
        if self.out:
            fields.update(sent_sha256=sha256(self.out), sent_bytes=self.sent)
        if self.received_reported:
            fields.update(received_sha256=self.received_sha, received_bytes=self.got)
        emit("session", **fields)

    def complete(self):
        if self.stopped:
            return True
        if self.kcp is None or self.send_on_first:
            return False
        if self.is_server and self.o.action == "echo":
            return self.want > 0 and self.got >= self.want and not self.echo_queue
        if self.out and not self.sent_reported:
            return False
        return not self.want or self.received_reported

    def linger(self):
        """Waits until all data is acknowledged and no datagram has arrived for
        linger-ms, at most ten times that."""
        quiet = self.o.linger_ms / 1000
        limit = time.monotonic() + 10 * quiet
        self.last_datagram = max(self.last_datagram, time.monotonic() - 0.001)
        while not self.stopped:
            now = time.monotonic()
            calm = now - self.last_datagram >= quiet
            if now >= limit or (calm and self.kcp.get_outbound_packets() == 0):
                return
            self.turn()

    def pingpong(self):
        o = self.o
        stream = generate(int(o.seed, 0), o.message_bytes * (o.count + o.warmup_count))
        times = []
        cpu = begin = 0
        for i in range(o.warmup_count + o.count):
            if i == o.warmup_count:
                cpu, begin = cpu_ms(), time.monotonic()
            part = stream[i * o.message_bytes:(i + 1) * o.message_bytes]
            t = time.perf_counter_ns()
            self.kcp.enqueue(part)
            self.kcp.flush()
            back = b""
            self.want = math.inf
            while len(back) < len(part):
                self.turn()
                if self.stopped:
                    return
                back += b"".join(self.inbox)
                self.inbox.clear()
            took = (time.perf_counter_ns() - t) / 1000
            if back != part:
                raise Failure(EXIT_FAILED, "pingpong %d: the response differs from the request" % i)
            self.sent += len(part)
            if i >= o.warmup_count:
                times.append(took)
        times.sort()
        at = lambda q: times[min(int(q * len(times)), len(times) - 1)]
        emit("pingpong", kcp="c", count=len(times), message_bytes=o.message_bytes, median_us=at(0.5),
             p99_us=at(0.99), min_us=times[0], max_us=times[-1], mean_us=round(sum(times) / len(times), 3),
             seconds=round(time.monotonic() - begin, 6), cpu_ms=round(cpu_ms() - cpu, 3))

    def counters(self):
        return {"DatagramsIn": self.datagrams_in, "DatagramsOut": self.datagrams_out,
                "SendDrops": self.send_drops, "ConvMismatch": self.conv_mismatch,
                "KCPInErrors": self.input_errors}


def host_port(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def parse():
    p = argparse.ArgumentParser(prog="peer.py", allow_abbrev=False)
    p.add_argument("role", choices=["server", "client", "gen", "version"])
    flag = dict(nargs="?", const=True, default=False, type=lambda s: s.lower() in ("1", "t", "true"))
    p.add_argument("--listen", default="127.0.0.1:0")
    p.add_argument("--connect", default="")
    p.add_argument("--action", default="")
    p.add_argument("--mode", choices=["stream", "message"], default="stream")
    p.add_argument("--stream-pieces", **flag)
    p.add_argument("--nodelay", type=int, default=1)
    p.add_argument("--interval", type=int, default=10)
    p.add_argument("--resend", type=int, default=2)
    p.add_argument("--nc", type=int, default=1)
    p.add_argument("--sndwnd", type=int, default=1024)
    p.add_argument("--rcvwnd", type=int, default=1024)
    p.add_argument("--mtu", type=int, default=1400)
    p.add_argument("--sockbuf", type=int, default=4 << 20)
    p.add_argument("--acknodelay", **flag)
    p.add_argument("--writedelay", **flag)
    p.add_argument("--bytes", type=int, default=0)
    p.add_argument("--seed", default="")
    p.add_argument("--peer-seed", default="")
    p.add_argument("--message-bytes", type=int, default=0)
    p.add_argument("--peer-message-bytes", type=int, default=0)
    p.add_argument("--timeout", type=int, default=120)
    p.add_argument("--conv", type=int, default=-1)
    p.add_argument("--linger-ms", type=int, default=1500)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--warmup-count", type=int, default=100)
    p.add_argument("--stdin-eof", **flag)
    o = p.parse_args()
    server = o.role == "server"
    o.seed = o.seed or ("2" if server else "1")
    o.peer_seed = o.peer_seed or ("1" if server else "2")
    if o.message_bytes == 0:
        o.message_bytes = 64 if o.action == "pingpong" else 16384 if o.mode == "stream" else 1024
    problem = None
    if o.role in ("server", "client"):
        allowed = ["echo", "sink", "source", "exchange"] + ([] if server else ["pingpong"])
        if o.action not in allowed:
            problem = "--action must be one of " + ", ".join(allowed)
        elif not server and not o.connect:
            problem = "--connect is required"
        elif o.mtu < 50:
            problem = "the C implementation requires --mtu 50 or more"
        elif -(-o.message_bytes // (o.mtu - OVERHEAD)) > MAX_FRAGMENTS:
            problem = "--message-bytes requires more than %d fragments" % MAX_FRAGMENTS
    if problem:
        emit("error", error=problem)
        sys.exit(EXIT_USAGE)
    return o


def main():
    o = parse()
    if o.role == "version":
        from importlib.metadata import version
        emit("version", kcp="c", package=version("kcp"), crypts=["null"])
        return
    if o.role == "gen":
        data = generate(int(o.seed, 0), o.bytes)
        emit("gen", bytes=len(data), sha256=sha256(data), head=data[:32].hex())
        return
    peer = Peer(o)

    def on_signal(_number, _frame):
        peer.stopped = "signal"

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    try:
        peer.run()
    except Failure as e:
        emit("error", error=str(e), sent=peer.sent, received=peer.got, snmp=peer.counters())
        sys.exit(e.code)
    except (KCPException, OSError) as e:
        emit("error", error="%s: %s" % (type(e).__name__, e), sent=peer.sent, received=peer.got,
             snmp=peer.counters())
        sys.exit(EXIT_FAILED)
    fields = dict(cpu_ms=cpu_ms(), sent=peer.sent, received=peer.got, snmp=peer.counters())
    if peer.stopped:
        fields["reason"] = peer.stopped
    emit("done", **fields)


if __name__ == "__main__":
    main()
