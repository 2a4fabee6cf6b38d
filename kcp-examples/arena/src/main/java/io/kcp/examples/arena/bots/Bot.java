package io.kcp.examples.arena.bots;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaDecodeException;
import io.kcp.examples.arena.wire.ArenaMessage;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.examples.arena.world.WorldView;
import io.kcp.netty.KcpBootstrap;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One player. Keeps what it needs to come back: its token, the last message that it heard, and the messages of its own that are
 * not acknowledged. On one event loop, its sessions too.
 */
final class Bot {

    private static final Logger LOGGER = LoggerFactory.getLogger(Bot.class);
    private static final int MAX_UNACKNOWLEDGED = 64;
    private static final int SNAPSHOT_BYTES = 2_048;
    /** How long it waits when its room is full: twice as long each time, less by chance. */
    private static final long FIRST_WAIT_MS = 1_000;
    private static final int MAX_DOUBLINGS = 5;
    private static final SecureRandom SECRETS = new SecureRandom();

    /** What was said and when. */
    private record Unacknowledged(ClientMessage.Say say, long nanos) {
    }

    private final FleetFigures figures;
    private final BotSettings settings;
    private final EventLoop loop;
    private final String name;
    private final String room;
    private final Random random;
    private final BotMind mind;
    private KcpReconnect reconnect;
    /** How often in a row it was told that its room is full. */
    private int refusals;
    private boolean left;
    private final Deque<Unacknowledged> unacknowledged = new ArrayDeque<>();
    private final ByteBuf newest = Unpooled.buffer(SNAPSHOT_BYTES);
    private long newestOrder = -1;
    private @Nullable HeardLedger ledger;
    private Token token;
    private @Nullable KcpChannel newestSession;
    /** The newest one, once it was welcomed. */
    private @Nullable KcpChannel session;
    private int attempt;
    private String login = "";
    private String gateway = "";
    private boolean saying;
    private boolean everIn;
    private long nextSequence = 1;
    private long acknowledged;
    private long lastHeardNanos;
    private int snapshots;
    private @Nullable String failure;

    Bot(int index, BotSettings settings, FleetFigures figures, EventLoop loop) {
        this.settings = settings;
        this.figures = figures;
        this.loop = loop;
        name = settings.prefix + index;
        room = settings.room + '-' + index / settings.roomSize;
        // Seeds that differ little make first numbers that differ little.
        random = new Random((settings.seed * 31 + index) * 0x9E3779B97F4A7C15L);
        mind = new BotMind(random);
        token = Token.random(SECRETS);
        reconnect = connect();
        schedule(TimeUnit.SECONDS.toMicros(1) / settings.inputsPerSecond, this::play);
        schedule(TimeUnit.NANOSECONDS.toMicros(settings.pingInterval.toNanos()), this::ping);
        if (settings.sayRate > 0) {
            schedule((long) (TimeUnit.SECONDS.toMicros(1) * settings.bots / settings.sayRate), this::say);
        }
    }

    private KcpReconnect connect() {
        KcpBootstrap bootstrap = BotSession.bootstrap(this, settings, loop);
        return KcpReconnect.to(bootstrap, this::address).answerTimeout(settings.answerTimeout).firstDelay(Duration.ofMillis(50))
            .maxDelay(Duration.ofSeconds(1)).listener(new KcpReconnectListener() {
                @Override
                public void onLost(KcpChannel lost, Throwable cause) {
                    LOGGER.debug("{} lost {}", name, lost, cause);
                    onSessionEnded(lost);
                }

                @Override
                public void onEnded(@Nullable Throwable cause) {
                    if (cause != null && failure == null) {
                        failure = cause.toString();
                    }
                }
            }).start();
    }

    private InetSocketAddress address() {
        return settings.servers.get(random.nextInt(settings.servers.size()));
    }

    private void schedule(long periodMicros, Runnable action) {
        loop.scheduleAtFixedRate(() -> {
            try {
                action.run();
            } catch (RuntimeException mistake) {
                failure = mistake.toString();
                LOGGER.error("{} failed", name, mistake);
            }
        }, random.nextLong(periodMicros), periodMicros, TimeUnit.MICROSECONDS);
    }

    // ---- sessions

    Random random() {
        return random;
    }

    void onOpened(KcpChannel opened) {
        newestSession = opened;
        snapshots = 0;
        HeardLedger known = ledger;
        Unacknowledged first = unacknowledged.peek();
        RoomPosition after = known != null ? known.position() : RoomPosition.START;
        send(opened, new ClientMessage.Join(room, name, token, ++attempt, known != null, after,
            first != null ? first.say.sequence() : nextSequence, opened.maxOobBytes() > 0));
    }

    private void onSessionEnded(KcpChannel ended) {
        if (session == ended) {
            session = null;
        }
    }

    void onBytes(KcpChannel from, ByteBuf bytes) {
        if (from != newestSession) {
            return;
        }
        if (from == session) {
            lastHeardNanos = System.nanoTime();
        }
        long order = ArenaCodec.snapshotOrder(bytes);
        if (order >= 0) {
            onSnapshot(order, bytes);
            return;
        }
        try {
            onMessage(from, ArenaCodec.decodeServer(bytes));
        } catch (ArenaDecodeException wrong) {
            failure = wrong.getMessage();
            figures.decodeErrors.increment();
        }
    }

