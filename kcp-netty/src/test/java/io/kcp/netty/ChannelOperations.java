package io.kcp.netty;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calls methods of channels, configurations and pipelines on both ends of a link in arbitrary order, also from within event handlers, while
 * handlers throw exceptions and allocations fail. Every future must complete, no buffer may leak, data must arrive in order, and the
 * datagram channels must be able to open a new session afterwards.
 */
final class ChannelOperations {

    private static final int MAX_STEPS = 250;
    private static final int MAX_SESSIONS = 8;
    private static final int MAX_MESSAGE = 5_000;
    private static final int MAX_NESTED = 3;
    private static final int MAX_FAILURES = 4;
    /** Linger time and timeouts of all sessions. */
    private static final int CLOSED_MS = 120_000;
    private static final int NEWCOMER_CONV = 1_000;
    private static final List<ChannelOption<Integer>> NUMBERS = List.of(KcpChannelOption.MTU_BYTES, KcpChannelOption.SEND_WINDOW,
        KcpChannelOption.RECEIVE_WINDOW, KcpChannelOption.INTERVAL_MS, KcpChannelOption.MIN_RTO_MS, KcpChannelOption.FAST_RESEND,
        KcpChannelOption.MAX_BYTES_PER_SECOND, KcpChannelOption.MAX_MESSAGE_BYTES, KcpChannelOption.IDLE_TIMEOUT_MS,
        KcpChannelOption.KEEPALIVE_MS, KcpChannelOption.LINGER_MS, KcpChannelOption.DEAD_PEER_TIMEOUT_MS,
        KcpChannelOption.MAX_TRANSMISSIONS, KcpChannelOption.ZERO_WINDOW_TIMEOUT_MS, ChannelOption.WRITE_SPIN_COUNT);
    private static final List<ChannelOption<Boolean>> SWITCHES = List.of(KcpChannelOption.NO_DELAY, KcpChannelOption.ACK_NO_DELAY,
        KcpChannelOption.WRITE_DELAY, ChannelOption.AUTO_READ, ChannelOption.AUTO_CLOSE);

    /** One end of a session, with the number of messages that its application wrote. */
    private final class Side extends SessionRecorder {

