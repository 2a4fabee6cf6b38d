package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Packet echo over TCP and over kcp-go, in the format and with the flush rule
// of go-packetconn: a little-endian length of 4 bytes, the payload, and a flush
// flushDelay after the last write or maxFlushDelay after the first one.

const (
	flushDelay       = time.Millisecond
	maxFlushDelay    = 10 * time.Millisecond
	packetBufferSize = 8192
	packetQueueSize  = 100
	maxPayload       = 32 << 20
)

// packetConn sends and receives packets. receive returns a buffer that is valid
// until the next call, and send may keep its argument until the packet arrived.
type packetConn interface {
	send(payload []byte) error
	receive() ([]byte, error)
}

func (o *options) newPacketConn(conn net.Conn) packetConn {
	c := &packetBuffers{conn: conn, in: bufio.NewReaderSize(conn, packetBufferSize), out: bufio.NewWriterSize(conn, packetBufferSize)}
	if o.lean {
		return newLeanConn(c)
	}
	return newQueuedConn(c)
}

// packetBuffers encodes and decodes packets. One goroutine at a time may write.
type packetBuffers struct {
	conn            net.Conn
	in              *bufio.Reader
	out             *bufio.Writer
	header, counted [4]byte
	pending         bool
	first, last     time.Time
}

func (c *packetBuffers) write(payload []byte) error {
	binary.LittleEndian.PutUint32(c.counted[:], uint32(len(payload)))
	c.out.Write(c.counted[:])
	if _, err := c.out.Write(payload); err != nil {
		return err
	}
	c.last = time.Now()
	if !c.pending {
		c.pending, c.first = true, c.last
	}
	sent(len(payload), 1)
	return nil
}

// flushIfDue flushes if the flush is due, and otherwise returns the time until then.
func (c *packetBuffers) flushIfDue() (time.Duration, error) {
	now := time.Now()
	if due := min(flushDelay-now.Sub(c.last), maxFlushDelay-now.Sub(c.first)); due > 0 {
		return due, nil
	}
	c.pending = false
	return 0, c.out.Flush()
}

// read returns the payload of the next packet in buf, which grows if necessary.
func (c *packetBuffers) read(buf []byte) ([]byte, error) {
	if _, err := io.ReadFull(c.in, c.header[:]); err != nil {
		return buf, err
	}
	length := binary.LittleEndian.Uint32(c.header[:])
	if length > maxPayload {
		return buf, fmt.Errorf("payload of %d bytes", length)
	}
	if int(length) > cap(buf) {
		buf = make([]byte, length)
	}
	buf = buf[:length]
	_, err := io.ReadFull(c.in, buf)
	received(len(buf))
	return buf, err
}

// queuedConn has the goroutines of go-packetconn. One goroutine reads packets
// into a queue. Another one writes the packets of a second queue and checks
// once per millisecond whether a flush is due.
type queuedConn struct {
	*packetBuffers
	incoming, outgoing chan []byte
	tick               chan struct{}
	free               chan []byte
	current            []byte
}

func newQueuedConn(b *packetBuffers) *queuedConn {
	c := &queuedConn{b, make(chan []byte, packetQueueSize), make(chan []byte, packetQueueSize), make(chan struct{}, 1),
		make(chan []byte, packetQueueSize), nil}
	go c.readAll()
	go c.writeAll()
	ticker.add(c.tick)
	return c
}

func (c *queuedConn) readAll() {
	defer close(c.incoming)
	for {
		var buf []byte
		select {
		case buf = <-c.free:
		default:
		}
		packet, err := c.read(buf)
		if err != nil {
			return
		}
		c.incoming <- packet
	}
}

func (c *queuedConn) writeAll() {
	defer c.conn.Close()
	for {
		select {
		case packet := <-c.outgoing:
			if c.write(packet) != nil {
				return
			}
		case <-c.tick:
			if c.pending {
				if _, err := c.flushIfDue(); err != nil {
					return
				}
			}
		}
	}
}

func (c *queuedConn) send(payload []byte) error {
	c.outgoing <- payload
	return nil
}

// receive recycles the previous buffer. With one packet in flight, that buffer
// has been written when the next packet arrives.
func (c *queuedConn) receive() ([]byte, error) {
	packet, open := <-c.incoming
	if !open {
		return nil, io.EOF
	}
	if c.current != nil {
		c.free <- c.current
	}
	c.current = packet
	return packet, nil
}

