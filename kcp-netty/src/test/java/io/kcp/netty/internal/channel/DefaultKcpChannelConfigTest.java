package io.kcp.netty.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.WireSegment;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(30)
class DefaultKcpChannelConfigTest {

    private static final int CONV = 7;

    private static Stream<Arguments> values() {
        return Stream.of(
            Arguments.of(KcpChannelOption.MODE, KcpTransferMode.STREAM),
            Arguments.of(KcpChannelOption.MTU_BYTES, 1_200),
            Arguments.of(KcpChannelOption.SEND_WINDOW, 77),
            Arguments.of(KcpChannelOption.RECEIVE_WINDOW, 78),
            Arguments.of(KcpChannelOption.WINDOW_BUDGET_BYTES, 1 << 20),
            Arguments.of(KcpChannelOption.NO_DELAY, true),
            Arguments.of(KcpChannelOption.MIN_RTO_MS, 44),
            Arguments.of(KcpChannelOption.INTERVAL_MS, 45),
            Arguments.of(KcpChannelOption.FAST_RESEND, 3),
            Arguments.of(KcpChannelOption.FAST_RESEND_LIMIT, 4),
            Arguments.of(KcpChannelOption.EARLY_RETRANSMIT, EarlyRetransmit.FIRST_SKIP),
            Arguments.of(KcpChannelOption.ADAPTIVE_REORDERING, false),
            Arguments.of(KcpChannelOption.MTU_FALLBACK, false),
            Arguments.of(KcpChannelOption.MTU_SEARCH_LIMIT_BYTES, 1_450),
            Arguments.of(KcpChannelOption.REDUNDANCY, Redundancy.ON),
            Arguments.of(KcpChannelOption.REDUNDANCY_DELAY_MS, 11),
            Arguments.of(KcpChannelOption.CONGESTION_CONTROL, CongestionAlgorithm.KCP_GO),
            Arguments.of(KcpChannelOption.ACK_NO_DELAY, false),
            Arguments.of(KcpChannelOption.WRITE_DELAY, true),
            Arguments.of(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 12_345),
            Arguments.of(KcpChannelOption.MAX_TRANSMISSIONS, 20),
            Arguments.of(KcpChannelOption.MAX_BYTES_PER_SECOND, 1_000_000),
            Arguments.of(KcpChannelOption.ZERO_WINDOW_TIMEOUT_MS, 23_456),
            Arguments.of(KcpChannelOption.MIN_DRAIN_BYTES_PER_SECOND, 1_234),
            Arguments.of(KcpChannelOption.MAX_MESSAGE_BYTES, 5_000),
            Arguments.of(KcpChannelOption.KCP_CONFIG, KcpConfig.fast3()),
            Arguments.of(KcpChannelOption.IDLE_TIMEOUT_MS, 34_567),
            Arguments.of(KcpChannelOption.KEEPALIVE_MS, 4_567),
            Arguments.of(KcpChannelOption.LINGER_MS, 567),
            Arguments.of(KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS, 678),
            Arguments.of(KcpChannelOption.MAX_REFUSED_SEGMENTS, 12),
            Arguments.of(KcpChannelOption.MAX_MESSAGES_PER_ITERATION, 13),
            Arguments.of(KcpChannelOption.MAX_BYTES_PER_ITERATION, 1_400),
            Arguments.of(KcpChannelOption.CLOSE_NOTICE, false));
    }

