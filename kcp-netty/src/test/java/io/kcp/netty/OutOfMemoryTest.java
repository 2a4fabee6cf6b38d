package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.admission.MemoryRelief;
import io.kcp.netty.internal.admission.UnvalidatedSessions;
import io.kcp.netty.internal.codec.CryptoCodec;
import io.kcp.netty.internal.codec.FecCodec;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.test.FailingAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failed allocation drops a datagram or closes a session, and closes unvalidated sessions, but never stops the event loop. */
@Timeout(60)
class OutOfMemoryTest {

    private static final int CONV = 7;
    private static final int STRANGERS = 3;

    /** The combinations of handlers below the {@link KcpHandler}. */
    enum Stack {
        PLAIN(false, false), CIPHER(true, false), FEC(false, true), CIPHER_AND_FEC(true, true);

        private final Consumer<Channel> handlers;

        Stack(boolean crypto, boolean fec) {
            handlers = channel -> {
                if (crypto) {
                    channel.pipeline().addLast(new CryptoCodec(CryptoConfig.kcptun("aes-128-gcm", "k")));
                }
                channel.pipeline().addLast(new FecCodec(fec ? FecConfig.of(2, 1) : null));
            };
        }

        /** Returns an action that adds the handlers to the pipeline of a datagram channel. */
        Consumer<Channel> handlers() {
            return handlers;
        }

        EmbeddedLink link() {
            return EmbeddedLink.create(server -> server.maxSessionsPerAddress(1_000),
                () -> new SessionRecorder().onRead((ctx, text) -> {
                    if (text.equals("hello")) {
                        ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'));
                    }
                }), handlers, handlers);
        }
    }

    private static InetSocketAddress stranger(int number) {
        return new InetSocketAddress("192.0.2.1", 1_000 + number);
    }

    private static void open(EmbeddedLink link, int strangers) {
        for (int i = 0; i < strangers; i++) {
            link.server().receive(stranger(i), WireSegment.push(CONV, 0, 0, "x"));
            link.server().channel().releaseOutbound();
        }
    }

    private static long evicted(EmbeddedLink link) {
        return link.server().stats().closed().getOrDefault(KcpCloseReason.EVICTED, 0L);
    }

    /** Delivers the client's datagrams to the server while allocations fail. Returns {@code true} if at least one failed. */
    private static boolean deliver(EmbeddedLink link, int allowed, int failures) {
        List<ByteBuf> datagrams = link.client().take();
        link.failing().failAfter(allowed, failures);
        link.server().receive(EmbeddedLink.CLIENT_ADDRESS, datagrams.toArray(new ByteBuf[0]));
        return link.failing().stopFailing() < failures;
    }

    private static void sendBurst(EmbeddedLink link, KcpChannel client) {
        client.write(link.text("small"));
        client.write(link.bytes(1_000));
        client.write(link.bytes(3_000));
        client.write(link.text("last"));
        client.flush();
    }

