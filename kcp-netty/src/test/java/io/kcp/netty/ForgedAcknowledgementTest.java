package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.netty.channel.ChannelFuture;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests against an attacker that knows the addresses, conversation id and segment numbers, and forges acknowledgements. */
@Timeout(60)
class ForgedAcknowledgementTest {

    private static final int CONV = 7;
    private static final int MESSAGES = 20;

    @Test
    void forgedAcksNeitherCompleteNorDropAMessage() {
        SplittableRandom random = new SplittableRandom(7);
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(CONV).session();
            link.client().loseAll();
            for (int i = 0; i < MESSAGES; i++) {
                session.writeAndFlush(link.text("message " + i));
            }
            ChannelFuture acknowledged = session.acknowledged();
            for (int round = 0; round < 100; round++) {
                for (int sn = 1; sn <= MESSAGES; sn++) {
                    link.client().receive(EmbeddedLink.SERVER_ADDRESS, WireSegment.ack(CONV, sn, 0));
                    link.client().receive(EmbeddedLink.SERVER_ADDRESS, WireSegment.ack(CONV, sn, 0).withTs(random.nextInt()));
                }
                link.advanceMs(10);
            }
            assertThat(acknowledged.isDone()).isFalse();
            assertThat(session.collectStats().getNow().counters().unverifiedAcknowledgements()).isEqualTo(100L * 2 * MESSAGES);
            link.client().loseNothing();
            link.advanceMs(10_000);
            assertThat(acknowledged.isSuccess()).isTrue();
            assertThat(link.accepted(0).messages()).hasSize(1 + MESSAGES).endsWith("message " + (MESSAGES - 1));
        }
    }

    @Test
    void forgedUnaIsRejectedWithinARoundTrip() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.connect(CONV).session();
            session.writeAndFlush(link.text("hello"));
            int ts = link.client().take().stream().mapToInt(datagram -> {
                int sent = SegmentHeader.ts(datagram, datagram.readerIndex());
                datagram.release();
                return sent;
            }).sum();
            link.advanceMs(100);
            link.client().receive(EmbeddedLink.SERVER_ADDRESS, WireSegment.ack(CONV, 0, 1).withTs(ts));
            assertThat(session.collectStats().getNow().unacknowledgedBytes()).isZero();
            link.client().loseAll();
            session.writeAndFlush(link.text("next"));
            for (int una = 1; una <= 200; una++) {
                link.client().receive(EmbeddedLink.SERVER_ADDRESS, WireSegment.push(CONV, 0, una, ""));
            }
            assertThat(session.collectStats().getNow().unacknowledgedBytes()).isEqualTo(4);
        }
    }
}