    private static Stream<Arguments> invalidValues() {
        return Stream.of(
            Arguments.of(KcpChannelOption.MTU_BYTES, 24, "mtuBytes"),
            Arguments.of(KcpChannelOption.MTU_BYTES, 1_501, "mtuBytes"),
            Arguments.of(KcpChannelOption.SEND_WINDOW, 0, "sendWindow"),
            Arguments.of(KcpChannelOption.RECEIVE_WINDOW, 65_536, "receiveWindow"),
            Arguments.of(KcpChannelOption.WINDOW_BUDGET_BYTES, 1, "windowBudgetBytes"),
            Arguments.of(KcpChannelOption.MIN_RTO_MS, -1, "minRtoMs"),
            Arguments.of(KcpChannelOption.INTERVAL_MS, 9, "intervalMs"),
            Arguments.of(KcpChannelOption.FAST_RESEND, -1, "fastResend"),
            Arguments.of(KcpChannelOption.FAST_RESEND_LIMIT, 256, "fastResendLimit"),
            Arguments.of(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, -1, "deadPeerTimeoutMs"),
            Arguments.of(KcpChannelOption.MAX_TRANSMISSIONS, -1, "maxTransmissions"),
            Arguments.of(KcpChannelOption.MAX_BYTES_PER_SECOND, 999, "maxBytesPerSecond"),
            Arguments.of(KcpChannelOption.ZERO_WINDOW_TIMEOUT_MS, -1, "zeroWindowTimeoutMs"),
            Arguments.of(KcpChannelOption.MIN_DRAIN_BYTES_PER_SECOND, -1, "minDrainBytesPerSecond"),
            Arguments.of(KcpChannelOption.MAX_MESSAGE_BYTES, 0, "maxMessageBytes"),
            Arguments.of(KcpChannelOption.IDLE_TIMEOUT_MS, -1, "idleTimeoutMs"),
            Arguments.of(KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS, -1, "firstMessageTimeoutMs"),
            Arguments.of(KcpChannelOption.MAX_REFUSED_SEGMENTS, -1, "maxRefusedSegments"),
            Arguments.of(KcpChannelOption.MAX_MESSAGES_PER_ITERATION, -1, "maxMessagesPerIteration"),
            Arguments.of(KcpChannelOption.MAX_BYTES_PER_ITERATION, -1, "maxBytesPerIteration"),
            Arguments.of(KcpChannelOption.KEEPALIVE_MS, -1, "keepaliveMs"),
            Arguments.of(KcpChannelOption.LINGER_MS, -1, "lingerMs"));
    }

