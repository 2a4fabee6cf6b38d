package com.example.game;

import io.kcp.netty.KcpChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class GameServer {

    public static void main(String[] arguments) {
        SpringApplication.run(GameServer.class, arguments);
    }

    @Bean
    ChannelInitializer<KcpChannel> sessions() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                        context.writeAndFlush(message.retain());
                    }
                });
            }
        };
    }
}
