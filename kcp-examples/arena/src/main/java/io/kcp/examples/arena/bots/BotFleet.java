package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.KickReason;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Runs many bots and reports whether they lost messages. A test or a tool starts the bots, waits until all bots have entered their rooms,
 * makes the bots chat, disturbs the gateways, waits until all messages have been received, and requests a report. A fleet must be used by
 * one thread only.
 */
public final class BotFleet implements AutoCloseable {

    private static final int POLL_MS = 20;
    private static final int MAX_PROBLEMS = 20;

    final BotSettings settings;
    private final FleetCounters counters = new FleetCounters();
    private final EventLoopGroup group;
    private final Map<EventLoop, List<Bot>> botsByLoop = new LinkedHashMap<>();
    private final long startNanos = System.nanoTime();
    private volatile BotLink link;

    /**
     * Starts the bots.
     *
     * @param settings their settings
     */
    public BotFleet(BotSettings settings) {
        this.settings = settings.check();
        link = settings.link();
        group = new MultiThreadIoEventLoopGroup(settings.threads, new DefaultThreadFactory("arena-bots", true),
            KcpTransport.best().ioHandlerFactory());
        for (EventExecutor executor : group) {
            botsByLoop.put((EventLoop) executor, new ArrayList<>());
        }
        List<EventLoop> loops = List.copyOf(botsByLoop.keySet());
        for (int i = 0; i < settings.bots; i++) {
            int index = i;
            EventLoop loop = loops.get(i % loops.size());
            List<Bot> bots = Objects.requireNonNull(botsByLoop.get(loop));
            loop.schedule(() -> bots.add(new Bot(index, this, counters, loop)), 1000L * i / settings.joinsPerSecond, TimeUnit.MILLISECONDS);
        }
    }

    // ---- what they do

    /**
     * Makes all bots start or stop sending chat messages.
     *
     * @param talk {@code true} to send messages at the rate of the settings
     */
    public void talk(boolean talk) {
        onBots(bot -> bot.setTalking(talk));
    }

    /** Drops the sessions of all bots as if their links had been cut. The bots reconnect. */
    public void cut() {
        onBots(Bot::cut);
    }

    /**
     * Returns the link.
     *
     * @return the current link
     */
    public BotLink link() {
        return link;
    }

    /**
     * Changes the link. Bots reconnect if servers or FEC change. All measured times are discarded.
     *
     * @param changed the new link
     */
    public void setLink(BotLink changed) {
        BotLink before = link;
        link = changed;
        onBots(Bot::changeLink);
        if (!before.servers().equals(changed.servers()) || !Objects.equals(before.fec(), changed.fec())) {
            onBots(Bot::relink);
            awaitIn(Duration.ofSeconds(10));
        }
        counters.resetTimes();
    }

    // ---- what became of it

    /**
     * Waits until all bots have entered their rooms.
     *
     * @param atMost the limit
     * @return {@code false} if the time limit expired
     */
    public boolean awaitIn(Duration atMost) {
        return until(atMost, () -> in() == settings.bots);
    }

    /**
     * Waits for a report.
     *
     * @param atMost    the limit
     * @param condition accepts the report
     * @return {@code false} if the time limit expired
     */
    public boolean await(Duration atMost, Predicate<BotReport> condition) {
        return until(atMost, () -> condition.test(report()));
    }

    /**
     * Stops sending chat messages, and waits until every bot has entered its room and received all messages.
     *
     * @param atMost the limit
     * @return {@code false} if the time limit expired
     */
    public boolean awaitSettled(Duration atMost) {
        talk(false);
        return until(atMost, () -> {
            List<Bot.State> states = askBots(Bot::state);
            return states.size() == settings.bots && missing(states, new ArrayList<>()) == 0
                && states.stream().allMatch(state -> state.gateway() != null && state.unacknowledged() == 0);
        });
    }

    /**
     * Returns the number of bots.
     *
     * @return all bots
     */
    public int bots() {
        return settings.bots;
    }

    /**
     * Returns the number of bots that have entered their rooms.
     *
     * @return bots that have entered their rooms
     */
    public int in() {
        return (int) askBots(Bot::isIn).stream().filter(in -> in).count();
    }

    /**
     * Returns the number of chat messages that gateways have acknowledged.
     *
     * @return the same value as {@link BotReport#acknowledged}, but cheaper to compute
     */
    public long acknowledged() {
        return counters.acknowledged.sum();
    }

    /**
     * Returns the round-trip times that have been measured since the most recent change of the link.
     *
     * @return times from ping to pong
     */
    public BotReport.Times roundTrips() {
        return BotReport.Times.of(counters.rttNanos.copy());
    }

