// Command kcppeer is the kcp-go side of the interoperability tests and
// benchmarks. README.md in this folder describes the command line.
package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitTimeout = 3
	exitMissing = 4
)

type options struct {
	host, listen, connect, action, mode string

	nodelay, interval, resend, nc int
	sndwnd, rcvwnd, mtu, sockbuf  int
	crypt, key, hexkey            string
	datashard, parityshard        int
	acknodelay, writedelay        bool
	ratelimit                     int

	oob, oobIntervalMs int
	oobBytes           string
	oobSizes           []int
	oobEcho            bool

	bytes                          int64
	seed, peerSeed                 string
	messageBytes, peerMessageBytes int
	timeout, conv, lingerMs        int
	sessions                       int
	stdinEOF                       bool
	seconds, warmup                float64
	idleMs, outstanding            int
	messages, count, warmupCount   int
	ciphers                        string
	payloadBytes, lost             int
	avx2                           bool

	work                    string
	writeBytes, connections int
	batch                   int
	rate                    float64
	gather                  bool

	block blockCrypt
}

type event map[string]any

var (
	outLock  sync.Mutex
	progress struct{ sent, received atomic.Int64 }
)

func emit(name string, fields event) {
	line := []byte(`{"event":"` + name + `"`)
	if len(fields) > 0 {
		rest, err := json.Marshal(fields)
		if err != nil {
			panic(err)
		}
		line = append(append(line, ','), rest[1:]...)
	} else {
		line = append(line, '}')
	}
	outLock.Lock()
	defer outLock.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

// finish prints the last event and leaves. Only the first caller gets through.
var finishOnce sync.Once

func finish(code int, name string, fields event) {
	finishOnce.Do(func() {
		emit(name, fields)
		os.Exit(code)
	})
	select {}
}

func fail(code int, err error) {
	finish(code, "error", totals(errorFields(err.Error())))
}

// errorFields names the text message too for load programs, as their runner
// wants it.
func errorFields(text string) event {
	e := event{"error": text}
	if len(os.Args) > 1 && os.Args[1] == "load" {
		e["message"] = text
	}
	return e
}

// missing ends a run that asks for what this version of kcp-go lacks.
func missing(what string) {
	fmt.Fprintln(os.Stderr, "kcppeer: "+what)
	finish(exitMissing, "error", errorFields(what))
}

// current is set before anything that reports totals.
var current = &options{}

// totals adds what the whole process did.
func totals(e event) event {
	e["sent"], e["received"] = progress.sent.Load(), progress.received.Load()
	e["cpu_ms"], e["snmp"] = cpuMs(), snmp()
	current.reportOOB(e)
	return e
}

func snmp() map[string]uint64 {
	names, values := counters()
	m := make(map[string]uint64, len(names))
	for i, n := range names {
		if i < len(values) {
			m[n], _ = strconv.ParseUint(values[i], 10, 64)
		}
	}
	return m
}

func cpuMs() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return -1
	}
	us := (u.Utime.Sec+u.Stime.Sec)*1e6 + u.Utime.Usec + u.Stime.Usec
	return float64(us) / 1000
}

func main() {
	if len(os.Args) < 2 {
		usage("no mode given")
	}
	mode := os.Args[1]
	if mode == "load" {
		runLoad(os.Args[2:])
	}
	if mode == "delay" {
		runDelay(os.Args[2:])
		return
	}
	isServer := mode == "server" || mode == "bench-sink-server"
	o := parse(mode, os.Args[2:], isServer)
	current = o

	watch(o)
	switch mode {
	case "version":
		finish(exitOK, "version", event{"kcp": libVersion, "crypts": cipherNames()})
	case "gen":
		d := newDigest()
		g := newGen(o.seedValue())
		head := produce(g, o.bytes, d)
		finish(exitOK, "gen", event{"bytes": o.bytes, "sha256": d.hex(), "head": hex.EncodeToString(head)})
	case "server":
		runServer(o)
	case "client":
		runClient(o)
	case "bench-sink-server":
		benchSinkServer(o)
	case "bench-source-client":
		benchSourceClient(o)
	case "bench-echo-client":
		benchEchoClient(o)
	case "bench-pingpong-client":
		o.action = "pingpong"
		runClient(o)
	case "cryptbench":
		cryptBench(o)
	case "fecbench":
		fecBench(o)
	default:
		usage("unknown mode " + mode)
	}
}

