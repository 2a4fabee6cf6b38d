package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

func testWire(s shape) *wire { return newWire(s, rand.New(rand.NewPCG(7, 1))) }

func TestAPacketArrivesAfterItsTimeOnTheWireAndTheDelay(t *testing.T) {
	w := testWire(shape{delayMs: 25, rateMbit: 100, queueMs: 10})
	v, _, due := w.admit(1_000_000, 1250)
	if v != passed || due != 1_000_000+100_000+25_000_000 {
		t.Fatalf("verdict %d, due at %d", v, due)
	}
}

func TestPacketsWaitForOneAnotherAndOverflow(t *testing.T) {
	w := testWire(shape{delayMs: 25, rateMbit: 100, queueMs: 10})
	var waiting int
	for {
		v, _, due := w.admit(0, 1250)
		if v == overflowed {
			break
		}
		waiting++
		if want := int64(waiting)*100_000 + 25_000_000; due != want {
			t.Fatalf("packet %d due at %d, not %d", waiting, due, want)
		}
	}
	if waiting != 101 {
		t.Fatalf("%d packets of 0.1 ms fit a queue of 10 ms", waiting)
	}
	if v, _, _ := w.admit(200_000, 1250); v != passed {
		t.Fatal("no room after two packets left")
	}
}

func TestWithoutALimitNothingWaits(t *testing.T) {
	w := testWire(shape{delayMs: 5, queueMs: 1})
	for range 10_000 {
		if v, _, due := w.admit(42, 1500); v != passed || due != 5_000_042 {
			t.Fatalf("verdict %d, due at %d", v, due)
		}
	}
}

func TestLossIsAsOftenAsAskedAndTheSameForASeed(t *testing.T) {
	const packets = 200_000
	a, b := testWire(shape{queueMs: 1, loss: 0.05}), testWire(shape{queueMs: 1, loss: 0.05})
	var gone int
	for range packets {
		v, _, _ := a.admit(0, 100)
		if other, _, _ := b.admit(0, 100); other != v {
			t.Fatal("two wires of one seed differ")
		}
		if v == lost {
			gone++
		}
	}
	sigma := math.Sqrt(packets * 0.05 * 0.95)
	if math.Abs(float64(gone)-packets*0.05) > 5*sigma {
		t.Fatalf("%d of %d lost", gone, packets)
	}
}
