package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpTransferMode;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpOobMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Tests the parameters and return values of controller methods that run on the event loop, over loopback. */
@Timeout(120)
class ControllerMethodsTest {

    // ---- messages and responses

    @KcpController
    static class OfStrings {

        @OnMessage
        @Nullable String answer(String message, KcpChannel session) {
            return message.equals("silence") ? null : message.toUpperCase(Locale.ROOT) + session.isOpen();
        }
    }

    @Test
    void returnedStringIsWrittenAndNullIsNot() {
        new LiveServer(OfStrings.class).run((context, client) -> {
            client.send("silence");
            client.send("héllo");
            assertThat(client.receive()).isEqualTo("HÉLLOtrue");
        });
    }

    @KcpController
    static class OfBytes {

        @OnMessage
        private byte[] reverse(Channel session, byte[] message) {
            byte[] reversed = message.clone();
            for (int i = 0; i < message.length; i++) {
                reversed[i] = message[message.length - 1 - i];
            }
            return reversed;
        }
    }

    @Test
    void privateMethodReturnsBytes() {
        new LiveServer(OfBytes.class).run((context, client) -> {
            client.send("abc");
            assertThat(client.receive()).isEqualTo("cba");
        });
    }

    @KcpController
    static class OfBuffers {

        @OnMessage
        ByteBuf echo(ByteBuf message) {
            return switch (message.getByte(message.readerIndex())) {
                case 'r' -> message.readRetainedSlice(message.readableBytes());
                case 'n' -> Unpooled.copiedBuffer("new", StandardCharsets.US_ASCII);
                default -> message;
            };
        }
    }

    @Test
    void borrowedBufferOrRetainedSliceCanBeReturned() {
        new LiveServer(OfBuffers.class).run((context, client) -> {
            for (String message : List.of("itself", "retained", "new", "")) {
                client.send("x" + message);
                client.send("r" + message);
                client.send("n" + message);
                assertThat(client.receive()).isEqualTo("x" + message);
                assertThat(client.receive()).isEqualTo("r" + message);
                assertThat(client.receive()).isEqualTo("new");
            }
        });
    }

    @KcpController
    static class OfFutures {

        private final CompletableFuture<String> first = new CompletableFuture<>();

        @OnMessage
        CompletionStage<String> answer(String message) {
            return message.equals("first") ? first : CompletableFuture.completedFuture(message);
        }
    }

    @Test
    void answersOfFuturesAreWrittenOnCompletion() {
        new LiveServer(OfFutures.class).run((context, client) -> {
            client.send("first");
            client.send("second");
            assertThat(client.receive()).isEqualTo("second");
            context.getBean(OfFutures.class).first.complete("at last");
            assertThat(client.receive()).isEqualTo("at last");
        });
    }

    @KcpController
    static class OfNettyFutures {

        @OnMessage
        Future<String> answer(KcpChannel session, String message) {
            return session.eventLoop().submit(() -> "later " + message);
        }

        @OnOpen
        ChannelFuture greet(KcpChannel session) {
            return session.writeAndFlush(Unpooled.copiedBuffer("welcome", StandardCharsets.US_ASCII));
        }
    }

    @Test
    void nettyFuturesAreSupported() {
        new LiveServer(OfNettyFutures.class).run((context, client) -> {
            client.send("a");
            assertThat(client.receive()).isEqualTo("welcome");
            assertThat(client.receive()).isEqualTo("later a");
        });
    }

    @KcpController
    static class OfOob {

        @OnMessage
        KcpOobMessage unreliable(KcpOobMessage message) {
            return message;
        }

        @OnMessage
        String reliable(String message) {
            return "reliable " + message;
        }
    }

    @Test
    void oobMessagesAreHandledByOobMethod() {
        new LiveServer(OfOob.class).run((context, client) -> {
            client.send("a");
            assertThat(client.receive()).isEqualTo("reliable a");
            client.sendOob("b");
            assertThat(client.receiveOob()).isEqualTo("b");
        });
    }

    // ---- codecs

