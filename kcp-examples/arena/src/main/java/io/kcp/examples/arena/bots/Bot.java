package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaMessage;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.examples.arena.world.WorldView;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.kcp.testkit.LossyLinkHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Simulated player that uses the protocol as a real game client does. To resume after a lost session, a bot keeps its token, the position
 * of the last message that it received, and its own unacknowledged messages. A bot runs on one event loop, together with its sessions.
 */
final class Bot {

    private static final Logger LOGGER = LoggerFactory.getLogger(Bot.class);
    private static final int MAX_UNACKNOWLEDGED = 64;
    private static final int SNAPSHOT_BYTES = 2_048;
    private static final Duration PING_INTERVAL = Duration.ofMillis(500);
    /**
     * Initial delay before a bot tries again to join a full room. The delay doubles with each failed attempt, up to 32 times its initial
     * value, and a random part is subtracted.
     */
    private static final long FIRST_PAUSE_MS = 1_000;
    private static final int MAX_DOUBLINGS = 5;
    private static final SecureRandom SECRETS = new SecureRandom();

    /** Chat message that the gateway has not acknowledged yet. */
    private record Unacknowledged(ClientMessage.Say say, long sentNanos) {
    }

    /** Immutable copy of the bot's state that other threads can read. The gateway is null while the bot is not in a room. */
    record State(String name, String login, String room, @Nullable String gateway, long acknowledged, int unacknowledged,
                 HeardLedger.@Nullable Heard heard, @Nullable String failure) {
    }

    final BotFleet fleet;
    final EventLoop loop;
    final Random random;
    private final FleetCounters counters;
    private final String name;
    private final String room;
    private final BotMind mind;
    private final Deque<Unacknowledged> unacknowledged = new ArrayDeque<>();
    private final ByteBuf newestSnapshot = Unpooled.buffer(SNAPSHOT_BYTES);
    private long newestOrder = -1;
    private long newestNanos;
    private KcpReconnect reconnect;
    /** Emulated link of the most recently opened socket. */
    private @Nullable LossyLinkHandler lossyLink;
    /** Most recent session, which may not have entered the room yet. */
    private @Nullable KcpChannel newestSession;
    /** Session that has entered the room, or null if there is none. */
    private @Nullable KcpChannel session;
    private @Nullable HeardLedger ledger;
    private Token token = Token.random(SECRETS);
    private int attempt;
    private int fullRooms;
    private boolean left;
    private String login = "";
    private String gateway = "";
    private boolean talking;
    private long nextSequence = 1;
    private long acknowledged;
    private long lastReceivedNanos;
    private final List<String> outageNotes = new ArrayList<>();
    private int snapshots;
    private @Nullable String failure;

    Bot(int index, BotFleet fleet, FleetCounters counters, EventLoop loop) {
        this.fleet = fleet;
        this.counters = counters;
        this.loop = loop;
        BotSettings settings = fleet.settings;
        name = settings.prefix + index;
        room = settings.room + '-' + index / settings.roomSize;
        // Multiplies the seed by a large constant, because java.util.Random generates similar first numbers from similar seeds.
        random = new Random((settings.seed * 31 + index) * 0x9E3779B97F4A7C15L);
        mind = new BotMind(random);
        reconnect = connect();
        repeat(TimeUnit.SECONDS.toMicros(1) / settings.inputsPerSecond, this::play);
        repeat(TimeUnit.NANOSECONDS.toMicros(PING_INTERVAL.toNanos()), this::ping);
        if (settings.sayRate > 0) {
            repeat((long) (TimeUnit.SECONDS.toMicros(1) * settings.bots / settings.sayRate), this::say);
        }
    }

    private void repeat(long periodMicros, Runnable action) {
        loop.scheduleAtFixedRate(() -> {
            try {
                action.run();
            } catch (RuntimeException mistake) {
                failure = mistake.toString();
                LOGGER.error("Bot {} failed", name, mistake);
            }
        }, random.nextLong(periodMicros), periodMicros, TimeUnit.MICROSECONDS);
    }

    // ---- sessions

