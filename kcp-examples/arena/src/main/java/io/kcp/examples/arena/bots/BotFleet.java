package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.KickReason;
import io.kcp.netty.KcpTransport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Many bots. A test or a tool starts them, waits until they are in, lets them talk, does something to the servers, waits until all
 * that was said has been heard, and asks how it went. Everybody talks only after everybody is in, so that all messages of the fleet
 * are to be heard by all in their room.
 *
 * <p>One thread drives it; what waits does so in steps of {@value #LOOK_MS} ms.
 */
public final class BotFleet implements AutoCloseable {

    private static final int LOOK_MS = 20;
    private static final int MAX_PROBLEMS = 20;

    private final BotSettings settings;
    private final FleetFigures figures = new FleetFigures();
    private final EventLoopGroup group;
    private final Map<EventLoop, List<Bot>> botsByLoop = new HashMap<>();
    private final long beganNanos = System.nanoTime();

    /**
     * Starts the bots.
     *
     * @param settings what they are like
     */
    public BotFleet(BotSettings settings) {
        this.settings = settings;
        group = new MultiThreadIoEventLoopGroup(settings.threads, new DefaultThreadFactory("arena-bots", true),
            KcpTransport.best().ioHandlerFactory());
        List<EventLoop> loops = new ArrayList<>();
        for (EventExecutor executor : group) {
            loops.add((EventLoop) executor);
            botsByLoop.put((EventLoop) executor, new ArrayList<>());
        }
        for (int i = 0; i < settings.bots; i++) {
            int index = i;
            // One room's bots on one loop or not: what counts is that loops have about as many.
            EventLoop loop = loops.get(i % loops.size());
            loop.schedule(() -> bots(loop).add(new Bot(index, settings, figures, loop)), 1000L * i / settings.joinsPerSecond,
                TimeUnit.MILLISECONDS);
        }
    }

    private List<Bot> bots(EventLoop loop) {
        return botsByLoop.getOrDefault(loop, List.of());
    }

    /**
     * Waits until all are in.
     *
     * @param atMost how long
     * @return whether they are
     */
    public boolean awaitIn(Duration atMost) {
        return until(atMost, () -> in() == settings.bots);
    }

    /**
     * Waits until the figures say something.
     *
     * @param atMost    how long
     * @param condition asked of one report after the other
     * @return whether it came to that
     */
    public boolean await(Duration atMost, Predicate<BotReport> condition) {
        return until(atMost, () -> condition.test(report()));
    }

    /**
     * Returns how many are in.
     *
     * @return bots with a session that was welcomed
     */
    public int in() {
        return (int) onBots(Bot::isIn).stream().filter(in -> in).count();
    }

    /**
     * Returns how many messages are acknowledged.
     *
     * @return what {@link BotReport#acknowledged} would say, for much less
     */
    public long acknowledged() {
        return figures.acknowledged.sum();
    }

    /**
     * Lets them talk, or be silent. They talk as much as {@link BotSettings#sayRate} says.
     *
     * @param talk whether
     */
    public void talk(boolean talk) {
        onBots(bot -> {
            bot.setSaying(talk);
            return talk;
        });
    }

    /** Forgets the times measured so far: those of a warm-up. */
    public void forgetTimes() {
        figures.rttNanos.reset();
        figures.ackNanos.reset();
        figures.outageNanos.reset();
    }

    /**
     * Drops the sessions of all bots as if their lines were cut; they come back.
     */
    public void cut() {
        onBots(bot -> {
            bot.cut();
            return true;
        });
    }

    /**
     * Makes them silent, and waits until all are in, all that they said is acknowledged, and everybody has heard all of it.
     *
     * @param atMost how long
     * @return whether it came to that
     */
    public boolean awaitSettled(Duration atMost) {
        onBots(bot -> {
            bot.setSaying(false);
            return false;
        });
        return until(atMost, () -> {
            List<BotState> states = states();
            return states.stream().allMatch(state -> state.in() && state.unacknowledged() == 0) && missing(states, new ArrayList<>()) == 0;
        });
    }

    /**
     * Tells how they fare. What is still under way counts as missing: see {@link #awaitSettled}.
     *
     * @return the figures of now
     */
    public BotReport report() {
        List<BotState> states = states();
        List<String> problems = new ArrayList<>();
        long missing = missing(states, problems);
        long heard = 0;
        long repeated = 0;
        Map<String, Integer> gateways = new TreeMap<>();
        for (BotState state : states) {
            HeardLedger.Heard known = state.heard();
            if (known != null) {
                heard += known.count();
                repeated += known.repeated();
                if (known.repeated() > 0) {
                    problems.add(state.name() + " heard " + known.repeated() + " messages again");
                }
                if (known.jumps() > 0) {
                    problems.add(state.name() + " saw " + known.jumps() + " jumps in the positions");
                }
            }
            String gateway = state.gateway();
            if (gateway != null) {
                gateways.merge(gateway, 1, Integer::sum);
            }
            if (state.failure() != null) {
                problems.add(state.name() + ": " + state.failure());
            }
        }
        int in = gateways.values().stream().mapToInt(Integer::intValue).sum();
        long unacknowledged = states.stream().mapToLong(BotState::unacknowledged).sum();
        if (in < settings.bots) {
            problems.add(settings.bots - in + " bots are not in");
        }
        if (unacknowledged > 0) {
            problems.add(unacknowledged + " messages are not acknowledged");
        }
        if (figures.kicked().containsKey(KickReason.EXPIRED)) {
            problems.add("gateways have forgotten what they had promised to keep");
        }
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        return new BotReport(settings.bots, in, gateways, figures.joined.sum(), seconds, figures.snapshots.sum(),
            figures.snapshots.sum() / seconds / settings.bots, figures.snapshotsMissed.sum(), Percentiles.of(figures.rttNanos.copy()),
            figures.said.sum(), figures.acknowledged.sum(), Percentiles.of(figures.ackNanos.copy()), heard, missing, repeated,
            unacknowledged, Percentiles.of(figures.outageNanos.copy()), figures.kicked(),
            problems.size() > MAX_PROBLEMS ? problems.subList(0, MAX_PROBLEMS) : problems);
    }

    /** Compares what everybody in a room should have heard with what it has. */
    private static long missing(List<BotState> states, List<String> problems) {
        Map<String, List<BotState>> byRoom = new HashMap<>();
        states.forEach(state -> byRoom.computeIfAbsent(state.room(), room -> new ArrayList<>()).add(state));
        long missing = 0;
        for (List<BotState> mates : byRoom.values()) {
            for (BotState listener : mates) {
                HeardLedger.Heard heard = listener.heard();
                if (heard == null) {
                    continue;
                }
                long missed = heard.missed();
                for (BotState speaker : mates) {
                    missed += Math.max(0, speaker.acknowledged() - heard.lastSequence(speaker.login()));
                }
                if (missed > 0) {
                    problems.add(listener.name() + " has not heard " + missed + " messages");
                }
                missing += missed;
            }
        }
        return missing;
    }

    private List<BotState> states() {
        return onBots(Bot::state);
    }

    private <T> List<T> onBots(Function<Bot, T> action) {
        List<CompletableFuture<List<T>>> parts = new ArrayList<>();
        botsByLoop.forEach((loop, bots) -> parts.add(CompletableFuture.supplyAsync(() -> bots.stream().map(action).toList(), loop)));
        List<T> all = new ArrayList<>();
        parts.forEach(part -> all.addAll(part.orTimeout(30, TimeUnit.SECONDS).join()));
        return all;
    }

    private static boolean until(Duration atMost, BooleanSupplier condition) {
        long endNanos = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - endNanos >= 0 || !pause()) {
                return false;
            }
        }
        return true;
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Lets all bots leave for good, and ends their event loops. */
    @Override
    public void close() {
        onBots(bot -> {
            bot.leave();
            return true;
        });
        group.shutdownGracefully(100, 2_000, TimeUnit.MILLISECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
