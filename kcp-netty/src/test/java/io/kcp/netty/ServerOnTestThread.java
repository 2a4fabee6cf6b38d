package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A server whose event loop runs on the thread of the test, with a mock clock. The clients are UDP sockets without KCP. */
final class ServerOnTestThread implements AutoCloseable {

    static final int MAX_ITERATIONS = 1_000;

    private final MockTicker clock = Ticker.newMockTicker();
    private final ManualIoEventLoop loop;
    private KcpServerChannel channel;

    ServerOnTestThread(KcpTransport transport) {
        loop = new ManualIoEventLoop(null, Thread.currentThread(), transport.ioHandlerFactory(), clock);
    }

    /** Binds the server to a port of the loopback address. To be called once. */
    void bind(KcpServerBootstrap bootstrap) {
        KcpFuture<KcpServerChannel> bound = bootstrap.group(loop).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        runUntil(bound::isDone);
        channel = bound.channel();
    }

    MockTicker clock() {
        return clock;
    }

    ManualIoEventLoop loop() {
        return loop;
    }

    KcpServerChannel channel() {
        return channel;
    }

    static DatagramSocket newClient() throws IOException {
        return new DatagramSocket(0, InetAddress.getLoopbackAddress());
    }

    /** Sends a datagram with the given segments to the server. */
    void sendFrom(DatagramSocket client, WireSegment... segments) throws IOException {
        ByteBuf datagram = WireSegment.datagram(UnpooledByteBufAllocator.DEFAULT, segments);
        byte[] bytes = ByteBufUtil.getBytes(datagram);
        datagram.release();
        sendFrom(client, bytes);
    }

    void sendFrom(DatagramSocket client, byte[] datagram) throws IOException {
        client.send(new DatagramPacket(datagram, datagram.length, channel.localAddress()));
    }

    /** Runs one iteration of the event loop. */
    void runNow() {
        loop.runNow();
    }

    void run(int iterations) {
        for (int i = 0; i < iterations; i++) {
            loop.runNow();
        }
    }

    void runUntil(BooleanSupplier condition) {
        for (int i = 0; i < MAX_ITERATIONS && !condition.getAsBoolean(); i++) {
            loop.runNow();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Override
    public void close() {
        runUntil(shutDown()::isDone);
    }

    /** Closes an event loop that still has tasks, which ends when its timeout has expired. */
    void closeWhileTimePasses() {
        Future<?> terminated = shutDown();
        runUntil(() -> {
            clock.advanceMillis(1);
            return terminated.isDone();
        });
    }

    private Future<?> shutDown() {
        return loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
    }
}
