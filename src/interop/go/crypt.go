package main

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"sort"

	"golang.org/x/crypto/pbkdf2"
)

// Parameters of the key derivation of kcptun, which makes 32 key bytes from a
// password.
const (
	kcptunSalt       = "kcp-go"
	kcptunIterations = 4096
	kcptunKeyBytes   = 32
	kcptunPassword   = "it's a secrect"
)

// Number of bytes that a cipher adds to a datagram.
const (
	checksumOverhead = 16 + 4  // nonce, CRC-32
	aeadOverhead     = 12 + 16 // nonce, tag
)

type cipherSpec struct {
	keyLen   int
	overhead int
	make     func([]byte) (blockCrypt, error)
}

func cipherNames() []string {
	names := make([]string, 0, len(ciphers)+1)
	names = append(names, "null")
	for n := range ciphers {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// derivedKey returns --hexkey if it is set, and otherwise the key that kcptun
// derives from --key.
func (o *options) derivedKey() ([]byte, error) {
	if o.hexkey != "" {
		key, err := hex.DecodeString(o.hexkey)
		if err != nil {
			return nil, fmt.Errorf("--hexkey: %w", err)
		}
		return key, nil
	}
	return pbkdf2.Key([]byte(o.key), []byte(kcptunSalt), kcptunIterations, kcptunKeyBytes, sha1.New), nil
}

// cut returns the leading bytes of key that the cipher uses.
func (c cipherSpec) cut(key []byte) []byte {
	return key[:min(len(key), c.keyLen)]
}

// makeBlock creates the cipher and returns the number of bytes that it adds to
// a datagram.
func (o *options) makeBlock() int {
	if o.crypt == "null" || o.crypt == "" {
		return 0
	}
	spec, ok := ciphers[o.crypt]
	if !ok {
		missing(fmt.Sprintf("kcp-go %s does not have the cipher %s, only %v", libVersion, o.crypt, cipherNames()))
	}
	key, err := o.derivedKey()
	if err != nil {
		usage(err.Error())
	}
	if o.block, err = spec.make(spec.cut(key)); err != nil {
		usage("--crypt " + o.crypt + ": " + err.Error())
	}
	return spec.overhead
}
