package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.json.JsonMapper;

/** JSON messages. */
@Timeout(60)
class JsonMessagesTest {

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({@JsonSubTypes.Type(value = Event.Move.class, name = "move"),
        @JsonSubTypes.Type(value = Event.Said.class, name = "said")})
    sealed interface Event {
        record Move(int x, int y) implements Event {
        }

        record Said(String text) implements Event {
        }
    }

    @KcpController(json = Event.class)
    static class Events {

        @OnMessage
        Event move(Event.Move move) {
            return new Event.Move(-move.x(), -move.y());
        }

        @OnMessage
        Event.Said said(Event.Said said) {
            return new Event.Said(said.text() + "!");
        }

        @OnError
        String error(KcpMessageException failure) {
            return "bad: " + failure.getMessage();
        }
    }

    @Test
    void subtypesSelectMethods() {
        new LiveServer(Events.class).with(runner -> runner.withBean(JsonMapper.class, () -> JsonMapper.builder().build()))
            .run((context, client) -> {
                client.send("{\"kind\":\"move\",\"x\":1,\"y\":2}");
                assertThat(client.receive()).isEqualTo("{\"kind\":\"move\",\"x\":-1,\"y\":-2}");
                client.send("{\"kind\":\"said\",\"text\":\"hi\"}");
                assertThat(client.receive()).isEqualTo("{\"kind\":\"said\",\"text\":\"hi!\"}");
            });
    }

    @Test
    void malformedJsonIsMessageException() {
        new LiveServer(Events.class).with(runner -> runner.withBean(JsonMapper.class, () -> JsonMapper.builder().build()))
            .run((context, client) -> {
                client.send("{\"kind\":\"fly\"}");
                assertThat(client.receive()).isEqualTo("bad: the KcpMessageCodec json for Event failed to decode a message of 14 bytes");
                client.send("");
                assertThat(client.receive()).isEqualTo("bad: the KcpMessageCodec json for Event failed to decode a message of 0 bytes");
            });
    }
}
