package io.kcp.tools.tunnel;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpOpenSessions;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Opens the sessions of a tunnel client, one for each of the {@code --conn} slots. Streams use the slots round-robin. A session is opened
 * when its slot is used for the first time, and again when the session has closed or expired. An expired session stays open for its
 * streams, but no longer than the scavenge time.
 *
 * <p>{@link #next()} must be called on one thread; other threads may call the other methods.
 */
final class SessionPool {

    /** Contains the session of a slot, which is null until the slot is used. */
    private static final class Slot {

        private @Nullable Promise<KcpChannel> session;
        private long expiresNanos;
    }

    private final KcpBootstrap bootstrap;
    private final PortRange remote;
    private final Slot[] slots;
    private final int autoExpireSeconds;
    private final int scavengeSeconds;
    private final TunnelLog log;
    private final LongSupplier nanoClock;
    private final RandomGenerator random;
    private final Set<KcpChannel> open = Collections.newSetFromMap(new ConcurrentHashMap<>());
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong maxOpen = new AtomicLong();
    private final Object closedLock = new Object();
    private KcpListenerStats closedStats = KcpListenerStats.ZERO;
    private int nextSlot;

    SessionPool(KcpBootstrap bootstrap, ClientOptions options, TunnelLog log) {
        this(bootstrap, options, log, System::nanoTime, new Random());
    }

    SessionPool(KcpBootstrap bootstrap, ClientOptions options, TunnelLog log, LongSupplier nanoClock, RandomGenerator random) {
        this.bootstrap = bootstrap;
        this.log = log;
        this.nanoClock = nanoClock;
        this.random = random;
        remote = options.remote();
        autoExpireSeconds = options.autoExpireSeconds();
        scavengeSeconds = options.scavengeSeconds();
        slots = new Slot[options.connections()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot();
        }
    }

    /** Returns the session for the next stream, which may still be opening. The future fails if the server's name cannot be resolved. */
    Future<KcpChannel> next() {
        Slot slot = slots[nextSlot];
        nextSlot = (nextSlot + 1) % slots.length;
        Promise<KcpChannel> current = slot.session;
        long nowNanos = nanoClock.getAsLong();
        if (current != null && isUsable(current)) {
            if (autoExpireSeconds == 0 || nowNanos - slot.expiresNanos < 0) {
                return current;
            }
            current.addListener(opened -> {
                if (opened.isSuccess()) {
                    retire(current.getNow());
                }
            });
        }
        Promise<KcpChannel> fresh = open();
        slot.session = fresh;
        slot.expiresNanos = nowNanos + TimeUnit.SECONDS.toNanos(autoExpireSeconds);
        return fresh;
    }

    private static boolean isUsable(Promise<KcpChannel> session) {
        if (!session.isDone()) {
            return true;
        }
        if (!session.isSuccess()) {
            return false;
        }
        KcpChannel channel = session.getNow();
        return channel.isActive() && !channel.isClosing() && !handler(channel).isRetired();
    }

    private void retire(KcpChannel session) {
        log.info("session expired: " + session.localAddress() + " -> " + session.remoteAddress());
        handler(session).retire(session, scavengeSeconds);
    }

    /** Returns the handler of a session that this pool has opened. */
    static TunnelSession handler(KcpChannel session) {
        return session.attr(TunnelSession.KEY).get();
    }

    private Promise<KcpChannel> open() {
        Promise<KcpChannel> promise = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
        int port = remote.firstPort() + random.nextInt(remote.size());
        // An empty host stands for the local host, as in Go.
        var connecting = bootstrap.connect(InetSocketAddress.createUnresolved(remote.host().isEmpty() ? "localhost" : remote.host(), port));
        connecting.addListener(connected -> {
            if (!connected.isSuccess()) {
                log.info("cannot open a session to " + remote + ": " + connected.cause().getMessage());
                promise.tryFailure(connected.cause());
                return;
            }
            KcpChannel session = connecting.channel();
            onOpened(session);
            log.info("session opened: " + session.localAddress() + " -> " + session.remoteAddress());
            promise.trySuccess(session);
        });
        return promise;
    }

    private void onOpened(KcpChannel session) {
        opened.incrementAndGet();
        open.add(session);
        maxOpen.accumulateAndGet(open.size(), Math::max);
        session.closeFuture().addListener(closed -> session.collectStats().addListener(collected -> {
            synchronized (closedLock) {
                if (open.remove(session) && collected.isSuccess()) {
                    closedStats = closedStats.plus(stats(0, (KcpSessionStats) collected.getNow()));
                }
            }
        }));
    }

    private static KcpListenerStats stats(int active, KcpSessionStats session) {
        int rttMs = session.smoothedRttMs();
        KcpOpenSessions view = active == 0 ? KcpOpenSessions.NONE : new KcpOpenSessions(session.unacknowledgedBytes(),
            session.waitingSegments(), rttMs > 0 ? 1 : 0, rttMs, rttMs, histogram(rttMs));
        return new KcpListenerStats(active, 0, 0, Map.of(), 0, Map.of(), 0, 0, 0, 0, 0, 0, view, session.counters(), session.fec(),
            List.of());
    }

    private static List<Long> histogram(int rttMs) {
        Long[] counts = new Long[KcpOpenSessions.RTT_BOUNDS_MS.size() + 1];
        Arrays.fill(counts, 0L);
        int bucket = 0;
        while (bucket < KcpOpenSessions.RTT_BOUNDS_MS.size() && rttMs > KcpOpenSessions.RTT_BOUNDS_MS.get(bucket)) {
            bucket++;
        }
        counts[bucket] = 1L;
        return List.of(counts);
    }

    /** Collects the statistics of all sessions, open and closed ones. */
    Future<KcpListenerStats> collectStats() {
        Promise<KcpListenerStats> promise = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
        KcpListenerStats total;
        KcpChannel[] sessions;
        synchronized (closedLock) {
            total = closedStats;
            sessions = open.toArray(KcpChannel[]::new);
        }
        KcpListenerStats base = total.plus(new KcpListenerStats(0, opened.get(), maxOpen.get(), Map.of(), 0, Map.of(), 0, 0, 0, 0, 0, 0,
            KcpOpenSessions.NONE, KcpStats.ZERO, FecStats.ZERO, List.of()));
        Promise<KcpListenerStats> sum = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
        sum.addListener(done -> promise.trySuccess(base.plus(sum.getNow())));
        StatsSum adder = new StatsSum(sessions.length, sum);
        for (KcpChannel session : sessions) {
            Promise<KcpListenerStats> one = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
            one.addListener(adder);
            session.collectStats().addListener(collected -> {
                if (collected.isSuccess()) {
                    one.trySuccess(stats(1, (KcpSessionStats) collected.getNow()));
                } else {
                    one.tryFailure(collected.cause());
                }
            });
        }
        return promise;
    }

    /** Closes each session after its streams have closed, but no later than a maximum time, and returns when all sessions have closed. */
    void drain(int maxSeconds, int extraSeconds) throws InterruptedException {
        KcpChannel[] sessions = open.toArray(KcpChannel[]::new);
        for (KcpChannel session : sessions) {
            handler(session).retire(session, maxSeconds);
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(maxSeconds + extraSeconds);
        for (KcpChannel session : sessions) {
            session.closeFuture().await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }
}
