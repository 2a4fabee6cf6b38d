package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.Token;
import io.kcp.examples.arena.world.PlayerInput;
import io.kcp.netty.KcpChannel;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A player in a room by one session. What the session and the room hand each other here is the newest input. */
final class Player {

    final KcpChannel session;
    final PlayerSession handler;
    final String name;
    final String login;
    final Token token;
    final int attempt;
    /** It comes back, and its name was still its own. */
    final boolean resumed;
    final boolean takesOutOfBand;
    final RoomPosition after;
    /** Snapshots sent to it; on the session's event loop. */
    int snapshots;
    /** Those sent reliably that are not acknowledged; on the session's event loop. */
    int snapshotsUnderWay;
    /** Whether the gateways are being told, or know, that it is here; any thread. */
    volatile boolean claimAsked;
    /** Whether they know; any thread. */
    volatile boolean claimed;
    /** Whether it was told to come in anew: its name is free; any thread. */
    volatile boolean expired;
    /** Whether its name is that of a later session, or of somebody else: what becomes of it is not this one's any more; any thread. */
    volatile boolean replaced;
    private final AtomicReference<@Nullable PlayerInput> input = new AtomicReference<>();

    Player(KcpChannel session, PlayerSession handler, ClientMessage.Join join, boolean known) {
        this.session = session;
        this.handler = handler;
        name = join.name();
        token = join.token();
        login = token.login(name);
        attempt = join.attempt();
        resumed = join.resume() && known;
        takesOutOfBand = join.takesOutOfBand();
        after = join.after();
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
