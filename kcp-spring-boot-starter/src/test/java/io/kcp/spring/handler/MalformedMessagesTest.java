package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests malformed messages whose exceptions no method handles. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class MalformedMessagesTest {

    static final class NumberCodec implements KcpMessageCodec<Integer> {

        @Override
        public Integer decode(ByteBuf message) {
            return Integer.parseInt(message.toString(StandardCharsets.US_ASCII));
        }

        @Override
        public void encode(Integer message, ByteBuf out) {
            out.writeCharSequence(message.toString(), StandardCharsets.US_ASCII);
        }
    }

    @KcpController
    static class Numbers {

        private final List<String> closes = new CopyOnWriteArrayList<>();

        @OnMessage
        Integer next(Integer number) {
            return number + 1;
        }

        @OnClose
        void onClose(@Nullable KcpCloseReason reason, @Nullable Throwable cause, KcpChannel session) {
            closes.add(reason + " " + (cause == null ? "" : cause.getClass().getSimpleName()));
        }
    }

    @Test
    void malformedMessagesCloseSessionAndAreWarnedAboutOnce(CapturedOutput log) {
        new LiveServer(NumberCodec.class, Numbers.class).run((context, client) -> {
            Numbers numbers = context.getBean(Numbers.class);
            for (int peers = 1; peers <= 3; peers++) {
                int expected = peers;
                try (TestClient peer = new TestClient(LiveServer.port(context))) {
                    peer.send("one");
                    await().atMost(Duration.ofSeconds(30)).until(() -> numbers.closes.size() == expected);
                }
            }
            assertThat(numbers.closes).containsOnly("APPLICATION_FAILED KcpMessageException");
            client.send("1");
            assertThat(client.receive()).isEqualTo("2");
        });
        assertThat(log.getAll()).containsOnlyOnce("further exceptions of this type are logged at debug level")
            .contains("failed to decode a message of 3 bytes");
    }

    @KcpController
    static class Framed {

        private final List<String> closes = new CopyOnWriteArrayList<>();

        @OnMessage
        String echo(String message) {
            return message;
        }

        @OnClose
        void onClose(@Nullable Throwable cause) {
            if (cause != null && cause.getCause() != null) {
                closes.add(cause.getClass().getSimpleName() + " of " + cause.getCause().getClass().getSimpleName());
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Frames {

        @Bean
        KcpSessionCustomizer frames() {
            return (server, session) -> session.pipeline().addLast(new LengthFieldBasedFrameDecoder(4, 0, 1, 0, 1));
        }
    }

    @Test
    void decoderExceptionsAreWarnedAboutOnce(CapturedOutput log) {
        new LiveServer(Frames.class, Framed.class).run((context, client) -> {
            Framed framed = context.getBean(Framed.class);
            for (int peers = 1; peers <= 3; peers++) {
                int expected = peers;
                try (TestClient peer = new TestClient(LiveServer.port(context))) {
                    peer.send("far too long");
                    await().atMost(Duration.ofSeconds(30)).until(() -> framed.closes.size() == expected);
                }
            }
            assertThat(framed.closes).containsOnly("KcpControllerException of TooLongFrameException");
            client.send("\3yes");
            assertThat(client.receive()).isEqualTo("yes");
        });
        assertThat(log.getAll()).containsOnlyOnce("further exceptions of this type are logged at debug level")
            .contains("a handler before the controllers failed").doesNotContain("ERROR");
    }

    @Configuration(proxyBeanMethods = false)
    static class Fragile {

        @Bean
        KcpSessionCustomizer fragile() {
            return (server, session) -> session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    String text = ((ByteBuf) message).toString(StandardCharsets.US_ASCII);
                    ((ByteBuf) message).release();
                    throw switch (text) {
                        case "corrupt" -> new CorruptedFrameException(text);
                        case "wrapped" -> new DecoderException(new NumberFormatException(text));
                        case "unread" -> new KcpMessageException(text, null);
                        default -> new IllegalStateException(text);
                    };
                }
            });
        }
    }

    @Test
    void eachMalformedInputTypeIsWarnedAboutOnceAndOthersAreErrors(CapturedOutput log) {
        new LiveServer(Fragile.class, NumberCodec.class, Numbers.class).run((context, client) -> {
            Numbers numbers = context.getBean(Numbers.class);
            int expected = 0;
            for (String text : List.of("corrupt", "wrapped", "unread", "bug", "corrupt", "wrapped", "unread", "bug")) {
                expected++;
                int closes = expected;
                try (TestClient peer = new TestClient(LiveServer.port(context))) {
                    peer.send(text);
                    await().atMost(Duration.ofSeconds(30)).until(() -> numbers.closes.size() == closes);
                }
            }
        });
        assertThat(log.getAll().lines().filter(line -> line.contains("a handler before the controllers failed"))
            .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
            .map(line -> line.contains(" WARN ") ? "warning" : "error"))
            .containsExactly("warning", "warning", "warning", "error", "error");
    }
}
