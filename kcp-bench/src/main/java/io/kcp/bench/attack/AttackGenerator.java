package io.kcp.bench.attack;

import io.kcp.bench.attack.AttackSources.Source;
import io.kcp.core.crypto.CryptoConfig;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends the datagrams of one or more attacks at constant rates on a separate thread. After the attack, the thread continues to count the
 * bytes that the server sends to the forged addresses, until the generator is closed.
 */
public final class AttackGenerator implements AutoCloseable {

    /**
     * Counts of the datagrams and bytes that an attack has sent and received.
     *
     * @param sent             datagrams sent
     * @param refused          datagrams that the kernel did not accept
     * @param spoofedBytes     bytes sent from forged addresses
     * @param reflectedBytes   bytes that the server sent to forged addresses
     * @param worstReflection  the largest ratio of reflected bytes to sent bytes of a single forged address
     */
    public record Counts(long sent, long refused, long spoofedBytes, long reflectedBytes, double worstReflection) {

        /** Returns the ratio of all reflected bytes to all bytes sent from forged addresses, or NaN if none were sent. */
        public double reflection() {
            return spoofedBytes == 0 ? Double.NaN : (double) reflectedBytes / spoofedBytes;
        }
    }

    /** The traffic of one attack and its schedule. */
    private static final class Part {

        private final AttackTraffic traffic;
        private final double perNs;
        private long sent;
        private long skipped;

        Part(AttackTraffic traffic, int perSecond) {
            this.traffic = traffic;
            perNs = perSecond / 1e9;
        }

        /**
         * Sends the datagrams that are due, but no more than {@link #BURST}. Returns {@code true} if all due datagrams have been sent.
         * Skips datagrams that have been due for longer than {@link #MAX_LATE_NS}, because sending them would exceed the rate of the
         * attack.
         */
        boolean sendDue(long elapsedNs) throws IOException {
            long due = (long) (elapsedNs * perNs) - sent - skipped;
            long late = Math.max(0, due - (long) (MAX_LATE_NS * perNs) - BURST);
            skipped += late;
            due -= late;
            long burst = Math.min(BURST, due);
            for (int i = 0; i < burst; i++) {
                traffic.send();
            }
            sent += Math.max(0, burst);
            return due <= BURST;
        }
    }

    private static final int BURST = 32;
    private static final long PAUSE_NS = 100_000;
    private static final long MAX_LATE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long JOIN_SECONDS = 10;

    private final AttackSources sources;
    private final AttackDatagram datagram;
    private final List<Part> parts = new ArrayList<>();
    private final IdentityHashMap<Source, AttackTraffic> receivers = new IdentityHashMap<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Thread thread = new Thread(this::send, "attack");
    private final boolean samePriority;
    private final double rateFactor;
    private long startNs;
    private long endNs;
    private volatile boolean closed;

    private AttackGenerator(InetSocketAddress target, double rateFactor, boolean samePriority, AttackDatagram datagram)
        throws IOException {
        sources = new AttackSources(target);
        this.rateFactor = rateFactor;
        this.samePriority = samePriority;
        this.datagram = datagram;
    }

    /**
     * Creates an attack on a KCP server and binds the sockets of its sources, which can take a second. Sends no datagrams.
     *
     * @param spoofedSources number of forged addresses of a flood
     * @param rateFactor     factor for the number of datagrams per second
     * @param samePriority   whether the thread of the attack has the priority of other threads
     * @param crypto         the key of the attacker, or null
     * @param onlyConv       the only conversation id that the server accepts, or null
     */
    public static AttackGenerator ofKcp(AttackKind attack, InetSocketAddress target, int spoofedSources, double rateFactor,
        boolean samePriority, @Nullable CryptoConfig crypto, @Nullable Integer onlyConv, AttackVictims victims) throws IOException {
        AttackGenerator generator = new AttackGenerator(target, rateFactor, samePriority, new AttackDatagram(crypto, onlyConv));
        AttackSetup setup = new AttackSetup(generator.sources, generator.datagram, victims, spoofedSources);
        for (Map.Entry<AttackKind, Integer> part : attack.parts().entrySet()) {
            generator.add(part.getKey().traffic(setup), part.getValue());
        }
        return generator;
    }

