package io.kcp.examples.arena.room;

import io.kcp.examples.arena.ArenaProperties;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaMessage;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpOobMessage;
import io.kcp.spring.handler.KcpController;
import io.kcp.spring.handler.KcpMessageException;
import io.kcp.spring.handler.OnClose;
import io.kcp.spring.handler.OnError;
import io.kcp.spring.handler.OnMessage;
import io.kcp.spring.handler.OnOpen;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Controller that handles the messages of all players. The starter calls its methods on the event loop of the session, suspends reading
 * while 64 messages of a session wait for their acknowledgement, and writes the return values to the session.
 */
@KcpController
final class PlayerController {

    private final ArenaProperties properties;
    private final ArenaCounters counters;
    private final Rooms rooms;

    PlayerController(ArenaProperties properties, ArenaCounters counters, Rooms rooms) {
        this.properties = properties;
        this.counters = counters;
        this.rooms = rooms;
    }

    @OnOpen
    void opened(KcpChannel session) {
        session.eventLoop().schedule(() -> {
            if (session.isOpen() && Player.of(session) == null) {
                refuse(session, "no join message within " + properties.joinTimeout().toMillis() + " ms");
            }
        }, properties.joinTimeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    @OnMessage
    void join(ClientMessage.Join join, KcpChannel session) {
        if (Player.of(session) != null) {
            refuse(session, "the player has already joined");
        } else {
            rooms.enter(new Player(session, join, properties.sayRate(), counters));
        }
    }

    @OnMessage
    void input(ClientMessage.Input input, KcpChannel session) {
        Player player = player(session);
        if (player != null) {
            player.offer(input.input());
        }
    }

    /** Handles out-of-band inputs. A lost input is not retransmitted, because the next one replaces it. */
    @OnMessage
    void outOfBand(KcpOobMessage message, KcpChannel session) {
        Player player = Player.of(session);
        counters.outOfBandBytesIn.increment(message.content().readableBytes());
        try {
            // Ignores an input that arrives before the join message, because the session has no player yet.
            if (ArenaCodec.decode(message.content()) instanceof ClientMessage.Input input && player != null) {
                player.offer(input.input());
            }
        } catch (IllegalArgumentException malformed) {
            refuse(session, "malformed out-of-band message: " + malformed.getMessage());
        }
    }

    @OnMessage
    CompletionStage<ServerMessage.@Nullable Ack> say(ClientMessage.Say say, KcpChannel session) {
        Player player = player(session);
        Room room = player == null ? null : player.room;
        if (player == null || room == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (!player.isNext(say)) {
            refuse(session, "unexpected sequence number " + say.sequence());
            return CompletableFuture.completedFuture(null);
        }
        if (!player.maySay()) {
            rooms.kick(session, KickReason.TOO_FAST, "more than " + properties.sayRate() + " messages per second");
            return CompletableFuture.completedFuture(null);
        }
        return room.say(player, say);
    }

    @OnMessage
    ServerMessage.Pong ping(ClientMessage.Ping ping, KcpChannel session) {
        Player player = Player.of(session);
        if (player != null) {
            player.ping(ping);
        }
        return new ServerMessage.Pong(ping.id());
    }

    @OnMessage
    void leave(ClientMessage.Leave leave, KcpChannel session) {
        Player player = player(session);
        if (player != null) {
            player.setLeft();
            session.close();
        }
    }

    @OnMessage
    void wrongDirection(ArenaMessage message, KcpChannel session) {
        refuse(session, message.getClass().getSimpleName() + " messages are sent only by gateways");
    }

    @OnError
    void malformed(KcpMessageException failure, KcpChannel session) {
        Throwable cause = failure.getCause();
        refuse(session, "malformed message: " + (cause != null ? cause : failure).getMessage());
    }

    @OnClose
    void closed(KcpChannel session) {
        Player player = Player.of(session);
        Room room = player == null ? null : player.room;
        if (player != null && room != null) {
            room.leave(player, player.hasLeft());
        }
    }

    private @Nullable Player player(KcpChannel session) {
        Player player = Player.of(session);
        if (player == null) {
            refuse(session, "the player has not joined a room");
        }
        return player;
    }

    private void refuse(KcpChannel session, String text) {
        rooms.kick(session, KickReason.PROTOCOL, text);
    }
}