    @ParameterizedTest
    @MethodSource("values")
    void optionCanBeSetReadAndListed(ChannelOption<Object> option, Object value) {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannelConfig config = link.connect(CONV).session().config();
            assertThat(config.getOption(option)).as("default").isNotNull().isNotEqualTo(value);
            assertThat(config.setOption(option, value)).isTrue();
            assertThat(config.getOption(option)).isEqualTo(value);
            assertThat(config.getOptions()).containsEntry(option, value);
        }
    }

    @ParameterizedTest
    @MethodSource("invalidValues")
    void invalidValueIsRejectedWithTheOptionName(ChannelOption<Object> option, Object value, String name) {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannelConfig config = link.connect(CONV).session().config();
            Object before = config.getOption(option);
            assertThatThrownBy(() -> config.setOption(option, value)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(name + ": " + value);
            assertThat(config.getOption(option)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void bootstrapReturnsTheOptionsOfItsSessions(ChannelOption<Object> option, Object value) {
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().childOption(ChannelOption.AUTO_READ, false).childOption(option, value);
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannelConfig config = link.connect(CONV).session().config();
            config.setOption(option, value);
            assertThat(bootstrap.config()).hasToString(config.kcp().toString());
        }
    }

    @Test
    void laterOptionsOverrideTheConfigOfABootstrap() {
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().config(KcpConfig.fast3()).childOption(KcpChannelOption.SEND_WINDOW, 77);
        assertThat(bootstrap.config()).hasToString(KcpConfig.fast3().toBuilder().sendWindow(77).build().toString());
        bootstrap.childOption(KcpChannelOption.MTU_BYTES, 24);
        assertThatThrownBy(bootstrap::config).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("mtuBytes: 24");
        assertThat(bootstrap.crypto()).isNull();
        assertThat(bootstrap.fec()).isNull();
    }

    @Test
    void everyDeclaredOptionIsTested() throws IllegalAccessException {
        List<Object> declared = new ArrayList<>();
        for (Field field : KcpChannelOption.class.getDeclaredFields()) {
            if (ChannelOption.class.isAssignableFrom(field.getType())) {
                declared.add(field.get(null));
            }
        }
        assertThat(values().map(arguments -> arguments.get()[0])).containsExactlyInAnyOrderElementsOf(declared);
    }

    @Test
    void nettyOptionsWorkAndUnknownOptionsAreRejected() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannelConfig config = link.connect(CONV).session().config();
            WriteBufferWaterMark marks = new WriteBufferWaterMark(5, 10);
            assertThat(config.setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, marks)).isTrue();
            assertThat(config.getOption(ChannelOption.WRITE_BUFFER_WATER_MARK)).isEqualTo(marks);
            assertThat(config.getOptions()).containsKeys(ChannelOption.AUTO_READ, KcpChannelOption.LINGER_MS);
            assertThat(config.setOption(ChannelOption.SO_KEEPALIVE, true)).isFalse();
            assertThat(config.getOption(ChannelOption.SO_KEEPALIVE)).isNull();
        }
    }

    @Test
    void nullValuesAreRejected() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannelConfig config = link.connect(CONV).session().config();
            assertThatThrownBy(() -> config.setOption(KcpChannelOption.LINGER_MS, null))
                .isInstanceOf(NullPointerException.class).hasMessageContaining("LINGER_MS");
            assertThatThrownBy(() -> config.setKcp(null)).isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void windowChangeAppliesImmediatelyToAnOpenSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setOption(KcpChannelOption.SEND_WINDOW, 2);
            link.server().loseAll();
            for (int i = 0; i < 10; i++) {
                session.writeAndFlush(link.text("m" + i));
            }
            link.settle();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH)).hasSize(2);
            session.config().setOption(KcpChannelOption.SEND_WINDOW, 5);
            session.writeAndFlush(link.text("last"));
            link.settle();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH)).extracting(WireSegment::sn).contains(5)
                .doesNotContain(6);
        }
    }

    @Test
    void widerWindowSendsQueuedWritesWithoutAnotherFlush() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setOption(KcpChannelOption.SEND_WINDOW, 2);
            link.server().loseAll();
            for (int i = 0; i < 10; i++) {
                session.writeAndFlush(link.text("m" + i));
            }
            session.config().setOption(KcpChannelOption.SEND_WINDOW, 10);
            link.settle();
            assertThat(link.accepted(0).messages()).endsWith("m9");
        }
    }

    @Test
    void smallerMtuAppliesToSubsequentWrites() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            session.config().setOption(KcpChannelOption.MTU_BYTES, 500);
            session.writeAndFlush(link.bytes(10_000));
            link.settle();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH))
                .allSatisfy(push -> assertThat(push.payload().length()).isLessThanOrEqualTo(476));
            assertThat(link.accepted(0).messages()).endsWith("x".repeat(10_000));
        }
    }

    @Test
    void headerOverheadReducesSegmentsAndLimitsTheMtu() {
        final class Overhead extends ChannelHandlerAdapter implements DatagramLayer {
            @Override
            public int headBytes() {
                return 20;
            }

            @Override
            public int tailBytes() {
                return 16;
            }
        }

        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.client().channel().pipeline().addFirst(new Overhead());
            KcpChannel session = link.connect(CONV).session();
            session.writeAndFlush(link.bytes(5_000));
            link.settle();
            assertThat(link.client().sent().segments(SegmentHeader.CMD_PUSH).get(0).payload()).hasSize(1_400 - 36 - 24);
            assertThatThrownBy(() -> session.config().setOption(KcpChannelOption.MTU_BYTES, 60))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("mtuBytes: 60").hasMessageContaining("61");
            assertThat(session.config().kcp().mtuBytes()).isEqualTo(1_400);
            session.config().setOption(KcpChannelOption.MTU_BYTES, 61);
        }
    }

    @Test
    void concurrentOptionChangesAreBothKept() throws Exception {
        int rounds = 20_000;
        try (EmbeddedLink link = EmbeddedLink.create()) {
            DefaultKcpChannel session = link.client().handler().newSession(null, CONV);
            CyclicBarrier begin = new CyclicBarrier(2);
            ExecutorService threads = Executors.newFixedThreadPool(2);
            try {
                List<Future<Integer>> lost = new ArrayList<>();
                for (ChannelOption<Integer> option : List.of(KcpChannelOption.SEND_WINDOW, KcpChannelOption.RECEIVE_WINDOW)) {
                    lost.add(threads.submit(() -> {
                        int count = 0;
                        begin.await();
                        for (int i = 1; i <= rounds; i++) {
                            session.config().setOption(option, i);
                            count += session.config().getOption(option) == i ? 0 : 1;
                        }
                        return count;
                    }));
                }
                assertThat(lost.get(0).get() + lost.get(1).get()).isZero();
            } finally {
                threads.shutdown();
            }
        }
    }
}
