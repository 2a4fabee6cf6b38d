package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.MessageTooLargeException;
import io.kcp.core.conversation.Kcp;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Stops transfers at many points while Netty's leak detector runs at level paranoid. All other tests count buffers too, but only this
 * level reports where a leaked buffer was allocated.
 */
class BufferLeakTest {

    private static final int RUNS = 12;

    private ResourceLeakDetector.Level levelBefore = ResourceLeakDetector.getLevel();

    @BeforeEach
    void watch() {
        levelBefore = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    }

    @AfterEach
    void unwatch() {
        ResourceLeakDetector.setLevel(levelBefore);
    }

    @Test
    void releaseDuringTransferLeaksNothing() {
        for (KcpTransferMode mode : KcpTransferMode.values()) {
            for (int run = 1; run <= RUNS; run++) {
                cutShort(run, KcpConfig.fast3().toBuilder().mode(mode).windows(32).build());
            }
        }
    }

    private static void cutShort(long seed, KcpConfig config) {
        LinkProfile link = LinkProfile.broadband().jitterMs(30, false).duplicateProbability(0.05)
            .loss(lossSeed -> LossModel.independent(0.10, lossSeed)).build();
        try (KcpPair pair = KcpPair.builder(seed).configs(config).links(link).tracedBuffers().build()) {
            pair.sendFromA(TransferPlan.ofBytes(seed, 200_000));
            pair.sendFromB(TransferPlan.ofBytes(seed + 1, 200_000));
            pair.b().application().reading(seed % 3 != 0);
            pair.runForMs(seed * 41);
            pair.assertIntact();
        }
    }

    @Test
    void messageThatIsTooLargeIsReleased() {
        try (KcpPair pair = KcpPair.builder(1).tracedBuffers().build()) {
            Kcp kcp = pair.a().kcp();
            ByteBuf message = pair.buffers().buffer(kcp.maxMessageBytes() + 1);
            message.writerIndex(message.capacity());
            assertThatThrownBy(() -> kcp.send(message, pair.a().nowMs())).isInstanceOf(MessageTooLargeException.class);
            assertThat(message.refCnt()).isZero();
        }
    }
}