func usage(why string) {
	fmt.Fprintln(os.Stderr, "kcppeer: "+why)
	fmt.Fprintln(os.Stderr, "modes: server client bench-sink-server bench-source-client bench-echo-client bench-pingpong-client "+
		"load cryptbench fecbench gen version; see README.md")
	finish(exitUsage, "error", errorFields(why))
}

func parse(mode string, args []string, isServer bool) *options {
	o := &options{}
	seed, peerSeed := "1", "2"
	if isServer {
		seed, peerSeed = "2", "1"
	}
	seconds := 5.0
	if mode == "cryptbench" || mode == "fecbench" {
		seconds = 1
	}
	f := flag.NewFlagSet("kcppeer "+mode, flag.ContinueOnError)
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "server address")
	f.StringVar(&o.host, "host", "127.0.0.1", "load: address of the server, where only a port is given")
	f.StringVar(&o.connect, "connect", "", "address of the server")
	f.StringVar(&o.action, "action", "", "what a session does")
	f.StringVar(&o.mode, "mode", "stream", "stream or message")
	f.IntVar(&o.nodelay, "nodelay", 1, "")
	f.IntVar(&o.interval, "interval", 10, "ms")
	f.IntVar(&o.resend, "resend", 2, "")
	f.IntVar(&o.nc, "nc", 1, "1 switches the congestion window off")
	f.IntVar(&o.sndwnd, "sndwnd", 1024, "segments")
	f.IntVar(&o.rcvwnd, "rcvwnd", 1024, "segments")
	f.IntVar(&o.mtu, "mtu", 1400, "largest UDP payload")
	f.IntVar(&o.sockbuf, "sockbuf", 4<<20, "UDP socket buffers, 0 leaves them alone")
	f.StringVar(&o.crypt, "crypt", "null", "cipher name")
	f.StringVar(&o.key, "key", kcptunPassword, "password, made into 32 bytes as kcptun does; cut to the cipher's key length")
	f.StringVar(&o.hexkey, "hexkey", "", "the key itself instead of --key; cut to the cipher's key length")
	f.IntVar(&o.datashard, "datashard", 0, "")
	f.IntVar(&o.parityshard, "parityshard", 0, "")
	f.BoolVar(&o.acknodelay, "acknodelay", false, "")
	f.BoolVar(&o.writedelay, "writedelay", false, "")
	f.IntVar(&o.ratelimit, "ratelimit", 0, "bytes per second, 5.6.72 only")
	f.IntVar(&o.oob, "oob", 0, "out-of-band messages to send, 5.6.72 with FEC only; -1 only receives")
	f.StringVar(&o.oobBytes, "oob-bytes", "64", "their sizes by turns, comma between; max is the largest possible")
	f.IntVar(&o.oobIntervalMs, "oob-interval-ms", 5, "between two of them")
	f.BoolVar(&o.oobEcho, "oob-echo", false, "return the peer's out-of-band messages")
	f.Int64Var(&o.bytes, "bytes", 0, "bytes per direction")
	f.StringVar(&o.seed, "seed", seed, "generator seed of what this side sends")
	f.StringVar(&o.peerSeed, "peer-seed", peerSeed, "generator seed of what is expected, or none")
	f.IntVar(&o.messageBytes, "message-bytes", 0, "size of one Write; 0: 16384 in stream mode, 1024 in message mode, 64 for pingpong")
	f.IntVar(&o.peerMessageBytes, "peer-message-bytes", 0, "message mode: check that every received message has this size")
	f.IntVar(&o.timeout, "timeout", 120, "seconds for the whole run, 0 none")
	f.IntVar(&o.conv, "conv", -1, "client: conversation id, -1 random")
	f.IntVar(&o.lingerMs, "linger-ms", 1500, "stay until no datagram came for so long")
	f.IntVar(&o.sessions, "sessions", 1, "server: sessions to complete before leaving, 0 endless")
	f.BoolVar(&o.stdinEOF, "stdin-eof", false, "leave when standard input ends")
	f.Float64Var(&o.seconds, "seconds", seconds, "bench: measured time; cryptbench and fecbench: for each figure")
	f.Float64Var(&o.warmup, "warmup", 1, "bench: seconds before measuring")
	f.IntVar(&o.idleMs, "idle-ms", 1500, "bench sink: quiet time that ends the run")
	f.IntVar(&o.outstanding, "outstanding", 1<<20, "echo bench: bytes under way")
	f.IntVar(&o.messages, "messages", 0, "source bench: send so many writes instead of --seconds")
	f.IntVar(&o.count, "count", 1000, "pingpong: measured round trips")
	f.StringVar(&o.ciphers, "ciphers", "", "cryptbench: names, comma between; all if empty")
	f.IntVar(&o.payloadBytes, "payload-bytes", 1400, "cryptbench: after the cipher's header; fecbench: of a shard")
	f.BoolVar(&o.avx2, "avx2", false, "fecbench: without the instructions newer than AVX2")
	f.IntVar(&o.lost, "lost", 3, "fecbench: data shards to reconstruct")
	f.IntVar(&o.warmupCount, "warmup-count", 100, "pingpong: round trips before measuring")
	if strings.HasPrefix(mode, "load-") {
		f.StringVar(&o.work, "work", "", "load: sink, source, echo, pingpong, fleet, idle or churn")
		f.IntVar(&o.writeBytes, "write-bytes", 0, "load: size of a write; 0: 16384 for source and echo, 64 otherwise")
		f.IntVar(&o.connections, "connections", 1, "load source and echo: sessions")
		f.IntVar(&o.batch, "batch", 1, "load source: writes handed over with one call")
		f.Float64Var(&o.rate, "rate", 1, "load fleet: messages per second of a session")
		f.BoolVar(&o.gather, "gather", true, "load echo server: one flush for what bulk has been read meanwhile")
	}
	f.SetOutput(os.Stderr)
	if err := f.Parse(args); err != nil {
		usage(err.Error())
	}
	if f.NArg() > 0 {
		usage("unexpected argument " + f.Arg(0))
	}
	keys := 0
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) {
		given[g.Name] = true
		if g.Name == "key" || g.Name == "hexkey" {
			keys++
		}
	})
	if keys > 1 {
		usage("--key and --hexkey exclude each other")
	}
	if strings.HasPrefix(mode, "load-") {
		o.loadDefaults(given)
	}
	o.check(mode)
	return o
}

