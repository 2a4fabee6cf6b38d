package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.channel.DatagramLayer;
import io.kcp.netty.internal.loop.Registration;
import io.kcp.netty.internal.socket.ReceiveReserve;
import io.kcp.netty.internal.socket.ReservedReads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipelineException;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An OutOfMemoryError during the setup of a channel fails the caller's future. */
@Timeout(60)
class OutOfMemorySetupTest {

    /** Throws when {@link KcpHandler#handlerAdded} passes it the reserve. */
    private static final class UnwillingReads extends DefaultMaxMessagesRecvByteBufAllocator implements ReservedReads {
        @Override
        public void useReserve(ReceiveReserve reserve) {
            throw new OutOfMemoryError("thrown by the test");
        }

        @Override
        @SuppressWarnings("deprecation")
        public RecvByteBufAllocator.Handle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public int guess() {
                    return 2_048;
                }

                @Override
                public ByteBuf allocate(ByteBufAllocator allocator) {
                    return allocator.directBuffer(2_048);
                }
            };
        }
    }

    /** A handler below the {@link KcpHandler} whose overhead cannot be determined the first time, because memory is exhausted. */
    private static final class FailingOverhead extends ChannelInboundHandlerAdapter implements DatagramLayer {

        private final AtomicBoolean fails = new AtomicBoolean(true);

        @Override
        public int headBytes() {
            if (fails.getAndSet(false)) {
                throw new OutOfMemoryError("thrown by the test");
            }
            return 0;
        }

        @Override
        public int tailBytes() {
            return 0;
        }
    }

    @Test
    void outOfMemoryFailsTheConnectFuture() {
        try (EmbeddedLink link = EmbeddedLink.create(channel -> {
        }, channel -> channel.pipeline().addLast(new FailingOverhead()))) {
            KcpFuture<KcpChannel> connecting = link.client().handler().connect(EmbeddedLink.SERVER_ADDRESS, 7, new SessionRecorder());
            link.settle();
            assertThat(connecting.cause()).isInstanceOf(OutOfMemoryError.class);
            assertThat(connecting.channel().isOpen()).isFalse();
            SessionRecorder next = link.establish(8);
            assertThat(next.session().isActive()).isTrue();
            assertThat(link.client().stats().activeSessions()).isEqualTo(1);
        }
    }

    @Test
    void outOfMemoryFailsTheRegistrationPromise() {
        EmbeddedChannel channel = new EmbeddedChannel();
        ChannelPromise promise = channel.newPromise();
        Registration.complete(promise, () -> {
            throw new OutOfMemoryError("thrown by the test");
        });
        assertThat(promise.cause()).isInstanceOf(OutOfMemoryError.class);
        channel.finish();
    }

    @Test
    void handlerIsRemovedCleanlyIfItCannotBeAdded() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setRecvByteBufAllocator(new UnwillingReads());
        channel.pipeline().addLast(new KcpClientHandlerBuilder().build());
        assertThatThrownBy(channel::checkException).hasMessageContaining("handlerAdded() has thrown an exception; removed");
        assertThat(channel.pipeline().get(KcpHandler.class)).isNull();
        channel.finishAndReleaseAll();
    }

    @Test
    void secondPipelineDoesNotCloseTheSessionsOfTheFirst() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel client = link.establish(7).session();
            EmbeddedChannel second = new EmbeddedChannel();
            assertThatThrownBy(() -> {
                second.pipeline().addLast(link.client().handler());
                second.checkException();
            }).isInstanceOf(ChannelPipelineException.class);
            assertThat(client.isActive()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL"})
    void bindFailsIfTheHandlerCannotBeAdded(KcpTransport transport) {
        try (Loopback loopback = new Loopback(transport, 1)) {
            ChannelFuture binding = loopback.server(EchoHandler.INSTANCE)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new UnwillingReads()).bind(Loopback.anyPort());
            Loopback.ended(binding);
            assertThat(binding.cause()).isNotNull();
            assertThat(binding.channel().isOpen()).isFalse();
        }
    }
}
