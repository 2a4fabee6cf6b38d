package io.kcp.bench;

import io.kcp.netty.FecCodec;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpListenerStats;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What an event loop does when the figures of all its sessions are asked for, in all its turns together. Metrics ask at most
 * once a second: a microsecond here is a millionth of a core. The median says most where other programs run.
 *
 * <pre>java -jar kcp-bench/target/benchmarks.jar CollectStatsBenchmark -prof gc</pre>
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Thread)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {EventLoopThreads.CUSTOM, EventLoopThreads.CLASS, EventLoopThreads.NO_LEAK_DETECTION})
public class CollectStatsBenchmark {

    private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 9_000);

    /** Open sessions of the loop, each with something unacknowledged. */
    @Param({"1", "1000", "10000"})
    public int sessions;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final KcpHandler handler = KcpHandler.client().build();

    /** Opens the sessions. */
    @Setup(Level.Trial)
    public void open() {
        channel.pipeline().addLast(new FecCodec(null), handler);
        for (int conv = 1; conv <= sessions; conv++) {
            KcpChannel session = handler.connect(SERVER, conv, new ChannelInboundHandlerAdapter()).channel();
            channel.runPendingTasks();
            session.writeAndFlush(channel.alloc().directBuffer().writeZero(64));
            channel.releaseOutbound();
        }
        // Otherwise they would be sent again and again meanwhile.
        channel.freezeTime();
    }

    /** Closes them. */
    @TearDown(Level.Trial)
    public void close() {
        channel.unfreezeTime();
        channel.finishAndReleaseAll();
    }

    /**
     * Has all figures added up.
     *
     * @return the sum
     */
    @Benchmark
    public KcpListenerStats collect() {
        Future<KcpListenerStats> stats = handler.collectStats();
        while (!stats.isDone()) {
            channel.runScheduledPendingTasks();
        }
        KcpListenerStats sum = stats.getNow();
        if (sum.open().waitingSegments() != sessions) {
            throw new IllegalStateException(sum.open().waitingSegments() + " sessions wait, of " + sessions);
        }
        return sum;
    }
}
