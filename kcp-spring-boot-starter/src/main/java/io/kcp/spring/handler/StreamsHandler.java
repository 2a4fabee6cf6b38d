package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerCloseEvent;
import io.kcp.netty.smux.SmuxHandler;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.kcp.netty.smux.SmuxTotals;
import io.kcp.netty.smux.SmuxVersion;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Notifies the open streams of a session when the server closes, so that each stream is drained before the session closes. */
final class StreamsHandler extends ChannelInboundHandlerAdapter {

    private final Set<Channel> streams = new LinkedHashSet<>();

    private StreamsHandler() {
    }

    /**
     * Adds smux to a session.
     *
     * @param totals      counters of the streams of all sessions
     * @param initializer called for each stream that the peer opens
     */
    static void addTo(KcpChannel session, SmuxVersion version, SmuxTotals totals, Consumer<Channel> initializer) {
        StreamsHandler handler = new StreamsHandler();
        session.pipeline().addLast("smux", SmuxHandler.server().version(version).lingerMs(session.config().lingerMs()).totals(totals)
            .childHandler(new StreamInitializer(handler.streams, initializer)).build()).addLast("streams", handler);
    }

    /** Adds the controllers to each stream. */
    static final class StreamInitializer extends ChannelInitializer<SmuxStreamChannel> {

        private final Set<Channel> streams;
        private final Consumer<Channel> initializer;

        StreamInitializer(Set<Channel> streams, Consumer<Channel> initializer) {
            this.streams = streams;
            this.initializer = initializer;
        }

        @Override
        protected void initChannel(SmuxStreamChannel stream) {
            streams.add(stream);
            stream.closeFuture().addListener(closed -> streams.remove(stream));
            initializer.accept(stream);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof KcpServerCloseEvent) {
            new ArrayList<>(streams).forEach(stream -> stream.pipeline().fireUserEventTriggered(event));
        }
        context.fireUserEventTriggered(event);
    }
}
