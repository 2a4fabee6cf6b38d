// Command kcppeer runs kcp-go as a client or server for the interoperability
// tests and benchmarks. README.md in this directory describes its command line.
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
	outstanding                    int
	count, warmupCount             int
	ciphers                        string
	payloadBytes, lost             int
	avx2                           bool

	work                    string
	writeBytes, connections int
	batch                   int
	rate                    float64
	gather                  bool
	greetBytes              int
	workUs                  int
	protocol                string
	maxPayloadBytes         int
	lean                    bool

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

// finish prints the last event and exits. Only the first call has an effect.
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

// errorFields adds the error text as "message" for load programs, because their
// runner reads that field.
func errorFields(text string) event {
	e := event{"error": text}
	if len(os.Args) > 1 && os.Args[1] == "load" {
		e["message"] = text
	}
	return e
}

// missing exits because this version of kcp-go lacks a requested feature.
func missing(what string) {
	fmt.Fprintln(os.Stderr, "kcppeer: "+what)
	finish(exitMissing, "error", errorFields(what))
}

// current holds the options. It is set before any function reports totals.
var current = &options{}

// totals adds the counters of the whole process to an event.
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
		usage("the first argument must be a mode")
	}
	mode := os.Args[1]
	if mode == "load" {
		runLoad(os.Args[2:])
	}
	if mode == "delay" {
		runDelay(os.Args[2:])
		return
	}
	o := parse(mode, os.Args[2:], mode == "server")
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
	fmt.Fprintln(os.Stderr, "modes: server client load delay cryptbench fecbench gen version; see README.md")
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
	f.StringVar(&o.host, "host", "127.0.0.1", "load: address of the server if --listen or --connect is only a port")
	f.StringVar(&o.connect, "connect", "", "address of the server")
	f.StringVar(&o.action, "action", "", "what a session does: exchange, echo, sink, source or (client) pingpong")
	f.StringVar(&o.mode, "mode", "stream", "stream or message")
	f.IntVar(&o.nodelay, "nodelay", 1, "")
	f.IntVar(&o.interval, "interval", 10, "ms")
	f.IntVar(&o.resend, "resend", 2, "")
	f.IntVar(&o.nc, "nc", 1, "1 disables the congestion window")
	f.IntVar(&o.sndwnd, "sndwnd", 1024, "segments")
	f.IntVar(&o.rcvwnd, "rcvwnd", 1024, "segments")
	f.IntVar(&o.mtu, "mtu", 1400, "maximum UDP payload")
	f.IntVar(&o.sockbuf, "sockbuf", 4<<20, "size of the UDP socket buffers, 0 for the system's default")
	f.StringVar(&o.crypt, "crypt", "null", "cipher name")
	f.StringVar(&o.key, "key", kcptunPassword, "password, from which 32 bytes are derived as in kcptun and cut to the cipher's key length")
	f.StringVar(&o.hexkey, "hexkey", "", "key in hexadecimal instead of --key, cut to the cipher's key length")
	f.IntVar(&o.datashard, "datashard", 0, "")
	f.IntVar(&o.parityshard, "parityshard", 0, "")
	f.BoolVar(&o.acknodelay, "acknodelay", false, "")
	f.BoolVar(&o.writedelay, "writedelay", false, "")
	f.IntVar(&o.ratelimit, "ratelimit", 0, "limit in bytes per second (5.6.72 only)")
	f.IntVar(&o.oob, "oob", 0, "number of out-of-band messages to send (5.6.72 with FEC only), -1 only receives")
	f.StringVar(&o.oobBytes, "oob-bytes", "64", "sizes of the out-of-band messages, comma-separated and used in rotation; max is the maximum size")
	f.IntVar(&o.oobIntervalMs, "oob-interval-ms", 5, "interval between two out-of-band messages")
	f.BoolVar(&o.oobEcho, "oob-echo", false, "return the peer's out-of-band messages")
	f.Int64Var(&o.bytes, "bytes", 0, "bytes per direction")
	f.StringVar(&o.seed, "seed", seed, "generator seed of the data that this side sends")
	f.StringVar(&o.peerSeed, "peer-seed", peerSeed, "generator seed of the expected data, or none to skip the comparison")
	f.IntVar(&o.messageBytes, "message-bytes", 0, "size of one Write; 0: 16384 in stream mode, 1024 in message mode, 64 for pingpong")
	f.IntVar(&o.peerMessageBytes, "peer-message-bytes", 0, "message mode: check that every received message has this size")
	f.IntVar(&o.timeout, "timeout", 120, "time limit of the whole run in seconds, 0 for none")
	f.IntVar(&o.conv, "conv", -1, "client: conversation id, -1 random")
	f.IntVar(&o.lingerMs, "linger-ms", 1500, "after the last byte, time without a datagram before exiting")
	f.IntVar(&o.sessions, "sessions", 1, "server: number of completed sessions before exiting, 0 for no limit")
	f.BoolVar(&o.stdinEOF, "stdin-eof", false, "exit when standard input closes")
	f.Float64Var(&o.seconds, "seconds", seconds, "load: measured time; cryptbench and fecbench: measured time of each result")
	f.IntVar(&o.count, "count", 1000, "pingpong: number of measured round trips")
	f.StringVar(&o.ciphers, "ciphers", "", "cryptbench: comma-separated names, empty for all")
	f.IntVar(&o.payloadBytes, "payload-bytes", 1400, "cryptbench: bytes after the cipher's header; fecbench: bytes of a shard")
	f.BoolVar(&o.avx2, "avx2", false, "fecbench: disable instructions newer than AVX2")
	f.IntVar(&o.lost, "lost", 3, "fecbench: number of data shards to reconstruct")
	f.IntVar(&o.warmupCount, "warmup-count", 100, "pingpong: number of round trips before measuring")
	if strings.HasPrefix(mode, "load-") {
		f.Float64Var(&o.warmup, "warmup", 1, "load: seconds before measuring")
		f.IntVar(&o.outstanding, "outstanding", 1<<20, "load echo: bytes of a session that may be in flight")
		f.StringVar(&o.work, "work", "", "load: sink, source, echo, pingpong, fleet, idle, churn or packets")
		f.IntVar(&o.writeBytes, "write-bytes", 0, "load: size of a write; 0: 16384 for source and echo, 64 otherwise")
		f.IntVar(&o.connections, "connections", 1, "load source, echo and packets: number of sessions")
		f.IntVar(&o.batch, "batch", 1, "load source: number of writes per call of WriteBuffers")
		f.Float64Var(&o.rate, "rate", 1, "load fleet: messages per second of each session")
		f.IntVar(&o.workUs, "work-us", 0, "load echo server: CPU time of the application for each message in microseconds")
		f.IntVar(&o.greetBytes, "greet-bytes", 0, "load echo server: bytes to send to each new session")
		f.BoolVar(&o.gather, "gather", true, "load echo server: echo bulk data with one flush for all data read since the last one")
		f.StringVar(&o.protocol, "protocol", "kcp", "load packets: kcp or tcp")
		f.IntVar(&o.maxPayloadBytes, "max-payload-bytes", 2048, "load packets: largest payload")
		f.BoolVar(&o.lean, "lean", false, "load packets: one goroutine per connection instead of those of go-packetconn")
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
		usage("--key and --hexkey cannot be used together")
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
			usage("seed " + s + " is not a number")
		}
	}
	overhead := 24 + o.makeBlock()
	if (o.datashard > 0) != (o.parityshard > 0) || o.datashard < 0 || o.parityshard < 0 || o.datashard+o.parityshard > 256 {
		usage("--datashard and --parityshard must both be 0, or both be positive with a sum of at most 256")
	}
	fec := o.datashard > 0
	if fec {
		overhead += 8
	}
	if o.usesOOB() {
		if !hasOOB {
			missing("kcp-go " + libVersion + " does not support out-of-band messages")
		}
		if !fec {
			usage("--oob and --oob-echo require FEC (--datashard and --parityshard)")
		}
		var err error
		if o.oobSizes, err = parseOOBSizes(o.oobBytes); err != nil {
			usage(err.Error())
		}
	}
	mss := o.mtu - overhead
	if o.messageBytes == 0 {
		switch {
		case o.action == "pingpong":
			o.messageBytes = 64
		case o.mode == "message":
			o.messageBytes = min(1024, mss)
		default:
			o.messageBytes = 16384
		}
	}
	if o.mode == "message" && o.messageBytes > mss {
		usage(fmt.Sprintf("message mode: --message-bytes %d exceeds the MSS of %d, so kcp-go would split each write into several messages", o.messageBytes, mss))
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

// watch ends the run at the time limit, on a signal and, with --stdin-eof, when
// standard input closes.
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
		usage("--connect is required")
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
