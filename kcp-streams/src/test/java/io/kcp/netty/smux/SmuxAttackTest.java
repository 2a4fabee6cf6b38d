package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.io.ByteArrayOutputStream;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that sends invalid or far too many frames. It cannot use unbounded memory, and other parent channels are not affected. */
@Timeout(60)
class SmuxAttackTest {

    private static byte[] repeat(int count, IntFunction<byte[]> frame) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(frame.apply(i));
        }
        return all.toByteArray();
    }

    private static SmuxError closeError(SmuxEnd end) {
        assertThat(end.channel.isOpen()).isFalse();
        return end.handler.closeCause().error();
    }

    // ---- invalid frames

    @ParameterizedTest
    @CsvSource({"1, 2, 3, 0, VERSION_MISMATCH", "1, 0, 0, 0, VERSION_MISMATCH", "2, 1, 0, 0, VERSION_MISMATCH",
        "1, 1, 4, 8, UNKNOWN_COMMAND", "2, 2, 5, 0, UNKNOWN_COMMAND", "1, 1, 255, 0, UNKNOWN_COMMAND",
        "1, 1, 0, 1, INVALID_LENGTH", "1, 1, 1, 1, INVALID_LENGTH", "1, 1, 3, 65535, INVALID_LENGTH",
        "2, 2, 4, 7, INVALID_LENGTH", "2, 2, 4, 0, INVALID_LENGTH", "2, 2, 4, 65535, INVALID_LENGTH"})
    void invalidHeaderClosesTheParent(int ours, int version, int command, int length, SmuxError expected) {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.values()[ours - 1])) {
            end.receive(end.syn(3), WireFrame.header(version, command, length, 3), end.syn(5));
            assertThat(closeError(end)).isEqualTo(expected);
            StreamRecorder stream = end.accepted.get(0);
            assertThat(end.accepted).hasSize(1);
            assertThat(stream.inactive).isTrue();
            assertThat(((SmuxException) stream.stream.closeCause()).error()).isEqualTo(expected);
        }
    }

    @Test
    void ownStreamIdClosesTheParent() {
        try (SmuxEnd server = SmuxEnd.server(SmuxVersion.V1); SmuxEnd client = SmuxEnd.client(SmuxVersion.V1)) {
            server.receive(server.syn(2));
            client.receive(client.syn(3));
            assertThat(closeError(server)).isEqualTo(SmuxError.INVALID_STREAM_ID);
            assertThat(closeError(client)).isEqualTo(SmuxError.INVALID_STREAM_ID);
        }
    }

    @Test
    void halfHeaderThenSilenceTimesOut() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            end.receive(end.nop());
            end.advanceMs(30_000);
            end.receive(new byte[] {1, 2, 3});
            assertThat(end.channel.isOpen()).isTrue();
            for (int i = 0; i < 3; i++) {
                end.advanceMs(9_999);
                end.receive(new byte[] {0});
            }
            end.advanceMs(3);
            assertThat(closeError(end)).isEqualTo(SmuxError.KEEPALIVE_TIMEOUT);
        }
    }

    @Test
    void longestPayloadIsNotBuffered() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            end.receive(end.syn(3), WireFrame.header(1, WireFrame.PSH, 65_535, 3));
            assertThat(end.usedBytes()).isZero();
            end.receive(new byte[65_534]);
            assertThat(end.usedBytes()).isZero();
            assertThat(end.accepted.get(0).received.size()).isEqualTo(65_534);
        }
    }

    // ---- floods

    @Test
    void synFloodOpensNoMoreThanTheLimit() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.maxStreams(10), recorder -> { })) {
            end.receive(repeat(10_000, i -> end.syn(3 + 2 * i)));
            assertThat(end.accepted).hasSize(10);
            assertThat(end.stats().openStreams()).isEqualTo(10);
            assertThat(end.stats().refusedStreams()).isEqualTo(9_990);
            assertThat(end.sent()).hasSize(9_990).allMatch(frame -> frame.command() == WireFrame.FIN);
        }
    }

    @Test
    void totalsCountStreamsByCloseReason() {
        SmuxTotals totals = new SmuxTotals();
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.maxStreams(3).totals(totals), recorder -> { })) {
            end.receive(end.syn(3), end.syn(5), end.syn(7), end.syn(9), end.fin(3));
            end.open(new StreamRecorder());
            assertThat(totals.accepted()).isEqualTo(3);
            assertThat(totals.refused()).isEqualTo(1);
            assertThat(totals.opened()).isEqualTo(1);
            assertThat(totals.closed()).isEqualTo(1);
            assertThat(totals.open()).isEqualTo(3);
            end.receive(end.upd(5, 1, 1));
            assertThat(totals.closed(SmuxError.INVALID_CONSUMED)).isEqualTo(1);
            end.channel.close();
            end.channel.runPendingTasks();
            assertThat(totals.closed(SmuxError.PARENT_CLOSED)).isEqualTo(2);
            assertThat(totals.open()).isZero();
        }
    }

    @Test
    void refusedStreamGetsItsFin() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.maxStreams(1), recorder -> { })) {
            end.receive(end.syn(3), end.syn(5), end.psh(5, "dropped"), end.fin(5));
            assertThat(end.sentNames()).containsExactly("FIN 5");
            assertThat(end.stats().droppedFrames()).isEqualTo(2);
            end.receive(end.fin(3));
            end.receive(end.syn(7));
            assertThat(end.accepted).hasSize(2);
        }
    }

    @Test
    void refusalsToAPeerThatDoesNotReadAreBounded() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.maxStreams(1), recorder -> { })) {
            fillParent(end);
            long before = end.usedBytes();
            end.receive(repeat(1_024, i -> end.syn(5 + 2 * i)));
            assertThat(end.channel.isOpen()).isTrue();
            assertThat(end.usedBytes()).isEqualTo(before);
            end.receive(end.syn(10_001));
            assertThat(closeError(end)).isEqualTo(SmuxError.TOO_MANY_REFUSALS);
        }
    }

    /** Accepts stream 3 and writes to it until the parent is not writable. */
    private static SmuxStreamChannel fillParent(SmuxEnd end) {
        end.receive(end.syn(3));
        end.block();
        SmuxStreamChannel stream = end.accepted.get(0).stream;
        while (end.channel.isWritable()) {
            stream.writeAndFlush(end.buffer(new byte[10_000]));
            end.channel.runPendingTasks();
        }
        return stream;
    }

    @Test
    void streamsWhoseFinIsUnsentCountAsOpen() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.maxStreams(20),
            recorder -> recorder.onActive = context -> closeUnlessFirst(context.channel()))) {
            fillParent(end);
            end.receive(repeat(500, i -> end.syn(5 + 2 * i)));
            assertThat(end.accepted).hasSize(20);
            assertThat(end.stats().refusedStreams()).isEqualTo(481);
            end.unblock();
            assertThat(end.sent().stream().filter(frame -> frame.command() == WireFrame.FIN)).hasSize(500);
            end.receive(end.syn(2_001));
            assertThat(end.accepted).hasSize(21);
        }
    }

    private static void closeUnlessFirst(Channel stream) {
        if (((SmuxStreamChannel) stream).streamId() != 3) {
            stream.close();
        }
    }

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void framesOfUnknownStreamsAreDropped(SmuxVersion version) {
        try (SmuxEnd end = SmuxEnd.server(version)) {
            end.receive(repeat(10_000, i -> i % 2 == 0 ? end.psh(i, 10) : end.fin(i)));
            assertThat(end.stats().droppedFrames()).isEqualTo(10_000);
            assertThat(end.channel.isOpen()).isTrue();
            assertThat(end.usedBytes()).isZero();
            assertThat(end.sent()).isEmpty();
        }
    }

    @Test
    void emptyPayloadAndNopFloodsHaveNoEffect() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            end.receive(end.syn(3), repeat(10_000, i -> i % 2 == 0 ? end.psh(3, 0) : end.nop()));
            assertThat(end.accepted.get(0).reads).isZero();
            assertThat(end.stats().ignoredFrames()).isEqualTo(5_000);
            assertThat(end.sent()).isEmpty();
        }
    }

    @Test
    void repeatedFinAndDataAfterFinAreIgnored() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2,
            smux -> smux.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), recorder -> { })) {
            end.receive(end.syn(3), end.psh(3, "data"), repeat(1_000, i -> end.fin(3)), end.psh(3, "late"));
            assertThat(end.accepted.get(0).text()).isEqualTo("data");
            assertThat(end.accepted.get(0).events).hasSize(2);
            assertThat(end.stats().ignoredFrames()).isEqualTo(1_000);
            assertThat(end.accepted.get(0).stream.isOpen()).isTrue();
        }
    }

    @Test
    void repeatedSynIsIgnoredAndAReusedIdIsANewStream() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            end.receive(end.syn(3), end.syn(3), end.psh(3, "first"));
            assertThat(end.accepted).hasSize(1);
            assertThat(end.stats().ignoredFrames()).isEqualTo(1);
            end.receive(end.fin(3), end.syn(3), end.psh(3, "second"));
            assertThat(end.accepted).hasSize(2);
            assertThat(end.accepted.get(0).text()).isEqualTo("first");
            assertThat(end.accepted.get(1).text()).isEqualTo("second");
        }
    }

    // ---- windows

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000_000, Integer.MAX_VALUE})
    void moreConsumedThanSentClosesTheStream(int excess) {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            end.receive(end.syn(3), end.syn(5));
            SmuxStreamChannel stream = end.accepted.get(0).stream;
            stream.writeAndFlush(end.text("12345"));
            end.sent();
            end.receive(end.upd(3, 5 + excess, 65_536));
            assertThat(stream.isOpen()).isFalse();
            assertThat(end.accepted.get(0).failures).singleElement().isSameAs(stream.closeCause());
            assertThat(((SmuxException) stream.closeCause()).error()).isEqualTo(SmuxError.INVALID_CONSUMED);
            assertThat(end.accepted.get(1).stream.isActive()).isTrue();
            assertThat(end.sentNames()).containsExactly("FIN 3");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void extremeWindowsNeitherOverflowNorFail(int window) {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            end.receive(end.syn(3), end.upd(3, 0, window));
            SmuxStreamChannel stream = end.accepted.get(0).stream;
            stream.writeAndFlush(end.text("12345"));
            end.channel.runPendingTasks();
            assertThat(end.sent()).hasSize(window == 0 ? 0 : 1);
            end.receive(end.upd(3, window == 0 ? 0 : 5, 65_536));
            assertThat(end.sent()).hasSize(window == 0 ? 1 : 0);
            assertThat(stream.isActive()).isTrue();
        }
    }

    @Test
    void staleConsumedCountersAreIgnored() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            end.receive(end.syn(3));
            SmuxStreamChannel stream = end.accepted.get(0).stream;
            stream.writeAndFlush(end.buffer(new byte[1_000]));
            end.sent();
            end.receive(end.upd(3, 900, 1_000), end.upd(3, 10, 1_000), end.upd(3, 0x9000_0000, 1_000));
            assertThat(end.stats().ignoredFrames()).isEqualTo(2);
            stream.writeAndFlush(end.buffer(new byte[2_000]));
            end.channel.runPendingTasks();
            assertThat(end.sentNames()).containsExactly("PSH 3 900");
        }
    }

    @Test
    void peerThatExceedsItsWindowClosesTheParent() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.receiveBufferBytes(500_000), recorder -> { })) {
            fillParent(end);
            int allowed = 262_144 + 500_000 + 65_535;
            for (int sent = 0; sent + 60_000 <= allowed; sent += 60_000) {
                end.receive(end.psh(3, 60_000));
            }
            assertThat(end.channel.isOpen()).isTrue();
            end.receive(end.psh(3, 60_000));
            assertThat(closeError(end)).isEqualTo(SmuxError.WINDOW_EXCEEDED);
        }
    }

    @Test
    void severalWritersMayExceedTheWindowOfOneStream() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3));
            StreamRecorder stream = end.accepted.get(0);
            stream.onReadComplete = context -> context.read();
            stream.stream.read();
            end.receive(repeat(8, i -> end.psh(3, 65_536 / 2)));
            assertThat(end.sentNames()).as("the peer has a window").isNotEmpty();
            stream.onReadComplete = context -> { };
            end.receive(repeat(40, i -> end.psh(3, 65_535)));
            assertThat(end.channel.isOpen()).isTrue();
            assertThat(stream.stream.isActive()).isTrue();
        }
    }

    // ---- unread bytes

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void unreadBytesStopReadingFromTheParent(SmuxVersion version) {
        try (SmuxEnd end = SmuxEnd.server(version, smux -> smux.receiveBufferBytes(100_000)
            .childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3), end.syn(5));
            int requests = end.readRequests;
            end.receive(end.psh(3, 60_000));
            assertThat(end.readRequests).isGreaterThan(requests);
            end.receive(end.psh(5, 60_000));
            assertThat(end.channel.config().isAutoRead()).isFalse();
            requests = end.readRequests;
            end.channel.read();
            assertThat(end.readRequests).isEqualTo(requests);
            end.receive(end.psh(5, 1_000));
            assertThat(end.stats().bytesReceived()).as("not parsed while the buffer is full").isEqualTo(120_000);
            end.advanceMs(120_000);
            assertThat(end.channel.isOpen()).as("a full buffer is no timeout").isTrue();
            end.accepted.get(0).stream.read();
            end.channel.runPendingTasks();
            assertThat(end.channel.config().isAutoRead()).isTrue();
            assertThat(end.stats().bytesReceived()).isEqualTo(121_000);
            assertThat(end.readRequests).isGreaterThan(requests);
        }
    }

    /** Another handler enables auto-read while the receive buffer is full, for example because the channel is writable again. */
    @Test
    void autoReadThatAnotherHandlerEnablesDoesNotStopReading() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.receiveBufferBytes(100_000)
            .childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3), end.psh(3, 60_000), end.psh(3, 60_000));
            end.channel.config().setAutoRead(true);
            int requests = end.readRequests;
            end.accepted.get(0).stream.read();
            end.channel.runPendingTasks();
            assertThat(end.readRequests).isGreaterThan(requests);
        }
    }

    @Test
    void closingTheParentReleasesUnreadBytes() {
        SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.receiveBufferBytes(100_000)
            .childOption(ChannelOption.AUTO_READ, false), recorder -> { });
        end.receive(end.syn(3), end.psh(3, 60_000), end.psh(3, 60_000), end.psh(3, 60_000));
        end.receive(end.psh(3, 60_000));
        end.accepted.get(0).stream.write(end.text("unflushed"));
        assertThat(end.stats().bytesReceived()).isEqualTo(120_000);
        end.close();
    }

    @Test
    void closingAStreamReturnsItsUnreadBytes() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.receiveBufferBytes(100_000)
            .childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3), end.psh(3, 60_000), end.psh(3, 60_000));
            assertThat(end.channel.config().isAutoRead()).isFalse();
            end.accepted.get(0).stream.close();
            end.receive(end.psh(3, 60_000));
            assertThat(end.channel.config().isAutoRead()).isTrue();
            assertThat(end.stats().queuedBytes()).isZero();
            assertThat(end.sentNames()).containsExactly("FIN 3");
            assertThat(end.usedBytes()).isZero();
        }
    }

    @Test
    void manyTinyUnreadFramesUseLittleMemory() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3));
            for (int i = 0; i < 1_000; i++) {
                end.receive(repeat(100, frame -> end.psh(3, 1)));
            }
            assertThat(end.stats().queuedBytes()).isEqualTo(100_000);
            assertThat(end.usedBytes()).isBetween(100_000L, 140_000L);
            StreamRecorder stream = end.accepted.get(0);
            stream.stream.config().setAutoRead(true);
            assertThat(stream.received.size()).isEqualTo(100_000);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1_024, 3_000, 9_000, 17_000})
    void alternatingSmallAndLargePayloadsWasteLittleMemory(int largeBytes) {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3));
            for (int i = 0; i < 200; i++) {
                end.receive(end.psh(3, 1));
                end.receive(end.psh(3, largeBytes));
            }
            long queued = end.stats().queuedBytes();
            assertThat(end.usedBytes()).isBetween(queued, 3 * queued);
            StreamRecorder stream = end.accepted.get(0);
            stream.stream.config().setAutoRead(true);
            assertThat((long) stream.received.size()).isEqualTo(queued);
        }
    }

    @Test
    void chunksStartSmallAfterTheQueueWasRead() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3));
            SmuxStreamChannel stream = end.accepted.get(0).stream;
            for (int i = 0; i < 100; i++) {
                end.receive(end.psh(3, 900));
            }
            stream.config().setAutoRead(true);
            stream.config().setAutoRead(false);
            assertThat(end.usedBytes()).isZero();
            end.receive(end.psh(3, 1));
            assertThat(end.usedBytes()).isEqualTo(256);
        }
    }

    @Test
    void smallPartsOfLargeReadsDoNotKeepThemAlive() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3));
            for (int i = 0; i < 100; i++) {
                end.receive(repeat(100, frame -> end.nop()), end.psh(3, 1_000), repeat(5_000, frame -> end.nop()));
            }
            assertThat(end.usedBytes()).isLessThan(150_000);
        }
    }

    @Test
    void windowUpdatesToAPeerThatDoesNotReadAreCoalesced() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            fillParent(end);
            long before = end.usedBytes();
            for (int i = 0; i < 200; i++) {
                end.receive(end.psh(3, 1_000));
            }
            assertThat(end.usedBytes()).isEqualTo(before);
            end.unblock();
            assertThat(end.sentNames().stream().filter(name -> name.startsWith("UPD"))).containsExactly("UPD 3 200000 65536");
        }
    }

    @Test
    void keepalivesToAPeerThatDoesNotReadAreNotQueued() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            fillParent(end);
            long before = end.usedBytes();
            for (int i = 0; i < 20; i++) {
                end.advanceMs(10_000);
                end.receive(end.nop());
            }
            assertThat(end.usedBytes()).isEqualTo(before);
        }
    }

    @Test
    void statisticsAddUp() {
        SmuxStats one = new SmuxStats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        assertThat(one.plus(one)).isEqualTo(new SmuxStats(2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22));
    }

    // ---- random frames

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomFramesNeitherFailNorLeak(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Set<SmuxError> errors = EnumSet.noneOf(SmuxError.class);
        for (int round = 0; round < 150; round++) {
            SmuxVersion version = SmuxVersion.values()[random.nextInt(2)];
            boolean autoRead = random.nextBoolean();
            boolean halfClosure = random.nextBoolean();
            try (SmuxEnd end = SmuxEnd.server(version, smux -> smux.maxStreams(5).receiveBufferBytes(70_000)
                .childOption(ChannelOption.AUTO_READ, autoRead).childOption(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure),
                recorder -> { })) {
                for (int step = 0; step < 200 && end.channel.isOpen(); step++) {
                    end.receive(randomFrames(random, end));
                    actRandomly(random, end);
                }
                if (end.handler.closeCause() != null) {
                    errors.add(end.handler.closeCause().error());
                }
            }
        }
        assertThat(errors).contains(SmuxError.VERSION_MISMATCH).doesNotContain(SmuxError.FAILED, SmuxError.WRITE_FAILED);
    }

    private static byte[] randomFrames(SplittableRandom random, SmuxEnd end) {
        return repeat(random.nextInt(5), i -> {
            int id = 1 + 2 * random.nextInt(8);
            return switch (random.nextInt(8)) {
                case 0, 1 -> end.syn(id);
                case 2 -> end.fin(id);
                case 3, 4 -> end.psh(id, random.nextInt(random.nextBoolean() ? 20 : 20_000));
                case 5 -> end.version == SmuxVersion.V1 ? end.nop()
                    : end.upd(id, random.nextBoolean() ? random.nextInt(1_000) : random.nextInt(), random.nextInt());
                case 6 -> random.nextInt(30) == 0
                    ? WireFrame.header(random.nextInt(4), random.nextInt(7), random.nextInt(10), id) : end.nop();
                default -> end.nop();
            };
        });
    }

    private static void actRandomly(SplittableRandom random, SmuxEnd end) {
        if (end.accepted.isEmpty() || !end.channel.isOpen()) {
            return;
        }
        SmuxStreamChannel stream = end.accepted.get(random.nextInt(end.accepted.size())).stream;
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> stream.read();
            case 3, 4 -> stream.writeAndFlush(end.buffer(new byte[random.nextInt(10_000)]));
            case 5 -> stream.shutdownOutput();
            case 6 -> stream.close();
            case 7 -> stream.shutdownInput();
            case 8 -> end.block();
            case 9, 10 -> end.unblock();
            default -> end.advanceMs(random.nextInt(6_000));
        }
    }

    @Test
    void streamsClosedBeforeTheirSynAreNotStored() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.lingerMs(0), recorder -> { })) {
            fillParent(end);
            SmuxStreamChannel open = end.open(new StreamRecorder());
            FrameScheduler scheduler = end.handler.session().link().scheduler();
            for (int i = 0; i < 5_000; i++) {
                SmuxStreamChannel stream = end.open(new StreamRecorder());
                if (i % 2 == 0) {
                    stream.writeAndFlush(end.text("data"));
                }
                stream.close();
                end.channel.runPendingTasks();
            }
            assertThat(scheduler.queuedStreams()).isLessThan(300);
            assertThat(end.stats().openStreams()).isEqualTo(2);
            end.unblock();
            assertThat(end.sentNames()).filteredOn(frame -> !frame.startsWith("PSH 3")).containsExactly("SYN 2");
            assertThat(open.isActive()).isTrue();
        }
    }

    @Test
    void oneIterationAcceptsALimitedNumberOfStreams() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            byte[][] frames = new byte[2 * 4_096][];
            for (int i = 0; i < frames.length; i += 2) {
                frames[i] = end.syn(3);
                frames[i + 1] = end.fin(3);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (byte[] frame : frames) {
                all.writeBytes(frame);
            }
            end.channel.pipeline().fireChannelRead(end.buffer(all.toByteArray()));
            assertThat(end.accepted).hasSize(SmuxMultiplexer.MAX_ACCEPTED_PER_ITERATION);
            end.channel.pipeline().fireChannelReadComplete();
            for (int iteration = 2; iteration <= 4_096 / SmuxMultiplexer.MAX_ACCEPTED_PER_ITERATION; iteration++) {
                // The time is frozen, so the task that this iteration schedules is not due.
                end.advanceMs(1);
                assertThat(end.accepted).as("iteration " + iteration).hasSize(iteration * SmuxMultiplexer.MAX_ACCEPTED_PER_ITERATION);
            }
        }
    }
}
