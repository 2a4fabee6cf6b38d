package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// The scenario "delay": each message contains its planned sending time, which
// the receiver subtracts from its own clock. Client and server run on the same
// machine and read CLOCK_MONOTONIC, which all processes share.

// delayStampBytes is the size of the sending time at the start of a message, in
// nanoseconds. It is 0 in a message that is not measured.
const delayStampBytes = 8

type delayOptions struct {
	options
	listenPort, connectPort  int
	sessionCount, writeBytes int
	ratePerSecond            float64
}

func monotonicNs() int64 {
	const clockMonotonic = 1
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

func sleepUntilNs(due int64) {
	for left := due - monotonicNs(); left > 0; left = due - monotonicNs() {
		pause := syscall.NsecToTimespec(left)
		syscall.Nanosleep(&pause, nil)
	}
}

// runDelay runs the mode "delay" and exits when standard input closes.
func runDelay(args []string) {
	if len(args) == 0 {
		usage("delay server or delay client")
	}
	o := &delayOptions{options: options{mode: "message", nodelay: 1, interval: 10, resend: 2, nc: 1, acknodelay: true,
		sockbuf: 4 << 20}}
	var window int
	f := flag.NewFlagSet("kcppeer delay "+args[0], flag.ContinueOnError)
	f.StringVar(&o.host, "host", "127.0.0.1", "address of the server")
	f.IntVar(&o.listenPort, "listen", 0, "port")
	f.IntVar(&o.connectPort, "connect", 0, "port of the server")
	f.IntVar(&o.sessionCount, "sessions", 1, "")
	f.Float64Var(&o.ratePerSecond, "rate", 50, "messages per second of each session")
	f.IntVar(&o.writeBytes, "write-bytes", 200, "size of a message")
	f.Float64Var(&o.warmup, "warmup", 1, "seconds before measuring")
	f.Float64Var(&o.seconds, "seconds", 10, "measured time")
	f.IntVar(&o.mtu, "mtu", 1400, "")
	f.IntVar(&window, "window", 1024, "send and receive window in segments")
	f.IntVar(&o.datashard, "datashard", 0, "")
	f.IntVar(&o.parityshard, "parityshard", 0, "")
	if err := f.Parse(args[1:]); err != nil {
		usage(err.Error())
	}
	o.sndwnd, o.rcvwnd = window, window
	if o.writeBytes < delayStampBytes {
		usage("--write-bytes must be at least 8, the size of the sending time")
	}
	switch args[0] {
	case "server":
		o.serve()
	case "client":
		o.send()
	default:
		usage("delay server or delay client")
	}
}

type delayRecord struct {
	lock sync.Mutex
	ns   []int64
}

func (r *delayRecord) add(ns int64) {
	r.lock.Lock()
	r.ns = append(r.ns, ns)
	r.lock.Unlock()
}

func (r *delayRecord) report() event {
	r.lock.Lock()
	sorted := append([]int64(nil), r.ns...)
	r.lock.Unlock()
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	e := event{"kcp": libVersion, "received": len(sorted), "snmp": snmp()}
	if len(sorted) == 0 {
		return e
	}
	for name, share := range map[string]float64{"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99, "p999_ms": 0.999, "max_ms": 1} {
		at := min(len(sorted)-1, max(0, int(share*float64(len(sorted))+0.5)-1))
		e[name] = float64(sorted[at]) / 1e6
	}
	return e
}

func (o *delayOptions) serve() {
	l, err := libListen(net.JoinHostPort(o.host, strconv.Itoa(o.listenPort)), nil, o.datashard, o.parityshard)
	if err != nil {
		fail(exitFailed, err)
	}
	l.SetReadBuffer(o.sockbuf)
	l.SetWriteBuffer(o.sockbuf)
	record := &delayRecord{}
	go func() {
		for {
			s, err := l.AcceptKCP()
			if err != nil {
				fail(exitFailed, err)
			}
			o.tune(s)
			go o.receive(s, record)
		}
	}()
	emit("ready", event{"port": l.Addr().(*net.UDPAddr).Port, "kcp": libVersion})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "delay" {
			emit("delay", record.report())
		}
	}
}

func (o *delayOptions) receive(s *session, record *delayRecord) {
	message := make([]byte, o.writeBytes)
	for {
		if _, err := io.ReadFull(s, message); err != nil {
			return
		}
		now := monotonicNs()
		if due := int64(binary.BigEndian.Uint64(message)); due != 0 {
			record.add(now - due)
		}
	}
}

func (o *delayOptions) send() {
	if o.connectPort == 0 || o.sessionCount < 1 || o.ratePerSecond <= 0 {
		usage("--connect is required, and --sessions and --rate must be positive")
	}
	address := net.JoinHostPort(o.host, strconv.Itoa(o.connectPort))
	sessions := make([]*session, o.sessionCount)
	for i := range sessions {
		s, err := libDial(address, nil, o.datashard, o.parityshard)
		if err != nil {
			fail(exitFailed, err)
		}
		s.SetReadBuffer(o.sockbuf)
		s.SetWriteBuffer(o.sockbuf)
		o.tune(s)
		sessions[i] = s
	}
	emit("ready", event{"kcp": libVersion})
	period := 1e9 / o.ratePerSecond
	start := monotonicNs() + int64(period)
	measured := start + int64(o.warmup*1e9)
	end := measured + int64(o.seconds*1e9)
	var sent atomic.Int64
	var all sync.WaitGroup
	for i, s := range sessions {
		all.Add(1)
		go func() {
			defer all.Done()
			// A locked thread sleeps more precisely than the timers of the Go runtime.
			runtime.LockOSThread()
			message := make([]byte, o.writeBytes)
			first := start + int64(period*float64(i)/float64(len(sessions)))
			for n := 0; ; n++ {
				due := first + int64(float64(n)*period)
				if due >= end {
					return
				}
				sleepUntilNs(due)
				stamp := due
				if due < measured {
					stamp = 0
				}
				binary.BigEndian.PutUint64(message, uint64(stamp))
				if _, err := s.Write(message); err != nil {
					fail(exitFailed, errors.New("write: "+err.Error()))
				}
				if stamp != 0 {
					sent.Add(1)
				}
			}
		}()
	}
	go func() {
		time.Sleep(time.Duration(measured - monotonicNs()))
		emit("measuring", nil)
	}()
	all.Wait()
	emit("result", event{"kcp": libVersion, "sent": sent.Load(), "snmp": snmp()})
	io.Copy(io.Discard, os.Stdin)
}
