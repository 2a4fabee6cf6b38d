package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.LinkState;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that {@link Kcp#release} frees all buffers in every state of a conversation. */
class KcpReleaseTest {

    private static final byte[] DATA = {10, 11, 12, 13, 14};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    static Stream<Arguments> states() {
        return Stream.of(
            state("fresh", driven -> { }),
            state("with messages queued", driven -> driven.sendSmall(50)),
            state("with a fragmented message queued", driven -> driven.send(new byte[20_000])),
            state("with data in flight", driven -> {
                driven.sendSmall(50);
                driven.flush();
            }),
            state("with data in flight and holes in it", driven -> {
                driven.sendSmall(50);
                driven.flush();
                driven.input(WireSegment.ack(7, 0, 3), WireSegment.ack(20, 0, 3));
            }),
            state("with half a message sent", driven -> {
                driven.kcp.reconfigure(driven.kcp.config().toBuilder().sendWindow(4).build());
                driven.send(new byte[20_000]);
                driven.flush();
            }),
            state("with lost segments that the pace holds back", driven -> {
                driven.kcp.reconfigure(driven.kcp.config().toBuilder().congestionControl(CongestionAlgorithm.CUBIC).build());
                driven.sendSmall(30);
                driven.flush();
                driven.advance(5_000);
                driven.flush();
            }),
            state("after several timeouts", driven -> {
                driven.sendSmall(30);
                driven.runFor(10_000);
            }),
            state("with messages unread", driven -> driven.input(WireSegment.push(0, 0, DATA), WireSegment.push(1, 0, DATA))),
            state("with segments out of order", driven -> driven.input(WireSegment.push(3, 0, DATA), WireSegment.push(9, 0, DATA))),
            state("with half a message received", driven -> driven.input(WireSegment.push(0, 0, DATA).withFrg(2),
                WireSegment.push(1, 0, DATA).withFrg(1))),
            state("with detached and other messages", driven -> {
                driven.input(WireSegment.push(0, 0, DATA));
                driven.kcp.detachReceived();
                driven.input(WireSegment.push(1, 0, DATA), WireSegment.push(5, 0, DATA));
            }),
            state("with a full receive window and more", driven -> {
                for (int sn = 0; sn < 256; sn++) {
                    driven.input(WireSegment.push(sn, 0, DATA));
                }
            }),
            state("with a stream half filled", driven -> {
                driven.kcp.reconfigure(driven.kcp.config().toBuilder().mode(KcpTransferMode.STREAM).build());
                driven.send(new byte[2_000]);
                driven.send(new byte[10]);
            }),
            state("with a stream cut anew", driven -> {
                driven.kcp.reconfigure(driven.kcp.config().toBuilder().mode(KcpTransferMode.STREAM).build());
                driven.send(new byte[10]);
                driven.send(new byte[5_000]);
                driven.kcp.reconfigure(driven.kcp.config().toBuilder().mtuBytes(77).build());
                driven.flush();
            }),
            state("with probes and responses pending", driven -> {
                driven.input(WireSegment.wask(), WireSegment.wins(0));
                driven.kcp.ping(0);
                driven.sendSmall(1);
            }));
    }

    private static Arguments state(String what, Consumer<DrivenKcp> preparation) {
        return Arguments.of(what, preparation);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("states")
    void releaseFreesEverythingAndClearsTheDeadline(String what, Consumer<DrivenKcp> preparation) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        preparation.accept(driven);
        driven.output.take();
        long acknowledged = driven.kcp.acknowledgedBytes();
        driven.kcp.release();
        assertThat(leaks.outstanding()).isZero();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.flush()).isEmpty();
        driven.kcp.release();
        assertThat(driven.kcp.stats()).isNotNull();
        assertThat(driven.kcp.acknowledgedBytes()).as("releasing acknowledges nothing").isEqualTo(acknowledged);
        assertThat(driven.kcp.hasReceivable()).isFalse();
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
    }
}