func (o *options) check(mode string) {
	if o.mode != "stream" && o.mode != "message" {
		usage("--mode must be stream or message")
	}
	for _, s := range []string{o.seed, o.peerSeed} {
		if _, err := strconv.ParseUint(s, 0, 64); err != nil && s != "none" {
			usage("bad seed " + s)
		}
	}
	overhead := 24 + o.makeBlock()
	if (o.datashard > 0) != (o.parityshard > 0) || o.datashard < 0 || o.parityshard < 0 || o.datashard+o.parityshard > 256 {
		usage("--datashard and --parityshard: both positive with a sum up to 256, or both 0")
	}
	fec := o.datashard > 0
	if fec {
		overhead += 8
	}
	if o.usesOOB() {
		if !hasOOB {
			missing("no out-of-band messages in kcp-go " + libVersion)
		}
		if !fec {
			usage("--oob and --oob-echo need FEC")
		}
		var err error
		if o.oobSizes, err = parseOOBSizes(o.oobBytes); err != nil {
			usage(err.Error())
		}
	}
	mss := o.mtu - overhead
	if o.messageBytes == 0 {
		switch {
		case o.action == "pingpong" || mode == "bench-pingpong-client":
			o.messageBytes = 64
		case o.mode == "message":
			o.messageBytes = min(1024, mss)
		default:
			o.messageBytes = 16384
		}
	}
	if o.mode == "message" && o.messageBytes > mss {
		usage(fmt.Sprintf("message mode: --message-bytes %d exceeds mss %d, kcp-go would split it into several messages", o.messageBytes, mss))
	}
	if o.messageBytes < 1 {
		usage("--message-bytes must be positive")
	}
}

