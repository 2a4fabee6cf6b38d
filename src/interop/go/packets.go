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
	maxPayload       = 32 << 20
)

// packetConn sends and receives packets over a stream of bytes.
type packetConn struct {
	conn   net.Conn
	in     *bufio.Reader
	header [4]byte

	lock        sync.Mutex
	out         *bufio.Writer
	outHeader   [4]byte
	timer       *time.Timer
	pending     bool
	first, last time.Time
}

func newPacketConn(conn net.Conn) *packetConn {
	c := &packetConn{conn: conn, in: bufio.NewReaderSize(conn, packetBufferSize), out: bufio.NewWriterSize(conn, packetBufferSize)}
	c.timer = time.AfterFunc(time.Hour, c.flushDue)
	c.timer.Stop()
	return c
}

// send copies the payload to the write buffer and schedules a flush.
func (c *packetConn) send(payload []byte) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	binary.LittleEndian.PutUint32(c.outHeader[:], uint32(len(payload)))
	c.out.Write(c.outHeader[:])
	if _, err := c.out.Write(payload); err != nil {
		return err
	}
	c.last = time.Now()
	if !c.pending {
		c.pending, c.first = true, c.last
		c.timer.Reset(flushDelay)
	}
	sent(len(payload), 1)
	return nil
}

func (c *packetConn) flushDue() {
	c.lock.Lock()
	defer c.lock.Unlock()
	due := min(time.Until(c.last.Add(flushDelay)), time.Until(c.first.Add(maxFlushDelay)))
	if due > 0 {
		c.timer.Reset(due)
		return
	}
	c.pending = false
	if c.out.Flush() != nil {
		c.conn.Close()
	}
}

// receive returns the payload of the next packet in buf, which grows if necessary.
func (c *packetConn) receive(buf []byte) ([]byte, error) {
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
	if _, err := io.ReadFull(c.in, buf); err != nil {
		return buf, err
	}
	received(len(buf))
	return buf, nil
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
		go acceptPackets(func() (net.Conn, error) {
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
	go acceptPackets(l.Accept)
}

func acceptPackets(accept func() (net.Conn, error)) {
	for {
		conn, err := accept()
		if err != nil {
			fail(exitFailed, err)
		}
		go func() {
			defer conn.Close()
			c := newPacketConn(conn)
			var packet []byte
			for {
				if packet, err = c.receive(packet); err != nil || c.send(packet) != nil {
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
		c := newPacketConn(o.dialPackets())
		go func() {
			sizes := rand.New(rand.NewSource(int64(i)))
			var packet []byte
			var err error
			for {
				size := sizes.Intn(o.maxPayloadBytes + 1)
				start := time.Now()
				if err = c.send(block[:size]); err == nil {
					packet, err = c.receive(packet)
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
