package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
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

    /** A low water mark above the default high water mark is invalid until the high water mark is set. */
    @Test
    @SuppressWarnings("deprecation")
    void optionsAreSetInTheirOrder() {
        try (SmuxEnd client = SmuxEnd.client(SmuxVersion.V1)) {
            Future<SmuxStreamChannel> opened = new SmuxStreamChannelBootstrap(client.channel).handler(new StreamRecorder())
                .option(ChannelOption.WRITE_BUFFER_HIGH_WATER_MARK, 200_000)
                .option(ChannelOption.WRITE_BUFFER_LOW_WATER_MARK, 100_000).open();
            client.channel.runPendingTasks();
            assertThat(opened.getNow().config().getWriteBufferLowWaterMark()).isEqualTo(100_000);
        }
        try (SmuxEnd server = SmuxEnd.server(SmuxVersion.V1, builder -> builder
            .childOption(ChannelOption.WRITE_BUFFER_HIGH_WATER_MARK, 200_000)
            .childOption(ChannelOption.WRITE_BUFFER_LOW_WATER_MARK, 100_000), recorder -> { })) {
            server.receive(server.syn(3));
            assertThat(server.accepted).singleElement()
                .satisfies(recorder -> assertThat(recorder.stream.config().getWriteBufferLowWaterMark()).isEqualTo(100_000));
        }
    }
}
