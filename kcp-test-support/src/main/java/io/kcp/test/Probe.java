package io.kcp.test;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A condition of {@code allowed-skips.txt}, for example that the kernel refuses a feature. Its result is determined once and printed. */
final class Probe {

    private static final Pattern JAVA = Pattern.compile("java(<|>=)(\\d+)");
    private static final Pattern REFUSED_BY_KERNEL = Pattern.compile("Operation not permitted|Function not implemented|Permission denied",
        Pattern.CASE_INSENSITIVE);
    private static final int IPV6_BYTES = 16;
    /** The exit code of {@code unshare} if the program does not exist that it should start. */
    private static final int PROGRAM_NOT_FOUND = 127;
    private static final String SYSTEM = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    private static final Map<String, BooleanSupplier> CONDITIONS = Map.of(
        "always", () -> true,
        "no-kqueue", () -> !SYSTEM.contains("mac") && !SYSTEM.contains("bsd"),
        "not-linux", () -> !SYSTEM.contains("linux"),
        "no-io_uring", Probe::refusesIoUring,
        "no-gso", Probe::lacksGso,
        "no-ipv6", Probe::lacksIpv6,
        "no-namespaces", () -> refuses("true"),
        "no-nftables", () -> refuses("nft", "add table ip nat; add chain ip nat post { type nat hook postrouting priority 100; }; "
            + "add rule ip nat post meta l4proto udp masquerade"),
        "no-tbf", () -> refuses("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "5mbit", "burst", "15000", "latency", "50ms"));
    private static final Map<String, Boolean> RESULTS = new ConcurrentHashMap<>();

    private final String name;
    private final BooleanSupplier condition;

    private Probe(String name, BooleanSupplier condition) {
        this.name = name;
        this.condition = condition;
    }

    static Probe named(String name) {
        Matcher java = JAVA.matcher(name);
        if (java.matches()) {
            int version = Integer.parseInt(java.group(2));
            return new Probe(name, () -> Runtime.version().feature() < version == java.group(1).equals("<"));
        }
        BooleanSupplier condition = CONDITIONS.get(name);
        if (condition == null) {
            throw new IllegalArgumentException("Unknown condition " + name);
        }
        return new Probe(name, condition);
    }

    boolean isMet() {
        return RESULTS.computeIfAbsent(name, first -> {
            boolean met = condition.getAsBoolean();
            System.out.println("Condition of allowed-skips.txt: " + name + " is " + met);
            return met;
        });
    }

    /** Returns {@code true} if the kernel refuses io_uring; {@code false} if it works, or if only its library is missing. */
    private static boolean refusesIoUring() {
        Object cause = call("io.netty.channel.uring.IoUring", "unavailabilityCause");
        for (Throwable next = (Throwable) cause; next != null; next = next.getCause()) {
            if (REFUSED_BY_KERNEL.matcher(Objects.toString(next.getMessage())).find()) {
                System.out.println("io_uring: " + next.getMessage());
                return true;
            }
        }
        return false;
    }

    private static boolean lacksGso() {
        return Boolean.TRUE.equals(call("io.netty.channel.epoll.Epoll", "isAvailable"))
            && Boolean.FALSE.equals(call("io.netty.channel.epoll.EpollDatagramChannel", "isSegmentedDatagramPacketSupported"));
    }

    /** Calls a static method of a transport, which is not a dependency of this module. Returns null without that transport. */
    private static @Nullable Object call(String type, String method) {
        try {
            return Class.forName(type).getMethod(method).invoke(null);
        } catch (ReflectiveOperationException | LinkageError missing) {
            System.out.println(type + "." + method + ": " + missing);
            return null;
        }
    }

    private static boolean lacksIpv6() {
        byte[] loopback = new byte[IPV6_BYTES];
        loopback[IPV6_BYTES - 1] = 1;
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByAddress(loopback))) {
            return !socket.isBound();
        } catch (IOException failure) {
            System.out.println("IPv6: " + failure.getMessage());
            return true;
        }
    }

    /**
     * Returns {@code true} if the kernel refuses a command in a network namespace; {@code false} if the command succeeds, or if a program
     * is missing.
     */
    private static boolean refuses(String... command) {
        List<String> inNamespace = new ArrayList<>(List.of("unshare", "--map-root-user", "--net"));
        inNamespace.addAll(List.of(command));
        try {
            int status = new ProcessBuilder(inNamespace).inheritIO().start().waitFor();
            return status != 0 && status != PROGRAM_NOT_FOUND;
        } catch (IOException missing) {
            System.out.println("unshare: " + missing.getMessage());
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
