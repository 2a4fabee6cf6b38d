package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// MB means one million bytes throughout.

func rate(bytes int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(bytes) / 1e6 / d.Seconds()
}

// benchSinkServer counts the data received on one session. The run starts with
// the first byte, and measuring starts --warmup later. Both end with the last
// byte read before the session is idle for --idle-ms.
func benchSinkServer(o *options) {
	l := o.open()
	s, err := l.AcceptKCP()
	if err != nil {
		fail(exitFailed, err)
	}
	o.tune(s)
	emit("accepted", event{"session": 1, "conv": s.GetConv(), "remote": s.RemoteAddr().String()})

	var total, messages, lastNs atomic.Int64
	origin := time.Now()
	failed := make(chan error, 1)
	go func() {
		buf := o.readBuffer()
		for {
			n, err := s.Read(buf)
			if err != nil {
				failed <- err
				return
			}
			total.Add(int64(n))
			messages.Add(1)
			lastNs.Store(int64(time.Since(origin)))
		}
	}()

	var first, warm, last time.Duration
	var warmBytes, warmMessages int64
	var cpu, cpuAtLast float64
	var seen int64
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-failed:
			fail(exitFailed, err)
		case <-tick.C:
		}
		now := time.Since(origin)
		b := total.Load()
		if b == 0 {
			continue
		}
		if first == 0 {
			first = time.Duration(lastNs.Load())
			cpu = cpuMs()
		}
		if warm == 0 && now-first >= time.Duration(o.warmup*1e9) {
			warm, warmBytes, warmMessages = now, b, messages.Load()
			cpu = cpuMs()
		}
		if b != seen {
			seen, last, cpuAtLast = b, time.Duration(lastNs.Load()), cpuMs()
		} else if now-last > time.Duration(o.idleMs)*time.Millisecond {
			break
		}
		progress.received.Store(b)
	}

	measured := warm != 0 && last > warm
	if !measured {
		warm, warmBytes, warmMessages = first, 0, 0
	}
	n, m, d := seen-warmBytes, messages.Load()-warmMessages, last-warm
	perSecond := 0.0
	if d > 0 {
		perSecond = float64(m) / d.Seconds()
	}
	emit("bench", event{"kcp": libVersion, "kind": "sink", "bytes": n, "seconds": d.Seconds(),
		"mb_s": rate(n, d), "messages": m, "messages_s": perSecond, "cpu_ms": cpuAtLast - cpu,
		"warmed": measured, "total_bytes": seen, "total_mb_s": rate(seen, last-first), "snmp": snmp()})
	s.Close()
	progress.received.Store(seen)
	finish(exitOK, "done", totals(event{}))
}

// benchSourceClient writes the same block repeatedly, for --warmup plus
// --seconds, or --messages times.
func benchSourceClient(o *options) {
	s := o.dial()
	block := make([]byte, o.messageBytes)
	newGen(o.seedValue()).fill(block)
	start := time.Now()
	end := start.Add(time.Duration((o.warmup + o.seconds) * 1e9))
	var writes, bytes int64
	for {
		if o.messages > 0 {
			if writes >= int64(o.messages) {
				break
			}
		} else if !time.Now().Before(end) {
			break
		}
		n, err := s.Write(block)
		if err != nil {
			fail(exitFailed, err)
		}
		writes++
		bytes += int64(n)
		progress.sent.Store(bytes)
	}
	d := time.Since(start)
	cpu := cpuMs()
	emit("bench", event{"kcp": libVersion, "kind": "source", "bytes": bytes, "messages": writes,
		"seconds": d.Seconds(), "mb_s": rate(bytes, d), "messages_s": float64(writes) / d.Seconds(), "cpu_ms": cpu,
		"snmp": snmp()})
	o.linger()
	s.Close()
	finish(exitOK, "done", totals(event{}))
}

// benchEchoClient writes as long as at most --outstanding bytes have not been
// echoed, and measures after --warmup.
func benchEchoClient(o *options) {
	s := o.dial()
	block := make([]byte, o.messageBytes)
	newGen(o.seedValue()).fill(block)

	var lock sync.Mutex
	room := sync.NewCond(&lock)
	var written, echoed int64
	var stopped bool

	go func() {
		for {
			lock.Lock()
			for !stopped && written > echoed && written-echoed+int64(len(block)) > int64(o.outstanding) {
				room.Wait()
			}
			if stopped {
				lock.Unlock()
				return
			}
			written += int64(len(block))
			progress.sent.Store(written)
			lock.Unlock()
			if _, err := s.Write(block); err != nil {
				fail(exitFailed, err)
			}
		}
	}()
	go func() {
		buf := o.readBuffer()
		for {
			n, err := s.Read(buf)
			if err != nil {
				return
			}
			lock.Lock()
			echoed += int64(n)
			progress.received.Store(echoed)
			lock.Unlock()
			room.Signal()
		}
	}()

	mark := func() (int64, time.Time, float64) {
		lock.Lock()
		defer lock.Unlock()
		return echoed, time.Now(), cpuMs()
	}
	time.Sleep(time.Duration(o.warmup * 1e9))
	b0, t0, c0 := mark()
	time.Sleep(time.Duration(o.seconds * 1e9))
	b1, t1, c1 := mark()
	lock.Lock()
	stopped = true
	lock.Unlock()
	room.Broadcast()
	emit("bench", event{"kcp": libVersion, "kind": "echo", "bytes": b1 - b0, "seconds": t1.Sub(t0).Seconds(),
		"mb_s": rate(b1-b0, t1.Sub(t0)), "cpu_ms": c1 - c0, "outstanding": o.outstanding, "snmp": snmp()})
	o.linger()
	s.Close()
	finish(exitOK, "done", totals(event{}))
}
