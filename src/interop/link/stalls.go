package main

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	lookEveryNs = 1_000_000
	// stallNs is the delay of a thread with real-time priority from which its
	// processor counts as stalled.
	stallNs = 2_000_000
)

// stalls detects that a processor is stalled by the hypervisor or the kernel.
// Delays measured during a stall describe the machine, not the protocol. Each
// processor has a thread of its own.
type stalls struct {
	totalNs   atomic.Int64
	longestNs atomic.Int64
}

func (s *stalls) watch() {
	for cpu := range runtime.NumCPU() {
		started := make(chan struct{})
		go func() {
			prefer()
			pin(cpu)
			close(started)
			s.look()
		}()
		<-started
	}
}

func (s *stalls) look() {
	pause := syscall.NsecToTimespec(lookEveryNs)
	for {
		start := nowNs()
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0)
		if late := nowNs() - start - lookEveryNs; late > stallNs {
			s.totalNs.Add(late)
			s.longestNs.Store(max(late, s.longestNs.Load()))
		}
	}
}

// report returns the total of all processors, and the longest stall since the
// previous report.
func (s *stalls) report() event {
	return event{"stalled_ms": float64(s.totalNs.Load()) / 1e6, "longest_ms": float64(s.longestNs.Swap(0)) / 1e6,
		"processors": runtime.NumCPU()}
}

func pin(cpu int) {
	var mask [128]byte
	mask[cpu/8] = 1 << (cpu % 8)
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, uintptr(len(mask)), uintptr(unsafe.Pointer(&mask)))
}
