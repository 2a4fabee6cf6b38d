//go:build !kcp561

package main

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	kcp "github.com/xtaci/kcp-go/v5"
)

// Binding to the released module (see go.mod for the version).

const libVersion = "5.6.72"

type (
	session    = kcp.UDPSession
	listener   = kcp.Listener
	blockCrypt = kcp.BlockCrypt
)

var (
	libListen   = kcp.ListenWithOptions
	libDial     = kcp.DialWithOptions
	libConnConv = kcp.NewConn3
)

var ciphers = map[string]cipherSpec{
	"none":        {32, kcp.NewNoneBlockCrypt},
	"xor":         {32, kcp.NewSimpleXORBlockCrypt},
	"aes":         {32, kcp.NewAESBlockCrypt},
	"aes-128":     {16, kcp.NewAESBlockCrypt},
	"aes-192":     {24, kcp.NewAESBlockCrypt},
	"aes-256":     {32, kcp.NewAESBlockCrypt},
	"salsa20":     {32, kcp.NewSalsa20BlockCrypt},
	"tea":         {16, kcp.NewTEABlockCrypt},
	"xtea":        {16, kcp.NewXTEABlockCrypt},
	"blowfish":    {32, kcp.NewBlowfishBlockCrypt},
	"twofish":     {32, kcp.NewTwofishBlockCrypt},
	"cast5":       {16, kcp.NewCast5BlockCrypt},
	"3des":        {24, kcp.NewTripleDESBlockCrypt},
	"sm4":         {16, kcp.NewSM4BlockCrypt},
	"aes-128-gcm": {16, kcp.NewAESGCMCrypt},
	"aes-192-gcm": {24, kcp.NewAESGCMCrypt},
	"aes-256-gcm": {32, kcp.NewAESGCMCrypt},
}

func packetsIn() uint64 { return atomic.LoadUint64(&kcp.DefaultSnmp.InPkts) }

func counters() ([]string, []string) {
	s := kcp.DefaultSnmp.Copy()
	return s.Header(), s.ToSlice()
}

func setRateLimit(s *session, bytesPerSecond uint32) error {
	s.SetRateLimit(bytesPerSecond)
	return nil
}

// startOOB counts incoming out-of-band datagrams and sends n of them, one
// every 5 ms, each an 8 byte little endian index.
func startOOB(s *session, n int, received *atomic.Int64) error {
	err := s.SetOOBHandler(func([]byte) { received.Add(1) })
	if err != nil {
		return err
	}
	go func() {
		for i := 0; i < n; i++ {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], uint64(i))
			if s.SendOOB(b[:]) != nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return nil
}
