package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Client session of {@link Soak}. It exchanges several messages of random sizes with the server, one after the other, compares each echo
 * with the message, and ends in one of the ways of {@link SoakEnding}.
 */
final class SoakSession extends ChannelInboundHandlerAdapter {

    private static final int MAX_MESSAGES = 4;
    private static final int MAX_MESSAGE_BYTES = 5_000;

    private final SoakEnding ending;
    private final SplittableRandom random;
    private final @Nullable SoakNat nat;
    private final @Nullable EventLoop natLoop;
    private final CompletableFuture<@Nullable KcpCloseReason> closed = new CompletableFuture<>();
    private final int messages;
    private final int rebindAfter;
    private int sent;
    private byte[] expected = {};

    SoakSession(SoakEnding ending, long seed, @Nullable SoakNat nat, @Nullable EventLoop natLoop) {
        this.ending = ending;
        this.nat = nat;
        this.natLoop = natLoop;
        random = new SplittableRandom(seed);
        messages = random.nextInt(2, MAX_MESSAGES + 1);
        rebindAfter = random.nextInt(1, messages);
    }

    SoakEnding ending() {
        return ending;
    }

    /**
     * Returns a future with the close reason of the session, which is null after a close that lost nothing. It fails if the session cannot
     * be opened or receives wrong data.
     */
    CompletableFuture<@Nullable KcpCloseReason> closed() {
        return closed;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        send(context);
    }

    private void send(ChannelHandlerContext context) {
        if (!context.channel().isActive()) {
            return;
        }
        sent++;
        expected = new byte[random.nextInt(1, MAX_MESSAGE_BYTES + 1)];
        random.nextBytes(expected);
        expected[0] = sent == messages && ending == SoakEnding.SERVER_CLOSES ? SoakServer.ECHO_AND_CLOSE : SoakServer.ECHO;
        context.writeAndFlush(context.alloc().directBuffer(expected.length).writeBytes(expected), context.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf echo = (ByteBuf) message;
        byte[] received = ByteBufUtil.getBytes(echo);
        echo.release();
        if (!Arrays.equals(received, expected)) {
            closed.completeExceptionally(new IllegalStateException("message " + sent + " of " + expected.length
                + " bytes came back with " + received.length + " bytes or with another content"));
            context.close();
        } else if (sent == messages) {
            end(context);
        } else if (ending.rebinds() && sent == rebindAfter) {
            rebind(context);
        } else {
            send(context);
        }
    }

    private void rebind(ChannelHandlerContext context) {
        EventLoop loop = Objects.requireNonNull(natLoop, "natLoop");
        SoakNat rebound = Objects.requireNonNull(nat, "nat");
        loop.execute(() -> rebound.rebind(() -> context.executor().execute(() -> send(context)), closed::completeExceptionally));
    }

    private void end(ChannelHandlerContext context) {
        switch (ending) {
            case CLIENT_CLOSES, REBIND -> context.close();
            case ABORT, REBIND_AND_ABORT -> ((KcpChannel) context.channel()).datagramChannel().close();
            case SERVER_CLOSES, IDLE -> {
                // The server or its idle timeout closes the session.
            }
        }
    }

    /** Reports the result of {@code connect}, and later that of the close. */
    void onConnect(ChannelFuture connect) {
        if (!connect.isSuccess()) {
            closed.completeExceptionally(connect.cause());
            return;
        }
        KcpChannel session = (KcpChannel) connect.channel();
        session.closeFuture().addListener(done -> {
            Throwable cause = session.closeCause();
            closed.complete(cause instanceof KcpCloseException close ? reason(close) : cause == null ? null : KcpCloseReason.FAILED);
        });
    }

    /** Returns the reason of the side that closed the session. */
    private static KcpCloseReason reason(KcpCloseException close) {
        KcpCloseReason peerReason = close.peerReason();
        return close.reason() == KcpCloseReason.PEER_FAILED && peerReason != null ? peerReason : close.reason();
    }

    /** Ignores the exception, because {@link KcpChannel#closeCause()} contains the same information. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
