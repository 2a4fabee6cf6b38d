//go:build kcp561

package main

import (
	"errors"
	"sync/atomic"

	kcp "github.com/xtaci/kcp-go"
)

// Binding to kcp-go 5.6.1 from Debian 12 (golang-github-xtaci-kcp-dev). It is
// built without Go modules, so its import path does not end with /v5.

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
	"none":     {32, checksumOverhead, kcp.NewNoneBlockCrypt},
	"xor":      {32, checksumOverhead, kcp.NewSimpleXORBlockCrypt},
	"aes":      {32, checksumOverhead, kcp.NewAESBlockCrypt},
	"aes-128":  {16, checksumOverhead, kcp.NewAESBlockCrypt},
	"aes-192":  {24, checksumOverhead, kcp.NewAESBlockCrypt},
	"aes-256":  {32, checksumOverhead, kcp.NewAESBlockCrypt},
	"salsa20":  {32, checksumOverhead, kcp.NewSalsa20BlockCrypt},
	"tea":      {16, checksumOverhead, kcp.NewTEABlockCrypt},
	"xtea":     {16, checksumOverhead, kcp.NewXTEABlockCrypt},
	"blowfish": {32, checksumOverhead, kcp.NewBlowfishBlockCrypt},
	"twofish":  {32, checksumOverhead, kcp.NewTwofishBlockCrypt},
	"cast5":    {16, checksumOverhead, kcp.NewCast5BlockCrypt},
	"3des":     {24, checksumOverhead, kcp.NewTripleDESBlockCrypt},
	"sm4":      {16, checksumOverhead, kcp.NewSM4BlockCrypt},
}

func packetsIn() uint64 { return atomic.LoadUint64(&kcp.DefaultSnmp.InPkts) }

func counters() ([]string, []string) {
	s := kcp.DefaultSnmp.Copy()
	return s.Header(), s.ToSlice()
}

func setRateLimit(*session, uint32) error {
	return errors.New("kcp-go " + libVersion + " does not support a rate limit")
}

const hasOOB = false

var errNoOOB = errors.New("kcp-go " + libVersion + " does not support out-of-band messages")

func listenOOB(*session, func([]byte)) (int, error) { return 0, errNoOOB }

func sendOOB(*session, []byte) error { return errNoOOB }

func cryptBench(*options) { missing("cryptbench is not part of the build with kcp-go " + libVersion) }

func fecBench(*options) { missing("fecbench is not part of the build with kcp-go " + libVersion) }
