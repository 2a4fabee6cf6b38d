//go:build !kcp561

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
	"strings"
	"time"

	"github.com/klauspost/reedsolomon"
	kcp "github.com/xtaci/kcp-go/v5"
)

const (
	datagramCapacity = 1500 // Size of the datagram buffers of kcp-go.
	cfbNonceBytes    = 16
	cfbHeaderBytes   = cfbNonceBytes + 4

	// Number of datagrams between two readings of the clock. All of them fit
	// into the first-level cache, which also holds a newly received datagram.
	batchDatagrams = 16
)

// aead has the methods of kcp-go's AEAD ciphers that BlockCrypt lacks.
type aead interface {
	NonceSize() int
	Seal(dst, nonce, plaintext, additionalData []byte) []byte
	Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error)
}

// sealer encrypts and decrypts datagrams like a kcp-go session, between its FEC
// layer and its socket.
type sealer interface {
	headerBytes() int
	seal(datagram []byte) []byte
	open(datagram []byte) ([]byte, bool)
}

type cfbSealer struct {
	block   blockCrypt
	entropy io.Reader
}

func (c cfbSealer) headerBytes() int { return cfbHeaderBytes }

func (c cfbSealer) seal(d []byte) []byte {
	io.ReadFull(c.entropy, d[:cfbNonceBytes])
	binary.LittleEndian.PutUint32(d[cfbNonceBytes:], crc32.ChecksumIEEE(d[cfbHeaderBytes:]))
	c.block.Encrypt(d, d)
	return d
}

func (c cfbSealer) open(d []byte) ([]byte, bool) {
	c.block.Decrypt(d, d)
	return d[cfbHeaderBytes:], crc32.ChecksumIEEE(d[cfbHeaderBytes:]) == binary.LittleEndian.Uint32(d[cfbNonceBytes:])
}

type aeadSealer struct {
	aead    aead
	entropy io.Reader
	nonce   int
}

func (a aeadSealer) headerBytes() int { return a.nonce }

func (a aeadSealer) seal(d []byte) []byte {
	nonce := d[:a.nonce]
	io.ReadFull(a.entropy, nonce)
	return a.aead.Seal(nonce, nonce, d[a.nonce:], nil)
}

func (a aeadSealer) open(d []byte) ([]byte, bool) {
	ciphertext := d[a.nonce:]
	plain, err := a.aead.Open(ciphertext[:0], d[:a.nonce], ciphertext, nil)
	return plain, err == nil
}

func newSealer(block blockCrypt) sealer {
	if a, ok := block.(aead); ok {
		return aeadSealer{a, kcp.NewEntropy(), a.NonceSize()}
	}
	return cfbSealer{block, kcp.NewEntropy()}
}

// measure calls prepare and work alternately for --seconds, after a warm-up of a
// tenth of that time. It returns the minimum and median duration of work in ns.
func (o *options) measure(prepare, work func()) (best, median float64) {
	const slices = 40
	run := func(limit time.Duration) float64 {
		var spent time.Duration
		calls := 0
		for spent < limit {
			prepare()
			t := time.Now()
			work()
			spent += time.Since(t)
			calls++
		}
		return float64(spent.Nanoseconds()) / float64(calls)
	}
	whole := time.Duration(o.seconds * 1e9)
	run(whole / 10)
	times := make([]float64, slices)
	for i := range times {
		times[i] = run(whole / slices)
	}
	sort.Float64s(times)
	return times[0], times[slices/2]
}

func cryptBench(o *options) {
	if o.payloadBytes < 1 || o.payloadBytes > datagramCapacity-aeadOverhead {
		usage(fmt.Sprintf("--payload-bytes must be 1 to %d", datagramCapacity-aeadOverhead))
	}
	names := cipherNames()
	if o.ciphers != "" {
		names = strings.Split(o.ciphers, ",")
	}
	key, err := o.derivedKey()
	if err != nil {
		usage(err.Error())
	}
	for _, name := range names {
		if name == "null" {
			continue
		}
		spec, ok := ciphers[name]
		if !ok {
			missing("kcp-go " + libVersion + " does not have the cipher " + name)
		}
		block, err := spec.make(spec.cut(key))
		if err != nil {
			usage(name + ": " + err.Error())
		}
		if err := o.benchCipher(name, newSealer(block)); err != nil {
			fail(exitFailed, err)
		}
	}
	finish(exitOK, "done", event{"cpu_ms": cpuMs()})
}

