package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** A chat server in forty lines. */
@EnableAutoConfiguration
@Import(ChatServer.Chat.class)
class ChatServer {

    @KcpController
    static class Chat {

        private final KcpSessionRegistry<String, String> people;

        Chat(KcpSessionRegistry<String, String> people) {
            this.people = people;
        }

        @OnOpen
        String onOpen(KcpChannel session) {
            people.join("hall", session);
            return "Say /name and yours";
        }

        @OnMessage
        @Nullable String onMessage(KcpChannel session, String text) {
            if (text.startsWith("/name ")) {
                KcpChannel before = people.bind(text.substring(6), session);
                if (before != null) {
                    before.writeAndFlush("You came in elsewhere");
                    people.kick(before, "came in elsewhere", null);
                }
                return "Hello " + text.substring(6);
            }
            if (people.userOf(session) == null) {
                throw new IllegalArgumentException("Who are you?");
            }
            tell(people.userOf(session) + ": " + text);
            return null;
        }

        @OnClose
        void onClose(KcpChannel session) {
            if (people.userOf(session) != null) {
                tell(people.userOf(session) + " left");
            }
        }

        @OnError
        @Nullable String onError(IllegalArgumentException mistake) {
            return mistake.getMessage();
        }

        private void tell(String text) {
            people.broadcast("hall", Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
        }
    }
}
