// Command linkemu connects two network namespaces by a link that delays, loses
// and queues packets. README.md in this directory describes its command line.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	exitFailed = 1
	exitUsage  = 2
	// exitSkip is the exit code if links cannot be created on this machine.
	exitSkip = 77
)

type event map[string]any

var outLock sync.Mutex

func emit(name string, fields event) {
	rest, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	line := `{"event":"` + name + `"`
	if len(fields) > 0 {
		line += ","
	}
	outLock.Lock()
	defer outLock.Unlock()
	os.Stdout.WriteString(line + string(rest[1:]) + "\n")
}

func fail(code int, err error) {
	fmt.Fprintln(os.Stderr, "linkemu: "+err.Error())
	emit("error", event{"message": err.Error(), "skip": code == exitSkip})
	os.Exit(code)
}

func main() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	switch mode {
	case "check":
		if err := possible(); err != nil {
			fail(exitSkip, err)
		}
		emit("possible", event{})
	case "run":
		run(os.Args[2:])
	case "exec":
		execInside(os.Args[2:])
	default:
		fail(exitUsage, errors.New("the mode must be check, run or exec; see README.md"))
	}
}

// possible returns an error if links cannot be created on this machine.
func possible() error {
	if runtime.GOOS != "linux" {
		return errors.New("network namespaces require Linux, this is " + runtime.GOOS)
	}
	if os.Geteuid() != 0 {
		return errors.New("network namespaces and TUN devices require root")
	}
	end, err := newEnd(leftAddress, defaultMTU)
	if err != nil {
		return err
	}
	end.close()
	return nil
}

func run(args []string) {
	var shape, back shape
	var lossPercent, lossBackPercent float64
	var mtu int
	seed := rand.Uint64() >> 16
	f := flag.NewFlagSet("linkemu run", flag.ContinueOnError)
	f.Float64Var(&shape.delayMs, "delay-ms", 25, "one-way delay")
	f.Float64Var(&lossPercent, "loss-percent", 0, "random packet loss, independent in each direction")
	f.Float64Var(&lossBackPercent, "loss-back-percent", -1, "packet loss from right to left, if it differs")
	f.Float64Var(&shape.rateMbit, "rate-mbit", 100, "rate of IP packets in each direction, in 10^6 bits per second, 0 for no limit")
	f.Float64Var(&shape.queueMs, "queue-ms", 100, "maximum queueing delay; a packet that would wait longer is dropped")
	f.Uint64Var(&seed, "seed", seed, "seed of the losses")
	f.IntVar(&mtu, "mtu", defaultMTU, "MTU of both devices")
	if err := f.Parse(args); err != nil {
		os.Exit(exitUsage)
	}
	if err := shape.check(); err != nil {
		fail(exitUsage, err)
	}
	if f.NArg() > 0 || mtu < 68 || mtu > packetBytes {
		fail(exitUsage, fmt.Errorf("--mtu must be from 68 to %d, and run accepts options only", packetBytes))
	}
	back = shape
	shape.loss = lossPercent / 100
	back.loss = shape.loss
	if lossBackPercent >= 0 {
		back.loss = lossBackPercent / 100
	}
	if os.Geteuid() != 0 {
		fail(exitSkip, errors.New("network namespaces and TUN devices require root"))
	}
	left, err := newEnd(leftAddress, mtu)
	if err != nil {
		fail(exitSkip, err)
	}
	right, err := newEnd(rightAddress, mtu)
	if err != nil {
		fail(exitSkip, err)
	}
	// A garbage collection would wait for the threads of the directions, which
	// never yield. They reuse their memory, so no collection is needed.
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(runtime.NumCPU() + 4)
	to := newDirection(shape, seed, 1, left.tun, right.tun)
	from := newDirection(back, seed, 2, right.tun, left.tun)
	realTime := to.start()
	from.start()
	emit("ready", event{
		"left": left.path(), "left_address": leftAddress, "right": right.path(), "right_address": rightAddress,
		"seed": seed, "delay_ms": shape.delayMs, "loss_percent": shape.loss * 100, "loss_back_percent": back.loss * 100,
		"rate_mbit": shape.rateMbit, "queue_ms": shape.queueMs, "mtu": mtu, "real_time": realTime})
	machine := &stalls{}
	machine.watch()
	report := func() {
		fields := machine.report()
		fields["ns"], fields["left_to_right"], fields["right_to_left"] = nowNs(), to.counters(), from.counters()
		emit("counters", fields)
	}
	obey(to, from, report)
	report()
}

// obey executes the commands on standard input until it closes.
func obey(to, from *direction, report func()) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 1 && words[0] == "counters":
			report()
		case len(words) == 2 && words[0] == "loss-percent":
			percent, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				fail(exitUsage, err)
			}
			to.setLoss(percent / 100)
			from.setLoss(percent / 100)
			emit("loss", event{"loss_percent": percent})
		default:
			fail(exitUsage, fmt.Errorf("unknown command %q", lines.Text()))
		}
	}
}

func execInside(args []string) {
	var nice int
	f := flag.NewFlagSet("linkemu exec", flag.ContinueOnError)
	f.IntVar(&nice, "nice", 0, "nice value of the command, from -20 (highest priority) to 19; 0 does not change it")
	if err := f.Parse(args); err != nil {
		os.Exit(exitUsage)
	}
	args = f.Args()
	if len(args) < 3 || args[1] != "--" {
		fail(exitUsage, errors.New("usage: linkemu exec [--nice N] NAMESPACE -- COMMAND..."))
	}
	program, err := exec.LookPath(args[2])
	if err != nil {
		fail(exitFailed, err)
	}
	// Only this thread enters the namespace. Exec then replaces the process,
	// which keeps the namespace of the calling thread.
	runtime.LockOSThread()
	if err := enter(args[0]); err != nil {
		fail(exitFailed, fmt.Errorf("entering %s: %w", args[0], err))
	}
	if nice != 0 {
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice); err != nil {
			fail(exitFailed, fmt.Errorf("setting the nice value %d: %w", nice, err))
		}
	}
	fail(exitFailed, syscall.Exec(program, args[2:], os.Environ()))
}

var origin = time.Now()

func nowNs() int64 { return int64(time.Since(origin)) }