func (o *options) benchCipher(name string, c sealer) error {
	payload := make([]byte, o.payloadBytes)
	newGen(o.seedValue()).fill(payload)
	head := c.headerBytes()
	var plain, sealed, work [batchDatagrams][]byte
	for i := range plain {
		plain[i] = make([]byte, head+o.payloadBytes, datagramCapacity)
		copy(plain[i][head:], payload)
		work[i] = make([]byte, datagramCapacity)
		d := make([]byte, head+o.payloadBytes, datagramCapacity)
		copy(d, plain[i])
		sealed[i] = c.seal(d)
		again, ok := c.open(append(make([]byte, 0, datagramCapacity), sealed[i]...))
		if !ok || !bytes.Equal(again, payload) {
			return errors.New(name + ": an encrypted datagram cannot be decrypted")
		}
	}
	load := func(from *[batchDatagrams][]byte) func() {
		return func() {
			for i := range work {
				work[i] = work[i][:len(from[i])]
				copy(work[i], from[i])
			}
		}
	}
	sealBest, sealMedian := o.measure(load(&plain), func() {
		for i := range work {
			work[i] = c.seal(work[i])
		}
	})
	bad := 0
	openBest, openMedian := o.measure(load(&sealed), func() {
		for i := range work {
			if _, ok := c.open(work[i]); !ok {
				bad++
			}
		}
	})
	if bad > 0 {
		return fmt.Errorf("%s: %d datagrams cannot be decrypted", name, bad)
	}
	emit("cryptbench", event{"kcp": libVersion, "crypt": name, "payload_bytes": o.payloadBytes,
		"datagram_bytes": len(sealed[0]), "seal_ns": sealMedian / batchDatagrams, "seal_ns_best": sealBest / batchDatagrams,
		"open_ns": openMedian / batchDatagrams, "open_ns_best": openBest / batchDatagrams,
		"both_ns": (sealMedian + openMedian) / batchDatagrams})
	return nil
}

func fecBench(o *options) {
	data, parity := o.datashard, o.parityshard
	if data == 0 && parity == 0 {
		data, parity = 10, 3
	}
	lost := o.lost
	if data < 1 || parity < 1 || lost < 1 || lost > min(data, parity) {
		usage("fecbench: --datashard and --parityshard must be positive, and --lost must be from 1 to the smaller of them")
	}
	var restriction []reedsolomon.Option
	if o.avx2 {
		restriction = append(restriction, reedsolomon.WithAVX512(false), reedsolomon.WithGFNI(false))
	}
	codec, err := reedsolomon.New(data, parity, restriction...)
	if err != nil {
		usage(err.Error())
	}
	shards := make([][]byte, data+parity)
	g := newGen(o.seedValue())
	for i := range shards {
		shards[i] = make([]byte, o.payloadBytes, max(o.payloadBytes, datagramCapacity))
		if i < data {
			g.fill(shards[i])
		}
	}
	emitFigure := func(kind string, perCall, best float64) {
		e := event{"kind": kind, "kcp": libVersion, "datashard": data, "parityshard": parity, "avx2_only": o.avx2,
			"shard_bytes": o.payloadBytes, "group_ns": perCall, "group_ns_best": best,
			"gb_s": float64(data*o.payloadBytes) / perCall, "gb_s_best": float64(data*o.payloadBytes) / best}
		if kind != "encode" {
			e["lost"] = lost
		}
		emit("fecbench", e)
	}

	const calls = 16
	var failure error
	keep := func(err error) {
		if err != nil {
			failure = err
		}
	}
	best, median := o.measure(func() {}, func() {
		for i := 0; i < calls; i++ {
			keep(codec.Encode(shards))
		}
	})
	emitFigure("encode", median/calls, best/calls)

	// Like kcp-go's decoder, this passes a lost data shard as a buffer of length
	// 0 with sufficient capacity, and a missing parity shard as nil.
	given := make([][]byte, len(shards))
	holes := make([][]byte, data)
	for i := range holes {
		holes[i] = make([]byte, 0, cap(shards[i]))
	}
	patterns := erasures(data, lost, 4096)
	reconstruct := func(pattern []int) {
		copy(given, shards)
		for _, k := range pattern {
			given[k] = holes[k][:0]
		}
		for k := data + lost; k < len(given); k++ {
			given[k] = nil
		}
		keep(codec.ReconstructData(given))
	}
	for _, pattern := range patterns {
		reconstruct(pattern)
		for _, k := range pattern {
			if !bytes.Equal(given[k], shards[k]) {
				fail(exitFailed, fmt.Errorf("the reconstruction of the data shards %v differs from the original", pattern))
			}
		}
	}
	best, median = o.measure(func() {}, func() {
		for i := 0; i < calls; i++ {
			reconstruct(patterns[len(patterns)/2])
		}
	})
	emitFigure("reconstruct", median/calls, best/calls)

	next := 0
	best, median = o.measure(func() {}, func() {
		for i := 0; i < calls; i++ {
			reconstruct(patterns[next%len(patterns)])
			next++
		}
	})
	emitFigure("reconstruct-every-pattern", median/calls, best/calls)
	if failure != nil {
		fail(exitFailed, failure)
	}
	finish(exitOK, "done", event{"cpu_ms": cpuMs()})
}

// erasures returns the combinations of lost out of n shards, at most limit.
func erasures(n, lost, limit int) [][]int {
	var all [][]int
	var chosen []int
	var choose func(from int)
	choose = func(from int) {
		if len(all) == limit {
			return
		}
		if len(chosen) == lost {
			all = append(all, append([]int(nil), chosen...))
			return
		}
		for k := from; k < n; k++ {
			chosen = append(chosen, k)
			choose(k + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	choose(0)
	return all
}
