package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A session is served once in a read batch, even if its handlers write. */
class ReadBatchTest {

    private static final int CONV = 7;
    private static final int OTHER = 8;

    private static SessionRecorder echoing(EmbeddedLink[] link) {
        return new SessionRecorder().onRead((ctx, message) -> ctx.writeAndFlush(link[0].text(message)));
    }

    private static EmbeddedLink createEchoing() {
        EmbeddedLink[] link = new EmbeddedLink[1];
        link[0] = EmbeddedLink.create(() -> echoing(link));
        return link[0];
    }

    @Test
    void requestAndItsReplyReadTheClockTwice() {
        try (EmbeddedLink link = createEchoing()) {
            KcpChannel session = link.establish(CONV).session();
            link.advanceMs(100);
            session.writeAndFlush(link.text("request"));
            ByteBuf[] request = link.client().take().toArray(ByteBuf[]::new);
            int readings = link.countClockReadings(() -> link.server().receive(EmbeddedLink.CLIENT_ADDRESS, request));
            assertThat(readings).as("when the batch begins, and before the session sends").isEqualTo(2);
            link.settle();
        }
    }

    @Test
    void replyAndAcknowledgementShareADatagram() {
        try (EmbeddedLink link = createEchoing()) {
            SessionRecorder client = link.establish(CONV);
            link.advanceMs(100);
            link.server().sent().clear();
            client.session().writeAndFlush(link.text("request"));
            link.settle();
            assertThat(client.messages()).endsWith("request");
            assertThat(link.server().sent().size()).isEqualTo(1);
        }
    }

    @Test
    void readByTheListenerOfAnAcknowledgedWriteDeliversInTheSameBatch() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder client = link.establish(CONV);
            SessionRecorder reader = link.accepted(0);
            reader.session().config().setAutoRead(false);
            reader.session().writeAndFlush(link.text("to be acknowledged"));
            reader.session().acknowledged().addListener(acknowledged -> reader.session().read());
            link.client().receive(EmbeddedLink.SERVER_ADDRESS, link.server().take().toArray(ByteBuf[]::new));
            client.session().writeAndFlush(link.text("first"));
            client.session().writeAndFlush(link.text("second"));
            int before = reader.messages().size();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, link.client().take().toArray(ByteBuf[]::new));
            assertThat(reader.messages().subList(before, reader.messages().size())).as("one read, one message").containsExactly("first");
        }
    }

    @Test
    void writeToAnotherSessionIsSentInTheSameBatch() {
        SessionRecorder[] accepted = new SessionRecorder[2];
        EmbeddedLink[] link = new EmbeddedLink[1];
        int[] opened = new int[1];
        link[0] = EmbeddedLink.create(() -> {
            int index = opened[0]++;
            accepted[index] = new SessionRecorder().onRead((ctx, message) ->
                accepted[1 - index].session().writeAndFlush(link[0].text(message)));
            return accepted[index];
        });
        try (EmbeddedLink relay = link[0]) {
            SessionRecorder first = relay.connect(CONV);
            SessionRecorder second = relay.connect(OTHER);
            // Both sessions open in one batch, so each handler writes to a session that has or has not been served.
            first.session().writeAndFlush(relay.text("from the first"));
            second.session().writeAndFlush(relay.text("from the second"));
            relay.settle();
            assertThat(first.messages()).isEqualTo(List.of("from the second"));
            assertThat(second.messages()).isEqualTo(List.of("from the first"));
        }
    }
}