        private int written;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            super.handlerAdded(ctx);
            sides.add(this);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            super.channelActive(ctx);
            onEvent(this);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            super.channelRead(ctx, message);
            onEvent(this);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            super.channelReadComplete(ctx);
            onEvent(this);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            super.channelWritabilityChanged(ctx);
            onEvent(this);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            onEvent(this);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            super.channelInactive(ctx);
            onEvent(this);
        }
    }

    /** A future and the method that returned it. */
    private record Pending(String method, Future<?> future) {
    }

    private final FuzzChoices choices;
    private final EmbeddedLink link;
    private final KcpTransferMode mode;
    private final List<Side> sides = new ArrayList<>();
    private final List<Side> clients = new ArrayList<>();
    private final List<Pending> futures = new ArrayList<>();
    private int nested;
    private boolean ended;

    ChannelOperations(byte[] input) {
        choices = new FuzzChoices(input);
        boolean cipher = choices.coin();
        FecConfig fec = choices.coin() ? FecConfig.of(2, 1) : null;
        mode = choices.coin() ? KcpTransferMode.STREAM : KcpTransferMode.MESSAGE;
        link = EmbeddedLink.create(server -> server.maxSessionsPerAddress(64).childOption(KcpChannelOption.MODE, mode), Side::new,
            channel -> addHandlers(channel, cipher, fec), channel -> addHandlers(channel, cipher, fec));
    }

    private static void addHandlers(Channel channel, boolean cipher, @Nullable FecConfig fec) {
        if (cipher) {
            channel.pipeline().addLast(new CryptoCodec(CryptoConfig.kcptun("aes-128-gcm", "k")));
        }
        channel.pipeline().addLast(new FecCodec(fec));
    }

    void run() {
        try (link) {
            try {
                for (int i = 0; i < MAX_STEPS && choices.hasMore(); i++) {
                    step();
                    check();
                }
            } finally {
                ended = true;
                heal();
            }
            welcomeNewcomer();
            sides.forEach(side -> pending("session", side.session().closeFuture()));
            sides.forEach(side -> side.session().close());
            link.advanceMs(CLOSED_MS);
            check();
            sides.forEach(this::checkOrder);
            require(link.server().stats().activeSessions() == 0 && link.client().stats().activeSessions() == 0,
                "a closed session is counted");
            List<Pending> pending = futures.stream().filter(each -> !each.future.isDone()).toList();
            require(pending.isEmpty(), "futures are not completed: " + pending);
        }
    }

    private void heal() {
        link.failing().stopFailing();
        link.failClock(0);
        link.client().loseNothing();
        link.server().loseNothing();
        for (EmbeddedLink.End end : List.of(link.client(), link.server())) {
            if (end.channel().unsafe().outboundBuffer() != null) {
                end.channel().unsafe().outboundBuffer().setUserDefinedWritability(5, true);
            }
        }
        link.settle();
    }

    /** Runs an operation, which may fail because the test causes failures. */
    private void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (OutOfMemoryError | IllegalArgumentException | IllegalStateException | UnsupportedOperationException refused) {
            // Ignores the failure, because the documentation of the method permits this exception.
        }
    }

    private void step() {
        switch (choices.below(8)) {
            case 0 -> connect();
            case 1 -> ofLink();
            case 2, 3 -> attempt(() -> link.advanceMs(choices.below(500)));
            default -> ofSession(anySide());
        }
        if (choices.coin()) {
            attempt(link::settle);
        }
    }

    private void pending(String method, Future<?> future) {
        futures.add(new Pending(method, future));
    }

    private @Nullable Side anySide() {
        return sides.isEmpty() ? null : sides.get(choices.below(sides.size()));
    }

    private void connect() {
        if (clients.size() >= MAX_SESSIONS) {
            return;
        }
        Side client = new Side();
        int conv = clients.size();
        attempt(() -> {
            KcpFuture<KcpChannel> opened = link.client().handler().connect(EmbeddedLink.SERVER_ADDRESS, conv, client);
            pending("opened", opened);
            opened.channel().config().setAllocator(link.allocator());
            opened.channel().config().setOption(KcpChannelOption.MODE, mode);
            clients.add(client);
        });
    }

    private void ofLink() {
        EmbeddedLink.End end = choices.coin() ? link.client() : link.server();
        switch (choices.below(9)) {
            case 0 -> link.failing().failAfter(choices.below(8), 1 + choices.below(MAX_FAILURES));
            case 1 -> link.failing().stopFailing();
            case 2 -> end.releaseSlab();
            case 3 -> end.loseAtRandom(choices.below(3) * 0.3, choices.below(256));
            case 4 -> end.channel().unsafe().outboundBuffer().setUserDefinedWritability(5, choices.coin());
            case 5 -> end.channel().pipeline().fireExceptionCaught(new OutOfMemoryError("thrown by the test"));
            case 6 -> attempt(() -> pending("handler", end.handler().collectStats()));
            case 7 -> link.failClock(1);
            default -> attempt(() -> end.channel().runPendingTasks());
        }
    }

    private void onEvent(Side side) {
        if (ended || nested >= MAX_NESTED || !choices.oneIn(4)) {
            return;
        }
        nested++;
        try {
            if (choices.oneIn(8)) {
                throw new IllegalStateException("thrown by a handler of the test");
            }
            ofSession(side);
        } finally {
            nested--;
        }
    }

    private void ofSession(@Nullable Side side) {
        if (side == null || side.session() == null) {
            return;
        }
        KcpChannel session = side.session();
        switch (choices.below(20)) {
            case 0, 1, 2, 3 -> write(side, choices.below(choices.oneIn(4) ? MAX_MESSAGE : 50));
            case 4 -> attempt(session::flush);
            case 5 -> attempt(session::read);
            case 6 -> attempt(() -> pending("close", session.close()));
            case 7 -> attempt(() -> pending("closeBecause", session.closeBecause(new IllegalStateException("closed by the test"))));
            case 8 -> attempt(() -> pending("disconnect", session.disconnect()));
            case 9 -> attempt(() -> pending("acknowledged", session.acknowledged()));
            case 10 -> attempt(() -> pending("sendOob", session.sendOob(link.bytes(choices.below(2_000)))));
            case 11 -> attempt(() -> pending("collectStats", session.collectStats()));
            case 12 -> attempt(() -> session.config().setOption(NUMBERS.get(choices.below(NUMBERS.size())), choices.numberNear(0)));
            case 13 -> attempt(() -> session.config().setOption(SWITCHES.get(choices.below(SWITCHES.size())), choices.coin()));
            case 14 -> attempt(() -> session.config().setKcp(config()));
            case 15 -> unusual(session);
            case 16 -> attempt(() -> session.pipeline().fireExceptionCaught(new IllegalStateException("thrown by the test")));
            case 17 -> attempt(() -> session.pipeline().addFirst(new ChannelInboundHandlerAdapter()));
            case 18 -> attempt(() -> session.config().setAutoRead(choices.coin()));
            default -> attempt(() -> pending("deregister", session.deregister()));
        }
    }

    private KcpConfig config() {
        return List.of(KcpConfig.fast3(), KcpConfig.fast(), KcpConfig.kcpGoCompatible()).get(choices.below(3)).toBuilder().mode(mode)
            .windows(32 + choices.below(200)).build();
    }

    private void write(Side side, int bytes) {
        KcpChannel session = side.session();
        String message = side.written + "." + "x".repeat(bytes);
        attempt(() -> {
            ByteBuf buffer = link.text(message);
            ChannelFuture written = session.write(buffer);
            pending("written", written);
            if (!written.isDone() || written.isSuccess()) {
                side.written++;
            }
            if (choices.coin()) {
                session.flush();
            }
        });
    }

    /** Makes a call that an application should not make. */
    private void unusual(KcpChannel session) {
        attempt(() -> {
            switch (choices.below(7)) {
                case 0 -> pending("write", session.write("not a buffer"));
                case 1 -> pending("writeAndFlush", session.writeAndFlush(Unpooled.EMPTY_BUFFER));
                case 2 -> pending("connect", session.connect(EmbeddedLink.SERVER_ADDRESS));
                case 3 -> pending("bind", session.bind(EmbeddedLink.SERVER_ADDRESS));
                case 4 -> pending("close", session.close(session.newPromise()));
                case 5 -> session.write(link.text("void"), session.voidPromise());
                default -> pending("writeAndFlush", session.writeAndFlush(new KcpOobMessage(link.text("oob"))));
            }
        });
    }

    private void check() {
        for (EmbeddedLink.End end : List.of(link.client(), link.server())) {
            end.channel().checkException();
            require(end.channel().isOpen(), "a datagram channel was closed");
        }
    }

    /** Checks that each numbered message was delivered at most once and after all earlier ones. */
    private void checkOrder(Side side) {
        int latest = -1;
        for (String message : side.messages()) {
            int dot = message.indexOf('.');
            if (mode == KcpTransferMode.STREAM || dot < 0) {
                continue;
            }
            int number = Integer.parseInt(message.substring(0, dot));
            require(number > latest, "message " + number + " after " + latest);
            require(message.chars().skip(dot + 1L).allMatch(c -> c == 'x'), "message " + number + " has other content");
            latest = number;
        }
    }

    private void welcomeNewcomer() {
        Side newcomer = new Side();
        link.connect(NEWCOMER_CONV, newcomer);
        newcomer.session().writeAndFlush(link.text("hello"));
        link.advanceMs(5_000);
        List<List<String>> received = Stream.concat(sides.stream(), Stream.of(newcomer)).filter(side -> side != newcomer
            && side.session().conv() == NEWCOMER_CONV).map(SessionRecorder::messages).toList();
        require(received.equals(List.of(List.of("hello"))), "a new session received " + received);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
