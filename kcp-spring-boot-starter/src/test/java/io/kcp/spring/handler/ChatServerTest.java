package io.kcp.spring.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.system.JavaVersion;
import org.springframework.context.ConfigurableApplicationContext;

/** The chat application with several clients. */
@Timeout(120)
@Tag("jdk")
class ChatServerTest {

    static Stream<Boolean> virtualThreads() {
        return JavaVersion.getJavaVersion().isOlderThan(JavaVersion.TWENTY_ONE) ? Stream.of(false) : Stream.of(false, true);
    }

    private static ConfigurableApplicationContext start(boolean virtualThreads) {
        return new SpringApplicationBuilder(ChatServer.class).web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF)
            .properties("kcp.server.port=0", "kcp.server.address=127.0.0.1", "kcp.server.linger=500ms",
                "spring.threads.virtual.enabled=" + virtualThreads).run();
    }

    private static TestClient enter(ConfigurableApplicationContext chat, String name) throws InterruptedException {
        TestClient client = new TestClient(chat.getEnvironment().getRequiredProperty("local.kcp.server.port", Integer.class));
        client.send("/name " + name);
        assertThat(client.receive()).isEqualTo("Say /name and yours");
        assertThat(client.receive()).isEqualTo("Hello " + name);
        return client;
    }

    @ParameterizedTest
    @MethodSource("virtualThreads")
    void usersChat(boolean virtualThreads) throws Exception {
        try (ConfigurableApplicationContext chat = start(virtualThreads);
            TestClient ann = enter(chat, "ann"); TestClient bob = enter(chat, "bob")) {
            ann.send("hi");
            assertThat(bob.receive()).isEqualTo("ann: hi");
            assertThat(ann.receive()).isEqualTo("ann: hi");
            bob.send("hi ann");
            assertThat(ann.receive()).isEqualTo("bob: hi ann");
        }
    }

    @ParameterizedTest
    @MethodSource("virtualThreads")
    void unknownUserIsAskedForName(boolean virtualThreads) throws Exception {
        try (ConfigurableApplicationContext chat = start(virtualThreads);
            TestClient stranger = new TestClient(chat.getEnvironment().getRequiredProperty("local.kcp.server.port", Integer.class))) {
            stranger.send("hi");
            assertThat(stranger.receive()).isEqualTo("Say /name and yours");
            assertThat(stranger.receive()).isEqualTo("Who are you?");
            stranger.send("/name eve");
            assertThat(stranger.receive()).isEqualTo("Hello eve");
        }
    }

    @ParameterizedTest
    @MethodSource("virtualThreads")
    void secondLoginClosesFirstSession(boolean virtualThreads) throws Exception {
        try (ConfigurableApplicationContext chat = start(virtualThreads);
            TestClient ann = enter(chat, "ann"); TestClient bob = enter(chat, "bob"); TestClient again = enter(chat, "ann")) {
            assertThat(ann.receive()).isEqualTo("You came in elsewhere");
            bob.send("who?");
            assertThat(again.receive()).isEqualTo("bob: who?");
            assertThat(chat.getBean(KcpSessionRegistry.class).size()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @MethodSource("virtualThreads")
    void malformedUtf8IsTolerated(boolean virtualThreads) throws Exception {
        try (ConfigurableApplicationContext chat = start(virtualThreads); TestClient ann = enter(chat, "ann")) {
            ann.session().writeAndFlush(Unpooled.wrappedBuffer(new byte[] {(byte) 0xff, (byte) 0xc0, 0}));
            assertThat(ann.receive()).startsWith("ann: ");
            ann.send("");
            assertThat(ann.receive()).isEqualTo("ann: ");
            ann.send("/name ");
            assertThat(ann.receive()).isEqualTo("Hello ");
        }
    }

    @ParameterizedTest
    @MethodSource("virtualThreads")
    void kickedUserLeaves(boolean virtualThreads) throws Exception {
        try (ConfigurableApplicationContext chat = start(virtualThreads);
            TestClient ann = enter(chat, "ann"); TestClient bob = enter(chat, "bob")) {
            @SuppressWarnings("unchecked")
            KcpSessionRegistry<String, String> people = chat.getBean(KcpSessionRegistry.class);
            people.kick(people.find("bob"), "swearing", null);
            assertThat(ann.receive()).isEqualTo("bob left");
            await().atMost(Duration.ofSeconds(30)).until(() -> people.size() == 1);
            assertThat(bob.received()).isEmpty();
        }
    }
}
