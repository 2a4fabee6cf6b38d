package io.kcp.spring.aot;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.kcp.netty.KcpChannel;
import io.kcp.spring.KcpServerInitializedEvent;
import io.kcp.spring.handler.KcpController;
import io.kcp.spring.handler.OnMessage;
import io.kcp.spring.handler.OnOpen;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import tools.jackson.databind.json.JsonMapper;

/** Prints its port and returns JSON responses. {@link AheadOfTimeTest} processes it ahead of time. */
@SpringBootApplication
public class AotApplication {

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    sealed interface Word permits Word.Said, Word.Heard {

        record Said(String text) implements Word {
        }

        record Heard(String text, Sender from) implements Word {
        }
    }

    record Sender(String name) {
    }

    @KcpController(json = Word.class)
    static class Controller {

        @OnOpen
        void opened(KcpChannel session) {
            session.config().setAutoRead(true);
        }

        @OnMessage
        Word answer(Word.Said said) {
            return new Word.Heard(said.text(), new Sender("server"));
        }
    }

    @Bean
    static JsonMapper jsonMapper() {
        return JsonMapper.builder().build();
    }

    @EventListener
    void listening(KcpServerInitializedEvent event) {
        System.out.println("port " + event.getServer().localAddress().getPort());
    }

    public static void main(String[] arguments) {
        SpringApplication.run(AotApplication.class, arguments);
    }
}