    sealed interface Command {
        record Say(String text) implements Command {
        }

        record Add(int one, int other) implements Command {
        }

        record Unknown() implements Command {
        }
    }

    record Sum(int value) {
    }

    /** "say text", "add 1 2". */
    static final class CommandCodec implements KcpMessageCodec<Command> {

        @Override
        public Command decode(ByteBuf message) throws Exception {
            String[] words = message.toString(StandardCharsets.UTF_8).split(" ");
            return switch (words[0]) {
                case "say" -> new Command.Say(words[1]);
                case "add" -> new Command.Add(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                case "null" -> null;
                default -> new Command.Unknown();
            };
        }

        @Override
        public void encode(Command message, ByteBuf out) throws Exception {
            out.writeCharSequence(message.toString(), StandardCharsets.UTF_8);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Codecs {

        @Bean
        CommandCodec commands() {
            return new CommandCodec();
        }

        @Bean
        KcpMessageCodec<Sum> sums() {
            return codec();
        }

        /** The class does not declare the type argument. */
        private static <T> KcpMessageCodec<T> codec() {
            return new KcpMessageCodec<>() {
                @Override
                public T decode(ByteBuf message) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void encode(T message, ByteBuf out) {
                    out.writeCharSequence(message.toString(), StandardCharsets.UTF_8);
                }
            };
        }
    }

    @KcpController
    static class OfCommands {

        @OnMessage
        Command say(Command.Say say) {
            return say;
        }

        @OnMessage
        CompletionStage<Sum> add(Command.Add add) {
            return CompletableFuture.completedFuture(new Sum(add.one() + add.other()));
        }

        @OnError
        String error(Exception failure) {
            return failure.getMessage() + " because of " + failure.getCause();
        }
    }

    @Test
    void codecTypesSelectMethods() {
        new LiveServer(Codecs.class, OfCommands.class).run((context, client) -> {
            client.send("add 2 3");
            assertThat(client.receive()).isEqualTo("Sum[value=5]");
            client.send("say hi");
            assertThat(client.receive()).isEqualTo("Say[text=hi]");
        });
    }

    @Test
    void undecodableMessageIsMessageException() {
        new LiveServer(Codecs.class, OfCommands.class).run((context, client) -> {
            client.send("add 2 x");
            assertThat(client.receive()).startsWith("the KcpMessageCodec \"commands\" for Command failed to decode a message of 7 bytes "
                + "because of java.lang.NumberFormatException");
            client.send("null");
            assertThat(client.receive()).contains("decoded a message of 4 bytes to null");
            client.send("what");
            assertThat(client.receive()).startsWith("no @OnMessage method accepts " + Command.Unknown.class.getTypeName());
            client.send("say on");
            assertThat(client.receive()).isEqualTo("Say[text=on]");
        });
    }

    @KcpController
    static class Pushing {

        @OnMessage
        void onMessage(KcpChannel session, Command.Say say) {
            session.write("text");
            session.write(new byte[] {'b'});
            session.write(new Sum(3));
            session.writeAndFlush(say);
            session.writeAndFlush(new Object()).addListener(written -> session.writeAndFlush(written.cause().getMessage()));
        }
    }

    @Test
    void returnableTypesCanBeWritten() {
        new LiveServer(Codecs.class, Pushing.class).run((context, client) -> {
            client.send("say x");
            assertThat(client.receive()).isEqualTo("text");
            assertThat(client.receive()).isEqualTo("b");
            assertThat(client.receive()).isEqualTo("Sum[value=3]");
            assertThat(client.receive()).isEqualTo("Say[text=x]");
            assertThat(client.receive()).startsWith("unsupported message type: Object");
        });
    }

    // ---- several controllers, and generic controllers

    abstract static class Greeter<T> {

        @OnMessage
        String greet(T message) {
            return "generic " + message;
        }
    }

    @KcpController(server = "server")
    @Order(2)
    static class Second extends Greeter<Command.Say> {

        @OnOpen
        String opened() {
            return "second";
        }
    }

    @KcpController
    @Order(1)
    static class First {

        @OnOpen
        String opened() {
            return "first";
        }

        @OnMessage
        String rest(Command message) {
            return "rest " + message;
        }
    }

    @KcpController(server = "another")
    static class Elsewhere {

        @OnOpen
        String opened() {
            return "elsewhere";
        }
    }

    @Test
    void controllersOfServerShareMessages() {
        new LiveServer(Codecs.class, Second.class, First.class, Elsewhere.class)
            .with("kcp.servers.another.port=0", "kcp.servers.another.address=127.0.0.1").run((context, client) -> {
                client.send("say a");
                client.send("add 1 1");
                assertThat(client.receive()).isEqualTo("first");
                assertThat(client.receive()).isEqualTo("second");
                assertThat(client.receive()).isEqualTo("generic Say[text=a]");
                assertThat(client.receive()).isEqualTo("rest Add[one=1, other=1]");
            });
    }

    // ---- closing

    @KcpController
    static class Ending {

        private final List<String> closes = new CopyOnWriteArrayList<>();

        @OnMessage
        void onMessage(KcpChannel session, String message) {
            if (message.equals("close")) {
                session.close();
            } else if (message.equals("throw")) {
                throw new IllegalStateException("on purpose");
            } else {
                session.writeAndFlush(session.alloc().buffer().writeBytes(message.getBytes(StandardCharsets.US_ASCII)));
            }
        }

        @OnClose
        void onClose(@Nullable Throwable cause, KcpChannel session, @Nullable KcpCloseReason reason) {
            String why = cause == null ? null : cause.getClass().getSimpleName() + cause.getCause();
            closes.add(reason + " " + session.isOpen() + ' ' + why);
        }
    }

    @Test
    void closeByControllerHasNoCause() {
        new LiveServer(Ending.class).run((context, client) -> {
            client.send("close");
            Ending ending = context.getBean(Ending.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> !ending.closes.isEmpty());
            assertThat(ending.closes).containsExactly("null false null");
        });
    }

    @Test
    void throwingMethodClosesOnlyItsSession() {
        new LiveServer(Ending.class).run((context, client) -> {
            try (TestClient other = new TestClient(LiveServer.port(context))) {
                other.send("a");
                assertThat(other.receive()).isEqualTo("a");
                client.send("throw");
                client.send("never read");
                Ending ending = context.getBean(Ending.class);
                await().atMost(Duration.ofSeconds(30)).until(() -> !ending.closes.isEmpty());
                assertThat(ending.closes)
                    .containsExactly("APPLICATION_FAILED false KcpControllerExceptionjava.lang.IllegalStateException: on purpose");
                assertThat(LiveServer.server(context).channel().collectStats().get(30, TimeUnit.SECONDS).closed())
                    .isEqualTo(Map.of(KcpCloseReason.APPLICATION_FAILED, 1L));
                other.send("b");
                assertThat(other.receive()).isEqualTo("b");
                assertThat(client.received()).isEmpty();
            }
        });
    }

    @KcpController
    static class Banning {

        private final List<String> closes = new CopyOnWriteArrayList<>();

        @OnMessage
        void onMessage(KcpChannel session, String message) {
            session.closeBecause(new IllegalStateException(message));
        }

        @OnClose
        void onClose(KcpCloseReason reason, Throwable cause) {
            closes.add(reason + " " + cause);
        }
    }

    @Test
    void closeBecausePassesCauseToOnClose() {
        new LiveServer(Banning.class).run((context, client) -> {
            client.send("cheats");
            Banning banning = context.getBean(Banning.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> !banning.closes.isEmpty());
            assertThat(banning.closes).containsExactly("APPLICATION_FAILED java.lang.IllegalStateException: cheats");
        });
    }

    @KcpController
    static class Picky {

        private final List<String> closes = new CopyOnWriteArrayList<>();

        @OnMessage
        byte[] onMessage(String message) throws Exception {
            return switch (message) {
                case "checked" -> throw new IOException("checked");
                case "closest" -> throw new IllegalArgumentException("closest");
                case "error" -> throw new AssertionError("error");
                case "large" -> new byte[1 << 28];
                case "refused" -> throw new UnsupportedOperationException("refused");
                default -> message.getBytes(StandardCharsets.US_ASCII);
            };
        }

        @OnError
        String any(Exception failure) {
            return "any " + failure.getMessage();
        }

        @OnError
        CompletionStage<String> argument(KcpChannel session, IllegalArgumentException failure) {
            return CompletableFuture.completedFuture("argument " + failure.getMessage());
        }

        @OnError
        void refused(UnsupportedOperationException failure) {
            throw failure;
        }

        @OnClose
        void onClose(KcpChannel session, Throwable cause) {
            closes.add(cause.getCause() + " with " + cause.getMessage());
        }
    }

    @Test
    void errorMethodWithClosestTypeIsCalled() {
        new LiveServer(Picky.class).run((context, client) -> {
            client.send("checked");
            assertThat(client.receive()).isEqualTo("any checked");
            client.send("closest");
            assertThat(client.receive()).isEqualTo("argument closest");
            client.send("alive");
            assertThat(client.receive()).isEqualTo("alive");
        });
    }

    @Test
    void failedWriteOfAnswerIsError() {
        new LiveServer(Picky.class).run((context, client) -> {
            client.send("large");
            assertThat(client.receive()).startsWith("argument ").contains("268435456");
        });
    }

    @Test
    void unhandledExceptionClosesSession() {
        new LiveServer(Picky.class).run((context, client) -> {
            client.send("error");
            Picky picky = context.getBean(Picky.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> !picky.closes.isEmpty());
            assertThat(picky.closes.get(0)).startsWith("java.lang.AssertionError: error with KcpChannel(conv ")
                .contains("@OnMessage Picky.onMessage(String) threw; closing the session");
        });
    }

    @Test
    void throwingErrorMethodClosesSession() {
        new LiveServer(Picky.class).run((context, client) -> {
            client.send("refused");
            Picky picky = context.getBean(Picky.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> !picky.closes.isEmpty());
            assertThat(picky.closes.get(0)).contains("@OnError Picky.refused(UnsupportedOperationException) threw");
        });
    }

    @KcpController
    static class FailingAnswers {

        private final List<String> closes = new CopyOnWriteArrayList<>();

        @OnMessage
        CompletionStage<String> onMessage(String message) {
            return CompletableFuture.supplyAsync(() -> {
                throw new IllegalStateException(message);
            });
        }

        @OnError
        CompletionStage<String> onError(Throwable failure) {
            return CompletableFuture.failedFuture(new IllegalStateException("again " + failure.getMessage()));
        }

        @OnClose
        void onClose(Throwable cause) {
            closes.add(cause.getMessage() + cause.getCause());
        }
    }

    @Test
    void failedAnswerOfErrorMethodIsNotHandledAgain() {
        new LiveServer(FailingAnswers.class).run((context, client) -> {
            client.send("a");
            FailingAnswers controller = context.getBean(FailingAnswers.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> !controller.closes.isEmpty());
            assertThat(controller.closes.get(0)).contains("the response of @OnError FailingAnswers.onError(Throwable) failed")
                .contains("again a");
        });
    }

    // ---- preceding handlers

    @Configuration(proxyBeanMethods = false)
    static class InPairs {

        @Bean
        KcpSessionCustomizer pairs() {
            return (server, session) -> session.pipeline().addLast(server, new FixedLengthFrameDecoder(2));
        }
    }

    @Test
    void precedingHandlersDecodeStream() {
        new LiveServer(InPairs.class, OfStrings.class).with("kcp.server.mode=stream").run((context, client) -> {
            client.session().config().setOption(KcpChannelOption.MODE, KcpTransferMode.STREAM);
            client.send("abc");
            client.send("d");
            StringBuilder received = new StringBuilder();
            while (received.length() < 12) {
                received.append(client.receive());
            }
            assertThat(received).hasToString("ABtrueCDtrue");
        });
    }
}
