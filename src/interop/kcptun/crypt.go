package main

import (
	"crypto/sha1"
	"log"

	kcp "github.com/xtaci/kcp-go/v5"
	"golang.org/x/crypto/pbkdf2"
)

// Parameters of the key derivation of kcptun.
const (
	salt       = "kcp-go"
	iterations = 4096
	keyBytes   = 32
)

type cipherSpec struct {
	keyBytes int
	create   func([]byte) (kcp.BlockCrypt, error)
}

var ciphers = map[string]cipherSpec{
	"none":        {32, kcp.NewNoneBlockCrypt},
	"xor":         {32, kcp.NewSimpleXORBlockCrypt},
	"aes":         {32, kcp.NewAESBlockCrypt},
	"aes-128":     {16, kcp.NewAESBlockCrypt},
	"aes-192":     {24, kcp.NewAESBlockCrypt},
	"aes-128-gcm": {16, kcp.NewAESGCMCrypt},
	"salsa20":     {32, kcp.NewSalsa20BlockCrypt},
	"tea":         {16, kcp.NewTEABlockCrypt},
	"xtea":        {16, kcp.NewXTEABlockCrypt},
	"blowfish":    {32, kcp.NewBlowfishBlockCrypt},
	"twofish":     {32, kcp.NewTwofishBlockCrypt},
	"cast5":       {16, kcp.NewCast5BlockCrypt},
	"3des":        {24, kcp.NewTripleDESBlockCrypt},
	"sm4":         {16, kcp.NewSM4BlockCrypt},
}

// cipher creates the packet cipher, or returns nil for the name null. kcptun
// uses aes for an unknown name; this program exits, so that a test cannot
// measure the wrong cipher.
func (o *options) cipher() kcp.BlockCrypt {
	if o.crypt == "null" {
		return nil
	}
	spec, known := ciphers[o.crypt]
	if !known {
		log.Fatal("unknown cipher " + o.crypt)
	}
	key := pbkdf2.Key([]byte(o.key), []byte(salt), iterations, keyBytes, sha1.New)
	block, err := spec.create(key[:spec.keyBytes])
	check(err)
	return block
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