    @ParameterizedTest
    @EnumSource
    void loopSurvivesAnyFailedAllocationOfABatch(Stack stack) {
        boolean failed = true;
        int allowed = 0;
        for (; failed; allowed++) {
            for (int failures : new int[] {1, 100}) {
                try (EmbeddedLink link = stack.link()) {
                    KcpChannel client = link.establish(CONV).session();
                    KcpChannel server = link.accepted(0).session();
                    link.server().releaseSlab();
                    // Drops the first fragment of a message, so that segments are queued out of order and FEC recovers one.
                    int[] left = {3};
                    link.client().lose(datagram -> --left[0] == 0);
                    sendBurst(link, client);
                    failed = deliver(link, allowed, failures);
                    link.client().loseNothing();
                    link.advanceMs(2_000);
                    if (server.isOpen()) {
                        assertThat(client.acknowledged().isSuccess()).as("allocation " + allowed).isTrue();
                        assertThat(link.accepted(0).messages()).hasSize(5).endsWith("last");
                    } else {
                        assertThat(server.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                            cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.FAILED));
                    }
                    SessionRecorder next = link.establish(CONV + 1);
                    assertThat(next.messages()).as("a new session").containsExactly("!");
                    client.config().setLingerMs(0);
                }
            }
        }
        assertThat(allowed).as("allocations of a batch").isGreaterThan(2);
    }

    @Test
    void loopSurvivesFailedAllocationForAFirstDatagram() {
        for (int allowed = 0; allowed < 3; allowed++) {
            try (EmbeddedLink link = Stack.PLAIN.link()) {
                link.server().releaseSlab();
                ByteBuf opener = WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 0, 0, "hello"));
                link.failing().failAfter(allowed, 1);
                link.server().receive(stranger(0), opener);
                link.failing().stopFailing();
                // The server is under load for a second if it closed the first session for lack of memory.
                link.advanceMs(1_000);
                link.server().receive(stranger(1), WireSegment.push(CONV, 0, 0, "hello"));
                assertThat(link.accepted().get(link.accepted().size() - 1).messages()).containsExactly("hello");
                assertThat(link.server().stats().activeSessions()).isBetween(1L, 2L);
                link.server().channel().releaseOutbound();
            }
        }
    }

    @Test
    void loopSurvivesFailedAllocationForATombstoneAnswer() {
        try (EmbeddedLink link = Stack.PLAIN.link()) {
            open(link, 1);
            link.accepted(0).session().config().setLingerMs(0);
            link.accepted(0).session().close();
            link.server().channel().releaseOutbound();
            link.server().releaseSlab();
            ByteBuf repeated = WireSegment.datagram(link.allocator(), WireSegment.push(CONV, 0, 1, "x"));
            link.failing().failAfter(0, 1);
            link.server().receive(stranger(0), repeated);
            assertThat(link.failing().stopFailing()).isZero();
            assertThat(link.server().dropped(DropReason.OUT_OF_MEMORY)).isEqualTo(1);
            link.server().receive(stranger(0), WireSegment.push(CONV, 0, 1, "x"));
            assertThat(link.server().channel().outboundMessages()).hasSize(1);
            link.server().channel().releaseOutbound();
        }
    }

    @Test
    void failedAllocationClosesUnvalidatedSessionsOldestFirst() {
        try (EmbeddedLink link = Stack.PLAIN.link()) {
            KcpChannel client = link.establish(CONV).session();
            open(link, MemoryRelief.SESSIONS + STRANGERS);
            client.writeAndFlush(link.text("lost"));
            link.client().take().forEach(ByteBuf::release);
            // The payload of a segment behind a gap is copied into a buffer of its own.
            client.writeAndFlush(link.text("repeated"));
            assertThat(deliver(link, 0, 1)).isTrue();
            assertThat(link.server().dropped(DropReason.OUT_OF_MEMORY)).isEqualTo(1);
            assertThat(evicted(link)).isEqualTo(MemoryRelief.SESSIONS);
            assertThat(IntStream.range(0, STRANGERS).map(i -> link.accepted().size() - 1 - i)
                .allMatch(index -> link.accepted(index).session().isOpen())).as("the youngest").isTrue();
            assertThat(link.accepted(0).session().isActive()).as("the validated one").isTrue();
            link.server().loseAll();
            link.advanceMs(1_000);
            assertThat(link.accepted(0).messages()).endsWith("lost", "repeated");
        }
    }

    @Test
    void failedAllocationClosesSessionsOlderThanTenSecondsLast() {
        try (EmbeddedLink link = Stack.PLAIN.link()) {
            open(link, STRANGERS);
            link.server().loseAll();
            link.advanceMs(UnvalidatedSessions.MAX_AGE_MS);
            for (int i = 0; i < MemoryRelief.SESSIONS; i++) {
                link.server().receive(stranger(STRANGERS + i), WireSegment.push(CONV, 0, 0, "x"));
            }
            link.server().channel().releaseOutbound();
            link.server().channel().pipeline().fireExceptionCaught(new OutOfMemoryError("no read buffer, thrown by the test"));
            assertThat(evicted(link)).isEqualTo(MemoryRelief.SESSIONS);
            assertThat(link.accepted(0).session().isOpen()).as("older than ten seconds").isTrue();
            link.server().channel().pipeline().fireExceptionCaught(new OutOfMemoryError("no read buffer, thrown by the test"));
            assertThat(link.server().stats().activeSessions()).isZero();
        }
    }

    @Test
    void failedReadBufferAllocationIsNotPropagated() {
        try (EmbeddedLink link = Stack.PLAIN.link()) {
            open(link, STRANGERS);
            for (int i = 0; i < 100; i++) {
                link.server().channel().pipeline().fireExceptionCaught(new OutOfMemoryError("no read buffer, thrown by the test"));
            }
            link.server().channel().checkException();
            assertThat(evicted(link)).isEqualTo(STRANGERS);
            assertThat(link.server().dropped(DropReason.OUT_OF_MEMORY)).isEqualTo(100);
        }
    }

    @Test
    void exhaustedMemoryIsLoggedEveryTenSeconds() {
        try (RecordedLog log = new RecordedLog("io"); EmbeddedLink link = Stack.PLAIN.link()) {
            for (int second = 0; second < 15; second++) {
                for (int i = 0; i < 100; i++) {
                    link.server().channel().pipeline().fireExceptionCaught(new OutOfMemoryError("thrown by the test"));
                }
                link.advanceMs(1_000);
            }
            assertThat(log.messages()).hasSize(2).allMatch(line -> line.contains("ran out of memory"));
        }
    }

    @Test
    void clientLogsThatMemoryRanOut() {
        try (RecordedLog log = new RecordedLog("io"); EmbeddedLink link = Stack.PLAIN.link()) {
            link.establish(1);
            for (int i = 0; i < 100; i++) {
                link.client().channel().pipeline().fireExceptionCaught(new OutOfMemoryError("thrown by the test"));
            }
            assertThat(log.messages()).hasSize(1).allMatch(line -> line.contains("ran out of memory"));
        }
    }

    /** For a while the sockets of a server get neither read buffers nor the reserve. With io_uring, Netty itself terminates the loop. */
    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL"})
    void loopSurvivesReadsWithoutMemory(KcpTransport transport) throws Exception {
        try (Loopback loopback = new Loopback(transport, 1)) {
            FailingAllocator failing = new FailingAllocator(loopback.allocator());
            KcpServerChannel server =
                loopback.bind(loopback.server(EchoHandler.INSTANCE).option(ChannelOption.ALLOCATOR, failing));
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            client.writeAndFlush(client.alloc().buffer().writeByte('a'));
            assertThat(answers.next()).isEqualTo("a");
            LoopContext context = LoopContext.of(server.datagramChannels().get(0).eventLoop());
            Loopback.ended(server.datagramChannels().get(0).eventLoop().submit(context.reserve()::release));
            failing.failAfter(0, 5);
            client.writeAndFlush(client.alloc().buffer().writeByte('b'));
            while (failing.failuresLeft() > 0) {
                Thread.sleep(1);
            }
            failing.stopFailing();
            MessageCollector others = new MessageCollector();
            KcpChannel other = loopback.connect(server, others);
            other.writeAndFlush(other.alloc().buffer().writeByte('c'));
            assertThat(others.next()).isEqualTo("c");
            assertThat(server.isActive()).isTrue();
            assertThat(server.eventLoop().isShuttingDown()).isFalse();
            assertThat(Loopback.result(server.collectStats()).dropped()).containsKey(DropReason.OUT_OF_MEMORY);
        }
    }
}
