package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type digest struct{ hash.Hash }

func newDigest() digest          { return digest{sha256.New()} }
func (d digest) hex() string     { return hex.EncodeToString(d.Sum(nil)) }
func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// produce hashes total generator bytes and returns the first 32 of them.
func produce(g *gen, total int64, d digest) []byte {
	buf := make([]byte, 1<<16)
	var head []byte
	for total > 0 {
		n := min(int64(len(buf)), total)
		g.fill(buf[:n])
		d.Write(buf[:n])
		if head == nil {
			head = bytes.Clone(buf[:min(n, 32)])
		}
		total -= n
	}
	return head
}

func (o *options) readBuffer() []byte {
	if o.mode == "message" {
		return make([]byte, 1<<18) // Larger than the longest message of the C implementation.
	}
	return make([]byte, 1<<16)
}

// intake reads a session in the background until it closes, and so detects
// data after the expected end.
type intake struct {
	want     int64
	check    *gen // nil: contents are not compared
	peerMsg  int
	first    []byte        // read before the intake started
	began    chan struct{} // closed when the first byte arrives, or immediately if no data is expected
	done     chan error
	started  time.Time
	extra    atomic.Int64
	sum      digest
	messages int64
	shortest int
	longest  int
	badAt    int64
	badSizes int64
	took     float64
}

func (o *options) newIntake(want int64) *intake {
	in := &intake{want: want, began: make(chan struct{}), done: make(chan error, 1), started: time.Now(), sum: newDigest(),
		badAt: -1, shortest: math.MaxInt}
	if o.peerSeed != "none" {
		in.check = newGen(o.peerSeedValue())
	}
	if o.mode == "message" {
		in.peerMsg = o.peerMessageBytes
	}
	return in
}

func (in *intake) run(s io.Reader, buf []byte) {
	var got int64
	expect := make([]byte, len(buf))
	if in.want == 0 {
		close(in.began)
		in.done <- nil
	}
	for {
		n, err := s.Read(buf)
		if err != nil {
			if got < in.want {
				in.done <- fmt.Errorf("read after %d of %d bytes: %w", got, in.want, err)
			}
			return
		}
		if n == 0 {
			continue
		}
		if got >= in.want {
			in.extra.Add(int64(n))
			continue
		}
		part := buf[:n]
		if over := got + int64(n) - in.want; over > 0 {
			in.extra.Add(over)
			part = part[:int64(n)-over]
		}
		if in.messages == 0 {
			close(in.began)
		}
		in.messages++
		in.shortest, in.longest = min(in.shortest, n), max(in.longest, n)
		last := got+int64(len(part)) == in.want
		if in.peerMsg > 0 && n != in.peerMsg && !(last && n < in.peerMsg) {
			in.badSizes++
		}
		if in.check != nil && in.badAt < 0 {
			in.check.fill(expect[:len(part)])
			if !bytes.Equal(expect[:len(part)], part) {
				for i := range part {
					if part[i] != expect[i] {
						in.badAt = got + int64(i)
						break
					}
				}
			}
		}
		in.sum.Write(part)
		got += int64(len(part))
		progress.received.Add(int64(len(part)))
		if last {
			in.took = ms(in.started)
			in.done <- nil
		}
	}
}

func (in *intake) report() (event, error) {
	e := event{"bytes": in.want, "sha256": in.sum.hex(), "ms": in.took, "messages": in.messages,
		"longest": in.longest, "match": in.badAt < 0}
	if in.messages > 0 {
		e["shortest"] = in.shortest
	}
	if in.check == nil {
		delete(e, "match")
	}
	if in.badAt >= 0 {
		e["first_mismatch"] = in.badAt
		return e, fmt.Errorf("received data differs at byte %d", in.badAt)
	}
	if in.badSizes > 0 {
		return e, fmt.Errorf("%d received messages have the wrong size", in.badSizes)
	}
	return e, nil
}

