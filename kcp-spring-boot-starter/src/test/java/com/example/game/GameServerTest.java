package com.example.game;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import io.kcp.spring.KcpClientFactory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;

@SpringBootTest(properties = {"kcp.server.port=0", "kcp.server.crypt.type=aes-128-gcm", "kcp.server.crypt.key=${KCP_KEY}",
    "kcp.client.crypt.type=aes-128-gcm", "kcp.client.crypt.key=${KCP_KEY}", "KCP_KEY=only for tests"})
@DirtiesContext
class GameServerTest {

    @Value("${local.kcp.server.port}")
    private int port;

    @Autowired
    private KcpClientFactory clients;

    @Test
    void echoesMessage() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        KcpChannel session = clients.connect("127.0.0.1", port, new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                answer.complete(message.toString(UTF_8));
            }
        }).get(30, TimeUnit.SECONDS);
        session.writeAndFlush(Unpooled.copiedBuffer("hello", UTF_8));
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
        session.close();
    }
}
