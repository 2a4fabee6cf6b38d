package com.example.echo;

import io.kcp.spring.handler.KcpController;
import io.kcp.spring.handler.OnMessage;
import io.netty.buffer.ByteBuf;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class EchoApplication {
    public static void main(String[] args) {
        SpringApplication.run(EchoApplication.class, args);
    }

    @KcpController
    static class Echo {
        @OnMessage
        ByteBuf echo(ByteBuf message) {
            return message;
        }
    }
}
