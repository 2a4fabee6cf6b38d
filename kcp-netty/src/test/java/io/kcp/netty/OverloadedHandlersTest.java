package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.ServingQueue;
import io.kcp.netty.internal.session.MessageDelivery;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An event loop whose handlers cannot keep up still reads its socket and acknowledges what it reads. The test runs the event loop, and each
 * message takes one millisecond of a mock clock.
 */
@Timeout(60)
class OverloadedHandlersTest {

    private static final int SESSIONS = 100;
    private static final int MESSAGES_PER_SLICE = ServingQueue.SLICE_MICROS / 1_000;
    private static final int RECEIVE_TIMEOUT_MS = 50;

    private final ServerOnTestThread server = new ServerOnTestThread(KcpTransport.NIO);
    private final List<Integer> delivered = new ArrayList<>();
    private final Map<Integer, KcpChannel> accepted = new HashMap<>();
    private boolean slow;
    private DatagramSocket client;

    @ChannelHandler.Sharable
    private final class SlowHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            if (slow) {
                server.clock().advance(1, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            KcpChannel session = (KcpChannel) ctx.channel();
            delivered.add(session.conv());
            accepted.put(session.conv(), session);
            if (slow) {
                server.clock().advance(1, TimeUnit.MILLISECONDS);
            }
        }
    }

    @BeforeEach
    void openSessions() throws IOException {
        server.bind(new KcpServerBootstrap().childHandler(new SlowHandler()));
        client = ServerOnTestThread.newClient();
        client.setSoTimeout(RECEIVE_TIMEOUT_MS);
        sendToAll(0);
        server.runUntil(() -> delivered.size() == SESSIONS);
        acknowledgedConvs();
        delivered.clear();
        slow = true;
    }

    @AfterEach
    void end() {
        client.close();
        slow = false;
        server.closeWhileTimePasses();
    }

    private void send(int conv, int sn) throws IOException {
        server.sendFrom(client, WireSegment.push(conv, sn, 0, "message"));
    }

    private void sendToAll(int sn) throws IOException {
        for (int conv = 1; conv <= SESSIONS; conv++) {
            send(conv, sn);
        }
    }

    /** Returns the conversations that have acknowledged something since the previous call. */
    private Set<Integer> acknowledgedConvs() throws IOException {
        Set<Integer> convs = new HashSet<>();
        DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
        try {
            while (true) {
                client.receive(packet);
                convs.add(Unpooled.wrappedBuffer(packet.getData()).getIntLE(0));
            }
        } catch (SocketTimeoutException empty) {
            return convs;
        }
    }

    @Test
    void oneIterationServesSessionsForTheTimeOfOneSlice() throws IOException {
        sendToAll(1);
        server.runUntil(() -> !delivered.isEmpty());
        assertThat(delivered).hasSize(MESSAGES_PER_SLICE);
        for (int slice = 2; slice <= 5; slice++) {
            int before = delivered.size();
            server.runUntil(() -> delivered.size() > before);
            assertThat(delivered).hasSize(slice * MESSAGES_PER_SLICE);
        }
    }

    @Test
    void allSessionsAreServedInTheOrderInWhichTheyReceivedDatagrams() throws IOException {
        sendToAll(1);
        server.runUntil(() -> delivered.size() >= MESSAGES_PER_SLICE);
        send(1, 2);
        server.runUntil(() -> delivered.size() == SESSIONS + 1);
        List<Integer> expected = new ArrayList<>(IntStream.rangeClosed(1, SESSIONS).boxed().toList());
        expected.add(1);
        assertThat(delivered).isEqualTo(expected);
        server.runNow();
        assertThat(delivered).as("no session is served twice").hasSize(SESSIONS + 1);
    }

    @Test
    void datagramsThatArriveMeanwhileAreReadBeforeTheWaitingSessionsAreServed() throws IOException {
        sendToAll(1);
        server.runUntil(() -> !delivered.isEmpty());
        sendToAll(2);
        server.runUntil(() -> delivered.size() == 2 * SESSIONS);
        List<Integer> expected = new ArrayList<>(List.of(1, 2));
        IntStream.rangeClosed(MESSAGES_PER_SLICE + 1, SESSIONS).forEach(conv -> expected.addAll(List.of(conv, conv)));
        expected.addAll(List.of(1, 2));
        assertThat(delivered).as("waiting sessions deliver both messages at once").isEqualTo(expected);
    }

    @Test
    void sessionsThatWaitAcknowledgeWhatTheyReceived() throws IOException {
        sendToAll(1);
        server.runUntil(() -> delivered.size() >= 2 * ServingQueue.ACKNOWLEDGE_MS);
        assertThat(delivered).hasSizeLessThan(SESSIONS);
        assertThat(acknowledgedConvs()).hasSize(SESSIONS);
        send(SESSIONS, 2);
        int before = delivered.size();
        server.runUntil(() -> delivered.size() >= before + ServingQueue.ACKNOWLEDGE_MS + MESSAGES_PER_SLICE);
        assertThat(acknowledgedConvs()).as("a session that waits already").contains(SESSIONS);
        assertThat(delivered).doesNotContain(SESSIONS);
    }

    @Test
    void statisticsShowTheTimeForWhichSessionsWaited() throws IOException {
        assertThat(handlingDelayMs()).as("before the overload").isZero();
        sendToAll(1);
        server.runUntil(() -> delivered.size() == SESSIONS / 2);
        assertThat(handlingDelayMs()).as("while sessions wait").isBetween(SESSIONS / 2L - 2 * MESSAGES_PER_SLICE, SESSIONS / 2L);
        server.runUntil(() -> delivered.size() == SESSIONS);
        assertThat(handlingDelayMs()).isBetween(SESSIONS - 2L * MESSAGES_PER_SLICE, (long) SESSIONS);
    }

