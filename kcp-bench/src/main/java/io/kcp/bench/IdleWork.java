package io.kcp.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** Opens sessions as it is told to, each of which makes one round trip and then does nothing. */
final class IdleWork implements ClientWork {

    private static final int MESSAGE_BYTES = 16;

    private final LoadRun run;
    private final SessionCrowd crowd;
    private final AtomicReference<CompletableFuture<Integer>> wanted = new AtomicReference<>(new CompletableFuture<>());

    IdleWork(LoadRun run) {
        this.run = run;
        crowd = new SessionCrowd(run);
    }

    /** Has sessions opened until there are that many; called from any thread. */
    void open(int sessions) {
        if (!wanted.get().complete(sessions)) {
            throw new IllegalStateException("open " + sessions + " (expected: \"opened\" first)");
        }
    }

    /** Does not return: {@link LoadEnd} throws when it is over. */
    @Override
    public JsonLine run() {
        while (true) {
            CompletableFuture<Integer> order = wanted.get();
            run.end.await(order);
            crowd.open(order.join(), () -> new Idle(run, crowd));
            wanted.set(new CompletableFuture<>());
            run.print(JsonLine.event("opened").put("sessions", crowd.opened()).put("sockets", run.sockets.count()));
        }
    }

    /** Also what the fleet has beside its busy sessions. */
    static final class Idle extends WorkHandler {

        private final SessionCrowd crowd;
        private int missingBytes = MESSAGE_BYTES;

        Idle(LoadRun run, SessionCrowd crowd) {
            super(run);
            this.crowd = crowd;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES), context.voidPromise());
        }

        @Override
        void onRead(ChannelHandlerContext context, ByteBuf buffer) {
            missingBytes -= buffer.readableBytes();
            if (missingBytes == 0) {
                crowd.answered();
            }
        }
    }
}
