package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	leftAddress  = "10.77.0.1"
	rightAddress = "10.77.0.2"
	defaultMTU   = 1500

	deviceName = "link0"
	prefixMask = "255.255.255.252"
	// deviceQueue is the queue length of the device. It is large enough for
	// bursts, so that only the queue of the emulated link drops packets.
	deviceQueue = 20_000
)

// end is a network namespace with a TUN device. It exists as long as this
// process, which keeps a file descriptor of it.
type end struct {
	tun, namespace int
}

// path returns the path of the namespace for execInside, nsenter --net= and
// setns.
func (e *end) path() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), e.namespace) }

func (e *end) close() {
	syscall.Close(e.tun)
	syscall.Close(e.namespace)
}

// newEnd creates an end on a locked thread, which exits with its goroutine. No
// other goroutine may run on that thread, because it is in the new namespace.
func newEnd(address string, mtu int) (*end, error) {
	type outcome struct {
		end *end
		err error
	}
	made := make(chan outcome)
	go func() {
		runtime.LockOSThread()
		e, err := makeEnd(address, mtu)
		made <- outcome{e, err}
	}()
	o := <-made
	return o.end, o.err
}

func makeEnd(address string, mtu int) (*end, error) {
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("creating a network namespace: %w", err)
	}
	namespace, err := syscall.Open("/proc/thread-self/ns/net", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the network namespace: %w", err)
	}
	tun, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	if err := configure(tun, address, mtu); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		// Prevents the kernel from reusing TCP metrics of earlier connections.
		"tcp_no_metrics_save": "1",
		// Prevents the send buffer, usually of 4 MiB, from limiting TCP on a
		// link with a long queue.
		"tcp_wmem": "4096 16384 33554432",
	} {
		if err := os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0o644); err != nil {
			return nil, err
		}
	}
	return &end{tun, namespace}, nil
}

// request is struct ifreq.
type request struct {
	name [syscall.IFNAMSIZ]byte
	data [24]byte
}

func newRequest(name string) *request {
	r := &request{}
	copy(r.name[:], name)
	return r
}

func (r *request) number(n int32) *request {
	*(*int32)(unsafe.Pointer(&r.data)) = n
	return r
}

func (r *request) flags(n uint16) *request {
	*(*uint16)(unsafe.Pointer(&r.data)) = n
	return r
}

func (r *request) address(a string) *request {
	*(*uint16)(unsafe.Pointer(&r.data)) = syscall.AF_INET
	copy(r.data[4:8], net.ParseIP(a).To4())
	return r
}

func configure(tun int, address string, mtu int) error {
	device := newRequest(deviceName).flags(syscall.IFF_TUN | syscall.IFF_NO_PI)
	if err := ioctl(tun, syscall.TUNSETIFF, device); err != nil {
		return fmt.Errorf("creating the TUN device: %w", err)
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(socket)
	for _, step := range []struct {
		what string
		code uintptr
		r    *request
	}{
		{"loopback up", syscall.SIOCSIFFLAGS, newRequest("lo").flags(syscall.IFF_UP)},
		{"mtu", syscall.SIOCSIFMTU, newRequest(deviceName).number(int32(mtu))},
		{"queue length", syscall.SIOCSIFTXQLEN, newRequest(deviceName).number(deviceQueue)},
		{"address", syscall.SIOCSIFADDR, newRequest(deviceName).address(address)},
		{"netmask", syscall.SIOCSIFNETMASK, newRequest(deviceName).address(prefixMask)},
		{"up", syscall.SIOCSIFFLAGS, newRequest(deviceName).flags(syscall.IFF_UP)},
	} {
		if err := ioctl(socket, step.code, step.r); err != nil {
			return fmt.Errorf("%s of %s: %w", step.what, deviceName, err)
		}
	}
	return nil
}

func ioctl(fd int, code uintptr, r *request) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), code, uintptr(unsafe.Pointer(r))); errno != 0 {
		return errno
	}
	return nil
}

// enter moves the calling thread into a namespace.
func enter(path string) error {
	number, known := map[string]uintptr{"amd64": 308, "arm64": 268}[runtime.GOARCH]
	if !known {
		return fmt.Errorf("the system call number of setns on %s is not known", runtime.GOARCH)
	}
	namespace, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(namespace)
	if _, _, errno := syscall.RawSyscall(number, uintptr(namespace), syscall.CLONE_NEWNET, 0); errno != 0 {
		return errno
	}
	return nil
}
