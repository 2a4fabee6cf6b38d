package io.kcp.bench;

import io.kcp.bench.rig.LoadProgram;
import io.kcp.bench.rig.Product;
import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.Setup;
import io.kcp.bench.rig.Work;
import java.io.InputStream;
import java.io.PrintStream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Load-tests a KCP server. {@link LoadProgram} describes the output and the commands.
 *
 * <pre>
 * load="java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.KcpLoad"
 * $load server --work sink --listen 9000
 * $load client --work source --connect 9000                      one-way throughput
 * $load client --work source --connect 9000 --write-bytes 64 --mode MESSAGE
 * $load server --work echo --listen 9000
 * $load client --work echo --connect 9000                        pipelined echo
 * $load client --work pingpong --connect 9000                    one message at a time
 * $load client --work fleet --connect 9000 --sessions 5000 --rate 1
 * $load client --work churn --connect 9000                       open, one round trip, close
 * $load client --work idle --connect 9000                        then type: open 5000
 * $load server --work packets --protocol TCP --listen 9000
 * $load client --work packets --protocol TCP --connect 9000 --connections 1000
 * $load server --work delay --mode MESSAGE --listen 9000
 * $load client --work delay --mode MESSAGE --connect 9000 --rate 50
 * </pre>
 *
 * <p>The server also responds to the command {@code listener} with the statistics of {@link io.kcp.netty.KcpServerChannel}.
 */
final class KcpLoad {

    private KcpLoad() {
    }

    public static void main(String[] arguments) {
        System.exit(run(System.in, System.out, arguments));
    }

    /** Runs the command with the given streams as standard input and output, and returns its exit code. */
    static int run(InputStream in, PrintStream out, String... arguments) {
        return LoadProgram.run("kcp-load", new Server(), new Client(), in, out, arguments);
    }

    private static Protocol start(LoadOptions options, KcpServerOptions server, Setup setup, int sharedSockets) {
        return setup.work() == Work.PACKETS ? new PacketProtocol(options, setup) : new KcpProtocol(options, server, setup, sharedSockets);
    }

    /** The server, and the options that only servers have. */
    private static final class Server implements Product {

        @Mixin
        private final LoadOptions options = new LoadOptions();

        @Mixin
        private final KcpServerOptions server = new KcpServerOptions();

        @Override
        public Protocol start(Setup setup) {
            return KcpLoad.start(options, server, setup, 0);
        }
    }

    /** The client, and the options that only clients have. */
    private static final class Client implements Product {

        @Mixin
        private final LoadOptions options = new LoadOptions();

        @Option(names = "--sockets", defaultValue = "0",
            description = "number of sockets that all sessions share (0: one socket per session, up to the limit of open files)")
        private int sharedSockets;

        @Override
        public Protocol start(Setup setup) {
            return KcpLoad.start(options, new KcpServerOptions(), setup, sharedSockets);
        }
    }
}
