package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.kcp.testkit.LinkCounts;
import io.kcp.testkit.LossyLinkHandler;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LinkConditionsTest {

    private static final int DATAGRAMS = 4_000;

    @Test
    void linkHasTheConditions() {
        LossyLinkHandler link = new LossyLinkHandler(new LinkConditions(10, 25, 10, 2, 1).profile(), 7);
        MockTicker clock = Ticker.newMockTicker();
        EmbeddedChannel channel = EmbeddedChannel.builder().ticker(clock).handlers(link).build();
        for (int i = 0; i < DATAGRAMS; i++) {
            channel.writeOutbound(Unpooled.wrappedBuffer(new byte[] {1}));
            clock.advance(1, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
            if (i < 24) {
                assertThat(channel.outboundMessages()).isEmpty();
            }
        }
        LinkCounts counts = link.outboundCounts();
        long arriving = counts.datagrams() - counts.lost();
        assertThat(100.0 * counts.lost() / DATAGRAMS).isCloseTo(10, within(1.5));
        assertThat(100.0 * counts.duplicated() / arriving).isCloseTo(1, within(0.5));
        assertThat(100.0 * counts.reordered() / arriving).isCloseTo(2, within(0.7));
        for (int ms = 0; ms < 60; ms++) {
            clock.advance(1, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
        assertThat((long) channel.outboundMessages().size()).isEqualTo(arriving + counts.duplicated());
        channel.finishAndReleaseAll();
    }

    @Test
    void delayMayBeAFractionOfAMillisecond() {
        LossyLinkHandler link = new LossyLinkHandler(new LinkConditions(0, 2.5, 0, 0, 0).profile(), 7);
        MockTicker clock = Ticker.newMockTicker();
        EmbeddedChannel channel = EmbeddedChannel.builder().ticker(clock).handlers(link).build();
        channel.writeOutbound(Unpooled.wrappedBuffer(new byte[] {1}));
        clock.advance(2_499, TimeUnit.MICROSECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.outboundMessages()).isEmpty();
        clock.advance(1, TimeUnit.MICROSECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.outboundMessages()).hasSize(1);
        channel.finishAndReleaseAll();
        assertThat(new LinkConditions(5, 2.5, 0.25, 0, 0)).hasToString("5 % loss, 2.5 to 2.75 ms delay");
    }

    @Test
    void invalidConditionsAreRejected() {
        assertThatThrownBy(() -> new LinkConditions(101, 0, 0, 0, 0)).hasMessageContaining("loss: 101.0 (expected: 0 to 100");
        assertThatThrownBy(() -> new LinkConditions(0, -1, 0, 0, 0)).hasMessageContaining("delay: -1.0 (expected: 0 to 60000");
        assertThatThrownBy(() -> new LinkConditions(0, 0, 0, 0, Double.NaN)).hasMessageContaining("duplicate");
    }
}
