//go:build !kcp561

package main

import (
	"sync/atomic"

	kcp "github.com/xtaci/kcp-go/v5"
	"golang.org/x/crypto/chacha20poly1305"
)

// Binding to the released module of kcp-go, whose version is in go.mod.

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
	"none":        {32, checksumOverhead, kcp.NewNoneBlockCrypt},
	"xor":         {32, checksumOverhead, kcp.NewSimpleXORBlockCrypt},
	"aes":         {32, checksumOverhead, kcp.NewAESBlockCrypt},
	"aes-128":     {16, checksumOverhead, kcp.NewAESBlockCrypt},
	"aes-192":     {24, checksumOverhead, kcp.NewAESBlockCrypt},
	"aes-256":     {32, checksumOverhead, kcp.NewAESBlockCrypt},
	"salsa20":     {32, checksumOverhead, kcp.NewSalsa20BlockCrypt},
	"tea":         {16, checksumOverhead, kcp.NewTEABlockCrypt},
	"xtea":        {16, checksumOverhead, kcp.NewXTEABlockCrypt},
	"blowfish":    {32, checksumOverhead, kcp.NewBlowfishBlockCrypt},
	"twofish":     {32, checksumOverhead, kcp.NewTwofishBlockCrypt},
	"cast5":       {16, checksumOverhead, kcp.NewCast5BlockCrypt},
	"3des":        {24, checksumOverhead, kcp.NewTripleDESBlockCrypt},
	"sm4":         {16, checksumOverhead, kcp.NewSM4BlockCrypt},
	"aes-128-gcm": {16, aeadOverhead, kcp.NewAESGCMCrypt},
	"aes-192-gcm": {24, aeadOverhead, kcp.NewAESGCMCrypt},
	"aes-256-gcm": {32, aeadOverhead, kcp.NewAESGCMCrypt},

	"chacha20-poly1305": {32, aeadOverhead, newChaCha20Poly1305},
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

func newChaCha20Poly1305(key []byte) (blockCrypt, error) {
	c, err := chacha20poly1305.New(key)
	if err != nil {
		return nil, err
	}
	return kcp.NewAEADCrypt(c), nil
}

const hasOOB = true

// listenOOB passes incoming messages to take, which borrows the library's
// buffer, and returns the maximum size of a message that can be sent.
func listenOOB(s *session, take func([]byte)) (int, error) {
	return s.GetOOBMaxSize(), s.SetOOBHandler(take)
}

func sendOOB(s *session, m []byte) error { return s.SendOOB(m) }
