package io.kcp.tools.linkcheck;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Finds the largest datagram that reaches a server. Opens one session for each size, whose MTU is that size, and waits until the server has
 * acknowledged a message that fills two datagrams.
 */
final class LargestDatagram {

    static final List<Integer> SIZES = List.of(576, 1_200, 1_280, 1_350, 1_400, 1_440, 1_472, KcpConfig.MAX_MTU_BYTES);

    private record Attempt(int bytes, KcpChannel session, Future<?> acknowledged) {
    }

    private LargestDatagram() {
    }

    /** Returns the largest acknowledged size in bytes, or 0 if no size was acknowledged in time. */
    static int find(KcpBootstrap client, KcpConfig config, InetSocketAddress server, long patienceMs) throws InterruptedException {
        List<Attempt> attempts = new ArrayList<>();
        try {
            for (int bytes : SIZES) {
                KcpChannel session = client.config(config.toBuilder().mtuBytes(bytes).mtuFallback(false).mtuSearchLimitBytes(0).build())
                    .connect(server, new Ignoring()).sync().channel();
                session.writeAndFlush(session.alloc().directBuffer(2 * bytes).writeZero(2 * bytes));
                attempts.add(new Attempt(bytes, session, session.acknowledged()));
            }
            long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
            int largest = 0;
            for (Attempt attempt : attempts) {
                attempt.acknowledged.await(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
                if (attempt.acknowledged.isSuccess()) {
                    largest = attempt.bytes;
                }
            }
            return largest;
        } finally {
            for (Attempt attempt : attempts) {
                attempt.session.config().setLingerMs(0);
                attempt.session.close();
            }
        }
    }

    /** Ignores the echo and all failures, because only the acknowledgements count. */
    private static final class Ignoring extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object echo) {
            ReferenceCountUtil.release(echo);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
