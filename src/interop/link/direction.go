package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	// packetBytes is the maximum MTU.
	packetBytes = 2048
	// togetherNs is how early a packet may be delivered, to avoid another sleep.
	togetherNs = 50_000
	// lateNs is the delay after its planned time from which a packet counts as late.
	lateNs = 500_000
	// batch limits the number of packets read before due packets are delivered.
	batch = 16

	realTimePriority = 10
)

// packet is a packet in flight.
type packet struct {
	next   *packet
	dueNs  int64
	length int
	bytes  [packetBytes]byte
}

type counts struct {
	offered, offeredBytes, delivered, deliveredBytes, lost, overflowed, refused, late, latestNs atomic.Int64
}

// direction forwards packets from one device to the other. Its thread blocks
// only in the kernel, because a goroutine that waits for another one could wait
// for a thread of lower priority.
type direction struct {
	from, to    int
	wire        *wire
	first, last *packet
	free        *packet
	count       counts
	queue       *queueDelays
	newLoss     atomic.Pointer[float64]
}

func newDirection(s shape, seed, stream uint64, from, to int) *direction {
	return &direction{from: from, to: to, wire: newWire(s, rand.New(rand.NewPCG(seed, stream))), queue: newQueueDelays(s)}
}

// setLoss changes the loss, starting with the next packet.
func (d *direction) setLoss(loss float64) { d.newLoss.Store(&loss) }

func (d *direction) counters() event {
	c := &d.count
	e := event{"packets": c.offered.Load(), "bytes": c.offeredBytes.Load(), "delivered": c.delivered.Load(),
		"delivered_bytes": c.deliveredBytes.Load(), "lost": c.lost.Load(), "overflowed": c.overflowed.Load(),
		"refused": c.refused.Load(), "late": c.late.Load(), "latest_us": c.latestNs.Load() / 1000}
	if delays := d.queue.take(50, 95); delays != nil {
		e["queue_p50_ms"], e["queue_p95_ms"] = delays[0], delays[1]
	}
	return e
}

// start returns true if the thread has real-time priority.
func (d *direction) start() bool {
	realTime := make(chan bool)
	go func() {
		realTime <- prefer()
		d.carry()
	}()
	return <-realTime
}

func (d *direction) carry() {
	for {
		d.await()
		for i := 0; i < batch && d.take(); i++ {
		}
		d.deliver()
	}
}

// await blocks until a packet can be read or is due for delivery.
func (d *direction) await() {
	const readable = 1
	descriptor := struct {
		fd              int32
		events, revents int16
	}{fd: int32(d.from), events: readable}
	var pause *syscall.Timespec
	if d.first != nil {
		left := d.first.dueNs - nowNs()
		if left <= togetherNs {
			return
		}
		timeout := syscall.NsecToTimespec(left)
		pause = &timeout
	}
	syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&descriptor)), 1, uintptr(unsafe.Pointer(pause)), 0, 0, 0)
}

// take reads a packet and returns false if the device has none.
func (d *direction) take() bool {
	p := d.free
	if p == nil {
		p = new(packet)
	}
	d.free = p.next
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(d.from), uintptr(unsafe.Pointer(&p.bytes)), packetBytes)
	if errno != 0 {
		d.release(p)
		if errno != syscall.EAGAIN && errno != syscall.EINTR {
			fail(exitFailed, fmt.Errorf("reading from a device: %w", errno))
		}
		return false
	}
	p.length = int(n)
	if p.length == 0 || p.bytes[0]>>4 != 4 {
		d.release(p)
		return true
	}
	if loss := d.newLoss.Swap(nil); loss != nil {
		d.wire.loss = *loss
	}
	v, waitNs, due := d.wire.admit(nowNs(), p.length)
	d.count.offered.Add(1)
	d.count.offeredBytes.Add(int64(p.length))
	switch v {
	case lost:
		d.count.lost.Add(1)
	case overflowed:
		d.count.overflowed.Add(1)
	}
	if v != overflowed {
		d.queue.add(waitNs)
	}
	if v == passed {
		d.enqueue(p, due)
	} else {
		d.release(p)
	}
	return true
}

// enqueue appends a packet to the queue. The queue is sorted, because a packet
// admitted later is never due earlier.
func (d *direction) enqueue(p *packet, dueNs int64) {
	p.next, p.dueNs = nil, dueNs
	if d.first == nil {
		d.first = p
	} else {
		d.last.next = p
	}
	d.last = p
}

func (d *direction) release(p *packet) {
	p.next = d.free
	d.free = p
}

func (d *direction) deliver() {
	now := nowNs()
	for p := d.first; p != nil && p.dueNs-now <= togetherNs; p = d.first {
		_, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(d.to), uintptr(unsafe.Pointer(&p.bytes)), uintptr(p.length))
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			d.count.refused.Add(1)
		} else {
			d.count.delivered.Add(1)
			d.count.deliveredBytes.Add(int64(p.length))
			if now-p.dueNs > lateNs {
				d.count.late.Add(1)
			}
			d.count.latestNs.Store(max(d.count.latestNs.Load(), now-p.dueNs))
		}
		d.first = p.next
		d.release(p)
		now = nowNs()
	}
}

// prefer locks the goroutine to its thread, and requests precise timers and,
// where permitted, real-time priority. It returns true if it has that priority.
func prefer() bool {
	const setTimerSlack, fifo = 29, 1
	runtime.LockOSThread()
	syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0)
	priority := int32(realTimePriority)
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETSCHEDULER, 0, fifo, uintptr(unsafe.Pointer(&priority)))
	return errno == 0
}
