package io.kcp.netty;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.AbstractKcpBuilder;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.SeededRun;
import io.kcp.testkit.SimulatedLink;
import io.kcp.testkit.SimulatedNetwork;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a server and clients with complete pipelines, without sockets and with a simulated clock. Each host has a link of its own to
 * the other hosts, whose {@link LinkProfile} defines its delay and losses. Hosts can restart, clients can get a new address, and a test can
 * send datagrams from any address. Closing this object verifies that every buffer was released, and adds the hash of the datagrams to the
 * trace of the run.
 */
public final class SimulatedHosts implements AutoCloseable {

    static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 9_000);
    /** A link that delivers all datagrams immediately. */
    static final LinkProfile DIRECT = LinkProfile.builder().build();
    private static final int CLIENT_PORT = 5_000;
    private static final int MAX_ROUNDS = 1_000_000;

    /** The layers below the sessions. */
    enum Layers {
        PLAIN(null, null),
        FEC(FecConfig.of(10, 3), null),
        CIPHER(null, EncryptedSegments.CRYPTO),
        FEC_AND_CIPHER(FEC.fec, CIPHER.crypto);

        private final @Nullable FecConfig fec;
        private final @Nullable CryptoConfig crypto;

        Layers(@Nullable FecConfig fec, @Nullable CryptoConfig crypto) {
            this.fec = fec;
            this.crypto = crypto;
        }

        <B extends AbstractKcpBuilder<B>> B apply(AbstractKcpBuilder<B> builder) {
            return builder.fec(fec).crypto(crypto).gro(false).gsoDatagrams(1);
        }
    }

    private final @Nullable SeededRun run;
    private final SplittableRandom random;
    private final DatagramTrace trace;
    private final SimulatedNetwork network = new SimulatedNetwork();
    private final EmbeddedSockets sockets = new EmbeddedSockets();
    private final List<SimulatedHost> hosts = new ArrayList<>();

    SimulatedHosts() {
        this(null);
    }

    SimulatedHosts(@Nullable SeededRun run) {
        this.run = run;
        random = new SplittableRandom(run == null ? 0 : run.seed());
        trace = new DatagramTrace(run);
    }

    /** Adds the server, which must be started before it can receive. */
    SimulatedHost addServer(LinkProfile outgoing) {
        return add(SERVER, outgoing);
    }

    /** Adds a client, which must be started before it can send. */
    SimulatedHost addClient(LinkProfile outgoing) {
        return add(new InetSocketAddress("10.0.1." + hosts.size(), CLIENT_PORT), outgoing);
    }

    SimulatedHost add(InetSocketAddress address, LinkProfile profile) {
        int id = hosts.size();
        SimulatedLink outgoing = network.newLink(profile, random.nextLong(), this::route);
        outgoing.addObserver((datagram, fate, nowUs) -> trace.add(id, datagram, fate, nowUs));
        SimulatedHost host = new SimulatedHost(sockets, address, outgoing);
        hosts.add(host);
        return host;
    }

    /** Returns an IPv4 address from a number. */
    public static InetSocketAddress address(int ip, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(
                new byte[] {(byte) (ip >> 24), (byte) (ip >> 16), (byte) (ip >> 8), (byte) ip}), port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void route(ByteBuf buffer) {
        AddressedDatagram datagram = AddressedDatagram.read(buffer);
        for (SimulatedHost host : hosts) {
            if (host.address().equals(datagram.to()) && !host.sockets().isEmpty()) {
                host.arrive(datagram);
                return;
            }
        }
        buffer.release();
    }

    UnpooledByteBufAllocator allocator() {
        return sockets.memory();
    }

    // ---- time

    long nowMs() {
        return network.nowUs() / 1_000;
    }

    /** Returns the time of the event loops, which is later than that of the network after {@link #work}. */
    long nowNanos() {
        return sockets.ticker().nanoTime();
    }

    /** Simulates work on an event loop: advances the clock of the event loops. The network follows when the hosts run. */
    void work(long nanos) {
        sockets.ticker().advance(nanos, TimeUnit.NANOSECONDS);
    }

    /** Schedules a task, which runs after the datagrams that arrive at the same time and before the hosts read these datagrams. */
    void schedule(long delayMs, Runnable task) {
        network.scheduleAfterArrivals(network.nowUs() + delayMs * 1_000, () -> {
            synchronizeClock();
            task.run();
        });
    }

    /** Runs until a condition is met or the time limit is reached. Returns {@code true} if the condition is met. */
    boolean runUntil(BooleanSupplier condition, long limitMs) {
        long limitUs = network.nowUs() + limitMs * 1_000;
        long timerUs = settle();
        while (!condition.getAsBoolean()) {
            if (network.nowUs() >= limitUs) {
                return false;
            }
            network.runNext(Math.min(limitUs, timerUs));
            timerUs = settle();
        }
        return true;
    }

    void runForMs(long durationMs) {
        runUntil(() -> false, durationMs);
    }

    /** Runs the hosts without advancing the clock, until none of them sends or receives. Returns the time of the next timer. */
    long settle() {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            network.runUntil(network.nowUs());
            synchronizeClock();
            boolean any = false;
            for (SimulatedHost host : hosts) {
                any |= host.run();
            }
            if (!any) {
                return nextTimerUs();
            }
        }
        throw new AssertionError("the hosts do not come to rest");
    }

    private void synchronizeClock() {
        long nanos = TimeUnit.MICROSECONDS.toNanos(network.nowUs()) - sockets.ticker().nanoTime();
        if (nanos > 0) {
            sockets.ticker().advance(nanos, TimeUnit.NANOSECONDS);
        }
    }

    private long nextTimerUs() {
        long nanos = Long.MAX_VALUE;
        for (SimulatedHost host : hosts) {
            nanos = Math.min(nanos, host.nextTaskNanos());
        }
        return Math.max(network.nowUs() + 1, nanos == Long.MAX_VALUE ? nanos : TimeUnit.NANOSECONDS.toMicros(nanos + 999));
    }

    @Override
    public void close() {
        if (run != null) {
            run.addTrace(trace.hash());
        }
        network.release();
        hosts.forEach(host -> host.sockets().forEach(SimulatedSocket::releaseArrived));
        sockets.close();
    }
}
