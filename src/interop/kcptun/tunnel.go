package main

import (
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/golang/snappy"
	kcp "github.com/xtaci/kcp-go/v5"
	"github.com/xtaci/smux"
)

// compressed applies the snappy framing format to a connection. It flushes
// after every write, because smux writes whole frames.
type compressed struct {
	net.Conn
	writer *snappy.Writer
	reader *snappy.Reader
}

func (c *compressed) Read(p []byte) (int, error) { return c.reader.Read(p) }

func (c *compressed) Write(p []byte) (int, error) {
	n, err := c.writer.Write(p)
	if err == nil {
		err = c.writer.Flush()
	}
	return n, err
}

// prepare applies the options to a KCP session and adds compression.
func (o *options) prepare(s *kcp.UDPSession) net.Conn {
	s.SetStreamMode(true)
	s.SetWriteDelay(false)
	s.SetNoDelay(o.nodelay, o.interval, o.resend, o.nc)
	s.SetWindowSize(o.sndwnd, o.rcvwnd)
	s.SetMtu(o.mtu)
	s.SetACKNoDelay(o.acknodelay)
	s.SetRateLimit(uint32(o.ratelimit))
	if o.nocomp {
		return s
	}
	return &compressed{s, snappy.NewBufferedWriter(s), snappy.NewReader(s)}
}

// addresses returns one address per port of a range, such as host:3000-3010.
func addresses(address string) []string {
	host, ports, err := net.SplitHostPort(address)
	check(err)
	first, last, isRange := strings.Cut(ports, "-")
	if !isRange {
		return []string{address}
	}
	from, err := strconv.Atoi(first)
	check(err)
	to, err := strconv.Atoi(last)
	check(err)
	if from > to {
		log.Fatal("empty port range " + ports)
	}
	var all []string
	for port := from; port <= to; port++ {
		all = append(all, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	return all
}

// relay copies both directions. It closes both connections when one direction
// has ended and the close wait has elapsed, because kcptun does not half-close.
func (o *options) relay(a, b io.ReadWriteCloser) {
	ended := make(chan struct{}, 2)
	oneWay := func(to io.Writer, from io.Reader) {
		io.Copy(to, from)
		ended <- struct{}{}
	}
	go oneWay(a, b)
	go oneWay(b, a)
	<-ended
	if o.closewait > 0 {
		select {
		case <-ended:
		case <-time.After(time.Duration(o.closewait) * time.Second):
		}
	}
	a.Close()
	b.Close()
}

// serve runs the server: each stream of a KCP session becomes a TCP connection
// to the target.
func serve(o *options) {
	block := o.cipher()
	for _, address := range addresses(o.listen) {
		listener, err := kcp.ListenWithOptions(address, block, o.datashard, o.parityshard)
		check(err)
		check(listener.SetReadBuffer(o.sockbuf))
		check(listener.SetWriteBuffer(o.sockbuf))
		go func() {
			for {
				session, err := listener.AcceptKCP()
				check(err)
				go o.acceptStreams(o.prepare(session))
			}
		}()
	}
	select {}
}

func (o *options) acceptStreams(conn net.Conn) {
	session, err := smux.Server(conn, o.smuxConfig())
	check(err)
	defer session.Close()
	for {
		stream, err := session.AcceptStream()
		if err != nil {
			log.Printf("session of %v: %v", conn.RemoteAddr(), err)
			return
		}
		go func() {
			target, err := net.Dial("tcp", o.target)
			if err != nil {
				log.Print(err)
				stream.Close()
				return
			}
			o.relay(stream, target)
		}()
	}
}

// carrier is a KCP session that carries streams until it expires.
type carrier struct {
	session *smux.Session
	expires time.Time
}

func (c *carrier) isUsable() bool {
	return c.session != nil && !c.session.IsClosed() && (c.expires.IsZero() || time.Now().Before(c.expires))
}

// connect runs the client: each TCP connection becomes a stream of one of the
// KCP sessions, which are used in rotation.
func connect(o *options) {
	block := o.cipher()
	remotes := addresses(o.remoteaddr)
	listener, err := net.Listen("tcp", o.localaddr)
	check(err)
	carriers := make([]carrier, o.conn)
	for next := 0; ; next = (next + 1) % o.conn {
		local, err := listener.Accept()
		check(err)
		c := &carriers[next]
		if !c.isUsable() {
			c.retire(o)
			c.dial(o, remotes, block)
		}
		session := c.session
		go func() {
			stream, err := session.OpenStream()
			if err != nil {
				log.Print(err)
				local.Close()
				return
			}
			o.relay(stream, local)
		}()
	}
}

// dial opens a KCP session to a random port of the range.
func (c *carrier) dial(o *options, remotes []string, block kcp.BlockCrypt) {
	remote := remotes[rand.Intn(len(remotes))]
	session, err := kcp.DialWithOptions(remote, block, o.datashard, o.parityshard)
	check(err)
	check(session.SetReadBuffer(o.sockbuf))
	check(session.SetWriteBuffer(o.sockbuf))
	c.session, err = smux.Client(o.prepare(session), o.smuxConfig())
	check(err)
	c.expires = time.Time{}
	if o.autoexpire > 0 {
		c.expires = time.Now().Add(time.Duration(o.autoexpire) * time.Second)
	}
	fmt.Println("session to", remote)
}

// retire closes an expired session after the scavenge time, or as soon as its
// streams have ended.
func (c *carrier) retire(o *options) {
	if c.session == nil {
		return
	}
	session, deadline := c.session, time.Now().Add(time.Duration(o.scavengettl)*time.Second)
	go func() {
		for session.NumStreams() > 0 && time.Now().Before(deadline) {
			time.Sleep(time.Second)
		}
		session.Close()
	}()
}
