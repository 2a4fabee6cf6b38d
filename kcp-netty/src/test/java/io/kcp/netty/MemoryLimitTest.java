package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.session.MemoryPressure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that send but never read cause only bounded memory use, and the other sessions of their event loop keep working. */
@Timeout(60)
class MemoryLimitTest {

    private static final int CONV = 7;
    private static final int LIMIT_BYTES = 1 << 20;
    private static final int ATTACKERS = 100;
    private static final String PAYLOAD = "x".repeat(1_000);

    /** Echoes each buffer without copying it, and ignores whether its channel is writable. */
    private static final class CarelessEcho extends SessionRecorder {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.write(message, ctx.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }
    }

    /** Creates a server whose peers count as validated, like those of a server that verifies a key. */
    private static EmbeddedLink withoutLimit(Supplier<SessionRecorder> recorders) {
        return EmbeddedLink.create(server -> server.amplificationLimit(false), recorders);
    }

    private static MemoryLimit limit(EmbeddedLink link) {
        LoopContext loop = link.server().host().loop();
        loop.nowMs();
        loop.memoryLimit().setMaxHeldBytes(LIMIT_BYTES);
        return loop.memoryLimit();
    }

    private static InetSocketAddress attacker(int number) {
        return new InetSocketAddress("10.1." + number / 250 + '.' + (1 + number % 250), 4_000);
    }

    /** Sends segments, starting with number {@code first}, that advertise a closed window, each in a read buffer of 2,048 bytes. */
    private static void attack(EmbeddedLink link, int first, int count) {
        for (int number = 0; number < ATTACKERS; number++) {
            ByteBuf[] datagrams = new ByteBuf[count];
            for (int i = 0; i < count; i++) {
                ByteBuf content = WireSegment.datagram(link.allocator(),
                    new WireSegment(CONV, SegmentHeader.CMD_PUSH, 0, 0, 0, first + i, 0, PAYLOAD));
                datagrams[i] = link.allocator().directBuffer(2_048).writeBytes(content);
                content.release();
            }
            link.server().receive(attacker(number), datagrams);
        }
        link.server().take().forEach(ByteBuf::release);
    }

    @Test
    void peersThatNeverReadCannotExhaustMemoryThroughAnEcho() {
        try (EmbeddedLink link = withoutLimit(CarelessEcho::new)) {
            MemoryLimit held = limit(link);
            SessionRecorder client = link.connect(99);
            client.session().writeAndFlush(link.text("before"));
            link.settle();
            long most = 0;
            for (int sn = 0; sn < 400; sn += 20) {
                attack(link, sn, 20);
                most = Math.max(most, link.outstandingBytes());
            }
            // In total the 100 peers sent 40 MB.
            assertThat(most).as("bytes in buffers").isLessThan(4 * LIMIT_BYTES);
            assertThat(held.heldBytes()).isLessThan(2 * LIMIT_BYTES);
            client.session().writeAndFlush(link.text("during"));
            link.settle();
            assertThat(client.messages()).containsExactly("before", "during");
            assertThat(link.accepted()).hasSize(ATTACKERS + 1).allMatch(session -> session.session().isActive());
        }
    }

    /** Fills its send window and outbound buffer, as a download does, but writes only while its channel is writable. */
    private static final class WritableSender extends SessionRecorder {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            super.channelActive(ctx);
            fill(ctx);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            fill(ctx);
        }

