package main

import (
	"math/bits"
	"sync/atomic"
)

const (
	histogramSubBits = 10 // Limits the error to a thousandth.
	histogramSub     = 1 << histogramSubBits
	histogramMaxBits = 40 // Limits a duration to 2^40 ns, 18 minutes.
)

// histogram counts durations in nanoseconds. It is exact below 1,024 ns and has
// 1,024 steps per power of two above. Any goroutine may record.
type histogram struct {
	counts [(histogramMaxBits - histogramSubBits + 1) * histogramSub]atomic.Int64
	total  atomic.Int64
	sum    atomic.Int64
	max    atomic.Int64
}

func histogramIndex(ns int64) int {
	shift := bits.Len64(uint64(ns)) - histogramSubBits - 1
	if shift < 0 {
		return int(ns)
	}
	return shift<<histogramSubBits + int(ns>>shift)
}

// histogramValue returns the middle of the range that an index represents.
func histogramValue(index int) float64 {
	if index < 2*histogramSub {
		return float64(index)
	}
	shift := index>>histogramSubBits - 1
	low := int64(index-shift<<histogramSubBits) << shift
	return float64(low) + float64(int64(1)<<shift)/2
}

func (h *histogram) record(ns int64) {
	ns = min(max(ns, 0), 1<<histogramMaxBits-1)
	h.counts[histogramIndex(ns)].Add(1)
	h.total.Add(1)
	h.sum.Add(ns)
	for {
		seen := h.max.Load()
		if ns <= seen || h.max.CompareAndSwap(seen, ns) {
			return
		}
	}
}

// us returns a quantile in microseconds, or 0 if the histogram is empty.
func (h *histogram) us(q float64) float64 {
	total := h.total.Load()
	if total == 0 {
		return 0
	}
	rank := max(int64(q*float64(total)+0.5), 1)
	for i := range h.counts {
		if rank -= h.counts[i].Load(); rank <= 0 {
			return min(histogramValue(i), float64(h.max.Load())) / 1000
		}
	}
	return h.maxUs()
}

func (h *histogram) maxUs() float64 { return float64(h.max.Load()) / 1000 }

func (h *histogram) meanUs() float64 {
	return float64(h.sum.Load()) / float64(max(h.total.Load(), 1)) / 1000
}
