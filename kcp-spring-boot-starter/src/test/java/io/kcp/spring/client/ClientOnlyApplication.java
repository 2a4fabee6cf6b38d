package io.kcp.spring.client;

import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.kcp.spring.KcpClientFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application without a server, whose client session writes continuously. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ClientOnlyApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(ClientOnlyApplication.class, arguments);
        System.out.println("started");
    }

    @Bean
    KcpReconnect uplink(KcpClientFactory kcp, @Value("${peer.port}") int port) {
        return kcp.reconnecting(() -> new InetSocketAddress("127.0.0.1", port), new Talker(), KcpReconnectListener.NONE);
    }

    @ChannelHandler.Sharable
    private static final class Talker extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().buffer().writeByte('x'));
            context.executor().schedule(() -> {
                if (context.channel().isActive()) {
                    channelActive(context);
                }
            }, 20, TimeUnit.MILLISECONDS);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }
    }
}
