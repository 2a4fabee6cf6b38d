package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.internal.codec.FecCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutOfBandTest {

    private static final int CONV = 9;
    private static final Consumer<Channel> FEC =
        channel -> channel.pipeline().addLast(new FecCodec(FecConfig.of(new FecShape(3, 2))));

    private static EmbeddedLink link() {
        return EmbeddedLink.create(FEC, FEC);
    }

    @Test
    void messageArrivesAsAnEventInBothDirections() {
        try (EmbeddedLink link = link()) {
            SessionRecorder client = link.establish(CONV);
            assertThat(client.session().sendOob(link.text("up")).isSuccess()).isTrue();
            link.settle();
            assertThat(link.accepted(0).oobMessages()).containsExactly("up");
            assertThat(link.accepted(0).session().sendOob(link.text("down")).isSuccess()).isTrue();
            link.settle();
            assertThat(client.oobMessages()).containsExactly("down");
            assertThat(link.accepted(0).messages()).containsExactly("hello");
        }
    }

    @Test
    void everyLengthUpToTheMaximumArrives() {
        try (EmbeddedLink link = link()) {
            SessionRecorder client = link.establish(CONV);
            int max = client.session().maxOobBytes();
            assertThat(max).as("mtu 1400 - 8 of FEC - 4 of conv").isEqualTo(1_388);
            for (int length = 0; length <= max; length++) {
                client.session().sendOob(link.bytes(length));
            }
            link.settle();
            assertThat(link.accepted(0).oobMessages()).hasSize(max + 1).last().asString().hasSize(max);
        }
    }

    @Test
    void messageDoesNotWaitBehindReliableData() {
        try (EmbeddedLink link = link()) {
            SessionRecorder client = link.establish(CONV);
            link.client().loseAll();
            for (int i = 0; i < 1_000; i++) {
                client.session().write(link.bytes(1_000));
            }
            client.session().flush();
            link.settle();
            link.client().loseNothing();
            ChannelFuture sent = client.session().write(new KcpOobMessage(link.text("at once")));
            assertThat(sent.isSuccess()).isTrue();
            link.settle();
            assertThat(link.accepted(0).oobMessages()).containsExactly("at once");
            assertThat(link.accepted(0).messages()).containsExactly("hello");
        }
    }

    @Test
    void messageArrivesIfTheApplicationDoesNotRead() {
        try (EmbeddedLink link = link()) {
            SessionRecorder client = link.establish(CONV);
            link.accepted(0).session().config().setAutoRead(false);
            client.session().writeAndFlush(link.text("waits"));
            client.session().sendOob(link.text("comes"));
            link.settle();
            assertThat(link.accepted(0).oobMessages()).containsExactly("comes");
            assertThat(link.accepted(0).messages()).containsExactly("hello");
        }
    }

    @Test
    void lostMessageIsNeitherRetransmittedNorRecovered() {
        try (EmbeddedLink link = link()) {
            SessionRecorder client = link.establish(CONV);
            link.client().loseAll();
            client.session().sendOob(link.text("lost"));
            link.settle();
            link.client().loseNothing();
            link.advanceMs(5_000);
            assertThat(link.accepted(0).oobMessages()).isEmpty();
        }
    }

    @Test
    void tooLongMessageIsRejectedWithTheLimit() {
        try (EmbeddedLink link = link()) {
            SessionRecorder client = link.establish(CONV);
            ChannelFuture refused = client.session().sendOob(link.bytes(1_389));
            assertThatThrownBy(refused::get).isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class).hasMessageContaining("1389").hasMessageContaining("1388");
        }
    }

    @Test
    void messageIsRejectedWithoutFec() {
        try (EmbeddedLink link = EmbeddedLink.create(channel -> channel.pipeline().addLast(new FecCodec(null)),
            channel -> channel.pipeline().addLast(new FecCodec(null)))) {
            SessionRecorder client = link.establish(CONV);
            assertThat(client.session().maxOobBytes()).isZero();
            assertThatThrownBy(client.session().sendOob(link.text("x"))::get).hasMessageContaining("FEC");
        }
    }

    @Test
    void messageToAClosedSessionFailsAndIsReleased() {
        try (EmbeddedLink link = link()) {
            SessionRecorder client = link.establish(CONV);
            client.session().close();
            link.settle();
            assertThatThrownBy(client.session().sendOob(link.text("late"))::get)
                .hasCauseInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void messageWithoutSessionIsCountedAndOpensNone() {
        try (EmbeddedLink link = link()) {
            link.establish(CONV);
            ByteBuf stray = link.allocator().directBuffer().writeIntLE(-1).writeShortLE(0xF3).writeShortLE(7)
                .writeIntLE(CONV + 1).writeByte(1);
            ByteBuf cut = link.allocator().directBuffer().writeIntLE(-1).writeShortLE(0xF3).writeShortLE(2);
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, List.of(stray, cut).toArray(new ByteBuf[0]));
            assertThat(link.server().dropped(DropReason.NO_SESSION)).isEqualTo(1);
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(1);
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.accepted(0).oobMessages()).isEmpty();
        }
    }
}
