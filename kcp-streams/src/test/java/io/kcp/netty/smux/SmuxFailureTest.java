package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Promise;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failures and races at the end of a stream neither lose a result nor break the frames of other streams. */
@Timeout(60)
class SmuxFailureTest {

    private static SmuxStreamChannel accept(SmuxEnd end, int id) {
        end.receive(end.syn(id));
        return end.accepted.get(end.accepted.size() - 1).stream;
    }

    @Test
    void emptyWriteAndFinNeedNoWindow() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            SmuxStreamChannel stream = accept(end, 3);
            stream.writeAndFlush(end.buffer(new byte[FrameFormat.INITIAL_WINDOW_BYTES]));
            end.sent();
            ChannelFuture empty = stream.writeAndFlush(end.text(""));
            ChannelFuture fin = stream.shutdownOutput();
            end.channel.runPendingTasks();
            assertThat(empty.isSuccess()).isTrue();
            assertThat(fin.isSuccess()).isTrue();
        }
    }

    @Test
    void failedWriteOfAHeaderClosesTheParentWithoutSendingThePayload() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            SmuxStreamChannel stream = accept(end, 3);
            end.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                    if (((ByteBuf) message).readableBytes() == FrameFormat.HEADER_BYTES) {
                        ((ByteBuf) message).release();
                        promise.setFailure(new OutOfMemoryError("simulated"));
                    } else {
                        context.write(message, promise);
                    }
                }
            });
            ChannelFuture written = stream.writeAndFlush(end.buffer(new byte[8_192]));
            end.channel.runPendingTasks();
            assertThat(end.channel.isOpen()).isFalse();
            assertThat(written.isSuccess()).isFalse();
            assertThat(end.channel.<Object>readOutbound()).isNull();
        }
    }

    @Test
    void finBeforeTheEndOfTheParentDoesNotHideTheLossOfFlushedData() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            SmuxStreamChannel stream = accept(end, 3);
            StreamRecorder recorder = end.accepted.get(0);
            ChannelFuture written = stream.writeAndFlush(end.buffer(new byte[300_000]));
            end.sent();
            end.receive(end.fin(3));
            end.channel.close();
            end.channel.runPendingTasks();
            assertThat(written.isSuccess()).isFalse();
            assertThat(recorder.failures).hasSize(1);
            assertThat(stream.closeCause()).isNotNull();
        }
    }

    @Test
    void errorWhileOpeningFailsTheFuture() {
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V2)) {
            Promise<SmuxStreamChannel> opened = end.channel.eventLoop().newPromise();
            Map<ChannelOption<?>, Object> failing = new AbstractMap<>() {
                @Override
                public Set<Entry<ChannelOption<?>, Object>> entrySet() {
                    throw new StackOverflowError("simulated");
                }
            };
            assertThatThrownBy(() -> end.handler.open(new StreamRecorder(), failing, Map.of(), opened))
                .isInstanceOf(StackOverflowError.class);
            assertThat(opened.cause()).isInstanceOf(StackOverflowError.class);
        }
    }
}
