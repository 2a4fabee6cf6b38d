package com.example.echo;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;

@SpringBootApplication
public class EchoApplication {
    public static void main(String[] args) {
        SpringApplication.run(EchoApplication.class, args);
    }

    @Component
    static class Sessions extends ChannelInitializer<KcpChannel> {
        @Override
        protected void initChannel(KcpChannel session) {
            session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    context.writeAndFlush(message);
                }

                @Override
                public void channelWritabilityChanged(ChannelHandlerContext context) {
                    // Reads no faster than the client takes the answers.
                    context.channel().config().setAutoRead(context.channel().isWritable());
                }
            });
        }
    }
}
