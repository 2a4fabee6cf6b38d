package io.kcp.netty.blocking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.BlockingOperationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the handler of blocking sockets on a channel whose event loop runs only when the test runs it. */
@Timeout(60)
class SocketHandlerTest {

    private static final int MORE_THAN_CAPACITY_BYTES = ReceiveHandoff.CAPACITY_BYTES + 10_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<ChannelPromise> writes = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(new IncompleteWrites());
    private final KcpSocket socket = KcpSocket.wrap(channel);

    @AfterEach
    void closeChannel() {
        if (channel.isOpen()) {
            channel.pipeline().firstContext().close();
            channel.runPendingTasks();
        }
    }

    private void receive() {
        channel.pipeline().fireChannelRead(Unpooled.buffer().writeZero(MORE_THAN_CAPACITY_BYTES));
    }

    private void write() throws IOException {
        socket.write(ByteBuffer.allocate(10));
        channel.runPendingTasks();
        assertThat(writes).hasSize(1);
    }

    @Test
    void lateResumeDoesNotReadWhileTheBufferIsFull() throws Exception {
        receive();
        assertThat(channel.config().isAutoRead()).isFalse();
        socket.read(ByteBuffer.allocate(1));
        receive();
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isFalse();
        socket.read(ByteBuffer.allocate(MORE_THAN_CAPACITY_BYTES));
        socket.read(ByteBuffer.allocate(1));
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void closeReportsDataThatWasStoredWhenTheChannelClosed() throws Exception {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        socket.write(ByteBuffer.allocate(10));
        channel.runPendingTasks();
        channel.pipeline().firstContext().close();
        channel.runPendingTasks();
        assertThatThrownBy(() -> socket.close(SECOND)).isInstanceOf(KcpSocketException.class).hasMessageContaining("10 bytes");
    }

    @Test
    void closeNotifyOfTlsIsTheEndOfTheData() throws Exception {
        channel.pipeline().fireChannelRead(Unpooled.buffer().writeZero(3));
        channel.pipeline().fireChannelReadComplete();
        channel.runPendingTasks();
        channel.pipeline().fireUserEventTriggered(new SslCloseCompletionEvent(new ClosedChannelException()));
        assertThat(socket.read(ByteBuffer.allocate(10))).isEqualTo(3);
        assertThatThrownBy(() -> socket.read(ByteBuffer.allocate(10))).isInstanceOf(BlockingOperationException.class);
        channel.pipeline().fireUserEventTriggered(SslCloseCompletionEvent.SUCCESS);
        assertThat(socket.read(ByteBuffer.allocate(10))).isEqualTo(-1);
    }

    @Test
    void concurrentCloseDoesNotDiscardWrittenData() throws Exception {
        List<ChannelPromise> closes = new ArrayList<>();
        channel.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext context, ChannelPromise promise) {
                closes.add(promise);
                if (closes.size() == 1) {
                    // Another thread that calls close() at the same time may run here.
                    socket.close();
                }
                context.close(promise);
            }
        });
        write();
        socket.close();
        assertThat(closes).hasSize(1);
        assertThat(channel.isOpen()).isTrue();
        writes.get(0).setSuccess();
        assertThat(channel.isOpen()).isFalse();
        socket.close(SECOND);
    }

    @Test
    void closeReportsWriteThatFailsDuringTheClose() throws Exception {
        write();
        socket.close();
        writes.get(0).setFailure(new IOException("reset by the test"));
        assertThat(channel.isOpen()).isFalse();
        assertThatThrownBy(() -> socket.close(SECOND)).isInstanceOf(KcpSocketException.class).hasMessageContaining("reset by the test");
    }

    @Test
    void closeReportsDataThatIsNotWrittenInTime() throws Exception {
        channel.freezeTime();
        write();
        // EmbeddedChannel.close() would cancel the timer.
        channel.pipeline().close();
        channel.advanceTimeBy(4_999, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        assertThatThrownBy(() -> socket.close(SECOND)).isInstanceOf(KcpSocketException.class).hasMessageContaining("5000 ms");
    }

    @Test
    void readOnTheEventLoopIsRefusedInsteadOfWaiting() throws Exception {
        socket.setSoTimeout(1);
        assertThatThrownBy(() -> socket.read(ByteBuffer.allocate(1))).isInstanceOf(BlockingOperationException.class);
        receive();
        assertThat(socket.read(ByteBuffer.allocate(1))).isEqualTo(1);
    }

    @Test
    void writeOnTheEventLoopIsRefusedInsteadOfWaiting() {
        socket.setWriteTimeout(1);
        ByteBuffer source = ByteBuffer.allocate(SendHandoff.CAPACITY_BYTES + 1);
        assertThatThrownBy(() -> socket.write(source)).isInstanceOf(BlockingOperationException.class);
        assertThat(source.remaining()).isEqualTo(1);
    }

    @Test
    void closeOnTheEventLoopDoesNotWait() throws Exception {
        write();
        assertThatThrownBy(() -> socket.close(Duration.ofMillis(1))).isInstanceOf(BlockingOperationException.class);
        assertThat(socket.isClosed()).isTrue();
        writes.get(0).setSuccess();
        assertThat(channel.isOpen()).isFalse();
    }

    /** Takes the written messages and leaves their promises to the test. */
    private final class IncompleteWrites extends ChannelDuplexHandler {

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            writes.add(promise);
        }
    }
}
