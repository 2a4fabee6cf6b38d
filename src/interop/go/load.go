package main

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Load programs of the side-by-side benchmark. The section "Load programs" of
// README.md describes their commands and events.

const (
	// closeGrace delays the close of a session that received goodbye, so that
	// the client's last acknowledgement still finds the session.
	closeGrace = 250 * time.Millisecond
	// firstMessageLimit closes sessions without a message. A listener creates a
	// session for any datagram, even for a late one of a closed session.
	firstMessageLimit = 10 * time.Second
	// bulkAfter is the number of bytes that a session of an echo server receives
	// before a second goroutine collects its responses.
	bulkAfter  = 256 << 10
	gatherMost = 256
	// segmentBytes is the size of a read buffer. One Read returns at most one
	// segment, because Write of kcp-go splits data at the MSS.
	segmentBytes = 2048
	answerLimit  = 5 * time.Second
)

var (
	processStart = time.Now()
	// goodbye marks the first message of a session as the session's only one.
	goodbye = []byte("goodbye\n")
)

// rate returns 10^6 bytes per second.
func rate(bytes int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(bytes) / 1e6 / d.Seconds()
}

// meter counts the payload of all sessions of this process.
var meter struct {
	bytes, messages         atomic.Int64
	bytesSent, messagesSent atomic.Int64
}

func received(n int) {
	meter.bytes.Add(int64(n))
	meter.messages.Add(1)
}

func sent(n, messages int) {
	meter.bytesSent.Add(int64(n))
	meter.messagesSent.Add(int64(messages))
}

func runLoad(args []string) {
	if len(args) == 0 || args[0] != "server" && args[0] != "client" {
		usage("the argument after load must be server or client")
	}
	o := parse("load-"+args[0], args[1:], args[0] == "server")
	current = o
	watch(o)
	if args[0] == "server" {
		if o.work == "packets" {
			o.packetServer()
		} else {
			o.loadServer()
		}
		obey(nil)
	}
	if o.connect == "" {
		usage("--connect is required")
	}
	var open func(int)
	switch o.work {
	case "source":
		go o.loadSource()
	case "echo":
		go o.loadEcho()
	case "pingpong":
		go o.loadPingpong()
	case "fleet":
		go o.loadFleet()
	case "idle":
		open = o.idleOpener()
	case "churn":
		go o.loadChurn()
	case "packets":
		go o.loadPackets()
	default:
		usage("client --work must be source, echo, pingpong, fleet, idle, churn or packets")
	}
	obey(open)
}

// loadDefaults sets the defaults that depend on the scenario, for options that
// are not on the command line.
func (o *options) loadDefaults(given map[string]bool) {
	if o.writeBytes == 0 {
		o.writeBytes = 64
		if o.work == "source" || o.work == "echo" || o.work == "sink" {
			o.writeBytes = 16384
		}
	}
	o.messageBytes = o.writeBytes
	small := o.writeBytes <= smallBytes
	if !given["mode"] {
		o.mode = "stream"
		if small && o.work != "packets" {
			o.mode = "message"
		}
	}
	if !given["writedelay"] {
		o.writedelay = small && (o.work == "source" || o.work == "echo") && o.connect != ""
	}
	if !given["timeout"] {
		o.timeout = 0
	}
	if !given["sessions"] && o.work == "churn" {
		o.sessions = 64
	}
	o.listen = withHost(o.host, o.listen)
	o.connect = withHost(o.host, o.connect)
}

// smallBytes is the maximum size of a write that counts as a message. Longer
// writes are bulk data.
const smallBytes = 1024

// withHost returns host:port if address is only a port.
func withHost(host, address string) string {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		return net.JoinHostPort(host, address)
	}
	return address
}

