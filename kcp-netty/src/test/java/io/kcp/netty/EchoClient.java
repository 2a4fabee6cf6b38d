package io.kcp.netty;

import io.netty.buffer.ByteBufUtil;
import java.util.function.Consumer;

/** A client that sends one message and waits for its echo. */
public final class EchoClient {

    private final SimulatedHosts hosts;
    private final SimulatedHost host;
    private final SessionRecorder recorder = new SessionRecorder();
    private final long startedMs;
    private long echoedMs = -1;

    EchoClient(SimulatedHosts hosts, SimulatedHost host, int conv, Consumer<KcpChannel> setup) {
        this.hosts = hosts;
        this.host = host;
        startedMs = hosts.nowMs();
        recorder.onRead((ctx, text) -> echoedMs = echoedMs < 0 ? hosts.nowMs() : echoedMs);
        KcpChannel session = host.connect(conv, opened -> {
            setup.accept(opened);
            opened.pipeline().addLast(recorder);
        });
        session.writeAndFlush(ByteBufUtil.writeUtf8(hosts.allocator(), "hello"));
    }

    void send(String text) {
        recorder.session().writeAndFlush(ByteBufUtil.writeUtf8(hosts.allocator(), text));
    }

    public boolean isConnected() {
        return echoedMs >= 0;
    }

    /** Returns the time from the first write to the first echo in milliseconds. */
    long connectMs() {
        return echoedMs - startedMs;
    }

    /** Returns the size of all datagrams in both directions, without IP and UDP headers. */
    long wireBytes() {
        return host.wireBytes();
    }

    public SessionRecorder recorder() {
        return recorder;
    }
}
