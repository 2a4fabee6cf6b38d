package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.NameHolder;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.wire.ArenaCodec;
import io.kcp.examples.arena.wire.ArenaDecodeException;
import io.kcp.examples.arena.wire.ClientMessage;
import io.kcp.examples.arena.wire.DecodeProblem;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpOobMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The session of one player, on its event loop. */
final class PlayerSession extends ChannelInboundHandlerAdapter {

    private static final Logger LOGGER = LoggerFactory.getLogger(PlayerSession.class);
    /** Messages that are not in the log yet: with more the player has to wait, with fewer it may go on. */
    private static final int PENDING_MANY = 64;
    private static final int PENDING_FEW = 16;

    private enum State { NEW, JOINING, IN, GONE }

    private final Gateway gateway;
    private final KcpChannel session;
    private final SayLimit sayLimit;
    private State state = State.NEW;
    private @Nullable ScheduledFuture<?> joinTimeout;
    private volatile @Nullable Player joining;
    private @Nullable Player player;
    private @Nullable Room room;
    private long nextSequence;
    private int pending;
    private boolean left;
    private int snapshotsSeen;
    private int snapshotsToSee;

    PlayerSession(Gateway gateway, KcpChannel session) {
        this.gateway = gateway;
        this.session = session;
        sayLimit = new SayLimit(gateway.properties().sayRate(), System.nanoTime());
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        gateway.registry().add(session);
        joinTimeout = context.executor().schedule(() -> kick(KickReason.PROTOCOL, "nobody joined"),
            gateway.properties().joinTimeout().toMillis(), TimeUnit.MILLISECONDS);
        context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            if (state != State.GONE) {
                onMessage(ArenaCodec.decodeClient(bytes));
            }
        } catch (ArenaDecodeException refused) {
            refuse(refused);
        } finally {
            bytes.release();
        }
    }

    /** Out of band only inputs come. A session without a player ignores them: they may be older than what ended it. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof KcpOobMessage message)) {
            context.fireUserEventTriggered(event);
            return;
        }
        try {
            if (state != State.GONE) {
                int bytes = message.content().readableBytes();
                if (ArenaCodec.decodeClient(message.content()) instanceof ClientMessage.Input input) {
                    gateway.counters().outOfBandBytesIn.add(bytes);
                    onInput(input);
                } else {
                    kick(KickReason.PROTOCOL, "only inputs may come out of band");
                }
            }
        } catch (ArenaDecodeException refused) {
            refuse(refused);
        } finally {
            message.release();
        }
    }

    private void refuse(ArenaDecodeException refused) {
        DecodeProblem problem = refused.problem();
        gateway.counters().countProblem(problem);
        LOGGER.debug("{}: {}", session, refused.getMessage());
        kick(KickReason.PROTOCOL, problem.toString());
    }

    private void onMessage(ClientMessage message) {
        claimOnce();
        if (message instanceof ClientMessage.Ping ping) {
            onPing(ping);
        } else if (message instanceof ClientMessage.Join join && state == State.NEW) {
            onJoin(join);
        } else if (state != State.IN) {
            kick(KickReason.PROTOCOL, "not yet in a room");
        } else if (message instanceof ClientMessage.Input input) {
            onInput(input);
        } else if (message instanceof ClientMessage.Say say) {
            onSay(say);
        } else if (message instanceof ClientMessage.Leave) {
            left = true;
            session.close();
        } else {
            kick(KickReason.PROTOCOL, "already in a room");
        }
    }

    private void onPing(ClientMessage.Ping ping) {
        Player present = player;
        if (present != null) {
            // What is on the way is neither seen nor lost. Nobody can have seen more than was sent, nor less than before.
            snapshotsToSee = present.snapshots;
            snapshotsSeen = Math.max(snapshotsSeen, Math.min(ping.snapshots(), snapshotsToSee));
        }
        send(new ServerMessage.Pong(ping.id()));
    }

    // ---- join

    private void onJoin(ClientMessage.Join join) {
        state = State.JOINING;
        ScheduledFuture<?> timeout = joinTimeout;
        if (timeout != null) {
            timeout.cancel(false);
        }
        if (gateway.isDraining()) {
            kick(KickReason.DRAINING, "another gateway takes you");
            return;
        }
        nextSequence = join.nextSequence();
        CompletionStage<NameHolder> binding =
            gateway.backplane().bind(join.name(), join.token().bytes(), gateway.properties().tokenTime());
        gateway.backplane().entered(join.room(), join.token().login(join.name()))
            .thenCombine(binding, (since, holder) -> new Player(session, this, join, holder, since))
            .whenComplete((candidate, failure) -> session.eventLoop().execute(() -> onBound(join, candidate, failure)));
    }

    private void onBound(ClientMessage.Join join, @Nullable Player candidate, @Nullable Throwable failure) {
        if (state != State.JOINING) {
            return;
        }
        if (failure != null || candidate == null) {
            LOGGER.warn("{} cannot join: the backplane failed", join.name(), failure);
            kick(KickReason.UNAVAILABLE, "the gateway has lost the others");
            return;
        }
        if (candidate.nameBefore == NameHolder.ANOTHER) {
            kick(KickReason.NAME_TAKEN, "somebody else is " + join.name());
            return;
        }
        if (gateway.isDraining()) {
            kick(KickReason.DRAINING, "another gateway takes you");
            return;
        }
        joining = candidate;
        if (!gateway.takeOver(candidate)) {
            kick(KickReason.TAKEN_OVER, "came in again before this was heard");
            return;
        }
        Room entering = gateway.enter(join.room(), candidate);
        if (entering == null) {
            gateway.refuse(candidate, "no more rooms");
            return;
        }
        player = candidate;
        room = entering;
    }

    /** Called by the room, on its thread. */
    void welcome(Player welcomed, RoomPosition position) {
        session.eventLoop().execute(() -> {
            if (state == State.JOINING) {
                state = State.IN;
                gateway.countJoin(welcomed.resumed);
                send(new ServerMessage.Welcome(welcomed.login, welcomed.resumed, position, gateway.name()));
            }
        });
    }

    /**
     * Who says something after the welcome is here. Not before: a gateway that did not run for a while reads what players said who
     * are elsewhere by then, and must not call them back.
     */
    private void claimOnce() {
        Player present = player;
        if (state == State.IN && present != null && !present.claimAsked) {
            gateway.claim(present);
        }
    }

    // ---- in the room

    private void onInput(ClientMessage.Input input) {
        claimOnce();
        Player present = player;
        if (present != null) {
            gateway.counters().inputs.increment();
            present.offer(input.input());
        }
    }

    private void onSay(ClientMessage.Say say) {
        Room present = room;
        Player speaker = player;
        if (present == null || speaker == null || say.sequence() != nextSequence) {
            kick(KickReason.PROTOCOL, "sequence: " + say.sequence() + " (expected: " + nextSequence + ')');
            return;
        }
        if (!sayLimit.allows(System.nanoTime())) {
            kick(KickReason.TOO_FAST, "more than " + gateway.properties().sayRate() + " messages a second");
            return;
        }
        nextSequence++;
        if (++pending >= PENDING_MANY) {
            session.config().setAutoRead(false);
        }
        gateway.backplane().publish(present.name(), speaker.login, say.sequence(), say.text().getBytes(StandardCharsets.UTF_8))
            .whenComplete((position, failure) -> session.eventLoop().execute(() -> onPublished(say.sequence(), position, failure)));
    }

    private void onPublished(long sequence, @Nullable RoomPosition position, @Nullable Throwable failure) {
        if (--pending <= PENDING_FEW) {
            session.config().setAutoRead(true);
        }
        if (state != State.IN) {
            return;
        }
        if (failure instanceof IllegalArgumentException || failure != null && failure.getCause() instanceof IllegalArgumentException) {
            Player speaker = player;
            if (speaker != null) {
                gateway.expel(speaker, KickReason.EXPIRED, "the room does not know the earlier messages");
            }
            return;
        }
        if (failure != null || position == null) {
            LOGGER.warn("{}: a message was not published", session, failure);
            kick(KickReason.UNAVAILABLE, "the gateway has lost the others");
            return;
        }
        gateway.counters().said.increment();
        send(new ServerMessage.Ack(sequence, position));
    }

    /** A player that took what it was told is told more. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        Player present = player;
        Room inside = room;
        if (present != null && inside != null && session.isWritable()) {
            inside.tellMore(present);
        }
        context.fireChannelWritabilityChanged();
    }

    private void send(ServerMessage message) {
        ByteBuf bytes = session.alloc().buffer();
        ArenaCodec.encode(message, bytes);
        session.writeAndFlush(bytes, session.voidPromise());
    }

    // ---- end

    private void kick(KickReason reason, String text) {
        if (state != State.GONE) {
            gateway.kick(session, reason, text);
        }
    }

    /** Called by the gateway, on any thread: what the player still says does not count. */
    static ByteBuf farewell(KickReason reason, String text) {
        return Unpooled.wrappedBuffer(ArenaCodec.encode(new ServerMessage.Kicked(reason, text)));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        state = State.GONE;
        ScheduledFuture<?> timeout = joinTimeout;
        if (timeout != null) {
            timeout.cancel(false);
        }
        Player gone = player;
        Room leaving = room;
        if (gone != null && leaving != null) {
            leaving.leave(gone, left || gone.nameGiven);
        }
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOGGER.debug("{} ends", session, cause);
        context.close();
    }

    // ---- for those who look

    /** Returns who wants to play by this session, null before it has said so; on any thread. */
    @Nullable Player joining() {
        return joining;
    }

    /** Returns who plays by this session and what it gets, null before it is in; on the event loop. */
    @Nullable SessionFigures figures() {
        Player present = player;
        Room inside = room;
        return state != State.IN || present == null || inside == null ? null
            : new SessionFigures(present.name, inside.name(), snapshotsToSee, snapshotsSeen);
    }
}
