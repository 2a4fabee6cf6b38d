package io.kcp.netty.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.CountingIoHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.socket.DatagramChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@Tag("jdk")
class KcpTransportTest {

    /** More polls than a blocking loop needs for one timer, but fewer than a busy-polling loop makes in one millisecond. */
    private static final int ROUNDS_OF_A_SLEEPER = 50;

    private static void shutDown(EventLoopGroup group) {
        assertThat(group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void nioIsAlwaysAvailable() {
        assertThat(KcpTransport.NIO.isAvailable()).isTrue();
        assertThatThrownBy(() -> BootstrapAccess.whyNot(KcpTransport.NIO)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bestIsAvailableAndNeverIoUring() {
        assertThat(KcpTransport.best().isAvailable()).isTrue();
        assertThat(KcpTransport.best()).isNotEqualTo(KcpTransport.IO_URING);
        if (KcpTransport.EPOLL.isAvailable()) {
            assertThat(KcpTransport.best()).isEqualTo(KcpTransport.EPOLL);
        }
    }

    @ParameterizedTest
    @EnumSource
    void transportIsDerivedFromGroupAndCreatesItsChannel(KcpTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here: " + BootstrapAccess.whyNot(transport));
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.ioHandlerFactory());
        try {
            assertThat(KcpTransport.of(group)).isEqualTo(transport);
            DatagramChannel channel = transport.channelFactory().newChannel();
            assertThat(channel.getClass().getSimpleName().toUpperCase().replace("IOURING", "IO_URING"))
                .startsWith(transport.name());
            group.register(channel).sync();
            channel.close().sync();
        } finally {
            shutDown(group);
        }
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = "NIO", mode = EnumSource.Mode.EXCLUDE)
    void unavailableTransportReportsTheReason(KcpTransport transport) {
        assumeTrue(!transport.isAvailable(), () -> transport + " is available");
        assertThatThrownBy(() -> {
            Throwable cause = BootstrapAccess.whyNot(transport);
            throw cause;
        }).isInstanceOf(Throwable.class);
    }

    @ParameterizedTest
    @EnumSource
    void busyPollingLoopsRunTimersInTime(KcpTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        if (transport == KcpTransport.IO_URING) {
            assertThatThrownBy(transport::spinningIoHandlerFactory).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("IO_URING");
            return;
        }
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.spinningIoHandlerFactory());
        try {
            assertThat(KcpTransport.of(group)).isEqualTo(transport);
            assertThat(group.schedule(() -> "ran", 20, TimeUnit.MILLISECONDS).get(30, TimeUnit.SECONDS)).isEqualTo("ran");
            assertThat(group.submit(() -> "ran").get(30, TimeUnit.SECONDS)).isEqualTo("ran");
        } finally {
            shutDown(group);
        }
    }

    @ParameterizedTest
    @EnumSource
    void idleBlockingLoopWakesUpForTimersOnly(KcpTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        AtomicInteger rounds = new AtomicInteger();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1,
            CountingIoHandler.factory(transport.sleepingIoHandlerFactory(), rounds));
        try {
            group.submit(() -> { }).get(30, TimeUnit.SECONDS);
            rounds.set(0);
            assertThat(group.schedule(() -> "ran", 500, TimeUnit.MILLISECONDS).get(30, TimeUnit.SECONDS)).isEqualTo("ran");
            assertThat(rounds).hasValueLessThan(ROUNDS_OF_A_SLEEPER);
        } finally {
            shutDown(group);
        }
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = "IO_URING", mode = EnumSource.Mode.EXCLUDE)
    void idleBusyPollingLoopPollsContinuously(KcpTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        AtomicInteger rounds = new AtomicInteger();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1,
            CountingIoHandler.factory(transport.spinningIoHandlerFactory(), rounds));
        try {
            group.submit(() -> { }).get(30, TimeUnit.SECONDS);
            rounds.set(0);
            await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(rounds).hasValueGreaterThanOrEqualTo(ROUNDS_OF_A_SLEEPER));
        } finally {
            shutDown(group);
        }
    }

    @Test
    void groupWithoutDatagramTransportIsRejectedWithAnExample() {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
        try {
            assertThatThrownBy(() -> KcpTransport.of(group)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group").hasMessageContaining("KcpTransport.best().ioHandlerFactory()");
        } finally {
            shutDown(group);
        }
    }
}
