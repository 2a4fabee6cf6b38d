package main

import (
	"errors"
	"math/rand/v2"
)

// shape describes the delay, loss, rate and queue of a direction.
type shape struct {
	delayMs, rateMbit, queueMs float64
	loss                       float64
}

func (s *shape) check() error {
	if s.delayMs < 0 || s.rateMbit < 0 || s.queueMs <= 0 {
		return errors.New("delay and rate must not be negative, the queue must be positive")
	}
	return nil
}

type verdict int

const (
	passed verdict = iota
	lost
	overflowed
)

// wire decides for each packet in turn whether it is lost, and when it arrives.
type wire struct {
	delayNs, queueNs int64
	nsPerByte        float64
	loss             float64
	random           *rand.Rand
	freeAtNs         float64
}

func newWire(s shape, random *rand.Rand) *wire {
	w := &wire{delayNs: int64(s.delayMs * 1e6), queueNs: int64(s.queueMs * 1e6), loss: s.loss, random: random}
	if s.rateMbit > 0 {
		w.nsPerByte = 8e3 / s.rateMbit
	}
	return w
}

// admit returns the verdict on a packet that is sent at nowNs, its time in the
// queue, and its time of arrival. A lost packet uses part of the rate, a packet
// that overflows does not.
func (w *wire) admit(nowNs int64, length int) (v verdict, waitNs, dueNs int64) {
	start := max(w.freeAtNs, float64(nowNs))
	waitNs = int64(start) - nowNs
	if waitNs > w.queueNs {
		return overflowed, waitNs, 0
	}
	w.freeAtNs = start + float64(length)*w.nsPerByte
	if w.loss > 0 && w.random.Float64() < w.loss {
		return lost, waitNs, 0
	}
	return passed, waitNs, int64(w.freeAtNs) + w.delayNs
}
