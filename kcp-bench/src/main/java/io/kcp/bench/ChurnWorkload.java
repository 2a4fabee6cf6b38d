package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import tools.jackson.databind.node.ObjectNode;

/** Workload that opens sessions, closes each session after one round trip, and replaces it with a new session. */
final class ChurnWorkload implements LoadClient.Workload {

    private static final int DEFAULT_SESSIONS = 64;

    private final LoadContext load;
    private final Recorder openToAnswerNs = new Recorder(3);
    private volatile boolean finished;

    ChurnWorkload(LoadContext load) {
        this.load = load;
    }

    @Override
    public ObjectNode run() throws InterruptedException {
        int sessions = load.options.sessionsOr(DEFAULT_SESSIONS);
        for (int i = 0; i < sessions; i++) {
            load.open(new Churn());
        }
        LoadContext.sleep(load.options.warmupSeconds);
        openToAnswerNs.reset();
        LoadContext.Interval interval = load.measureDuring(() -> LoadContext.sleep(load.options.seconds));
        Histogram ns = openToAnswerNs.getIntervalHistogram();
        finished = true;
        return interval.addTo(LoadMeter.addPercentiles(Json.event("result").put("work", "churn").put("sessions", ns.getTotalCount())
            .put("sessions_s", ns.getTotalCount() / interval.load().seconds()), ns, "us"));
    }

    private final class Churn extends ClientSessionHandler {

        private final long startNs = System.nanoTime();
        private int missingBytes = ChurnWorkload.this.load.options.messageBytes();

        Churn() {
            super(ChurnWorkload.this.load);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            load.meter.sent(missingBytes, 1);
            context.writeAndFlush(Unpooled.buffer(missingBytes).writeZero(missingBytes), context.voidPromise());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf buffer) {
            missingBytes -= buffer.readableBytes();
            load.meter.received(buffer.readableBytes(), 1);
            if (missingBytes == 0) {
                openToAnswerNs.recordValue(System.nanoTime() - startNs);
                close(context);
                context.channel().closeFuture().addListener(closed -> {
                    if (!finished) {
                        load.open(new Churn());
                    }
                });
            }
        }
    }
}