// send writes total generator bytes in writes of messageBytes.
func (o *options) send(s io.Writer, total int64) (event, error) {
	start := time.Now()
	d := newDigest()
	g := newGen(o.seedValue())
	buf := make([]byte, o.messageBytes)
	var done, writes int64
	for done < total {
		b := buf[:min(int64(len(buf)), total-done)]
		g.fill(b)
		d.Write(b)
		n, err := s.Write(b)
		done += int64(n)
		progress.sent.Add(int64(n))
		if err != nil {
			return nil, fmt.Errorf("write after %d of %d bytes: %w", done, total, err)
		}
		writes++
	}
	return event{"bytes": done, "sha256": d.hex(), "ms": ms(start), "messages": writes}, nil
}

// linger waits until no datagram has arrived for linger-ms, at most ten times
// that, so that the peer receives its last data and acknowledgements.
func (o *options) linger() {
	quiet := time.Duration(o.lingerMs) * time.Millisecond
	limit := time.Now().Add(10 * quiet)
	seen, at := packetsIn(), time.Now()
	for time.Since(at) < quiet && time.Now().Before(limit) {
		time.Sleep(10 * time.Millisecond)
		if n := packetsIn(); n != seen {
			seen, at = n, time.Now()
		}
	}
}

// both runs the sending and the receiving half of a session until both finish.
func (o *options) both(s *session, in *intake, sendBytes int64, id int) error {
	start := time.Now()
	// A peer has certainly set its out-of-band handler once it has sent data.
	oobDone := o.startOOB(s, in.began)
	in.started = start
	var from io.Reader = s
	if len(in.first) > 0 {
		from = &replay{first: in.first, rest: s}
	}
	go in.run(from, o.readBuffer())
	sent := make(chan error, 1)
	var sentEvent event
	if sendBytes > 0 {
		go func() {
			e, err := o.send(s, sendBytes)
			if err == nil {
				sentEvent = e
				e["session"] = id
				emit("sent", e)
			}
			sent <- err
		}()
	} else {
		sent <- nil
	}
	var recvEvent event
	for pending := 2; pending > 0; pending-- {
		select {
		case err := <-in.done:
			if err != nil {
				return err
			}
			if in.want > 0 {
				e, bad := in.report()
				recvEvent = e
				e["session"] = id
				emit("received", e)
				if bad != nil {
					return bad
				}
			}
		case err := <-sent:
			if err != nil {
				return err
			}
		}
	}
	took := ms(start)
	if err := <-oobDone; err != nil {
		return err
	}
	o.linger()
	if x := in.extra.Load(); x > 0 {
		return fmt.Errorf("received %d bytes more than expected", x)
	}
	e := event{"session": id, "ms": took}
	if sentEvent != nil {
		e["sent_sha256"], e["sent_bytes"] = sentEvent["sha256"], sentEvent["bytes"]
	}
	if recvEvent != nil {
		e["received_sha256"], e["received_bytes"] = recvEvent["sha256"], recvEvent["bytes"]
	}
	e["snmp"] = snmp()
	o.reportOOB(e)
	emit("session", e)
	return nil
}

// replay returns bytes that were read early, and then reads from the session.
type replay struct {
	first []byte
	rest  io.Reader
}

func (r *replay) Read(b []byte) (int, error) {
	if len(r.first) > 0 {
		n := copy(b, r.first)
		r.first = r.first[n:]
		return n, nil
	}
	return r.rest.Read(b)
}

func runServer(o *options) {
	var serve func(s *session, id int) error
	switch o.action {
	case "echo":
		serve = o.serveEcho
	case "sink":
		serve = func(s *session, id int) error { return o.both(s, o.newIntake(o.bytes), 0, id) }
	case "source":
		serve = func(s *session, id int) error {
			var b [1]byte
			if _, err := s.Read(b[:]); err != nil {
				return err
			}
			return o.both(s, o.newIntake(0), o.bytes, id)
		}
	case "exchange":
		serve = func(s *session, id int) error { return o.both(s, o.newIntake(o.bytes), o.bytes, id) }
	default:
		usage("server --action must be echo, sink, source or exchange")
	}
	l := o.open()
	var completed sync.WaitGroup
	if o.sessions > 0 {
		completed.Add(o.sessions)
	} else {
		completed.Add(1)
	}
	var finished atomic.Int64
	go func() {
		for id := 1; ; id++ {
			s, err := l.AcceptKCP()
			if err != nil {
				fail(exitFailed, err)
			}
			o.tune(s)
			emit("accepted", event{"session": id, "conv": s.GetConv(), "remote": s.RemoteAddr().String()})
			go func(id int) {
				if err := serve(s, id); err != nil {
					fail(exitFailed, fmt.Errorf("session %d: %w", id, err))
				}
				s.Close()
				if o.sessions > 0 && finished.Add(1) <= int64(o.sessions) {
					completed.Done()
				}
			}(id)
		}
	}()
	completed.Wait()
	finish(exitOK, "done", totals(event{}))
}

