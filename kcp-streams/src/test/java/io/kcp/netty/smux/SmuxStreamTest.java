package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stream behaves like any other Netty channel. */
@Timeout(60)
class SmuxStreamTest {

    private static SmuxEnd serverWithoutAutoRead(SmuxVersion version, Consumer<StreamRecorder> setup) {
        return SmuxEnd.server(version, smux -> smux.childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), setup);
    }

    private static SmuxEnd halfClosing(SmuxVersion version) {
        return SmuxEnd.server(version, smux -> smux.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), recorder -> { });
    }

    private static SmuxStreamChannel accept(SmuxEnd end, int id) {
        end.receive(end.syn(id));
        return end.accepted.get(end.accepted.size() - 1).stream;
    }

    // ---- opening

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void clientOpensOddAndServerOpensEvenIds(SmuxVersion version) {
        try (SmuxEnd client = SmuxEnd.client(version); SmuxEnd server = SmuxEnd.server(version)) {
            assertThat(client.open(new StreamRecorder()).streamId()).isEqualTo(3);
            assertThat(client.open(new StreamRecorder()).streamId()).isEqualTo(5);
            assertThat(server.open(new StreamRecorder()).streamId()).isEqualTo(2);
            assertThat(server.open(new StreamRecorder()).streamId()).isEqualTo(4);
            assertThat(client.sentNames()).containsExactly("SYN 3", "SYN 5");
            assertThat(server.sentNames()).containsExactly("SYN 2", "SYN 4");
        }
    }

    @Test
    void acceptedStreamHasItsOptionsParentAndAttributes() {
        AttributeKey<String> key = AttributeKey.valueOf("smux-test");
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childAttr(key, "value"), recorder -> { })) {
            SmuxStreamChannel stream = accept(end, 0x8000_0001);
            assertThat(stream.streamId()).isEqualTo(0x8000_0001L);
            assertThat(stream.parent()).isSameAs(end.channel);
            assertThat(stream.config().isAllowHalfClosure()).isTrue();
            assertThat(stream.attr(key).get()).isEqualTo("value");
            assertThat(stream.localAddress()).isEqualTo(end.channel.localAddress());
            assertThat(stream.isActive()).isTrue();
            assertThat(end.accepted.get(0).active).isTrue();
        }
    }

    @Test
    void optionThatStreamsDoNotHaveIsRefused() {
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V1)) {
            assertThatThrownBy(() -> SmuxHandler.server().childOption(ChannelOption.SO_LINGER, 1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("SO_LINGER");
            assertThatThrownBy(() -> new SmuxStreamChannelBootstrap(end.channel).option(ChannelOption.SO_LINGER, 1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("SO_LINGER");
        }
    }

    @Test
    void openingFailsWhenAllIdsAreUsed() {
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V1)) {
            end.handler.session().setNextId(0xffff_ffffL);
            assertThat(end.open(new StreamRecorder()).streamId()).isEqualTo(0xffff_ffffL);
            Future<SmuxStreamChannel> opened = end.openLater(new StreamRecorder());
            assertThat(opened.cause()).isInstanceOfSatisfying(SmuxException.class,
                failure -> assertThat(failure.error()).isEqualTo(SmuxError.STREAM_IDS_EXHAUSTED));
            assertThat(end.channel.isOpen()).isTrue();
        }
    }

    @Test
    void openingOnAClosedParentFails() {
        SmuxEnd end = SmuxEnd.client(SmuxVersion.V1);
        end.close();
        Promise<SmuxStreamChannel> promise = ImmediateEventExecutor.INSTANCE.newPromise();
        end.handler.open(new StreamRecorder(), Map.of(), Map.of(), promise);
        assertThat(promise.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(end.channel.pipeline().get(SmuxHandler.class)).isNull();
        assertThat(end.openLater(new StreamRecorder()).cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void dataWrittenInChannelActiveFollowsTheSyn() {
        StreamRecorder recorder = new StreamRecorder();
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V2)) {
            recorder.onActive = context -> context.writeAndFlush(end.text("hello"));
            end.open(recorder);
            assertThat(end.sentNames()).containsExactly("SYN 3", "PSH 3 5");
            assertThat(end.flushes).isEqualTo(1);
        }
    }

    @Test
    void streamClosedBeforeItsSynWasSentSendsNothing() {
        StreamRecorder recorder = new StreamRecorder();
        recorder.onActive = ChannelHandlerContext::close;
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V1)) {
            Future<SmuxStreamChannel> opened = end.openLater(recorder);
            end.channel.runPendingTasks();
            assertThat(opened.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(end.sent()).isEmpty();
        }
    }

    @Test
    void failingInitializerClosesOnlyItsStream() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux, recorder -> {
            throw new IllegalStateException("test");
        })) {
            end.receive(end.syn(3));
            assertThat(end.sentNames()).containsExactly("FIN 3");
            assertThat(end.channel.isOpen()).isTrue();
            assertThat(end.stats().openStreams()).isZero();
        }
    }

    // ---- reading

    @Test
    void readingRespectsAutoRead() {
        try (SmuxEnd end = serverWithoutAutoRead(SmuxVersion.V1, recorder -> { })) {
            SmuxStreamChannel stream = accept(end, 3);
            StreamRecorder recorder = end.accepted.get(0);
            end.receive(end.psh(3, 5_000), end.psh(3, 5_000));
            assertThat(recorder.reads).isZero();
            stream.read();
            assertThat(recorder.reads).isEqualTo(1);
            assertThat(recorder.readCompletes).isEqualTo(1);
            stream.read();
            stream.read();
            int before = recorder.received.size();
            end.receive(end.psh(3, "late"), end.psh(3, "later"));
            assertThat(recorder.received.size()).isBetween(before, 10_004);
            stream.config().setAutoRead(true);
            assertThat(recorder.received.size()).isEqualTo(10_009);
        }
    }

    @Test
    void disablingAutoReadInChannelReadStopsAfterThatRead() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux,
            recorder -> recorder.onRead = (context, data) -> context.channel().config().setAutoRead(false))) {
            end.receive(end.syn(3), end.psh(3, "first"), end.psh(3, "second"));
            assertThat(end.accepted.get(0).text()).isEqualTo("first");
            end.accepted.get(0).stream.read();
            assertThat(end.accepted.get(0).text()).isEqualTo("firstsecond");
        }
    }

    @Test
    void readInsideChannelReadCompleteDoesNotOverflowTheStack() {
        try (SmuxEnd end = serverWithoutAutoRead(SmuxVersion.V1, recorder -> recorder.onReadComplete = ChannelHandlerContext::read)) {
            SmuxStreamChannel stream = accept(end, 3);
            for (int i = 0; i < 200; i++) {
                end.receive(end.psh(3, 20_000));
            }
            stream.read();
            assertThat(end.accepted.get(0).received.size()).isEqualTo(4_000_000);
            assertThat(end.stats().queuedBytes()).isZero();
        }
    }

    @Test
    void readCompleteFollowsEachReadBatch() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            end.receive(end.syn(3), end.psh(3, "a"), end.psh(3, "b"), end.psh(3, "c"));
            assertThat(end.accepted.get(0).reads).isEqualTo(3);
            assertThat(end.accepted.get(0).readCompletes).isEqualTo(1);
        }
    }

    @Test
    void exceptionInOneStreamDoesNotAffectOthers() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux, recorder -> recorder.onRead = (context, data) -> {
            throw new IllegalStateException("test");
        })) {
            end.receive(end.syn(3), end.psh(3, "a"), end.syn(5), end.psh(5, "b"), end.psh(3, "c"));
            assertThat(end.accepted.get(0).text()).isEqualTo("ac");
            assertThat(end.accepted.get(1).text()).isEqualTo("b");
            assertThat(end.accepted.get(0).failures).hasSize(2);
        }
    }

    // ---- windows

    @Test
    void updateFollowsTheFirstReadAndEachHalfBuffer() {
        try (SmuxEnd end = serverWithoutAutoRead(SmuxVersion.V2, recorder -> { })) {
            SmuxStreamChannel stream = accept(end, 3);
            end.receive(end.psh(3, 10));
            assertThat(end.sent()).as("nothing was read").isEmpty();
            stream.config().setAutoRead(true);
            assertThat(end.sentNames()).containsExactly("UPD 3 10 65536");
            end.receive(end.psh(3, 32_767));
            assertThat(end.sent()).isEmpty();
            end.receive(end.psh(3, 1));
            assertThat(end.sentNames()).containsExactly("UPD 3 32778 65536");
        }
    }

    @Test
    void writerStopsAtTheWindowOfThePeer() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            SmuxStreamChannel stream = accept(end, 3);
            ChannelFuture written = stream.writeAndFlush(end.buffer(new byte[300_000]));
            assertThat(end.sent().stream().mapToInt(frame -> frame.payload().length).sum()).isEqualTo(262_144);
            assertThat(written.isDone()).isFalse();
            end.receive(end.upd(3, 262_144, 30_000));
            assertThat(end.sentNames()).containsExactly("PSH 3 30000");
            end.receive(end.upd(3, 292_144, 30_000));
            assertThat(end.sentNames()).containsExactly("PSH 3 7856");
            assertThat(written.isSuccess()).isTrue();
        }
    }

    @Test
    void stalledStreamDoesNotStopOthersInVersion2() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            SmuxStreamChannel stalled = accept(end, 3);
            SmuxStreamChannel other = accept(end, 5);
            stalled.writeAndFlush(end.buffer(new byte[400_000]));
            end.sent();
            other.writeAndFlush(end.text("hello"));
            assertThat(end.sentNames()).containsExactly("PSH 5 5");
        }
    }

    // ---- writing

    @Test
    void smallWritesShareAFrameAndLargeOnesAreSplit() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.write(end.text("ab"));
            stream.write(end.text(""));
            stream.writeAndFlush(end.text("cde"));
            assertThat(end.sent()).singleElement().satisfies(frame -> assertThat(frame.text()).isEqualTo("abcde"));
            stream.writeAndFlush(end.buffer(new byte[70_000]));
            assertThat(end.sentNames()).containsExactly("PSH 3 32768", "PSH 3 32768", "PSH 3 4464");
        }
    }

    @Test
    void emptyWritesComplete() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            ChannelFuture empty = stream.writeAndFlush(end.text(""));
            end.channel.runPendingTasks();
            assertThat(empty.isSuccess()).isTrue();
            assertThat(end.sent()).isEmpty();
        }
    }

    @Test
    void cancelledWriteIsNotSent() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.write(end.text("a"));
            ChannelFuture cancelled = stream.write(end.text("b"));
            ChannelFuture last = stream.write(end.text("c"));
            assertThat(cancelled.cancel(false)).isTrue();
            stream.flush();
            assertThat(end.sent().get(0).text()).isEqualTo("ac");
            assertThat(last.isSuccess()).isTrue();
        }
    }

    @Test
    void promiseCompletesWhenTheParentHasWritten() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            end.block();
            ChannelFuture small = stream.writeAndFlush(end.text("small"));
            ChannelFuture large = stream.writeAndFlush(end.buffer(new byte[40_000]));
            end.channel.runPendingTasks();
            assertThat(small.isDone()).isFalse();
            end.unblock();
            assertThat(small.isSuccess()).isTrue();
            assertThat(large.isSuccess()).isTrue();
        }
    }

    @Test
    void writabilityFollowsTheWaterMarks() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1_000, 2_000));
            end.block();
            stream.writeAndFlush(end.buffer(new byte[3_000]));
            end.channel.runPendingTasks();
            assertThat(stream.isWritable()).isFalse();
            end.unblock();
            assertThat(stream.isWritable()).isTrue();
            assertThat(end.accepted.get(0).writabilityChanges).isEqualTo(2);
        }
    }

    @Test
    void writesAreSentAfterAReadWithoutReadComplete() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            end.channel.pipeline().fireChannelRead(end.buffer(end.nop()));
            stream.writeAndFlush(end.text("hello"));
            assertThat(end.sentNames()).containsExactly("PSH 3 5");
        }
    }

    @Test
    void memoryShortageWhileWritingClosesTheParent() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            ByteBuf data = end.text("hello");
            end.channel.config().setAllocator(new AbstractByteBufAllocator(true) {
                @Override
                protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
                    throw new OutOfMemoryError("test");
                }

                @Override
                protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                    throw new OutOfMemoryError("test");
                }

                @Override
                public boolean isDirectBufferPooled() {
                    return false;
                }
            });
            ChannelFuture written = stream.writeAndFlush(data);
            end.channel.runPendingTasks();
            assertThat(end.handler.closeCause().error()).isEqualTo(SmuxError.FAILED);
            assertThat(written.cause()).isNotNull();
            assertThat(end.channel.isOpen()).isFalse();
        }
    }

    @Test
    void unsupportedMessageFailsItsWrite() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            assertThat(accept(end, 3).writeAndFlush("text").cause()).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void bulkStreamDoesNotDelayASmallOne() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel bulk = accept(end, 3);
            SmuxStreamChannel small = accept(end, 5);
            bulk.writeAndFlush(end.buffer(new byte[2_000_000]));
            small.writeAndFlush(end.text("small"));
            assertThat(end.sentNames().indexOf("PSH 5 5")).isEqualTo(1);
        }
    }

    @Test
    void streamsTakeTurnsWhileTheParentIsSlow() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            for (int id = 3; id < 13; id += 2) {
                accept(end, id);
            }
            end.block();
            end.accepted.forEach(recorder -> recorder.stream.writeAndFlush(end.buffer(new byte[200_000])));
            end.unblock();
            List<String> sent = end.sentNames();
            assertThat(sent).hasSize(5 * 7);
            for (int i = 0; i < 30; i++) {
                assertThat(sent.get(i)).isEqualTo("PSH " + (3 + 2 * (i % 5)) + " 32768");
            }
        }
    }

    // ---- half-close

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void shutdownOutputSendsAFinAfterTheData(SmuxVersion version) {
        try (SmuxEnd end = halfClosing(version)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.writeAndFlush(end.buffer(new byte[40_000]));
            ChannelFuture shut = stream.shutdownOutput();
            ChannelFuture again = stream.shutdownOutput();
            ChannelFuture late = stream.writeAndFlush(end.text("late"));
            assertThat(late.cause()).isInstanceOf(ChannelOutputShutdownException.class);
            assertThat(end.sentNames()).containsExactly("PSH 3 32768", "PSH 3 7232", "FIN 3");
            assertThat(shut.isSuccess()).isTrue();
            assertThat(again.isSuccess()).isTrue();
            assertThat(stream.isOutputShutdown()).isTrue();
            assertThat(stream.isActive()).isTrue();
            assertThat(end.accepted.get(0).events).containsExactly(ChannelOutputShutdownEvent.INSTANCE);
            end.receive(end.psh(3, "still received"));
            assertThat(end.accepted.get(0).text()).isEqualTo("still received");
            end.receive(end.fin(3));
            assertThat(stream.isOpen()).isFalse();
            assertThat(end.sentNames().stream().filter(name -> name.startsWith("FIN"))).isEmpty();
        }
    }

    @Test
    void finOfThePeerEndsTheInput() {
        try (SmuxEnd end = halfClosing(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            end.receive(end.psh(3, "data"), end.fin(3));
            assertThat(end.accepted.get(0).text()).isEqualTo("data");
            assertThat(end.accepted.get(0).events)
                .containsExactly(ChannelInputShutdownEvent.INSTANCE, ChannelInputShutdownReadComplete.INSTANCE);
            assertThat(stream.isInputShutdown()).isTrue();
            stream.writeAndFlush(end.text("answer"));
            stream.shutdownOutput();
            assertThat(end.sentNames()).containsExactly("PSH 3 6", "FIN 3");
            assertThat(stream.isOpen()).isFalse();
            assertThat(stream.closeCause()).isNull();
        }
    }

    @Test
    void finWithoutHalfClosureClosesTheStream() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.writeAndFlush(end.text("answer"));
            end.receive(end.fin(3));
            assertThat(stream.isOpen()).isFalse();
            assertThat(end.sentNames()).containsExactly("PSH 3 6", "FIN 3");
        }
    }

    @Test
    void finIsSeenOnlyByARead() {
        try (SmuxEnd end = serverWithoutAutoRead(SmuxVersion.V1, recorder -> { })) {
            SmuxStreamChannel stream = accept(end, 3);
            end.receive(end.psh(3, "data"), end.fin(3));
            assertThat(end.accepted.get(0).events).isEmpty();
            stream.read();
            assertThat(end.accepted.get(0).text()).isEqualTo("data");
            assertThat(end.accepted.get(0).events).isEmpty();
            stream.read();
            assertThat(end.accepted.get(0).events).hasSize(2);
        }
    }

    @Test
    void pendingShutdownCannotBeCancelled() {
        try (SmuxEnd end = halfClosing(SmuxVersion.V2)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.writeAndFlush(end.buffer(new byte[262_145]));
            ChannelFuture shut = stream.shutdownOutput();
            assertThat(shut.cancel(false)).isFalse();
            end.sent();
            end.receive(end.upd(3, 262_144, 65_536));
            assertThat(end.sentNames()).containsExactly("PSH 3 1", "FIN 3");
            assertThat(shut.isSuccess()).isTrue();
        }
    }

    @Test
    void shutdownAfterAShutdownOfTheOutputCloses() {
        try (SmuxEnd end = halfClosing(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.shutdownOutput();
            assertThat(stream.shutdown().isSuccess()).isTrue();
            assertThat(stream.isOpen()).isFalse();
            assertThat(end.sentNames()).containsExactly("FIN 3");
        }
    }

    @Test
    void shutdownInputDiscardsDataOfThePeer() {
        try (SmuxEnd end = halfClosing(SmuxVersion.V2)) {
            SmuxStreamChannel stream = accept(end, 3);
            assertThat(stream.shutdownInput().isSuccess()).isTrue();
            end.receive(end.psh(3, 40_000), end.psh(3, 40_000));
            assertThat(end.accepted.get(0).reads).isZero();
            assertThat(end.sentNames()).as("the peer is not stalled").last().isEqualTo("UPD 3 80000 65536");
            assertThat(stream.shutdownOutput().isSuccess()).isTrue();
            assertThat(stream.isOpen()).isFalse();
            assertThat(end.sentNames()).containsExactly("FIN 3");
        }
    }

    // ---- close

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void closeSendsFlushedDataAndOneFin(SmuxVersion version) {
        try (SmuxEnd end = SmuxEnd.server(version)) {
            SmuxStreamChannel stream = accept(end, 3);
            ChannelFuture written = stream.writeAndFlush(end.text("bye"));
            ChannelFuture closed = stream.close();
            ChannelFuture again = stream.close();
            assertThat(stream.isWritable()).isFalse();
            assertThat(stream.write(end.text("late")).cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(end.sentNames()).containsExactly("PSH 3 3", "FIN 3");
            assertThat(written.isSuccess()).isTrue();
            assertThat(closed.isSuccess()).isTrue();
            assertThat(again.isSuccess()).isTrue();
            assertThat(stream.closeCause()).isNull();
            end.receive(end.psh(3, "dropped"), end.fin(3));
            assertThat(end.stats().droppedFrames()).isEqualTo(2);
        }
    }

    @Test
    void closeWaitsForAWindowNoLongerThanTheLingerTime() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.lingerMs(5_000), recorder -> { })) {
            SmuxStreamChannel stream = accept(end, 3);
            ChannelFuture written = stream.writeAndFlush(end.buffer(new byte[300_000]));
            stream.close();
            end.advanceMs(4_999);
            assertThat(stream.isOpen()).isTrue();
            end.advanceMs(1);
            assertThat(stream.isOpen()).isFalse();
            assertThat(((SmuxException) stream.closeCause()).error()).isEqualTo(SmuxError.LINGER_EXPIRED);
            assertThat(written.cause()).isNotNull();
            assertThat(end.sentNames()).last().isEqualTo("FIN 3");
        }
    }

    @Test
    void closeCompletesWhenTheParentClosesFirst() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.writeAndFlush(end.buffer(new byte[300_000]));
            ChannelFuture closed = stream.close();
            end.sent();
            assertThat(closed.isDone()).isFalse();
            end.channel.close();
            end.channel.runPendingTasks();
            assertThat(closed.isSuccess()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(SmuxVersion.class)
    void dataReceivedBeforeTheParentClosesIsDelivered(SmuxVersion version) {
        try (SmuxEnd end = SmuxEnd.server(version, smux -> smux.receiveBufferBytes(100_000).childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), recorder -> { })) {
            end.receive(end.syn(3), end.syn(5), end.psh(3, 60_000), end.psh(5, 60_000), end.psh(3, 1_000), end.fin(3));
            end.receive(end.psh(5, 2_000), end.syn(7), end.psh(7, 3_000));
            assertThat(end.stats().bytesReceived()).as("the rest waits for room in the receive buffer").isEqualTo(120_000);
            end.channel.close();
            end.channel.runPendingTasks();
            assertThat(end.accepted).hasSize(2).allSatisfy(recorder -> {
                assertThat(recorder.readsWhileInactive).isZero();
                assertThat(recorder.readCompletes).isEqualTo(1);
                assertThat(recorder.inactive).isTrue();
            });
            assertThat(end.accepted.get(0).received.size()).isEqualTo(61_000);
            assertThat(end.accepted.get(0).events).contains(ChannelInputShutdownEvent.INSTANCE);
            assertThat(end.accepted.get(1).received.size()).isEqualTo(62_000);
            assertThat(end.accepted.get(1).events).isEmpty();
        }
    }

    @Test
    void parentCloseClosesAllStreams() {
        SmuxEnd end = SmuxEnd.server(SmuxVersion.V1);
        accept(end, 3);
        end.block();
        SmuxStreamChannel writer = accept(end, 5);
        ChannelFuture written = writer.writeAndFlush(end.text("lost"));
        end.channel.runPendingTasks();
        end.channel.close();
        end.channel.runPendingTasks();
        for (StreamRecorder recorder : end.accepted) {
            assertThat(recorder.inactive).isTrue();
            assertThat(recorder.stream.closeCause()).isInstanceOfSatisfying(SmuxException.class,
                cause -> assertThat(cause.error()).isEqualTo(SmuxError.PARENT_CLOSED));
        }
        assertThat(written.cause()).isNotNull();
        assertThat(end.accepted.get(0).failures).as("no data was lost").isEmpty();
        end.close();
    }

    @Test
    void endOfTheParentsInputClosesTheParent() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            end.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            assertThat(stream.isOpen()).isFalse();
            assertThat(end.channel.isOpen()).isFalse();
            assertThat(end.handler.closeCause().error()).isEqualTo(SmuxError.PARENT_CLOSED);
        }
    }

    @Test
    @SuppressWarnings("deprecation")
    void invalidOptionValueFailsTheOpening() {
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V1)) {
            Future<SmuxStreamChannel> opened = new SmuxStreamChannelBootstrap(end.channel).handler(new StreamRecorder())
                .option(ChannelOption.WRITE_BUFFER_HIGH_WATER_MARK, -1).open();
            assertThat(opened.cause()).isInstanceOf(IllegalArgumentException.class);
            assertThat(end.sent()).isEmpty();
            assertThat(end.stats().openStreams()).isZero();
        }
    }

    @Test
    void handlerThatReadsTheParentDuringAResumeDoesNotStopWriting() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1, smux -> smux.receiveBufferBytes(65_536)
            .childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            SmuxStreamChannel paused = accept(end, 3);
            SmuxStreamChannel other = accept(end, 5);
            end.accepted.get(1).onRead = (context, data) -> {
                end.channel.pipeline().fireChannelRead(end.buffer(end.nop()));
                end.channel.pipeline().fireChannelReadComplete();
            };
            other.read();
            end.receive(end.psh(3, 60_000), end.psh(3, 60_000), end.psh(5, "read during the resume"));
            assertThat(end.accepted.get(1).reads).isZero();
            paused.config().setAutoRead(true);
            end.channel.runPendingTasks();
            assertThat(end.accepted.get(1).reads).isEqualTo(1);
            other.writeAndFlush(end.text("answer"));
            assertThat(end.sentNames()).containsExactly("PSH 5 6");
        }
    }

    @Test
    void removingTheHandlerClosesItsStreams() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            SmuxStreamChannel stream = accept(end, 3);
            end.channel.pipeline().remove(end.handler);
            assertThat(stream.isOpen()).isFalse();
            assertThat(end.handler.closeCause().error()).isEqualTo(SmuxError.HANDLER_REMOVED);
            assertThat(end.channel.isOpen()).isTrue();
        }
    }

    @Test
    void closingTheParentFromAStreamHandlerIsSafe() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux,
            recorder -> recorder.onRead = (context, data) -> context.channel().parent().close())) {
            end.receive(end.syn(3), end.syn(5), end.psh(3, 1_000), end.psh(5, 1_000));
            assertThat(end.channel.isOpen()).isFalse();
            assertThat(end.accepted.get(1).reads).as("received before the close").isEqualTo(1);
            assertThat(end.accepted.get(1).readsWhileInactive).isZero();
        }
    }

    // ---- keepalive

    @Test
    void keepalivePreventsTheTimeout() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V1)) {
            for (int i = 0; i < 12; i++) {
                end.receive(end.nop());
                end.advanceMs(10_000);
                assertThat(end.sentNames()).containsExactly("NOP 0");
            }
            assertThat(end.channel.isOpen()).isTrue();
            end.advanceMs(60_000);
            assertThat(end.handler.closeCause().error()).isEqualTo(SmuxError.KEEPALIVE_TIMEOUT);
        }
    }

    @Test
    void keepaliveCanBeDisabled() {
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V1, smux -> smux.keepAliveIntervalMs(0).keepAliveTimeoutMs(0))) {
            end.advanceMs(1_000_000);
            assertThat(end.sent()).isEmpty();
            assertThat(end.channel.isOpen()).isTrue();
        }
    }

    @Test
    void invalidSettingsAreRefused() {
        assertThatThrownBy(() -> SmuxHandler.client().maxFrameBytes(65_536)).hasMessageContaining("maxFrameBytes: 65536");
        assertThatThrownBy(() -> SmuxHandler.client().streamBufferBytes(5 << 20).build()).hasMessageContaining("streamBufferBytes");
        assertThatThrownBy(() -> SmuxHandler.client().keepAliveTimeoutMs(9_999).build()).hasMessageContaining("keepAliveTimeoutMs: 9999");
        assertThatThrownBy(() -> SmuxHandler.client().build().collectStats()).isInstanceOf(IllegalStateException.class);
    }
}