    private KcpReconnect connect() {
        return KcpReconnect.to(BotSession.bootstrap(this), this::address)
            .answerTimeout(Duration.ofMillis(fleet.settings.answerTimeoutMs)).firstDelay(Duration.ofMillis(50))
            .maxDelay(Duration.ofSeconds(1)).listener(new KcpReconnectListener() {
                @Override
                public void onOpened(KcpChannel opened, int attempt) {
                    noteDuringOutage("attempt " + attempt);
                }

                @Override
                public void onLost(KcpChannel lost, Throwable cause) {
                    LOGGER.debug("Bot {} lost session {}", name, lost, cause);
                    onSessionEnded(lost);
                }

                @Override
                public void onRetry(int attempt, Duration delay, Throwable cause) {
                    noteDuringOutage(cause.getMessage() + ", next attempt in " + delay.toMillis() + " ms");
                }

                @Override
                public void onEnded(@Nullable Throwable cause) {
                    if (cause != null && failure == null) {
                        failure = cause.toString();
                    }
                }
            }).start();
    }

    /** Records an event if it occurs during an outage. A report lists the events of the longest outages. */
    private void noteDuringOutage(String note) {
        if (session == null && lastReceivedNanos != 0) {
            outageNotes.add("+" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastReceivedNanos) + " ms: " + note);
        }
    }

    private InetSocketAddress address() {
        List<InetSocketAddress> servers = fleet.link().servers();
        return servers.get(random.nextInt(servers.size()));
    }

    void onOpened(KcpChannel opened) {
        newestSession = opened;
        snapshots = 0;
        HeardLedger known = ledger;
        Unacknowledged first = unacknowledged.peek();
        send(opened, new ClientMessage.Join(room, name, token, ++attempt, known != null,
            known != null ? known.position() : RoomPosition.START, first != null ? first.say.sequence() : nextSequence));
    }

    private void onSessionEnded(KcpChannel ended) {
        if (session == ended) {
            session = null;
        }
    }

    /** Drops the session as if the link had been cut, and reconnects. */
    void cut() {
        session = null;
        reconnect.renew(new IOException("cut on purpose"));
    }

    /** Creates the emulated link of a new socket. */
    LossyLinkHandler newLossyLink() {
        LossyLinkHandler created = new LossyLinkHandler(fleet.link().profile(), random.nextLong());
        lossyLink = created;
        return created;
    }

    /** Applies the loss and delay of the fleet's link to the current socket. */
    void changeLink() {
        if (lossyLink != null) {
            lossyLink.setLink(fleet.link().profile());
        }
    }

    /** Drops the session and reconnects over the current link of the fleet. */
    void relink() {
        session = null;
        reconnect.close();
        reconnect = connect();
    }

    /** Leaves for good. */
    void leave() {
        left = true;
        KcpChannel present = session;
        if (present != null) {
            send(present, new ClientMessage.Leave());
        }
        session = null;
        reconnect.close();
    }

    // ---- messages

    void onBytes(KcpChannel from, ByteBuf bytes) {
        if (from != newestSession) {
            return;
        }
        if (from == session) {
            lastReceivedNanos = System.nanoTime();
        }
        long order = ArenaCodec.snapshotOrder(bytes);
        if (order >= 0) {
            onSnapshot(order, bytes);
            return;
        }
        try {
            onMessage(from, ArenaCodec.decode(bytes));
        } catch (IllegalArgumentException malformed) {
            failure = malformed.getMessage();
        }
    }

    /** Stores the latest snapshot without decoding it, because decoding all snapshots would take most of the bots' CPU time. */
    private void onSnapshot(long order, ByteBuf bytes) {
        snapshots++;
        counters.snapshots.increment();
        if (order <= newestOrder) {
            return;
        }
        long nowNanos = System.nanoTime();
        if (newestOrder >>> 32 == order >>> 32) {
            counters.snapshotsMissed.add(order - newestOrder - 1);
            counters.gapNanos.recordValue(nowNanos - newestNanos);
        }
        newestOrder = order;
        newestNanos = nowNanos;
        newestSnapshot.clear().writeBytes(bytes);
    }

    private void onMessage(KcpChannel from, ArenaMessage message) {
        if (message instanceof ServerMessage.Welcome welcome) {
            onWelcome(from, welcome);
        } else if (message instanceof ServerMessage.Kicked kicked) {
            onKicked(from, kicked);
        } else if (from != session) {
            LOGGER.debug("Bot {} ignores a message that did not arrive on its current session: {}", name, message);
        } else if (message instanceof ServerMessage.Said said) {
            HeardLedger known = ledger;
            if (known != null) {
                known.hear(said, talking && said.login().startsWith(fleet.settings.prefix));
            }
        } else if (message instanceof ServerMessage.Ack ack) {
            onAck(ack);
        } else if (message instanceof ServerMessage.Pong pong) {
            counters.rttNanos.recordValue(Math.max(0, System.nanoTime() - pong.id()));
        }
    }

    private void onWelcome(KcpChannel from, ServerMessage.Welcome welcome) {
        fullRooms = 0;
        login = welcome.login();
        gateway = welcome.gateway();
        if (ledger == null || !welcome.resumed()) {
            ledger = new HeardLedger(welcome.position());
        }
        long nowNanos = System.nanoTime();
        if (lastReceivedNanos != 0) {
            noteDuringOutage("welcomed by " + gateway);
            counters.countOutage(name, nowNanos - lastReceivedNanos, List.copyOf(outageNotes));
        }
        outageNotes.clear();
        session = from;
        lastReceivedNanos = nowNanos;
        counters.joined.increment();
        unacknowledged.forEach(waiting -> send(from, waiting.say));
    }

    private void onKicked(KcpChannel from, ServerMessage.Kicked kicked) {
        counters.countKick(kicked.reason());
        onSessionEnded(from);
        if (!kicked.reason().comeBack()) {
            failure = kicked.reason() + ": " + kicked.text();
            reconnect.close();
            return;
        }
        if (kicked.reason() == KickReason.EXPIRED) {
            becomeAnother();
        }
        // Disables lingering, because the next session sends all unacknowledged messages again.
        from.config().setLingerMs(0);
        if (kicked.reason() == KickReason.ROOM_FULL) {
            askAgainLater();
        } else {
            reconnect.renew(new IOException("kicked: " + kicked.reason() + ", " + kicked.text()));
        }
    }

    private void becomeAnother() {
        token = Token.random(SECRETS);
        ledger = null;
        unacknowledged.clear();
        nextSequence = 1;
        acknowledged = 0;
        newestOrder = -1;
    }

    private void askAgainLater() {
        reconnect.close();
        long atMostMs = FIRST_PAUSE_MS << Math.min(fullRooms++, MAX_DOUBLINGS);
        loop.schedule(() -> {
            if (!left) {
                reconnect = connect();
            }
        }, random.nextLong(atMostMs / 2, atMostMs), TimeUnit.MILLISECONDS);
    }

    private void onAck(ServerMessage.Ack ack) {
        Unacknowledged oldest = unacknowledged.peek();
        if (oldest != null && oldest.say.sequence() == ack.sequence()) {
            unacknowledged.remove();
            acknowledged = ack.sequence();
            counters.acknowledged.increment();
            counters.ackNanos.recordValue(Math.max(0, System.nanoTime() - oldest.sentNanos));
        } else if (oldest == null || ack.sequence() > oldest.say.sequence()) {
            failure = "the acknowledgement of message " + ack.sequence() + " arrived out of order";
        }
    }

    // ---- play

    private void play() {
        KcpChannel present = session;
        if (present == null) {
            return;
        }
        ClientMessage.Input input = new ClientMessage.Input(mind.think(login, view()));
        if (present.maxOobBytes() > 0) {
            present.sendOob(Unpooled.wrappedBuffer(ArenaCodec.encode(input)));
        } else if (present.isWritable()) {
            send(present, input);
        }
    }

    private @Nullable WorldView view() {
        return newestOrder >= 0 && ArenaCodec.decode(newestSnapshot.duplicate()) instanceof ServerMessage.Snapshot shown
            ? shown.view() : null;
    }

    private void ping() {
        KcpChannel present = session;
        if (present != null) {
            send(present, new ClientMessage.Ping(System.nanoTime(), snapshots));
        }
    }

    private void say() {
        if (!talking || unacknowledged.size() >= MAX_UNACKNOWLEDGED || ledger == null) {
            return;
        }
        ClientMessage.Say say = new ClientMessage.Say(nextSequence, name + " says message " + nextSequence);
        nextSequence++;
        unacknowledged.add(new Unacknowledged(say, System.nanoTime()));
        counters.said.increment();
        KcpChannel present = session;
        if (present != null) {
            send(present, say);
        }
    }

    private static void send(KcpChannel to, ArenaMessage message) {
        ByteBuf bytes = to.alloc().buffer();
        ArenaCodec.encode(message, bytes);
        to.writeAndFlush(bytes, to.voidPromise());
    }

    // ---- for the fleet

    void setTalking(boolean talking) {
        this.talking = talking;
    }

    boolean isIn() {
        return session != null;
    }

    State state() {
        HeardLedger known = ledger;
        return new State(name, login, room, isIn() ? gateway : null, acknowledged, unacknowledged.size(),
            known != null ? known.heard() : null, failure);
    }
}
