package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Repeats a run once for each of its buffer allocations, and makes that allocation fail. No buffer may leak, and at most one session may
 * fail. All other sessions must deliver their data.
 */
@Timeout(240)
class AllocationFailureTest {

    private static final InetSocketAddress SECOND_ADDRESS = new InetSocketAddress("10.0.0.3", 5_000);
    private static final int SESSIONS = 4;
    private static final int NEW_CONV = 100;
    private static final int NEXT_CONV = 101;
    private static final int ROUNDS = 3;

    /** One run of the same operations on several sessions of two clients, during which at most one allocation fails. */
    private static final class Run {

        private final EmbeddedLink link;
        private final EmbeddedLink.End second;
        private final List<SessionRecorder> clients = new ArrayList<>();
        private final List<List<String>> written = new ArrayList<>();
        private final List<ByteBuf> buffers = new ArrayList<>();
        private int sent;

        Run(OutOfMemoryTest.Stack stack) {
            link = EmbeddedLink.create(server -> { }, () -> new SessionRecorder() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ctx.write(message);
                }

                @Override
                public void channelReadComplete(ChannelHandlerContext ctx) {
                    ctx.flush();
                }
            }, stack.handlers(), stack.handlers());
            second = link.addClient(SECOND_ADDRESS, stack.handlers());
        }

        private void connect(EmbeddedLink.End from, int conv) {
            clients.add(link.connect(from, conv, new SessionRecorder()));
            written.add(new ArrayList<>());
        }

        /** Writes a message whose buffer comes from an allocator that does not fail. */
        private void write(int client, String message) {
            if (clients.get(client).session().isActive()) {
                ByteBuf buffer = Unpooled.copiedBuffer(message, StandardCharsets.ISO_8859_1);
                buffers.add(buffer);
                written.get(client).add(message);
                clients.get(client).session().writeAndFlush(buffer);
            }
        }

        private void open() {
            for (int i = 0; i < SESSIONS; i++) {
                connect(i % 2 == 0 ? link.client() : second, i);
                write(i, "hello");
            }
            link.settle();
            link.client().releaseSlab();
            link.server().releaseSlab();
        }

        private void exchange() {
            link.client().lose(datagram -> ++sent % 5 == 0);
            link.server().lose(datagram -> ++sent % 7 == 0);
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < SESSIONS; i++) {
                    write(i, round + " small");
                    write(i, round + "x".repeat(3_000));
                    clients.get(i).session().sendOob(Unpooled.copiedBuffer("oob", StandardCharsets.ISO_8859_1));
                }
                link.advanceMs(100);
            }
            connect(second, NEW_CONV);
            write(SESSIONS, "new");
            link.advanceMs(500);
            clients.get(SESSIONS).session().close();
            link.advanceMs(500);
        }

        private void finish() {
            link.client().loseNothing();
            link.server().loseNothing();
            link.advanceMs(5_000);
            connect(link.client(), NEXT_CONV);
            write(SESSIONS + 1, "afterwards");
            link.advanceMs(100);
        }

        /** Checks the first sessions and the session that was opened last. */
        private void check(int failedAllocation, boolean failed) {
            int incomplete = 0;
            for (int i = 0; i < SESSIONS + 2; i++) {
                if (i != SESSIONS && !clients.get(i).messages().equals(written.get(i))) {
                    incomplete++;
                }
            }
            assertThat(incomplete).as("sessions without all data after allocation %d failed", failedAllocation)
                .isLessThanOrEqualTo(failed ? 1 : 0);
            assertThat(clients.get(SESSIONS + 1).messages()).as("a later session, allocation %d", failedAllocation)
                .containsExactly("afterwards");
            long closed = clients.subList(0, SESSIONS).stream().map(SessionRecorder::session).filter(Run::hasFailed).count();
            long closedByServer = link.accepted().stream().map(SessionRecorder::session).filter(Objects::nonNull)
                .filter(Run::hasFailed).count();
            assertThat(closed + closedByServer).as("failed sessions, allocation %d", failedAllocation).isLessThanOrEqualTo(1);
        }

        /** Returns {@code true} if a session has failed on its own side. A failed session notifies its peer, which then closes as well. */
        private static boolean hasFailed(KcpChannel session) {
            return session.closeCause() instanceof KcpCloseException cause && cause.reason() != KcpCloseReason.PEER_FAILED
                && cause.reason() != KcpCloseReason.PEER_CLOSED;
        }

        private void close() {
            clients.forEach(client -> client.session().config().setLingerMs(0));
            link.close();
            assertThat(buffers).allMatch(buffer -> buffer.refCnt() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyAllocationFailsOnce(OutOfMemoryTest.Stack stack) {
        SilencedLog.during(() -> failEveryAllocation(stack));
    }

    private static void failEveryAllocation(OutOfMemoryTest.Stack stack) {
        boolean failed = true;
        int allocation = 0;
        for (; failed; allocation++) {
            Run run = new Run(stack);
            run.open();
            run.link.failing().failAfter(allocation, 1);
            run.exchange();
            failed = run.link.failing().stopFailing() == 0;
            run.finish();
            run.check(allocation, failed);
            run.close();
        }
        assertThat(allocation).as("number of allocations of a run").isGreaterThan(50);
    }
}
