package io.kcp.spring.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import io.kcp.spring.EchoClient;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpServerInitializedEvent;
import io.netty.channel.ChannelInitializer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;

/** A Spring Boot test with random ports, which clients read from properties. */
@Timeout(60)
@SpringBootTest(properties = {"kcp.server.port=0", "kcp.servers.chat.port=0"})
class RandomPortTest {

    @Value("${local.kcp.server.port}")
    private int port;

    @Value("${local.kcp.chat.port}")
    private int chatPort;

    @Autowired
    private Application application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        private final Environment environment;
        private final List<String> started = new CopyOnWriteArrayList<>();

        Application(Environment environment) {
            this.environment = environment;
        }

        @Bean
        ChannelInitializer<KcpChannel> echo() {
            return new EchoInitializer();
        }

        @EventListener
        void onStarted(KcpServerInitializedEvent event) {
            String name = event.getServer().name();
            started.add(name + ' ' + environment.getProperty("local.kcp." + name + ".port"));
        }
    }

    @Test
    void clientIsAnsweredOnRandomPort() throws InterruptedException {
        try (EchoClient client = new EchoClient(port); EchoClient chat = new EchoClient(chatPort)) {
            assertThat(client.ask("hello")).isEqualTo("hello");
            assertThat(chat.ask("hello, chat")).isEqualTo("hello, chat");
        }
    }

    @Test
    void localPortsAreSetBeforeInitializedEvent() {
        assertThat(application.started).containsExactly("server " + port, "chat " + chatPort);
    }
}
