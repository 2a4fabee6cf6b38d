package io.kcp.netty.bootstrap;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.internal.accept.DecryptionBudgetHandler;
import io.kcp.netty.internal.admission.DecryptionFailureLog;
import io.kcp.netty.internal.channel.KcpDatagram;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.roaming.PathRouter;
import io.kcp.netty.internal.socket.DatagramCoalescer;
import io.kcp.netty.internal.socket.ReceiveModeSwitch;
import io.kcp.netty.internal.socket.SocketOffload;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.lang.ref.Reference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Initializes the pipeline of a datagram channel with the handlers for GRO and GSO, the datagram handler of the application, the limits on
 * datagrams from unknown addresses, the cipher, FEC and {@link KcpHandler}.
 */
final class KcpHandlerInitializer extends ChannelInitializer<Channel> {

    private final @Nullable ChannelHandler datagramHandler;
    private final @Nullable Supplier<DecryptionBudgetHandler> admission;
    private final @Nullable CryptoConfig crypto;
    private final DecryptionFailureLog decryptionFailures;
    private final @Nullable FecConfig fec;
    private final SocketOffload offload;
    private final Supplier<DefaultKcpHandler> handlers;

    KcpHandlerInitializer(@Nullable ChannelHandler datagramHandler, @Nullable Supplier<DecryptionBudgetHandler> admission,
        @Nullable CryptoConfig crypto, DecryptionFailureLog decryptionFailures, @Nullable FecConfig fec, SocketOffload offload,
        Supplier<DefaultKcpHandler> handlers) {
        this.datagramHandler = datagramHandler;
        this.admission = admission;
        this.crypto = crypto;
        this.decryptionFailures = decryptionFailures;
        this.fec = fec;
        this.offload = offload;
        this.handlers = handlers;
    }

    @Override
    protected void initChannel(Channel channel) {
        // Keeps the context reachable until KcpHandler references it. If the context were garbage-collected earlier, the handlers would
        // use different contexts.
        LoopContext loop = LoopContext.of(channel.eventLoop());
        try {
            addHandlers(channel, loop);
        } finally {
            Reference.reachabilityFence(loop);
        }
    }

    private void addHandlers(Channel channel, LoopContext loop) {
        if (offload.gro() && KcpTransport.EPOLL.isAvailable()) {
            ReceiveModeSwitch.install(channel, loop.receiveSlab());
        }
        if (offload.gsoDatagrams() > 1 && KcpTransport.sendsRuns(channel)) {
            channel.pipeline().addLast("gso", new DatagramCoalescer(offload.gsoDatagrams(), loop.slab(), KcpDatagram::runSender));
        }
        if (datagramHandler != null) {
            channel.pipeline().addLast("datagrams", datagramHandler);
        }
        if (admission != null) {
            channel.pipeline().addLast("admission", admission.get());
        }
        if (crypto != null && !crypto.isNull()) {
            channel.pipeline().addLast("crypto", new CryptoCodec(crypto, decryptionFailures));
        }
        DefaultKcpHandler kcp = handlers.get();
        PathRouter router = kcp.router();
        if (router != null) {
            channel.pipeline().addLast("roaming", router);
        }
        channel.pipeline().addLast("fec", new FecCodec(fec)).addLast("kcp", kcp);
    }
}
