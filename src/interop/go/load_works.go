package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Scenarios of the load client.

func (o *options) openSession() (*session, error) {
	s, err := libDial(o.connect, o.block, o.datashard, o.parityshard)
	if err != nil {
		return nil, err
	}
	if o.sockbuf > 0 {
		s.SetReadBuffer(o.sockbuf)
		s.SetWriteBuffer(o.sockbuf)
	}
	o.tune(s)
	return s, nil
}

func (o *options) mustOpenSession() *session {
	s, err := o.openSession()
	if err != nil {
		fail(exitFailed, err)
	}
	return s
}

func (o *options) loadBlock() []byte {
	block := make([]byte, o.writeBytes)
	newGen(o.seedValue()).fill(block)
	return block
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * 1e9) }

// growth waits for the warm-up, then returns the growth of a counter during the
// measured time, and the length of that time.
func (o *options) growth(count *atomic.Int64) (int64, time.Duration) {
	time.Sleep(duration(o.warmup))
	emit("measuring", nil)
	before, start := count.Load(), time.Now()
	time.Sleep(duration(o.seconds))
	return count.Load() - before, time.Since(start)
}

func (o *options) loadSource() {
	batch := make([][]byte, max(o.batch, 1))
	for i := range batch {
		batch[i] = o.loadBlock()
	}
	var stopped atomic.Bool
	for i := 0; i < o.connections; i++ {
		s := o.mustOpenSession()
		go func() {
			for !stopped.Load() {
				n, err := s.WriteBuffers(batch)
				if err != nil {
					fail(exitFailed, err)
				}
				sent(n, len(batch))
			}
		}()
	}
	n, took := o.growth(&meter.bytesSent)
	stopped.Store(true)
	emit("result", event{"bytes": n, "seconds": took.Seconds(), "mb_s": rate(n, took)})
}

func (o *options) loadEcho() {
	block := o.loadBlock()
	var stopped atomic.Bool
	for i := 0; i < o.connections; i++ {
		s := o.mustOpenSession()
		var echoed atomic.Int64
		room := make(chan struct{}, 1)
		go func() {
			written := int64(0)
			for !stopped.Load() {
				for written > 0 && written-echoed.Load()+int64(len(block)) > int64(o.outstanding) {
					<-room
				}
				n, err := s.Write(block)
				if err != nil {
					fail(exitFailed, err)
				}
				written += int64(n)
				sent(n, 1)
			}
		}()
		go func() {
			buf := make([]byte, segmentBytes)
			for {
				n, err := s.Read(buf)
				if err != nil {
					fail(exitFailed, err)
				}
				received(n)
				echoed.Add(int64(n))
				select {
				case room <- struct{}{}:
				default:
				}
			}
		}()
	}
	n, took := o.growth(&meter.bytes)
	stopped.Store(true)
	emit("result", event{"bytes": n, "seconds": took.Seconds(), "mb_s": rate(n, took)})
}

// roundTrip sends a message and reads the same number of bytes.
func roundTrip(s *session, out, back []byte) error {
	if _, err := s.Write(out); err != nil {
		return err
	}
	sent(len(out), 1)
	if _, err := io.ReadFull(s, back); err != nil {
		return err
	}
	if !bytes.Equal(out, back) {
		return errors.New("the response differs from the request")
	}
	received(len(back))
	return nil
}

func (o *options) loadPingpong() {
	s := o.mustOpenSession()
	out := o.loadBlock()
	back := make([]byte, len(out))
	times := &histogram{}
	for i := -o.warmupCount; i < o.count; i++ {
		if i == 0 {
			emit("measuring", nil)
		}
		start := time.Now()
		if err := roundTrip(s, out, back); err != nil {
			fail(exitFailed, err)
		}
		if i >= 0 {
			times.record(time.Since(start).Nanoseconds())
		}
	}
	emit("result", event{"count": times.total.Load(), "median_us": times.us(0.5), "p99_us": times.us(0.99), "mean_us": times.meanUs()})
}

// openAll opens sessions on several goroutines and makes one round trip on each.
func (o *options) openAll(count, messageBytes int) []*session {
	opened := make([]*session, count)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(64, count) {
		all.Add(1)
		go func() {
			defer all.Done()
			out := make([]byte, messageBytes)
			back := make([]byte, messageBytes)
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				s := o.mustOpenSession()
				s.SetReadDeadline(time.Now().Add(answerLimit))
				if err := roundTrip(s, out, back); err != nil {
					fail(exitFailed, fmt.Errorf("session %d: %w", i, err))
				}
				s.SetReadDeadline(time.Time{})
				opened[i] = s
			}
		}()
	}
	all.Wait()
	return opened
}

func (o *options) idleOpener() func(int) {
	var lock sync.Mutex
	var held []*session
	return func(count int) {
		lock.Lock()
		defer lock.Unlock()
		if count > len(held) {
			held = append(held, o.openAll(count-len(held), 16)...)
		}
		emit("opened", event{"sessions": len(held)})
	}
}

const plannedBytes = 8