    /**
     * Creates an attack on a QUIC server. The attack sends a recorded first datagram of a connection instead of first datagrams of KCP
     * sessions. The other parameters are those of {@link #ofKcp}.
     */
    public static AttackGenerator ofQuic(AttackKind attack, InetSocketAddress target, int spoofedSources, double rateFactor,
        boolean samePriority, byte[] initial) throws IOException {
        AttackGenerator generator = new AttackGenerator(target, rateFactor, samePriority, new AttackDatagram(null, null));
        AttackSetup setup = new AttackSetup(generator.sources, generator.datagram, new AttackVictims(List.of(), List.of()),
            spoofedSources);
        for (Map.Entry<AttackKind, Integer> part : attack.quicParts().entrySet()) {
            generator.add(part.getKey().quicTraffic(setup, initial), part.getValue());
        }
        return generator;
    }

    private void add(AttackTraffic traffic, int perSecond) {
        parts.add(new Part(traffic, (int) (perSecond * rateFactor)));
        traffic.sources().forEach(source -> receivers.put(source, traffic));
    }

    /**
     * Makes the calling thread run only while no other thread needs its processor. The legitimate clients run on the same processors and
     * should not wait for this thread, because their delays are the result of the measurement.
     */
    private static void lowerPriority() {
        try {
            String thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
            Process chrt = new ProcessBuilder("chrt", "--idle", "--pid", "0", thread).redirectErrorStream(true).start();
            String output = new String(chrt.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (chrt.waitFor() != 0) {
                throw new IOException(output.strip());
            }
        } catch (IOException failure) {
            System.err.println("the priority of the attacker's thread cannot be lowered, so the delays of the clients are longer: "
                + failure.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends the datagrams that must reach the server before the attack begins. Called before the start. */
    public void prepare() throws IOException {
        for (Part part : parts) {
            part.traffic.prepare();
        }
    }

    /** Starts the attack, which stops after its configured duration. */
    public void start(double seconds) {
        startNs = System.nanoTime();
        endNs = startNs + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        thread.setDaemon(true);
        thread.start();
    }

    /** Prepares and runs the attack, and waits until it has ended. Does nothing if the duration is zero. */
    public void run(double seconds) throws IOException, InterruptedException {
        if (seconds > 0) {
            prepare();
            start(seconds);
            TimeUnit.NANOSECONDS.sleep((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
            finish();
        }
    }

    private void send() {
        if (!samePriority) {
            lowerPriority();
        }
        try {
            while (!closed) {
                long nowNs = System.nanoTime();
                boolean idle = true;
                if (nowNs - endNs < 0) {
                    for (Part part : parts) {
                        idle &= part.sendDue(nowNs - startNs);
                    }
                }
                sources.read((source, bytes) -> {
                    AttackTraffic traffic = receivers.get(source);
                    if (traffic != null) {
                        try {
                            traffic.received(source, Unpooled.wrappedBuffer(bytes));
                        } catch (IOException failure) {
                            throw new UncheckedIOException(failure);
                        }
                    }
                });
                if (idle) {
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
            end.complete(null);
        } catch (IOException | RuntimeException failure) {
            end.completeExceptionally(failure);
        }
    }

    /** Stops the thread and returns the counts. Throws an exception if the attack has failed. */
    public Counts finish() throws InterruptedException {
        stop();
        try {
            end.join();
        } catch (CompletionException failure) {
            throw new IllegalStateException("the attack failed", failure.getCause());
        }
        List<Source> spoofed = parts.stream().flatMap(part -> part.traffic.spoofed().stream()).toList();
        double worst = spoofed.stream().filter(source -> source.sentBytes() > 0)
            .map(source -> (double) source.receivedBytes() / source.sentBytes()).max(Comparator.naturalOrder()).orElse(Double.NaN);
        return new Counts(parts.stream().mapToLong(part -> part.sent).sum(), sources.refused(),
            spoofed.stream().mapToLong(Source::sentBytes).sum(), spoofed.stream().mapToLong(Source::receivedBytes).sum(), worst);
    }

    private void stop() throws InterruptedException {
        closed = true;
        if (startNs == 0) {
            end.complete(null);
        } else {
            thread.join(TimeUnit.SECONDS.toMillis(JOIN_SECONDS));
        }
    }

    @Override
    public void close() throws IOException {
        try {
            stop();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        sources.close();
        parts.forEach(part -> part.traffic.close());
        datagram.close();
    }
}