    /**
     * Returns the intervals between snapshots, as measured since the most recent change of the link.
     *
     * @return intervals, which are 50 ms if no snapshot is lost or late
     */
    public BotReport.Times snapshotGaps() {
        return BotReport.Times.of(counters.gapNanos.copy());
    }

    /** Discards all times measured so far, for example those of a warm-up. */
    public void resetTimes() {
        counters.resetTimes();
    }

    /**
     * Creates a report of the results so far. Messages in flight count as missing, see {@link #awaitSettled}.
     *
     * @return the report
     */
    public BotReport report() {
        List<Bot.State> states = askBots(Bot::state);
        List<String> problems = new ArrayList<>();
        long missing = missing(states, problems);
        long heard = 0;
        long repeated = 0;
        long unacknowledged = 0;
        Map<String, Integer> gateways = new TreeMap<>();
        for (Bot.State state : states) {
            unacknowledged += state.unacknowledged();
            HeardLedger.Heard known = state.heard();
            if (known != null) {
                heard += known.count();
                repeated += known.repeated();
                addIf(known.repeated() > 0, problems, state.name() + " received " + known.repeated() + " messages repeatedly");
                addIf(known.jumps() > 0, problems, state.name() + " detected " + known.jumps() + " gaps in the positions");
            }
            String gateway = state.gateway();
            if (gateway != null) {
                gateways.merge(gateway, 1, Integer::sum);
            }
            addIf(state.failure() != null, problems, state.name() + ": " + state.failure());
        }
        int in = gateways.values().stream().mapToInt(Integer::intValue).sum();
        addIf(in < settings.bots, problems, settings.bots - in + " bots are in no room");
        addIf(unacknowledged > 0, problems, unacknowledged + " messages are not acknowledged");
        addIf(counters.kicked().containsKey(KickReason.EXPIRED), problems, "gateways no longer had the messages of resuming players");
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long snapshots = counters.snapshots.sum();
        return new BotReport(settings.bots, in, gateways, counters.joined.sum(), seconds, snapshots, snapshots / seconds / settings.bots,
            counters.snapshotsMissed.sum(), roundTrips(), snapshotGaps(), counters.said.sum(), counters.acknowledged.sum(),
            BotReport.Times.of(counters.ackNanos.copy()), heard, missing, repeated, unacknowledged,
            BotReport.Times.of(counters.outageNanos.copy()), counters.longestOutages(), counters.kicked(),
            problems.size() > MAX_PROBLEMS ? problems.subList(0, MAX_PROBLEMS) : problems);
    }

    private static void addIf(boolean condition, List<String> problems, String problem) {
        if (condition) {
            problems.add(problem);
        }
    }

    /** Counts, for every bot, the chat messages that the bot did not receive although they were sent in its room, and returns the sum. */
    private static long missing(List<Bot.State> states, List<String> problems) {
        long missing = 0;
        for (List<Bot.State> mates : states.stream().collect(Collectors.groupingBy(Bot.State::room)).values()) {
            for (Bot.State listener : mates) {
                HeardLedger.Heard heard = listener.heard();
                if (heard == null) {
                    continue;
                }
                long missed = heard.missed();
                for (Bot.State speaker : mates) {
                    missed += Math.max(0, speaker.acknowledged() - heard.lastSequence(speaker.login()));
                }
                addIf(missed > 0, problems, listener.name() + " did not receive " + missed + " messages");
                missing += missed;
            }
        }
        return missing;
    }

    private void onBots(Consumer<Bot> action) {
        askBots(bot -> {
            action.accept(bot);
            return bot;
        });
    }

    private <T> List<T> askBots(Function<Bot, T> question) {
        List<CompletableFuture<List<T>>> parts = new ArrayList<>();
        botsByLoop.forEach((loop, bots) -> parts.add(CompletableFuture.supplyAsync(() -> bots.stream().map(question).toList(), loop)));
        List<T> answers = new ArrayList<>();
        parts.forEach(part -> answers.addAll(part.orTimeout(30, TimeUnit.SECONDS).join()));
        return answers;
    }

    private static boolean until(Duration atMost, BooleanSupplier condition) {
        long endNanos = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - endNanos >= 0) {
                return false;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** Makes all bots leave their rooms permanently, and shuts down their event loops. */
    @Override
    public void close() {
        onBots(Bot::leave);
        group.shutdownGracefully(100, 2_000, TimeUnit.MILLISECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
    }
}
