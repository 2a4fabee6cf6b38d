package io.kcp.bench;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures the time that an event loop takes to collect the statistics of all its sessions. Metrics are collected at most once per second,
 * so each microsecond of a collection corresponds to a millionth of a core. On a busy machine, compare medians.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar CollectStatsBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CollectStatsBenchmark extends NanosecondBenchmark {

    private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 9_000);

    /** Number of open sessions, each of which has unacknowledged data. */
    @Param({"1", "1000", "10000"})
    public int sessions;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final KcpHandler handler = new KcpClientHandlerBuilder().build();

    /** Opens the sessions. */
    @Setup
    public void open() {
        // Freezes the clock of the channel, because the sessions would otherwise retransmit segments or time out.
        channel.freezeTime();
        channel.pipeline().addLast(new FecCodec(null), handler);
        for (int conv = 1; conv <= sessions; conv++) {
            KcpChannel session = handler.connect(SERVER, conv, new ChannelInboundHandlerAdapter()).channel();
            channel.runPendingTasks();
            session.writeAndFlush(channel.alloc().directBuffer().writeZero(64));
            channel.releaseOutbound();
        }
    }

    /** Closes the sessions. */
    @TearDown
    public void close() {
        channel.unfreezeTime();
        channel.finishAndReleaseAll();
    }

    /** Collects the statistics of all sessions and computes their sum. */
    @Benchmark
    public KcpListenerStats collect() {
        Future<KcpListenerStats> stats = handler.collectStats();
        while (!stats.isDone()) {
            channel.runScheduledPendingTasks();
        }
        KcpListenerStats sum = stats.getNow();
        if (sum.open().waitingSegments() != sessions) {
            throw new IllegalStateException(sum.open().waitingSegments() + " unacknowledged segments (expected: " + sessions + ')');
        }
        return sum;
    }
}
