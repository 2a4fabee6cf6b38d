package io.kcp.examples.arena.room;

import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.netty.KcpChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AttributeKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A player and its session. Fields without a note on threads are accessed only by the event loop of the session. */
public final class Player {

    /** Maximum number of reliably sent snapshots in flight, enough for a round trip of 200 ms at 20 snapshots per second. */
    private static final int MAX_SNAPSHOTS_IN_FLIGHT = 4;
    private static final AttributeKey<Player> KEY = AttributeKey.valueOf(Player.class, "PLAYER");

    final KcpChannel session;
    final ClientMessage.Join join;
    final String login;
    private final ArenaCounters counters;
    private final SayLimit sayLimit;

    /** Position of the most recent chat message that was sent to the player. Accessed by the room thread. */
    RoomPosition heard;
    /** Number of ticks since the player's most recent input. Accessed by the room thread. */
    int idleTicks;
    /** Stage that completes when all chat messages that the player has sent so far are in the log. Accessed by the room thread. */
    CompletionStage<@Nullable Void> published = CompletableFuture.completedFuture(null);
    /** Most recent input that the room has not processed yet. Accessed by any thread. */
    private final AtomicReference<@Nullable PlayerInput> input = new AtomicReference<>();
    /** Room of the player, or null until {@link Rooms#enter} is called. Accessed by any thread. */
    volatile @Nullable Room room;

    private long nextSequence;
    private boolean left;
    private int snapshotsInFlight;
    private int snapshotsSent;
    private int snapshotsReported;
    private int snapshotsSeen;

    Player(KcpChannel session, ClientMessage.Join join, int sayRate, ArenaCounters counters) {
        this.session = session;
        this.join = join;
        this.counters = counters;
        login = join.token().login(join.name());
        heard = join.after();
        nextSequence = join.nextSequence();
        sayLimit = new SayLimit(sayRate, System.nanoTime());
        session.attr(KEY).set(this);
    }

    /**
     * Returns the player that joined through a session.
     *
     * @param session a session of the gateway
     * @return the player, or null if the session has not joined a room
     */
    public static @Nullable Player of(KcpChannel session) {
        return session.attr(KEY).get();
    }

    /**
     * Returns the name.
     *
     * @return the name that other players see
     */
    public String name() {
        return join.name();
    }

    /**
     * Returns the name of the room that the player joins.
     *
     * @return the name in the join message of the player
     */
    public String roomName() {
        return join.room();
    }

    /**
     * Returns the number of snapshots that had been sent to the player when its most recent ping arrived. Called on the event loop.
     *
     * @return snapshots of this session
     */
    public int snapshotsSent() {
        return snapshotsReported;
    }

    /**
     * Returns the number of received snapshots that the player reported in its most recent ping. Called on the event loop.
     *
     * @return at most {@link #snapshotsSent()}
     */
    public int snapshotsSeen() {
        return snapshotsSeen;
    }

    // ---- called by the controller, on the event loop

    void ping(ClientMessage.Ping ping) {
        snapshotsReported = snapshotsSent;
        snapshotsSeen = Math.max(snapshotsSeen, Math.min(ping.snapshots(), snapshotsReported));
    }

    /** Stores an input. The input is ignored if a newer one is already stored, because out-of-band inputs may arrive out of order. */
    void offer(PlayerInput offered) {
        counters.inputs.increment();
        input.accumulateAndGet(offered, (present, next) -> present == null || next.sequence() - present.sequence() > 0 ? next : present);
    }

    boolean isNext(ClientMessage.Say say) {
        return say.sequence() == nextSequence;
    }

    boolean maySay() {
        nextSequence++;
        return sayLimit.allows(System.nanoTime());
    }

    void setLeft() {
        left = true;
    }

    boolean hasLeft() {
        return left;
    }

    // ---- called by the room

    @Nullable PlayerInput takeInput() {
        return input.getAndSet(null);
    }

    void welcome(boolean resumed, String gateway) {
        counters.joined.increment();
        if (resumed) {
            counters.resumed.increment();
        }
        byte[] welcome = ArenaCodec.encode(new ServerMessage.Welcome(login, resumed, heard, gateway));
        session.writeAndFlush(Unpooled.wrappedBuffer(welcome));
    }

    /** Writes chat messages and, if there is one, a snapshot, and flushes them together. Called on the event loop. */
    void send(List<byte[]> messages, byte @Nullable [] snapshot) {
        messages.forEach(message -> session.write(Unpooled.wrappedBuffer(message), session.voidPromise()));
        counters.heard.increment(messages.size());
        if (snapshot != null) {
            if (show(snapshot)) {
                snapshotsSent++;
                counters.snapshotsSent.increment();
            } else {
                counters.snapshotsSkipped.increment();
            }
        }
        session.flush();
    }

    /** Sends a snapshot out of band if it is small enough. Otherwise sends it reliably, unless too many earlier snapshots are in flight. */
    private boolean show(byte[] snapshot) {
        ByteBuf bytes = Unpooled.wrappedBuffer(snapshot);
        if (snapshot.length <= session.maxOobBytes()) {
            session.sendOob(bytes);
            counters.outOfBandBytesOut.increment(snapshot.length);
            return true;
        }
        if (snapshotsInFlight >= MAX_SNAPSHOTS_IN_FLIGHT || !session.isWritable()) {
            bytes.release();
            return false;
        }
        snapshotsInFlight++;
        session.write(bytes, session.voidPromise());
        session.flush();
        session.acknowledged().addListener(done -> snapshotsInFlight--);
        return true;
    }
}
