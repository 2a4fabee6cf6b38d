package main

import (
	"slices"
	"testing"
)

func TestQueueDelaysAreThoseSinceThePreviousReport(t *testing.T) {
	q := newQueueDelays(shape{queueMs: 100})
	for i := range 100 {
		q.add(int64(i) * 1e6)
	}
	if got := q.take(50, 95); !slices.Equal(got, []float64{49, 94}) {
		t.Fatalf("percentiles %v", got)
	}
	q.add(2e6)
	if got := q.take(50, 95); !slices.Equal(got, []float64{2, 2}) {
		t.Fatalf("percentiles %v after the first report", got)
	}
	if got := q.take(50, 95); got != nil {
		t.Fatalf("percentiles %v without packets", got)
	}
}

func TestALongQueueingDelayCountsAsThatOfAFullQueue(t *testing.T) {
	q := newQueueDelays(shape{queueMs: 10})
	q.add(10e6)
	q.add(1e9)
	if got := q.take(100); !slices.Equal(got, []float64{10}) {
		t.Fatalf("percentiles %v", got)
	}
}

func TestWaitInTheQueueExcludesTransmissionAndDelay(t *testing.T) {
	w := testWire(shape{delayMs: 25, rateMbit: 100, queueMs: 10})
	for i := range int64(3) {
		if _, wait, _ := w.admit(0, 1250); wait != i*100_000 {
			t.Fatalf("packet %d waits %d ns", i, wait)
		}
	}
}
