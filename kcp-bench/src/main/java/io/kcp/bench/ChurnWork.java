package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Opens a session, waits for one answer, closes it, and again, so many at a time. */
final class ChurnWork implements ClientWork {

    private static final int SESSIONS = 64;
    private static final double NS_PER_US = 1_000;

    private final LoadRun run;
    private final Recorder openToAnswerNs = new Recorder(3);
    private volatile boolean over;

    ChurnWork(LoadRun run) {
        this.run = run;
    }

    @Override
    public JsonLine run() {
        int sessions = run.options.sessions(SESSIONS);
        for (int i = 0; i < sessions; i++) {
            open();
        }
        run.end.pause(run.options.warmupSeconds);
        openToAnswerNs.reset();
        LoadRun.Interval interval = run.measureNow(() -> run.end.pause(run.options.seconds));
        Histogram ns = openToAnswerNs.getIntervalHistogram();
        over = true;
        return interval.addTo(JsonLine.event("result").put("work", "churn").put("sessions", ns.getTotalCount())
            .put("sessions_s", ns.getTotalCount() / interval.moment().seconds())
            .put("p50_us", ns.getValueAtPercentile(50) / NS_PER_US).put("p90_us", ns.getValueAtPercentile(90) / NS_PER_US)
            .put("p99_us", ns.getValueAtPercentile(99) / NS_PER_US).put("max_us", ns.getMaxValue() / NS_PER_US));
    }

    private void open() {
        try {
            run.sockets.open(new Churn()).addListener((ChannelFutureListener) future -> {
                if (!future.isSuccess()) {
                    run.end.failed(future.cause());
                }
            });
        } catch (RuntimeException failure) {
            run.end.failed(failure);
        }
    }

    private final class Churn extends WorkHandler {

        private final long startNs = System.nanoTime();
        private int missingBytes = ChurnWork.this.run.options.messageBytes();

        Churn() {
            super(ChurnWork.this.run);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            run.meter.sent(missingBytes, 1);
            context.writeAndFlush(Unpooled.buffer(missingBytes).writeZero(missingBytes), context.voidPromise());
        }

        @Override
        void onRead(ChannelHandlerContext context, ByteBuf buffer) {
            missingBytes -= buffer.readableBytes();
            run.meter.received(buffer.readableBytes(), 1);
            if (missingBytes == 0) {
                openToAnswerNs.recordValue(System.nanoTime() - startNs);
                close(context);
                context.channel().closeFuture().addListener(closed -> {
                    if (!over) {
                        open();
                    }
                });
            }
        }
    }
}
