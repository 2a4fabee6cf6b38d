// Command smuxpeer is the smux side of the interoperability tests. README.md
// in this folder describes the command line.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	kcp "github.com/xtaci/kcp-go/v5"
	"github.com/xtaci/smux"
)

type options struct {
	transport, connect, action             string
	version, streams, parallel, bytes      int
	frameBytes, streamBuffer, stalledBytes int
	seed                                   int64
	seconds                                int
	stdinEOF                               bool
}

var outLock sync.Mutex

func emit(name string, fields map[string]any) {
	line := []byte(`{"event":"` + name + `"`)
	if len(fields) > 0 {
		rest, err := json.Marshal(fields)
		if err != nil {
			panic(err)
		}
		line = append(append(line, ','), rest[1:len(rest)-1]...)
	}
	outLock.Lock()
	defer outLock.Unlock()
	os.Stdout.Write(append(line, '}', '\n'))
}

func fail(err error) {
	emit("error", map[string]any{"message": err.Error()})
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func parse(args []string) options {
	var o options
	f := flag.NewFlagSet("smuxpeer", flag.ExitOnError)
	f.StringVar(&o.transport, "transport", "tcp", "tcp or kcp")
	f.StringVar(&o.connect, "connect", "", "address of the server")
	f.StringVar(&o.action, "action", "accept", "accept, open or stall")
	f.IntVar(&o.version, "smuxver", 1, "version of smux")
	f.IntVar(&o.streams, "streams", 1000, "number of streams to open")
	f.IntVar(&o.parallel, "parallel", 50, "number of streams that are open at a time")
	f.IntVar(&o.bytes, "bytes", 20000, "maximum number of bytes per stream")
	f.IntVar(&o.frameBytes, "framesize", 32768, "maximum payload of a frame")
	f.IntVar(&o.streamBuffer, "streambuf", 65536, "window of a stream in version 2")
	f.IntVar(&o.stalledBytes, "stalled-bytes", 3000000, "bytes written to a stream whose echo is not read")
	f.Int64Var(&o.seed, "seed", 1, "seed of the data")
	f.IntVar(&o.seconds, "timeout", 60, "seconds after which the action fails")
	f.BoolVar(&o.stdinEOF, "stdin-eof", false, "end when the standard input closes")
	check(f.Parse(args))
	return o
}

func tune(s *kcp.UDPSession) {
	s.SetStreamMode(true)
	s.SetWriteDelay(false)
	s.SetNoDelay(1, 10, 2, 1)
	s.SetWindowSize(1024, 1024)
}

func main() {
	if len(os.Args) < 2 || os.Args[1] != "server" && os.Args[1] != "client" {
		fail(errors.New("usage: smuxpeer server|client [options]"))
	}
	o := parse(os.Args[2:])
	if o.stdinEOF {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
	}
	config := smux.DefaultConfig()
	config.Version = o.version
	config.MaxFrameSize = o.frameBytes
	config.MaxStreamBuffer = o.streamBuffer
	if os.Args[1] == "client" {
		session, err := smux.Client(dial(o), config)
		check(err)
		run(session, o)
		return
	}
	accept(o, func(conn net.Conn) {
		session, err := smux.Server(conn, config)
		check(err)
		run(session, o)
	})
}

func dial(o options) net.Conn {
	if o.transport == "kcp" {
		session, err := kcp.DialWithOptions(o.connect, nil, 0, 0)
		check(err)
		tune(session)
		return session
	}
	conn, err := net.Dial("tcp", o.connect)
	check(err)
	return conn
}

func accept(o options, serve func(net.Conn)) {
	var listener net.Listener
	var err error
	if o.transport == "kcp" {
		listener, err = kcp.ListenWithOptions("127.0.0.1:0", nil, 0, 0)
	} else {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	check(err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	check(err)
	emit("ready", map[string]any{"port": port})
	for {
		conn, err := listener.Accept()
		check(err)
		if session, ok := conn.(*kcp.UDPSession); ok {
			tune(session)
		}
		go serve(conn)
	}
}

// run echoes the streams of the peer, and opens streams if the action says so.
func run(session *smux.Session, o options) {
	var accepted atomic.Int64
	act := func() {
		started := time.Now()
		var err error
		switch o.action {
		case "open":
			err = openMany(session, o)
		case "stall":
			err = stall(session, o)
		}
		if err != nil {
			fail(err)
		}
		emit("done", map[string]any{"streams": o.streams, "millis": time.Since(started).Milliseconds()})
	}
	if o.action != "accept" {
		go act()
	}
	for {
		stream, err := session.AcceptStream()
		if err != nil {
			emit("closed", map[string]any{"accepted": accepted.Load(), "open": session.NumStreams(), "reason": err.Error()})
			return
		}
		accepted.Add(1)
		go echo(stream)
	}
}

// echo returns what the peer sends, and ends its own direction after the peer has ended its direction.
func echo(stream *smux.Stream) {
	buffer := make([]byte, 16384)
	for {
		n, err := stream.Read(buffer)
		if n > 0 {
			if _, err := stream.Write(buffer[:n]); err != nil {
				stream.Close()
				return
			}
		}
		if err != nil {
			stream.CloseWrite()
			return
		}
	}
}

func openMany(session *smux.Session, o options) error {
	tickets := make(chan int64, o.streams)
	for i := range o.streams {
		tickets <- o.seed + int64(i)
	}
	close(tickets)
	results := make(chan error, o.parallel)
	for range o.parallel {
		go func() {
			for seed := range tickets {
				if err := exchange(session, o, seed); err != nil {
					results <- err
					return
				}
			}
			results <- nil
		}()
	}
	timeout := time.After(time.Duration(o.seconds) * time.Second)
	for range o.parallel {
		select {
		case err := <-results:
			if err != nil {
				return err
			}
		case <-timeout:
			return fmt.Errorf("not done after %d s; %d streams are open", o.seconds, session.NumStreams())
		}
	}
	return nil
}

// exchange writes to a stream, ends its direction, and compares the echo.
func exchange(session *smux.Session, o options, seed int64) error {
	stream, err := session.OpenStream()
	if err != nil {
		return err
	}
	source := rand.New(rand.NewSource(seed))
	data := make([]byte, source.Intn(o.bytes+1))
	source.Read(data)
	written := make(chan error, 1)
	go func() {
		_, err := stream.Write(data)
		if err == nil {
			err = stream.CloseWrite()
		}
		written <- err
	}()
	echoed, err := io.ReadAll(stream)
	if err != nil {
		return fmt.Errorf("stream %d: read: %w", stream.ID(), err)
	}
	if err := <-written; err != nil {
		return fmt.Errorf("stream %d: write: %w", stream.ID(), err)
	}
	if !bytes.Equal(data, echoed) {
		return fmt.Errorf("stream %d: %d bytes were written and other %d bytes returned", stream.ID(), len(data), len(echoed))
	}
	return nil
}

// stall writes to a stream and does not read its echo, while other streams work.
func stall(session *smux.Session, o options) error {
	stalled, err := session.OpenStream()
	if err != nil {
		return err
	}
	var written atomic.Int64
	go func() {
		part := make([]byte, 10000)
		for written.Load() < int64(o.stalledBytes) {
			n, err := stalled.Write(part)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}()
	for before := int64(-1); before != written.Load(); time.Sleep(300 * time.Millisecond) {
		before = written.Load()
	}
	if written.Load() >= int64(o.stalledBytes) {
		return errors.New("the stream did not stall")
	}
	if err := openMany(session, o); err != nil {
		return err
	}
	total := int64(0)
	buffer := make([]byte, 16384)
	for total < int64(o.stalledBytes) {
		n, err := stalled.Read(buffer)
		total += int64(n)
		if err != nil {
			return err
		}
	}
	return stalled.Close()
}
