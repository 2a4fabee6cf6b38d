//go:build kcp561

package main

import (
	"errors"
	"sync/atomic"

	kcp "github.com/xtaci/kcp-go"
)

// Binding to the version Debian 12 ships (golang-github-xtaci-kcp-dev),
// built without modules, hence the import path without /v5.

const libVersion = "5.6.1"

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
	"none":     {32, kcp.NewNoneBlockCrypt},
	"xor":      {32, kcp.NewSimpleXORBlockCrypt},
	"aes":      {32, kcp.NewAESBlockCrypt},
	"aes-128":  {16, kcp.NewAESBlockCrypt},
	"aes-192":  {24, kcp.NewAESBlockCrypt},
	"aes-256":  {32, kcp.NewAESBlockCrypt},
	"salsa20":  {32, kcp.NewSalsa20BlockCrypt},
	"tea":      {16, kcp.NewTEABlockCrypt},
	"xtea":     {16, kcp.NewXTEABlockCrypt},
	"blowfish": {32, kcp.NewBlowfishBlockCrypt},
	"twofish":  {32, kcp.NewTwofishBlockCrypt},
	"cast5":    {16, kcp.NewCast5BlockCrypt},
	"3des":     {24, kcp.NewTripleDESBlockCrypt},
	"sm4":      {16, kcp.NewSM4BlockCrypt},
}

func packetsIn() uint64 { return atomic.LoadUint64(&kcp.DefaultSnmp.InPkts) }

func counters() ([]string, []string) {
	s := kcp.DefaultSnmp.Copy()
	return s.Header(), s.ToSlice()
}

func setRateLimit(*session, uint32) error {
	return errors.New("rate limit: not in kcp-go " + libVersion)
}

func startOOB(*session, int, *atomic.Int64) error {
	return errors.New("out-of-band data: not in kcp-go " + libVersion)
}