// obey executes the commands on standard input and exits when it closes.
func obey(open func(int)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		command, argument, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		switch command {
		case "mark":
			emit("mark", event{"ns": time.Since(processStart).Nanoseconds(), "cpu_ms": cpuMs(),
				"bytes": meter.bytes.Load(), "messages": meter.messages.Load(),
				"bytes_sent": meter.bytesSent.Load(), "messages_sent": meter.messagesSent.Load()})
		case "memory":
			emit("memory", memory())
		case "stats":
			emit("stats", event{"snmp": snmp()})
		case "open":
			n, err := strconv.Atoi(argument)
			if err != nil || open == nil {
				fail(exitFailed, errors.New("cannot "+lines.Text()))
			}
			go open(n)
		case "":
		default:
			fail(exitFailed, errors.New("unknown command "+command))
		}
	}
	finishOnce.Do(func() { os.Exit(exitOK) })
	select {}
}

func memory() event {
	runtime.GC()
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	e := event{"live_bytes": m.HeapAlloc + m.StackInuse}
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range bytes.Split(status, []byte("\n")) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "VmRSS:" {
			kib, _ := strconv.ParseInt(string(f[1]), 10, 64)
			e["rss_bytes"] = kib << 10
		}
	}
	return e
}

func (o *options) loadServer() {
	var serve func(*session)
	switch o.work {
	case "sink":
		serve = o.sinkSession
	case "echo":
		serve = o.echoSession
	default:
		usage("server --work must be sink, echo or packets")
	}
	l := o.open()
	go func() {
		for {
			s, err := l.AcceptKCP()
			if err != nil {
				fail(exitFailed, err)
			}
			o.tune(s)
			go func() {
				serve(s)
				s.Close()
			}()
		}
	}()
}

func (o *options) sinkSession(s *session) {
	buf := make([]byte, segmentBytes)
	for {
		n, err := s.Read(buf)
		if err != nil {
			return
		}
		received(n)
	}
}

// echoSession responds from the reading goroutine, which is fastest for single
// messages. After bulkAfter bytes, gatherEcho takes over.
func (o *options) echoSession(s *session) {
	buf := make([]byte, segmentBytes)
	if o.greetBytes > 0 {
		go s.Write(make([]byte, o.greetBytes))
	}
	s.SetReadDeadline(time.Now().Add(firstMessageLimit))
	for total := 0; ; {
		n, err := s.Read(buf)
		if err != nil {
			return
		}
		received(n)
		o.simulateWork()
		if _, err = s.Write(buf[:n]); err != nil {
			return
		}
		sent(n, 1)
		if total == 0 {
			if bytes.HasPrefix(buf[:n], goodbye) {
				time.Sleep(closeGrace)
				return
			}
			s.SetReadDeadline(time.Time{})
		}
		if total += n; total > bulkAfter && o.gather && o.workUs == 0 {
			o.gatherEcho(s)
			return
		}
	}
}

// simulateWork uses the CPU time that --work-us sets for each message.
func (o *options) simulateWork() {
	if o.workUs > 0 {
		for end := time.Now().Add(time.Duration(o.workUs) * time.Microsecond); time.Now().Before(end); {
		}
	}
}

// gatherEcho echoes all data read since the last write with a single flush.
func (o *options) gatherEcho(s *session) {
	full := make(chan []byte, gatherMost)
	free := make(chan []byte, 2*gatherMost)
	go func() {
		defer func() {
			s.Close()
			for b := range full {
				free <- b
			}
		}()
		batch := make([][]byte, 0, gatherMost)
		for first := range full {
			batch = append(batch[:0], first)
		gathering:
			for len(batch) < gatherMost {
				select {
				case b, more := <-full:
					if !more {
						return
					}
					batch = append(batch, b)
				default:
					break gathering
				}
			}
			n, err := s.WriteBuffers(batch)
			if err != nil {
				return
			}
			sent(n, len(batch))
			for _, b := range batch {
				free <- b
			}
		}
	}()
	defer close(full)
	for made := 0; ; {
		var b []byte
		if made < cap(free) {
			select {
			case b = <-free:
			default:
				b, made = make([]byte, segmentBytes), made+1
			}
		} else {
			b = <-free
		}
		n, err := s.Read(b[:segmentBytes])
		if err != nil {
			return
		}
		received(n)
		full <- b[:n]
	}
}
