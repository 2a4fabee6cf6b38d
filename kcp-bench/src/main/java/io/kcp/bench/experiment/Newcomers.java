package io.kcp.bench.experiment;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Sessions that legitimate clients open at equal intervals during an attack. Each makes one round trip and remains open. */
final class Newcomers {

    private final EchoClients clients;
    private final int count;
    private final IntFunction<InetSocketAddress> localAddresses;
    private final ConcurrentLinkedQueue<Long> openingNs = new ConcurrentLinkedQueue<>();

    Newcomers(EchoClients clients, int count, IntFunction<InetSocketAddress> localAddresses) {
        this.clients = clients;
        this.count = count;
        this.localAddresses = localAddresses;
    }

    /** Schedules the opening of all sessions within a time. */
    void open(double seconds) {
        long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int index = i;
            long dueNs = startNs + (long) (i * seconds / count * TimeUnit.SECONDS.toNanos(1));
            clients.loop().schedule(() -> clients.connect(new EchoSession(() -> openingNs.add(System.nanoTime() - dueNs)),
                localAddresses.apply(index)), Math.max(1, dueNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    /** Returns the number of sessions that have made a round trip. */
    int opened() {
        return openingNs.size();
    }

    /**
     * Returns a percentile of the time from the planned opening of a session until its first echo. Sessions without an echo count as
     * infinitely late.
     */
    double openingMs(double quantile) {
        double[] ms = new double[count];
        Arrays.fill(ms, Double.POSITIVE_INFINITY);
        int index = 0;
        for (long ns : openingNs) {
            ms[index++] = ns / 1e6;
        }
        Arrays.sort(ms);
        return count == 0 ? Double.NaN : ms[Math.max(0, (int) Math.ceil(quantile * count) - 1)];
    }
}
