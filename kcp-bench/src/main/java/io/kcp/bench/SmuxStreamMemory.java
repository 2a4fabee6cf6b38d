package io.kcp.bench;

import io.kcp.bench.rig.ClassHistogram;
import io.kcp.netty.smux.SmuxHandler;
import io.kcp.netty.smux.SmuxVersion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;

/**
 * Measures the heap memory of idle smux streams: first when the peer has opened them, and again when each of them has echoed 100 bytes.
 *
 * <pre>java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SmuxStreamMemory 1000</pre>
 */
public final class SmuxStreamMemory {

    private static final int SYN = 0;
    private static final int PSH = 2;
    private static final int COMMAND_SHIFT = 8;
    private static final int LENGTH_SHIFT = 16;
    private static final int PAYLOAD_BYTES = 100;
    private static final int CLASSES = 15;

    private final EmbeddedChannel parent = new EmbeddedChannel();
    private final int streams;

    private SmuxStreamMemory(int streams) {
        this.streams = streams;
        // Freezes the clock, because the missing peer would otherwise be detected.
        parent.freezeTime();
        parent.pipeline().addLast(SmuxHandler.server().version(SmuxVersion.V2).maxStreams(streams).childHandler(new Echo()).build());
    }

    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Prints the memory of as many streams as the first argument says, 1,000 by default. */
    public static void main(String[] arguments) {
        measure(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000);
    }

    private static void measure(int streams) {
        // Loads the classes and creates the thread-local objects.
        new SmuxStreamMemory(1).run();
        SmuxStreamMemory memory = new SmuxStreamMemory(streams);
        ClassHistogram before = ClassHistogram.take();
        memory.receive(SYN, 0);
        ClassHistogram opened = ClassHistogram.take();
        memory.receive(PSH, PAYLOAD_BYTES);
        ClassHistogram echoed = ClassHistogram.take();
        System.out.printf("%d streams: %d bytes of heap per stream when opened, %d after an echo%n", streams,
            (opened.totalBytes() - before.totalBytes()) / streams, (echoed.totalBytes() - before.totalBytes()) / streams);
        echoed.printGrowth(before, CLASSES, System.out);
        memory.close();
    }

    private void run() {
        receive(SYN, 0);
        receive(PSH, PAYLOAD_BYTES);
        close();
    }

    /** Passes one frame of each stream to the handler, and discards what it sends. */
    private void receive(int command, int payloadBytes) {
        for (int i = 0; i < streams; i++) {
            ByteBuf frame = parent.alloc().buffer();
            frame.writeIntLE(SmuxVersion.V2.number() | command << COMMAND_SHIFT | payloadBytes << LENGTH_SHIFT);
            frame.writeIntLE(2 * i + 1).writeZero(payloadBytes);
            parent.writeInbound(frame);
            parent.runPendingTasks();
            for (Object sent = parent.readOutbound(); sent != null; sent = parent.readOutbound()) {
                ReferenceCountUtil.release(sent);
            }
        }
    }

    private void close() {
        parent.unfreezeTime();
        parent.finishAndReleaseAll();
    }
}