        private static void fill(ChannelHandlerContext ctx) {
            while (ctx.channel().isWritable()) {
                ctx.writeAndFlush(ctx.alloc().buffer(1_300).writeZero(1_300), ctx.voidPromise());
            }
        }
    }

    @Test
    void sessionsThatWriteOnlyWhileWritableStayOpen() {
        try (EmbeddedLink link = withoutLimit(WritableSender::new)) {
            MemoryLimit held = limit(link);
            link.server().loseAll();
            for (int number = 0; number < ATTACKERS; number++) {
                link.server().receive(attacker(number), WireSegment.push(CONV, 0, 0, "hello"));
            }
            link.advanceMs(2_000);
            assertThat(held.heldBytes()).isGreaterThan(LIMIT_BYTES)
                .isLessThan(3 * LIMIT_BYTES + ATTACKERS * 1_500);
            assertThat(link.accepted()).hasSize(ATTACKERS).allMatch(session -> session.session().isActive());
            assertThat(link.accepted(0).session().isWritable()).isFalse();
        }
    }

    /** Sends numbered messages of 1,300 bytes while its channel is writable. */
    private static final class Download extends SessionRecorder {

        private static final int MESSAGES = 500;
        private int sent;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            super.channelRead(ctx, message);
            fill(ctx);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            super.channelWritabilityChanged(ctx);
            fill(ctx);
        }

        private void fill(ChannelHandlerContext ctx) {
            while (sent < MESSAGES && ctx.channel().isWritable()) {
                ctx.writeAndFlush(ctx.alloc().buffer(1_300).writeInt(sent++).writeZero(1_296), ctx.voidPromise());
            }
        }
    }

    /** The memory limit of 200 KB is shared by 20 downloads of 650 KB each, and some peers start to read late. */
    @Test
    void downloadsBeyondTheLimitSlowDownAndComplete() {
        try (EmbeddedLink link = withoutLimit(Download::new)) {
            MemoryLimit held = limit(link);
            held.setMaxHeldBytes(200_000);
            List<SessionRecorder> clients = new ArrayList<>();
            for (int number = 0; number < 20; number++) {
                SessionRecorder client = link.connect(1_000 + number);
                client.session().config().setAutoRead(number % 2 == 0);
                client.session().writeAndFlush(link.text("start"));
                clients.add(client);
            }
            link.advanceMs(1_000);
            assertThat(held.heldBytes()).isGreaterThan(200_000).isLessThan(400_000);
            assertThat(link.accepted()).anySatisfy(session -> assertThat(session.events()).contains("unwritable"));
            clients.forEach(client -> client.session().config().setAutoRead(true));
            assertThat(link.advanceUntil(() -> clients.stream().allMatch(client -> client.messages().size() == Download.MESSAGES),
                60_000)).isTrue();
            assertThat(link.accepted()).allMatch(session -> session.session().isActive() && session.session().isWritable());
        }
    }

    @Test
    void memoryIsBoundedIfTheApplicationDoesNotRead() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> server.amplificationLimit(false).childOption(ChannelOption.AUTO_READ, false)
                .childOption(KcpChannelOption.RECEIVE_WINDOW, 1_024),
            SessionRecorder::new)) {
            MemoryLimit held = limit(link);
            for (int sn = 0; sn < 400; sn += 20) {
                attack(link, sn, 20);
            }
            assertThat(link.outstandingBytes()).isLessThan(4 * LIMIT_BYTES);
            assertThat(held.heldBytes()).isLessThan(2 * LIMIT_BYTES);
            SessionRecorder client = link.connect(99);
            client.session().writeAndFlush(link.text("hello"));
            link.settle();
            link.accepted(ATTACKERS).session().read();
            assertThat(link.accepted(ATTACKERS).messages()).containsExactly("hello");
        }
    }

    /** One peer never acknowledges the data that the careless echo writes, until its session holds all memory of the limit. */
    private static void hoard(EmbeddedLink link, MemoryLimit held) {
        for (int sn = 0; held.heldBytes() < LIMIT_BYTES && sn < 4_000; sn += 20) {
            ByteBuf[] datagrams = new ByteBuf[20];
            for (int i = 0; i < 20; i++) {
                datagrams[i] = WireSegment.datagram(link.allocator(),
                    new WireSegment(CONV, SegmentHeader.CMD_PUSH, 0, 0, 0, sn + i, 0, PAYLOAD));
            }
            link.server().receive(attacker(0), datagrams);
        }
        link.server().take().forEach(ByteBuf::release);
        assertThat(held.heldBytes()).isGreaterThanOrEqualTo(LIMIT_BYTES);
    }

    @Test
    void messagesAboveTheShareArriveDespiteAHoardingSession() {
        try (EmbeddedLink link = withoutLimit(CarelessEcho::new)) {
            MemoryLimit held = limit(link);
            hoard(link, held);
            for (int number = 0; number < 200; number++) {
                SessionRecorder client = link.connect(1_000 + number);
                String large = number + "-" + "y".repeat(30_000);
                client.session().writeAndFlush(link.text(large));
                client.session().writeAndFlush(link.text(large));
                assertThat(link.advanceUntil(() -> client.messages().size() == 2, 1_000)).as("session " + number).isTrue();
                assertThat(client.messages()).containsOnly(large);
            }
            assertThat(link.accepted(0).session().isActive()).isTrue();
            link.server().loseAll();
        }
    }

    @Test
    void hoardingSessionIsClosedAfterSomeSeconds() {
        try (EmbeddedLink link = withoutLimit(CarelessEcho::new)) {
            MemoryLimit held = limit(link);
            link.server().lose(datagram -> true);
            SessionRecorder other = link.connect(99);
            for (int number = 0; number < 10; number++) {
                link.connect(200 + number).session().writeAndFlush(link.text("small"));
            }
            other.session().writeAndFlush(link.text("small"));
            link.settle();
            hoard(link, held);
            link.advanceMs(MemoryPressure.GRACE_MS - 1_000);
            SessionRecorder hoarder = link.accepted(link.accepted().size() - 1);
            assertThat(hoarder.session().isActive()).isTrue();
            link.advanceMs(2_000);
            assertThat(hoarder.session().isActive()).isFalse();
            assertThat(hoarder.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.MEMORY_LIMIT));
            assertThat(held.heldBytes()).isLessThan(LIMIT_BYTES / 2);
            assertThat(other.session().isActive()).isTrue();
            assertThat(link.accepted(0).session().isActive()).isTrue();
        }
    }

    /** Sends only the first fragments of a 100 KB message. */
    private static void sendHalfMessage(EmbeddedLink link, int number) {
        ByteBuf[] datagrams = new ByteBuf[60];
        for (int i = 0; i < datagrams.length; i++) {
            datagrams[i] = WireSegment.datagram(link.allocator(),
                new WireSegment(CONV, SegmentHeader.CMD_PUSH, 100 - i, 128, 0, i, 0, PAYLOAD));
        }
        link.server().receive(attacker(number), datagrams);
    }

    @Test
    void incompleteMessagesHoldMemoryForSecondsOnly() {
        try (EmbeddedLink link = withoutLimit(CarelessEcho::new)) {
            MemoryLimit held = limit(link);
            List<SessionRecorder> honest = new ArrayList<>();
            for (int number = 0; number < 100; number++) {
                honest.add(link.connect(1_000 + number));
            }
            int rounds = pingPong(link, honest, 0);
            for (int number = 0; number < ATTACKERS; number++) {
                sendHalfMessage(link, number);
            }
            assertThat(held.heldBytes()).isGreaterThan(2 * LIMIT_BYTES).isLessThan(3 * LIMIT_BYTES);
            long startMs = link.nowMs();
            while (link.nowMs() - startMs < MemoryPressure.GRACE_MS + 2 * MemoryPressure.INTERVAL_MS) {
                rounds = pingPong(link, honest, rounds);
                link.advanceMs(100);
            }
            assertThat(held.heldBytes()).isLessThan(LIMIT_BYTES - (LIMIT_BYTES >> 3));
            assertThat(link.accepted().subList(0, 100)).allMatch(session -> session.session().isActive());
            List<SessionRecorder> attackers = link.accepted().subList(100, 100 + ATTACKERS);
            assertThat(attackers).filteredOn(session -> !session.session().isActive()).isNotEmpty()
                .allSatisfy(session -> assertThat(session.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.MEMORY_LIMIT)));
            String large = "y".repeat(100_000);
            honest.get(0).session().writeAndFlush(link.text(large));
            assertThat(link.advanceUntil(() -> honest.get(0).messages().contains(large), 1_000)).isTrue();
        }
    }

    /** Every session sends a 1 KB message and expects its echo within 100 ms. */
    private static int pingPong(EmbeddedLink link, List<SessionRecorder> sessions, int rounds) {
        sessions.forEach(session -> session.session().writeAndFlush(link.text(PAYLOAD)));
        assertThat(link.advanceUntil(() -> sessions.stream().allMatch(session -> session.messages().size() == rounds + 1), 100))
            .as("round %d", rounds).isTrue();
        return rounds + 1;
    }

    /** The session always holds all memory of the limit, and its peer acknowledges 20 KB per second. */
    @Test
    void hoardingSessionStaysOpenWhileItsPeerAcknowledges() {
        try (EmbeddedLink link = withoutLimit(WritableSender::new)) {
            MemoryLimit held = limit(link);
            held.setMaxHeldBytes(100_000);
            link.server().loseAll();
            link.server().receive(attacker(0), WireSegment.push(CONV, 0, 0, "hello"));
            for (int number = 1; number < 10; number++) {
                link.server().receive(attacker(number), WireSegment.push(CONV, 0, 0, "hello"));
                link.accepted(number).session().config().setLingerMs(0);
                link.accepted(number).session().close();
            }
            link.advanceMs(100);
            for (int una = 8; una < 320; una += 8) {
                assertThat(held.heldBytes()).isGreaterThan(87_500);
                link.server().receive(attacker(0),
                    new WireSegment(CONV, SegmentHeader.CMD_WINS, 0, 128, 0, 0, una, ""));
                link.advanceMs(500);
                assertThat(link.accepted(0).session().isActive()).as("%s", link.accepted(0).session().closeCause()).isTrue();
            }
        }
    }

    /** The paused session resumes although neither its peer nor its application is active. */
    @Test
    void pausedSessionResumesWhenAnotherSessionFreesMemory() {
        try (EmbeddedLink link = withoutLimit(CarelessEcho::new)) {
            MemoryLimit held = limit(link);
            SessionRecorder client = link.establish(99);
            DefaultKcpChannel paused = (DefaultKcpChannel) link.accepted(0).session();
            paused.config().setAutoRead(false);
            for (int i = 0; i < 20; i++) {
                client.session().writeAndFlush(link.text(PAYLOAD));
            }
            link.settle();
            link.server().loseAll();
            hoard(link, held);
            held.setMaxHeldBytes(8_000);
            paused.config().setAutoRead(true);
            link.advanceMs(100);
            assertThat(paused.kcp().hasReceivable()).as("paused").isTrue();
            link.client().loseAll();
            SessionRecorder hoarder = link.accepted(1);
            hoarder.session().config().setLingerMs(0);
            hoarder.session().close();
            held.setMaxHeldBytes(LIMIT_BYTES);
            link.advanceMs(2 * MemoryPressure.INTERVAL_MS);
            assertThat(paused.kcp().hasReceivable()).isFalse();
            link.client().loseNothing();
            link.server().loseNothing();
        }
    }

    @Test
    void echoResumesWhenItsPeerReadsAgain() {
        try (EmbeddedLink link = withoutLimit(CarelessEcho::new)) {
            MemoryLimit held = limit(link);
            held.setMaxHeldBytes(20_000);
            SessionRecorder client = link.connect(CONV);
            client.session().config().setAutoRead(false);
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                sent.add(i + PAYLOAD);
                client.session().write(link.text(i + PAYLOAD));
            }
            client.session().flush();
            link.advanceMs(2_000);
            client.session().config().setAutoRead(true);
            assertThat(link.advanceUntil(() -> client.messages().size() == 500, 60_000))
                .as("%s of the server, %s of the client", link.accepted(0).session().collectStats().getNow(),
                    client.session().collectStats().getNow()).isTrue();
            assertThat(client.messages()).isEqualTo(sent);
        }
    }

    @Test
    void sessionIsClosedIfItsApplicationIgnoresWritability() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            MemoryLimit held = limit(link);
            link.establish(CONV);
            link.establish(CONV + 1);
            link.client().loseAll();
            SessionRecorder writer = link.accepted(0);
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 4_000 && writer.session().isActive(); i++) {
                writes.add(writer.session().writeAndFlush(link.text(PAYLOAD)));
            }
            assertThat(writer.session().isActive()).isFalse();
            assertThat(writer.session().closeCause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                assertThat(cause.reason()).isEqualTo(KcpCloseReason.FAILED);
                assertThat(cause).hasRootCauseMessage(writes.get(writes.size() - 1).cause().getMessage())
                    .hasStackTraceContaining("isWritable()");
            });
            assertThat(held.heldBytes()).isLessThan(1_000);
            assertThat(link.accepted(1).session().isActive()).as("the other session").isTrue();
        }
    }

    /** The peers of the attackers may be forged, because they never acknowledge anything. */
    @Test
    void unvalidatedSessionsHoldAtMostAQuarterOfTheMemory() {
        try (EmbeddedLink link = EmbeddedLink.create(CarelessEcho::new)) {
            MemoryLimit held = limit(link);
            SessionRecorder client = link.establish(99);
            for (int sn = 0; sn < 100; sn += 20) {
                attack(link, sn, 20);
                assertThat(held.heldBytes()).isLessThanOrEqualTo(LIMIT_BYTES / 4 + 1_000);
            }
            assertThat(link.server().stats().closed()).containsOnlyKeys(KcpCloseReason.EVICTED);
            String large = "y".repeat(100_000);
            client.session().writeAndFlush(link.text(large));
            assertThat(link.advanceUntil(() -> client.messages().contains(large), 2_000)).isTrue();
        }
    }

    @Test
    void sessionsAreNotThrottledWhileMemorySuffices() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.establish(CONV);
            link.client().loseAll();
            SessionRecorder writer = link.accepted(0);
            for (int i = 0; i < 4_000; i++) {
                writer.session().writeAndFlush(link.text(PAYLOAD));
            }
            assertThat(writer.session().isActive()).isTrue();
            link.client().loseNothing();
        }
    }
}