    /** Lets all sessions receive messages that they deliver one by one from now on. */
    private void receiveInterruptedDeliveries(int messages) throws IOException {
        accepted.values().forEach(session -> session.config().setOption(KcpChannelOption.MAX_MESSAGES_PER_ITERATION, 1));
        slow = false;
        accepted.values().forEach(session -> session.config().setAutoRead(false));
        for (int sn = 1; sn <= messages; sn++) {
            sendToAll(sn);
        }
        server.runUntil(() -> accepted.values().stream().allMatch(session -> ((DefaultKcpChannel) session).kcp().hasReceivable()));
        server.run(2 * SESSIONS);
        assertThat(delivered).isEmpty();
        slow = true;
        accepted.values().forEach(session -> session.config().setAutoRead(true));
    }

    @Test
    void interruptedDeliveriesDoNotRunWholeTurnsWhilePeersConnect() throws IOException {
        receiveInterruptedDeliveries(3);
        int peers = 10;
        for (int conv = SESSIONS + 1; conv <= SESSIONS + peers; conv++) {
            send(conv, 0);
        }
        int before = delivered.size();
        for (int i = 0; i < ServerOnTestThread.MAX_ITERATIONS && delivered.size() < 3 * SESSIONS + peers; i++) {
            server.runNow();
            assertThat(delivered.size() - before).as("messages in one iteration, which may open a session").isLessThanOrEqualTo(
                2 * MESSAGES_PER_SLICE + 1);
            before = delivered.size();
        }
        assertThat(delivered).hasSize(3 * SESSIONS + peers);
    }

    @Test
    void interruptedDeliveriesShareTheSlicesWithOtherSessions() throws IOException {
        int messages = 10;
        receiveInterruptedDeliveries(messages);
        int before = delivered.size();
        for (int i = 0; i < ServerOnTestThread.MAX_ITERATIONS * messages && delivered.size() < messages * SESSIONS; i++) {
            server.runNow();
            assertThat(delivered.size() - before).as("messages in one iteration").isLessThanOrEqualTo(MESSAGES_PER_SLICE);
            before = delivered.size();
        }
        for (int round = 0; round < messages; round++) {
            assertThat(delivered.subList(round * SESSIONS, (round + 1) * SESSIONS)).as("round " + round).doesNotHaveDuplicates();
        }
    }

    /** Otherwise, the socket overflows while a session delivers the messages that it has received during a long wait. */
    @ParameterizedTest
    @ValueSource(ints = {16, 1_024})
    void endOfTheSliceInterruptsTheDeliveryOfManyMessages(int messagesPerRead) throws IOException {
        accepted.get(1).config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(1).maxMessagesPerRead(messagesPerRead));
        int messages = 3 * MessageDelivery.MESSAGES_PER_TIME_CHECK;
        for (int sn = 1; sn <= messages; sn++) {
            send(1, sn);
        }
        server.runUntil(() -> !delivered.isEmpty());
        assertThat(delivered.size()).as("messages in one iteration").isEqualTo(MessageDelivery.MESSAGES_PER_TIME_CHECK);
        send(2, 1);
        server.runUntil(() -> delivered.size() == messages + 1);
        int other = delivered.indexOf(2);
        assertThat(other).as("messages before that of a session that received one meanwhile").isLessThanOrEqualTo(
            2 * MessageDelivery.MESSAGES_PER_TIME_CHECK);
        delivered.remove(other);
        assertThat(delivered).hasSize(messages).containsOnly(1);
    }

    @Test
    void readOutsideABatchIsInterruptedToo() throws IOException {
        KcpChannel session = accepted.get(1);
        session.config().setAutoRead(false);
        int messages = 3 * MessageDelivery.MESSAGES_PER_TIME_CHECK;
        for (int sn = 1; sn <= messages; sn++) {
            send(1, sn);
        }
        server.run(10);
        assertThat(delivered).isEmpty();
        session.config().setAutoRead(true);
        server.runUntil(() -> !delivered.isEmpty());
        assertThat(delivered).hasSize(MessageDelivery.MESSAGES_PER_TIME_CHECK);
        server.runUntil(() -> delivered.size() == messages);
    }

    @Test
    void sessionServedOutsideTheQueueEndsTheMeasuredDelay() throws IOException {
        for (int conv = 1; conv < SESSIONS; conv++) {
            send(conv, 1);
        }
        server.runUntil(() -> delivered.size() == SESSIONS - 2);
        // The last session of the queue is the one whose delay is measured.
        DefaultKcpChannel last = (DefaultKcpChannel) accepted.get(SESSIONS - 1);
        last.host().resume(last);
        assertThat(delivered).endsWith(SESSIONS - 1);
        server.clock().advance(10, TimeUnit.SECONDS);
        send(1, 2);
        server.runUntil(() -> delivered.size() == SESSIONS);
        assertThat(handlingDelayMs()).isLessThanOrEqualTo(SESSIONS);
    }

    private long handlingDelayMs() {
        Future<KcpListenerStats> stats = server.channel().collectStats();
        server.runUntil(stats::isDone);
        return stats.getNow().maxHandlingDelayMs();
    }

    @Test
    void closingTheServerDropsTheWaitingSessions() throws IOException {
        sendToAll(1);
        server.runUntil(() -> !delivered.isEmpty());
        int before = delivered.size();
        server.channel().close();
        server.run(SESSIONS);
        assertThat(delivered).hasSize(before);
        assertThat(server.channel().isOpen()).isFalse();
    }
}
