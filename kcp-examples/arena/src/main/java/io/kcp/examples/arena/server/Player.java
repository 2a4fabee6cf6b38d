package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.NameHolder;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.netty.KcpChannel;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A player in a room by one session. What the session and the room hand each other here is the newest input. */
final class Player {

    final KcpChannel session;
    final PlayerSession handler;
    final String name;
    final String login;
    final String room;
    final Token token;
    final int attempt;
    /** Whose its name was when it came. */
    final NameHolder nameBefore;
    /** It comes back to a room that it was in, and its name was still its own. */
    final boolean resumed;
    final boolean takesOutOfBand;
    /** What it hears comes after this; on the room's executor, once it is there. */
    RoomPosition after;
    final Renewal renewal = new Renewal(ThreadLocalRandom.current().nextInt(Room.RENEW_SECONDS));
    /** Ticks of the room since its newest input; on the room's executor. */
    int idleTicks;
    /** Whether it was told that it is in; on the room's executor. */
    boolean welcomed;
    /** Snapshots sent to it; on the session's event loop. */
    int snapshots;
    /** Those sent reliably that are not acknowledged; on the session's event loop. */
    int snapshotsUnderWay;
    /** Whether the gateways are being told, or know, that it is here; any thread. */
    volatile boolean claimAsked;
    /** Whether they know; any thread. */
    volatile boolean claimed;
    /** Whether it is to be told to come in anew, or that there is no place: its name is free, or about to be; any thread. */
    volatile boolean nameGiven;
    /** Whether its name is that of a later session, or of somebody else: what becomes of it is not this one's any more; any thread. */
    volatile boolean replaced;
    private final AtomicReference<@Nullable PlayerInput> input = new AtomicReference<>();

    /** Since is null for one that was not in the room. */
    Player(KcpChannel session, PlayerSession handler, ClientMessage.Join join, NameHolder nameBefore, @Nullable RoomPosition since) {
        this.session = session;
        this.handler = handler;
        name = join.name();
        token = join.token();
        login = token.login(name);
        attempt = join.attempt();
        room = join.room();
        this.nameBefore = nameBefore;
        resumed = join.resume() && nameBefore == NameHolder.SAME && since != null;
        takesOutOfBand = join.takesOutOfBand();
        // What was said before it first came in is not for it, whatever it asks for.
        after = since != null && since.isAfter(join.after()) ? since : join.after();
    }

    /** Called by the session. What comes by two ways may come in any order: the newer one stays. */
    void offer(PlayerInput offered) {
        PlayerInput present = input.get();
        if (present == null || offered.sequence() - present.sequence() > 0) {
            input.set(offered);
        }
    }

    /** Called by the room: what came since it asked last. */
    @Nullable PlayerInput takeInput() {
        return input.getAndSet(null);
    }
}