// loadFleet sends messages that start with their planned sending time, in
// nanoseconds since the start.
func (o *options) loadFleet() {
	if o.writeBytes < plannedBytes || o.rate <= 0 || o.sessions < 1 {
		fail(exitFailed, errors.New("fleet requires --write-bytes of at least 8, and positive --rate and --sessions"))
	}
	sessions := o.openAll(o.sessions, o.writeBytes)
	period := duration(1 / o.rate)
	start := time.Now().Add(50 * time.Millisecond)
	warm := duration(o.warmup)
	end := warm + duration(o.seconds)
	delays := &histogram{}
	var written atomic.Int64

	for _, s := range sessions {
		go func() {
			message := make([]byte, o.writeBytes)
			for {
				if _, err := io.ReadFull(s, message); err != nil {
					fail(exitFailed, err)
				}
				now := time.Since(start)
				received(len(message))
				planned := time.Duration(binary.LittleEndian.Uint64(message))
				if planned >= warm && planned < end {
					delays.record(int64(now - planned))
				}
			}
		}()
	}
	var pacers sync.WaitGroup
	for p := 0; p < fleetPacers; p++ {
		pacers.Add(1)
		go func() {
			timer := newPreciseTimer()
			done := sync.OnceFunc(pacers.Done)
			message := make([]byte, o.writeBytes)
			for round := int64(0); ; round++ {
				for i := p; i < len(sessions); i += fleetPacers {
					planned := time.Duration(round)*period + period*time.Duration(i)/time.Duration(len(sessions))
					// Sending continues after the measured time, so that both processes can be queried under load.
					if planned >= end {
						done()
					}
					timer.sleep(planned - time.Since(start))
					binary.LittleEndian.PutUint64(message, uint64(planned))
					n, err := sessions[i].Write(message)
					if err != nil {
						fail(exitFailed, err)
					}
					sent(n, 1)
					if planned >= warm && planned < end {
						written.Add(1)
					}
				}
			}
		}()
	}
	time.Sleep(time.Until(start) + warm)
	emit("measuring", nil)
	pacers.Wait()
	time.Sleep(time.Until(start.Add(end)))
	for wait := 0; wait < stragglerWaits && delays.total.Load() < written.Load(); wait++ {
		time.Sleep(10 * time.Millisecond)
	}
	emit("result", event{"sent": written.Load(), "received": delays.total.Load(), "sent_s": float64(written.Load()) / o.seconds,
		"p50_us": delays.us(0.5), "p90_us": delays.us(0.9), "p99_us": delays.us(0.99), "p999_us": delays.us(0.999),
		"max_us": delays.maxUs(), "sockets": len(sessions)})
}

const fleetPacers = 2

// stragglerWaits limits the wait for late messages to ten seconds, as in the
// load programs of the other libraries.
const stragglerWaits = 1000

// preciseTimer sleeps with a precision of about 50 microseconds. time.Sleep
// rounds up to the milliseconds of epoll, which would count as the library's
// delay.
type preciseTimer struct {
	file *os.File
	raw  syscall.RawConn
}

func newPreciseTimer() *preciseTimer {
	const monotonic, nonblocking = 1, syscall.O_NONBLOCK
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, nonblocking, 0)
	if errno != 0 {
		fail(exitFailed, errno)
	}
	file := os.NewFile(fd, "timer")
	raw, err := file.SyscallConn()
	if err != nil {
		fail(exitFailed, err)
	}
	return &preciseTimer{file, raw}
}

func (t *preciseTimer) sleep(d time.Duration) {
	if d < 20*time.Microsecond {
		return
	}
	once := [2]syscall.Timespec{{}, syscall.NsecToTimespec(int64(d))}
	var errno syscall.Errno
	t.raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, fd, 0, uintptr(unsafe.Pointer(&once)), 0, 0, 0)
	})
	if errno != 0 {
		fail(exitFailed, errno)
	}
	var expirations [8]byte
	if _, err := t.file.Read(expirations[:]); err != nil {
		fail(exitFailed, err)
	}
}

func (o *options) loadChurn() {
	const messageBytes = 64
	times := &histogram{}
	var measuring, stopped atomic.Bool
	var failures atomic.Int64
	for range o.sessions {
		go func() {
			out := make([]byte, messageBytes)
			back := make([]byte, messageBytes)
			copy(out, goodbye)
			for !stopped.Load() {
				start := time.Now()
				s, err := o.openSession()
				if err != nil {
					fail(exitFailed, err)
				}
				s.SetReadDeadline(start.Add(answerLimit))
				err = roundTrip(s, out, back)
				took := time.Since(start)
				s.Close()
				switch {
				case err != nil:
					failures.Add(1)
				case measuring.Load():
					times.record(took.Nanoseconds())
				}
			}
		}()
	}
	time.Sleep(duration(o.warmup))
	emit("measuring", nil)
	start := time.Now()
	measuring.Store(true)
	time.Sleep(duration(o.seconds))
	measuring.Store(false)
	took := time.Since(start)
	stopped.Store(true)
	emit("result", event{"sessions_s": float64(times.total.Load()) / took.Seconds(), "p50_us": times.us(0.5), "p99_us": times.us(0.99),
		"failures": failures.Load()})
}