func (o *options) seedValue() uint64 {
	v, _ := strconv.ParseUint(o.seed, 0, 64)
	return v
}

func (o *options) peerSeedValue() uint64 {
	v, _ := strconv.ParseUint(o.peerSeed, 0, 64)
	return v
}

// watch ends the run on the time limit, on a signal and, if asked, when the
// parent goes away.
func watch(o *options) {
	if o.timeout > 0 {
		time.AfterFunc(time.Duration(o.timeout)*time.Second, func() {
			fail(exitTimeout, fmt.Errorf("timeout after %d s", o.timeout))
		})
	}
	stop := func(why string) {
		finish(exitOK, "done", totals(event{"reason": why}))
	}
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-sig
		stop("signal")
	}()
	if o.stdinEOF {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			stop("stdin")
		}()
	}
}

func (o *options) open() *listener {
	l, err := libListen(o.listen, o.block, o.datashard, o.parityshard)
	if err != nil {
		fail(exitFailed, err)
	}
	if o.sockbuf > 0 {
		l.SetReadBuffer(o.sockbuf)
		l.SetWriteBuffer(o.sockbuf)
	}
	emit("ready", event{"port": l.Addr().(*net.UDPAddr).Port, "kcp": libVersion})
	return l
}

func (o *options) dial() *session {
	if o.connect == "" {
		usage("--connect is needed")
	}
	var s *session
	var err error
	if o.conv >= 0 {
		var addr *net.UDPAddr
		if addr, err = net.ResolveUDPAddr("udp", o.connect); err != nil {
			fail(exitFailed, err)
		}
		network := "udp"
		if addr.IP.To4() != nil {
			network = "udp4"
		}
		var c *net.UDPConn
		if c, err = net.ListenUDP(network, nil); err != nil {
			fail(exitFailed, err)
		}
		s, err = libConnConv(uint32(o.conv), addr, o.block, o.datashard, o.parityshard, c)
	} else {
		s, err = libDial(o.connect, o.block, o.datashard, o.parityshard)
	}
	if err != nil {
		fail(exitFailed, err)
	}
	if o.sockbuf > 0 {
		s.SetReadBuffer(o.sockbuf)
		s.SetWriteBuffer(o.sockbuf)
	}
	o.tune(s)
	emit("ready", event{"port": s.LocalAddr().(*net.UDPAddr).Port, "kcp": libVersion, "conv": s.GetConv()})
	return s
}

func (o *options) tune(s *session) {
	s.SetStreamMode(o.mode == "stream")
	s.SetNoDelay(o.nodelay, o.interval, o.resend, o.nc)
	s.SetWindowSize(o.sndwnd, o.rcvwnd)
	s.SetACKNoDelay(o.acknodelay)
	s.SetWriteDelay(o.writedelay)
	if !s.SetMtu(o.mtu) {
		fail(exitFailed, errors.New("mtu refused"))
	}
	if o.ratelimit > 0 {
		if err := setRateLimit(s, uint32(o.ratelimit)); err != nil {
			missing(err.Error())
		}
	}
}