// serveEcho returns after it has echoed --bytes bytes, or never if that is 0.
func (o *options) serveEcho(s *session, id int) error {
	now := make(chan struct{})
	close(now)
	oobDone := o.startOOB(s, now)
	buf := o.readBuffer()
	d := newDigest()
	var total, messages int64
	start := time.Now()
	for {
		n, err := s.Read(buf)
		if err != nil {
			return err
		}
		progress.received.Add(int64(n))
		if _, err = s.Write(buf[:n]); err != nil {
			return err
		}
		progress.sent.Add(int64(n))
		total += int64(n)
		messages++
		if o.bytes > 0 {
			d.Write(buf[:n])
			if total >= o.bytes {
				break
			}
		}
	}
	emit("echoed", event{"session": id, "bytes": total, "messages": messages, "sha256": d.hex(), "ms": ms(start)})
	if err := <-oobDone; err != nil {
		return err
	}
	o.linger()
	return nil
}

func runClient(o *options) {
	var run func(s *session) error
	switch o.action {
	case "exchange":
		run = func(s *session) error { return o.both(s, o.newIntake(o.bytes), o.bytes, 1) }
	case "echo":
		run = func(s *session) error {
			o.peerSeed = o.seed
			return o.both(s, o.newIntake(o.bytes), o.bytes, 1)
		}
	case "source":
		run = func(s *session) error { return o.both(s, o.newIntake(0), o.bytes, 1) }
	case "sink":
		run = func(s *session) error {
			if _, err := s.Write([]byte{1}); err != nil {
				return err
			}
			return o.both(s, o.newIntake(o.bytes), 0, 1)
		}
	case "pingpong":
		run = o.pingpong
	default:
		usage("client --action must be exchange, echo, pingpong, sink or source")
	}
	s := o.dial()
	if err := run(s); err != nil {
		fail(exitFailed, err)
	}
	s.Close()
	finish(exitOK, "done", totals(event{}))
}

func (o *options) pingpong(s *session) error {
	out := make([]byte, o.messageBytes)
	back := make([]byte, o.messageBytes)
	g := newGen(o.seedValue())
	times := make([]float64, 0, o.count)
	var cpu float64
	var begin time.Time
	for i := 0; i < o.warmupCount+o.count; i++ {
		if i == o.warmupCount {
			cpu, begin = cpuMs(), time.Now()
		}
		g.fill(out)
		t := time.Now()
		if _, err := s.Write(out); err != nil {
			return err
		}
		if _, err := io.ReadFull(s, back); err != nil {
			return err
		}
		took := float64(time.Since(t).Nanoseconds()) / 1000
		if !bytes.Equal(out, back) {
			return errors.New("pingpong " + strconv.Itoa(i) + ": the response differs from the request")
		}
		progress.sent.Add(int64(len(out)))
		progress.received.Add(int64(len(back)))
		if i >= o.warmupCount {
			times = append(times, took)
		}
	}
	wall := time.Since(begin)
	cpu = cpuMs() - cpu
	sort.Float64s(times)
	var sum float64
	for _, t := range times {
		sum += t
	}
	at := func(q float64) float64 {
		if len(times) == 0 {
			return 0
		}
		return times[min(int(q*float64(len(times))), len(times)-1)]
	}
	emit("pingpong", event{"kcp": libVersion, "count": len(times), "message_bytes": o.messageBytes,
		"median_us": at(0.5), "p99_us": at(0.99), "min_us": at(0), "max_us": at(1),
		"mean_us": sum / float64(max(len(times), 1)), "seconds": wall.Seconds(), "cpu_ms": cpu, "snmp": snmp()})
	return nil
}
