package main

import "encoding/binary"

// gen generates the byte stream of the tests, which consists of splitmix64
// words of eight bytes, little endian. README.md specifies it.
type gen struct {
	state uint64
	word  [8]byte
	used  int
}

func newGen(seed uint64) *gen { return &gen{state: seed, used: 8} }

func (g *gen) next() uint64 {
	g.state += 0x9E3779B97F4A7C15
	z := g.state
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

// fill writes the next len(b) bytes of the stream into b.
func (g *gen) fill(b []byte) {
	for len(b) > 0 {
		if g.used == 8 {
			for len(b) >= 8 {
				binary.LittleEndian.PutUint64(b, g.next())
				b = b[8:]
			}
			if len(b) == 0 {
				return
			}
			binary.LittleEndian.PutUint64(g.word[:], g.next())
			g.used = 0
		}
		n := copy(b, g.word[g.used:])
		g.used += n
		b = b[n:]
	}
}