    /** Most are never looked at: that costs more than all the rest. */
    private void onSnapshot(long order, ByteBuf bytes) {
        snapshots++;
        figures.snapshots.increment();
        if (order <= newestOrder) {
            return;
        }
        if (newestOrder >>> 32 == order >>> 32) {
            figures.snapshotsMissed.add(order - newestOrder - 1);
        }
        newestOrder = order;
        newest.clear().writeBytes(bytes);
    }

    private void onMessage(KcpChannel from, ServerMessage message) {
        if (message instanceof ServerMessage.Welcome welcome) {
            onWelcome(from, welcome);
        } else if (message instanceof ServerMessage.Kicked kicked) {
            onKicked(from, kicked);
        } else if (from != session) {
            LOGGER.debug("{}: {} of a session that is over", name, message);
        } else if (message instanceof ServerMessage.Said said) {
            HeardLedger known = ledger;
            if (known != null) {
                known.hear(said, saying && said.login().startsWith(settings.prefix));
            }
        } else if (message instanceof ServerMessage.Ack ack) {
            onAck(ack);
        } else if (message instanceof ServerMessage.Pong pong) {
            figures.rttNanos.recordValue(Math.max(0, System.nanoTime() - pong.id()));
        }
    }

    private void onWelcome(KcpChannel from, ServerMessage.Welcome welcome) {
        session = from;
        refusals = 0;
        login = welcome.login();
        gateway = welcome.gateway();
        if (ledger != null && !welcome.resumed()) {
            failure = "came back as a new player";
        }
        if (ledger == null || !welcome.resumed()) {
            ledger = new HeardLedger(welcome.position());
        }
        if (everIn) {
            figures.onBack(System.nanoTime() - lastHeardNanos);
        }
        everIn = true;
        lastHeardNanos = System.nanoTime();
        figures.joined.increment();
        unacknowledged.forEach(waiting -> send(from, waiting.say));
    }

    private void onKicked(KcpChannel from, ServerMessage.Kicked kicked) {
        figures.onKicked(kicked.reason());
        onSessionEnded(from);
        if (!kicked.reason().comeBack()) {
            failure = kicked.reason() + ": " + kicked.text();
            reconnect.close();
            return;
        }
        if (kicked.reason() == KickReason.EXPIRED) {
            token = Token.random(SECRETS);
            ledger = null;
            unacknowledged.clear();
            nextSequence = 1;
            acknowledged = 0;
            newestOrder = -1;
        }
        // Nobody listens there any more, and what is not acknowledged is said again elsewhere.
        from.config().setLingerMs(0);
        if (kicked.reason() == KickReason.ROOM_FULL) {
            askAgainLater();
            return;
        }
        reconnect.renew(new IOException("kicked: " + kicked.reason() + ", " + kicked.text()));
    }

    private void askAgainLater() {
        reconnect.close();
        long atMostMs = FIRST_WAIT_MS << Math.min(refusals++, MAX_DOUBLINGS);
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
            figures.acknowledged.increment();
            figures.ackNanos.recordValue(Math.max(0, System.nanoTime() - oldest.nanos));
        } else if (oldest == null || ack.sequence() > oldest.say.sequence()) {
            failure = "an acknowledgement of " + ack.sequence() + " came out of turn";
        }
    }

    // ---- play

    private void play() {
        KcpChannel playing = session;
        if (playing == null) {
            return;
        }
        ClientMessage.Input input = new ClientMessage.Input(mind.think(login, view()));
        if (playing.maxOobBytes() > 0) {
            playing.sendOob(Unpooled.wrappedBuffer(ArenaCodec.encode(input)));
        } else if (playing.isWritable()) {
            send(playing, input);
        }
    }

    private @Nullable WorldView view() {
        try {
            return newestOrder >= 0 && ArenaCodec.decode(newest.duplicate()) instanceof ServerMessage.Snapshot shown ? shown.view() : null;
        } catch (ArenaDecodeException wrong) {
            failure = wrong.getMessage();
            figures.decodeErrors.increment();
            return null;
        }
    }

    private void ping() {
        KcpChannel playing = session;
        if (playing != null) {
            send(playing, new ClientMessage.Ping(System.nanoTime(), snapshots));
        }
    }

    private void say() {
        if (!saying || unacknowledged.size() >= MAX_UNACKNOWLEDGED || ledger == null) {
            return;
        }
        ClientMessage.Say say = new ClientMessage.Say(nextSequence, "this is " + name + " for the " + nextSequence + ". time");
        nextSequence++;
        unacknowledged.add(new Unacknowledged(say, System.nanoTime()));
        figures.said.increment();
        KcpChannel playing = session;
        if (playing != null) {
            send(playing, say);
        }
    }

    private static void send(KcpChannel to, ArenaMessage message) {
        ByteBuf bytes = to.alloc().buffer();
        ArenaCodec.encode(message, bytes);
        to.writeAndFlush(bytes, to.voidPromise());
    }

    // ---- for the fleet, on the event loop

    void setSaying(boolean saying) {
        this.saying = saying;
    }

    /** Leaves for good. */
    void leave() {
        left = true;
        KcpChannel playing = session;
        if (playing != null) {
            send(playing, new ClientMessage.Leave());
        }
        session = null;
        reconnect.close();
    }

    /** Drops the session as if the line were cut, and comes back. */
    void cut() {
        reconnect.renew(new IOException("cut on purpose"));
        session = null;
    }

    boolean isIn() {
        return session != null;
    }

    BotState state() {
        HeardLedger known = ledger;
        return new BotState(name, login, room, isIn() ? gateway : null, acknowledged, unacknowledged.size(),
            known != null ? known.heard() : null, failure);
    }
}
