// Command kcptunpeer is a tunnel that is wire compatible with a current kcptun.
// It stands in for kcptun in the interoperability tests and benchmarks.
// README.md in this directory describes its command line.
package main

import (
	"flag"
	"log"
	"os"
	"time"

	"github.com/xtaci/smux"
)

type options struct {
	listen, target, localaddr, remoteaddr string

	key, crypt, mode                         string
	nodelay, interval, resend, nc            int
	mtu, sndwnd, rcvwnd                      int
	datashard, parityshard                   int
	acknodelay                               bool
	sockbuf, ratelimit                       int
	nocomp                                   bool
	smuxver, smuxbuf, streambuf              int
	framesize, keepalive                     int
	conn, autoexpire, scavengettl, closewait int
}

func main() {
	log.SetPrefix("kcptunpeer: ")
	if len(os.Args) < 2 || os.Args[1] != "server" && os.Args[1] != "client" {
		log.Fatal("usage: kcptunpeer server|client [options]; see README.md")
	}
	if os.Args[1] == "server" {
		serve(parse("server", os.Args[2:]))
	} else {
		connect(parse("client", os.Args[2:]))
	}
}

// parse reads the options. Names and defaults are those of kcptun.
func parse(role string, args []string) *options {
	o := &options{}
	f := flag.NewFlagSet("kcptunpeer "+role, flag.ExitOnError)
	sndwnd, rcvwnd, closewait := 128, 512, 0
	if role == "server" {
		sndwnd, rcvwnd, closewait = 1024, 1024, 30
		f.StringVar(&o.listen, "listen", ":29900", "UDP address; the port may be a range, such as 3000-3010")
		f.StringVar(&o.target, "target", "127.0.0.1:12948", "TCP address to which the server connects")
	} else {
		f.StringVar(&o.localaddr, "localaddr", ":12948", "TCP address on which the client listens")
		f.StringVar(&o.remoteaddr, "remoteaddr", "vps:29900", "UDP address of the server; the port may be a range")
		f.IntVar(&o.conn, "conn", 1, "number of KCP sessions")
		f.IntVar(&o.autoexpire, "autoexpire", 0, "seconds after which a KCP session gets no new streams, 0 for never")
		f.IntVar(&o.scavengettl, "scavengettl", 600, "seconds for which an expired KCP session may keep its streams")
	}
	f.StringVar(&o.key, "key", "it's a secrect", "password")
	f.StringVar(&o.crypt, "crypt", "aes", "cipher, or null for no cipher header")
	f.StringVar(&o.mode, "mode", "fast", "normal, fast, fast2, fast3 or manual")
	f.IntVar(&o.nodelay, "nodelay", 0, "mode manual only")
	f.IntVar(&o.interval, "interval", 50, "ms, mode manual only")
	f.IntVar(&o.resend, "resend", 0, "mode manual only")
	f.IntVar(&o.nc, "nc", 0, "mode manual only")
	f.IntVar(&o.mtu, "mtu", 1350, "maximum UDP payload")
	f.IntVar(&o.sndwnd, "sndwnd", sndwnd, "segments")
	f.IntVar(&o.rcvwnd, "rcvwnd", rcvwnd, "segments")
	f.IntVar(&o.datashard, "datashard", 10, "")
	f.IntVar(&o.parityshard, "parityshard", 3, "")
	f.BoolVar(&o.acknodelay, "acknodelay", false, "send each acknowledgement immediately")
	f.IntVar(&o.sockbuf, "sockbuf", 4194304, "size of the UDP socket buffers in bytes")
	f.IntVar(&o.ratelimit, "ratelimit", 0, "limit of a KCP session in bytes per second, 0 for none")
	f.BoolVar(&o.nocomp, "nocomp", false, "disable compression")
	f.IntVar(&o.smuxver, "smuxver", 2, "version of smux")
	f.IntVar(&o.smuxbuf, "smuxbuf", 4194304, "receive buffer of a smux session in bytes")
	f.IntVar(&o.streambuf, "streambuf", 2097152, "receive buffer of a stream in bytes, smux 2 only")
	f.IntVar(&o.framesize, "framesize", 8192, "maximum payload of a smux frame in bytes")
	f.IntVar(&o.keepalive, "keepalive", 10, "seconds between smux keepalives")
	f.IntVar(&o.closewait, "closewait", closewait, "seconds between the end of one direction of a stream and its close")
	f.Bool("quiet", false, "accepted and ignored")
	f.Parse(args)
	if f.NArg() > 0 {
		log.Fatal("unexpected argument " + f.Arg(0))
	}
	switch o.mode {
	case "normal":
		o.nodelay, o.interval, o.resend, o.nc = 0, 40, 2, 1
	case "fast":
		o.nodelay, o.interval, o.resend, o.nc = 0, 30, 2, 1
	case "fast2":
		o.nodelay, o.interval, o.resend, o.nc = 1, 20, 2, 1
	case "fast3":
		o.nodelay, o.interval, o.resend, o.nc = 1, 10, 2, 1
	case "manual":
	default:
		log.Fatal("unknown mode " + o.mode)
	}
	return o
}

// smuxConfig returns the settings of a smux session. smux requires a timeout
// that is at least as long as the keepalive interval.
func (o *options) smuxConfig() *smux.Config {
	c := smux.DefaultConfig()
	c.Version = o.smuxver
	c.MaxReceiveBuffer = o.smuxbuf
	c.MaxStreamBuffer = o.streambuf
	c.MaxFrameSize = o.framesize
	c.KeepAliveInterval = time.Duration(o.keepalive) * time.Second
	c.KeepAliveTimeout = max(c.KeepAliveTimeout, 3*c.KeepAliveInterval)
	return c
}
