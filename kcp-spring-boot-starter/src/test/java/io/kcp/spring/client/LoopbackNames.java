package io.kcp.spring.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsSection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A DNS server on loopback that responds to all queries with one address, and defers queries until the address is set. */
final class LoopbackNames implements AutoCloseable {

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private final InetSocketAddress address;
    private volatile int ttlS;
    private volatile CompletableFuture<InetAddress> answer = new CompletableFuture<>();

    LoopbackNames() {
        ChannelFuture bound = new Bootstrap().group(loops).channel(NioDatagramChannel.class)
            .handler(new ChannelInitializer<DatagramChannel>() {
                @Override
                protected void initChannel(DatagramChannel channel) {
                    channel.pipeline().addLast(new DatagramDnsQueryDecoder(), new DatagramDnsResponseEncoder(), new Answers());
                }
            }).bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly();
        address = (InetSocketAddress) bound.channel().localAddress();
    }

    InetSocketAddress address() {
        return address;
    }

    /** Returns the queried names, with a trailing dot. */
    BlockingQueue<String> queries() {
        return asked;
    }

    /** Sets the address, and responds to deferred queries. */
    void answer(InetAddress known) {
        if (!answer.complete(known)) {
            answer = CompletableFuture.completedFuture(known);
        }
    }

    /** Sets the TTL of responses, which is initially 0. */
    void ttl(int seconds) {
        ttlS = seconds;
    }

    private final class Answers extends SimpleChannelInboundHandler<DatagramDnsQuery> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            DatagramDnsResponse response = new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
            response.addRecord(DnsSection.QUESTION, new DefaultDnsQuestion(question.name(), question.type()));
            if (!question.type().equals(DnsRecordType.A)) {
                context.writeAndFlush(response);
                return;
            }
            asked.add(question.name());
            answer.thenAccept(known -> context.executor().execute(() -> {
                response.addRecord(DnsSection.ANSWER, new DefaultDnsRawRecord(question.name(), DnsRecordType.A, ttlS,
                    context.alloc().buffer().writeBytes(known.getAddress())));
                context.writeAndFlush(response);
            }));
        }
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
    }
}
