package io.kcp.spring.server;

import io.kcp.netty.KcpChannel;
import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServerInitializedEvent;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/**
 * Writes numbered messages to each session while the session is writable, until a write fails, and finally prints the number of accepted
 * messages. Run by {@link ShutdownUnderLoadTest}.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class FloodApplication implements DisposableBean {

    static final int MESSAGE_BYTES = 1_000;

    private final Queue<Flood> floods = new ConcurrentLinkedQueue<>();

    public static void main(String[] arguments) {
        SpringApplication.run(FloodApplication.class, arguments);
    }

    @Bean
    ChannelInitializer<KcpChannel> flood() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                Flood flood = new Flood(session);
                floods.add(flood);
                session.pipeline().addLast(flood);
            }
        };
    }

    @EventListener
    void onStarted(KcpServerInitializedEvent event) {
        System.out.println("port " + event.getServer().localAddress().getPort());
    }

    @EventListener
    void onReadiness(AvailabilityChangeEvent<ReadinessState> event) {
        System.out.println("readiness " + event.getState());
    }

    @Bean
    KcpDrainListener drainListener() {
        return server -> {
            System.out.println("drain begins");
            return CompletableFuture.completedFuture(null);
        };
    }

    /** Called after the servers have stopped. */
    @Override
    public void destroy() {
        floods.forEach(flood -> System.out.println("session " + flood.session.conv() + ' ' + flood.accepted.get() + ' '
            + (flood.session.closeCause() == null ? "delivered" : flood.session.closeCause())));
        System.out.println("end");
    }

    private static final class Flood extends SimpleChannelInboundHandler<ByteBuf> {

        private final KcpChannel session;
        private final AtomicInteger accepted = new AtomicInteger();
        private int next;
        private boolean refused;

        Flood(KcpChannel session) {
            this.session = session;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf start) {
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
            context.fireChannelWritabilityChanged();
        }

        private void write(ChannelHandlerContext context) {
            while (!refused && session.isWritable()) {
                ByteBuf message = context.alloc().buffer(MESSAGE_BYTES).writeInt(next++).writeZero(MESSAGE_BYTES - Integer.BYTES);
                context.writeAndFlush(message).addListener(written -> {
                    if (written.isSuccess()) {
                        accepted.incrementAndGet();
                    } else {
                        refused = true;
                    }
                });
            }
        }
    }
}