// ticker notifies all connections once per millisecond.
var ticker = &sharedTicker{}

type sharedTicker struct {
	lock  sync.Mutex
	chans []chan struct{}
}

func (t *sharedTicker) add(c chan struct{}) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.chans = append(t.chans, c); len(t.chans) == 1 {
		go t.run()
	}
}

func (t *sharedTicker) run() {
	for range time.Tick(time.Millisecond) {
		t.lock.Lock()
		for _, c := range t.chans {
			select {
			case c <- struct{}{}:
			default:
			}
		}
		t.lock.Unlock()
	}
}

// leanConn needs no goroutine. The caller reads and buffers packets, and a timer
// flushes them.
type leanConn struct {
	*packetBuffers
	lock  sync.Mutex
	timer *time.Timer
	buf   []byte
}

func newLeanConn(b *packetBuffers) *leanConn {
	c := &leanConn{packetBuffers: b}
	c.timer = time.AfterFunc(time.Hour, c.onTimer)
	c.timer.Stop()
	return c
}

func (c *leanConn) send(payload []byte) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if !c.pending {
		c.timer.Reset(flushDelay)
	}
	return c.write(payload)
}

func (c *leanConn) onTimer() {
	c.lock.Lock()
	defer c.lock.Unlock()
	due, err := c.flushIfDue()
	if err != nil {
		c.conn.Close()
	} else if due > 0 {
		c.timer.Reset(due)
	}
}

func (c *leanConn) receive() (packet []byte, err error) {
	c.buf, err = c.read(c.buf)
	return c.buf, err
}

func (o *options) isTCP() bool {
	switch o.protocol {
	case "tcp", "kcp":
		return o.protocol == "tcp"
	}
	usage("--protocol must be tcp or kcp")
	return false
}

func (o *options) packetServer() {
	runtime.GOMAXPROCS(2)
	if !o.isTCP() {
		l := o.open()
		go o.acceptPackets(func() (net.Conn, error) {
			s, err := l.AcceptKCP()
			if err == nil {
				o.tune(s)
			}
			return s, err
		})
		return
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		fail(exitFailed, err)
	}
	emit("ready", event{"port": l.Addr().(*net.TCPAddr).Port})
	go o.acceptPackets(l.Accept)
}

func (o *options) acceptPackets(accept func() (net.Conn, error)) {
	for {
		conn, err := accept()
		if err != nil {
			fail(exitFailed, err)
		}
		go func() {
			defer conn.Close()
			c := o.newPacketConn(conn)
			for {
				packet, err := c.receive()
				if err != nil || c.send(packet) != nil {
					return
				}
			}
		}()
	}
}

func (o *options) dialPackets() net.Conn {
	if !o.isTCP() {
		return o.mustOpenSession()
	}
	conn, err := net.Dial("tcp", o.connect)
	if err != nil {
		fail(exitFailed, err)
	}
	return conn
}

// loadPackets keeps one packet in flight on each connection. The payload sizes
// are uniformly distributed from 0 to --max-payload-bytes.
func (o *options) loadPackets() {
	runtime.GOMAXPROCS(2)
	times := &histogram{}
	var count atomic.Int64
	var measuring atomic.Bool
	block := make([]byte, o.maxPayloadBytes)
	newGen(o.seedValue()).fill(block)
	for i := range o.connections {
		c := o.newPacketConn(o.dialPackets())
		go func() {
			sizes := rand.New(rand.NewSource(int64(i)))
			for {
				size := sizes.Intn(o.maxPayloadBytes + 1)
				start := time.Now()
				err := c.send(block[:size])
				var packet []byte
				if err == nil {
					packet, err = c.receive()
				}
				if err == nil && len(packet) != size {
					err = errors.New("the response has another length than the request")
				}
				if err != nil {
					fail(exitFailed, err)
				}
				count.Add(1)
				if measuring.Load() {
					times.record(time.Since(start).Nanoseconds())
				}
			}
		}()
	}
	time.Sleep(duration(o.warmup))
	emit("measuring", nil)
	measuring.Store(true)
	before, start := count.Load(), time.Now()
	time.Sleep(duration(o.seconds))
	echoes, took := count.Load()-before, time.Since(start)
	measuring.Store(false)
	emit("result", event{"echoes_s": float64(echoes) / took.Seconds(), "p50_us": times.us(0.5), "p99_us": times.us(0.99)})
}
