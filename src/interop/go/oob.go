package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// oobHead is the size of the header of an out-of-band message: the low byte of
// the sender's seed and the index (4 bytes, little endian). The generator's
// bytes for the seed (seed<<32)+index follow. All is cut to the message's size.
const oobHead = 5

func oobMessage(seed uint64, index uint32, size int) []byte {
	m := make([]byte, max(size, oobHead))
	m[0] = byte(seed)
	binary.LittleEndian.PutUint32(m[1:], index)
	newGen(seed<<32 + uint64(index)).fill(m[oobHead:])
	return m[:size]
}

// isOOBOf returns true if m is an out-of-band message of the sender with seed.
func isOOBOf(seed uint64, m []byte) bool {
	var head [oobHead]byte
	copy(head[:], m)
	return bytes.Equal(m, oobMessage(seed, binary.LittleEndian.Uint32(head[1:]), len(m)))
}

// oobCount counts one kind of out-of-band message. The sum of their CRC-32s does
// not depend on their order.
type oobCount struct{ messages, bytes, crc32Sum atomic.Int64 }

func (c *oobCount) add(m []byte) {
	c.messages.Add(1)
	c.bytes.Add(int64(len(m)))
	c.crc32Sum.Add(int64(crc32.ChecksumIEEE(m)))
}

func (c *oobCount) report(name string, e event) {
	e["oob_"+name] = c.messages.Load()
	e["oob_"+name+"_bytes"] = c.bytes.Load()
	e["oob_"+name+"_crc32_sum"] = c.crc32Sum.Load()
}

// oob counts the messages of the whole process, like the counters of kcp-go.
var oob struct {
	sent, received, echoed         oobCount
	fromPeer, returned, unexpected atomic.Int64
}

func (o *options) usesOOB() bool { return o.oob != 0 || o.oobEcho }

func (o *options) reportOOB(e event) {
	if !o.usesOOB() {
		return
	}
	oob.sent.report("sent", e)
	oob.received.report("received", e)
	oob.echoed.report("echoed", e)
	e["oob_from_peer"], e["oob_returned"], e["oob_unexpected"] =
		oob.fromPeer.Load(), oob.returned.Load(), oob.unexpected.Load()
}

func parseOOBSizes(list string) ([]int, error) {
	var sizes []int
	for _, word := range strings.Split(list, ",") {
		if word == "max" {
			sizes = append(sizes, -1)
			continue
		}
		size, err := strconv.Atoi(word)
		if err != nil || size < 0 {
			return nil, fmt.Errorf("--oob-bytes: %q is neither a size nor \"max\"", word)
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// startOOB sets the handler of incoming messages, and sends --oob messages once
// begin is closed. After the last one it closes the result or sends an error.
func (o *options) startOOB(s *session, begin <-chan struct{}) <-chan error {
	done := make(chan error, 1)
	if !o.usesOOB() {
		close(done)
		return done
	}
	largest, err := listenOOB(s, func(m []byte) { o.takeOOB(s, m) })
	if err != nil {
		done <- err
		return done
	}
	go func() {
		<-begin
		for i := 0; i < o.oob; i++ {
			size := o.oobSizes[i%len(o.oobSizes)]
			if size < 0 {
				size = largest
			}
			m := oobMessage(o.seedValue(), uint32(i), size)
			if err := sendOOB(s, m); err != nil {
				done <- fmt.Errorf("out-of-band message %d of %d bytes: %w", i, size, err)
				return
			}
			oob.sent.add(m)
			time.Sleep(time.Duration(o.oobIntervalMs) * time.Millisecond)
		}
		close(done)
	}()
	return done
}

// takeOOB runs on the reading goroutine of kcp-go and borrows its buffer m.
func (o *options) takeOOB(s *session, m []byte) {
	oob.received.add(m)
	own := o.oob > 0 && len(m) > 0 && isOOBOf(o.seedValue(), m)
	switch {
	case own:
		oob.returned.Add(1)
	case o.peerSeed == "none" || isOOBOf(o.peerSeedValue(), m):
		oob.fromPeer.Add(1)
	default:
		oob.unexpected.Add(1)
	}
	if o.oobEcho && !own && sendOOB(s, m) == nil {
		oob.echoed.add(m)
	}
}
