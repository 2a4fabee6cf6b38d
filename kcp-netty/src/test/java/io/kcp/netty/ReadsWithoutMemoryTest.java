package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.loop.LoopContext;
import io.kcp.netty.internal.socket.SwitchedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Event loops that cannot allocate read buffers still read datagrams. */
@Timeout(60)
class ReadsWithoutMemoryTest {

    private final SwitchedAllocator allocator = new SwitchedAllocator();

    /** A later channel of the loop fills the reserve that the first channel could not fill, and the loop count stays correct. */
    @Test
    void nextChannelOfTheLoopFillsTheMissingReserve() {
        EmbeddedChannel first = new EmbeddedChannel();
        EmbeddedChannel second = new EmbeddedChannel();
        LoopContext context = new LoopContext(first.eventLoop(), allocator);
        allocator.fail(true);
        context.enter(first);
        assertThat(context.reserve().take(100)).isNull();
        allocator.fail(false);
        context.enter(second);
        ByteBuf taken = context.reserve().take(100);
        assertThat(taken).isNotNull();
        taken.release();
        context.leave(first);
        assertThat(context.reserve().take(100)).as("in use by the second channel").isNotNull().satisfies(ByteBuf::release);
        context.leave(second);
        assertThat(context.reserve().take(100)).isNull();
        first.finish();
        second.finish();
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL", "IO_URING"})
    void sessionsContinueWithoutDirectMemory(KcpTransport transport) throws InterruptedException {
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE)
                .option(ChannelOption.ALLOCATOR, allocator).childOption(ChannelOption.ALLOCATOR, allocator));
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            exchange(loopback, client, answers, 1);
            allocator.fail(true);
            for (int i = 2; i < 20; i++) {
                exchange(loopback, client, answers, i);
            }
            allocator.fail(false);
            exchange(loopback, client, answers, 20);
        }
        assertThat(allocator.usedDirectMemory()).isZero();
    }

    /** io_uring has one outstanding read per socket, so sockets of one loop cannot share a reserve. */
    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL", "IO_URING"})
    void manySocketsOfOneLoopContinueWithoutDirectMemory(KcpTransport transport) throws InterruptedException {
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE)
                .option(ChannelOption.ALLOCATOR, allocator).childOption(ChannelOption.ALLOCATOR, allocator));
            List<KcpChannel> clients = new ArrayList<>();
            List<MessageCollector> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                answers.add(new MessageCollector());
                clients.add(loopback.connect(loopback.client(answers.get(i)).socketOption(ChannelOption.ALLOCATOR, allocator),
                    server.localAddress()));
                exchange(loopback, clients.get(i), answers.get(i), 1);
            }
            allocator.fail(true);
            for (int message = 2; message < 5; message++) {
                for (int i = 0; i < 8; i++) {
                    exchange(loopback, clients.get(i), answers.get(i), message);
                }
            }
            allocator.fail(false);
            exchange(loopback, clients.get(0), answers.get(0), 5);
        }
        assertThat(allocator.usedDirectMemory()).isZero();
    }

    private static void exchange(Loopback loopback, KcpChannel client, MessageCollector answers, int number)
        throws InterruptedException {
        String text = number + "-" + "x".repeat(1_000);
        client.writeAndFlush(loopback.allocator().buffer().writeBytes(text.getBytes(StandardCharsets.US_ASCII)));
        assertThat(answers.next()).isEqualTo(text);
    }
}
