package main

import "sync/atomic"

// queueStepNs is the resolution of the queueing delays.
const queueStepNs = 50_000

// queueDelays counts the packets by their time in the queue.
type queueDelays struct {
	steps []atomic.Int64
}

func newQueueDelays(s shape) *queueDelays {
	return &queueDelays{make([]atomic.Int64, int64(s.queueMs*1e6)/queueStepNs+1)}
}

func (q *queueDelays) add(waitNs int64) {
	q.steps[min(waitNs/queueStepNs, int64(len(q.steps)-1))].Add(1)
}

// take returns percentiles in milliseconds of the packets since the previous
// call, or nil if there were none.
func (q *queueDelays) take(percentiles ...float64) []float64 {
	counts := make([]int64, len(q.steps))
	var total int64
	for i := range q.steps {
		counts[i] = q.steps[i].Swap(0)
		total += counts[i]
	}
	if total == 0 {
		return nil
	}
	values := make([]float64, len(percentiles))
	for i, percentile := range percentiles {
		left := percentile / 100 * float64(total)
		step := 0
		for ; step < len(counts)-1 && left > float64(counts[step]); step++ {
			left -= float64(counts[step])
		}
		values[i] = float64(step) * queueStepNs / 1e6
	}
	return values
}
