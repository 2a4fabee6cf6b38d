package io.kcp.interop.plain;

import io.kcp.bench.rig.Session;
import io.kcp.bench.rig.SessionListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The only socket of a server, represented as one session for all clients. Responses are sent to the sender of the most recent datagram.
 */
final class UdpServer extends ChannelInboundHandlerAdapter implements Session {

    private static final int DATAGRAMS_PER_CREDIT = 32;

    private final SessionListener listener;
    private final boolean givesCredit;
    private final Map<InetSocketAddress, Account> accounts = new HashMap<>();
    private Account last = new Account(null);
    private @Nullable ChannelHandlerContext context;

    UdpServer(SessionListener listener, boolean givesCredit) {
        this.listener = listener;
        this.givesCredit = givesCredit;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        try {
            InetSocketAddress sender = packet.sender();
            if (!sender.equals(last.sender)) {
                last = accounts.computeIfAbsent(sender, Account::new);
            }
            listener.received(this, packet.content().retain());
            if (givesCredit && ++last.received % DATAGRAMS_PER_CREDIT == 0) {
                ctx.write(new DatagramPacket(UdpCredit.write(ctx.alloc(), last.received), sender), ctx.voidPromise());
            }
        } finally {
            packet.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        listener.receivedAll(this);
        if (givesCredit) {
            ctx.flush();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // The client is unreachable. The error is ignored, because this protocol does not treat lost datagrams as errors.
    }

    @Override
    public ByteBufAllocator alloc() {
        return context.alloc();
    }

    @Override
    public void write(ByteBuf message) {
        context.write(new DatagramPacket(message, last.sender), context.voidPromise());
    }

    @Override
    public void flush() {
        context.flush();
    }

    @Override
    public void feed(Source source) {
        throw new UnsupportedOperationException("a UDP server only responds to datagrams");
    }

    @Override
    public void resume() {
        // Does nothing, because a server does not support feed().
    }

    @Override
    public void close() {
        // Does nothing, because the socket serves all clients and must stay open.
    }

    /** Counts the datagrams received from one client. */
    private static final class Account {

        private final InetSocketAddress sender;
        private long received;

        Account(InetSocketAddress sender) {
            this.sender = sender;
        }
    }
}
