package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

/** Tests failures of {@link SmuxStreamChannelBootstrap}. */
final class SmuxStreamChannelBootstrapTest {

    @Test
    void openingFailsOnAClosedParent() {
        try (SmuxEnd end = SmuxEnd.client(SmuxVersion.V1)) {
            end.channel.close();
            end.channel.runPendingTasks();
            assertThat(end.openLater(new StreamRecorder()).cause()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void openingThrowsOnAParentWithoutSmux() {
        SmuxStreamChannelBootstrap bootstrap = new SmuxStreamChannelBootstrap(new EmbeddedChannel()).handler(new StreamRecorder());
        assertThatThrownBy(bootstrap::open).isInstanceOf(IllegalStateException.class).hasMessageContaining("contains no SmuxHandler");
    }
}
