package io.kcp.netty.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.internal.memory.MemoryLimit;
import io.kcp.netty.DropReason;
import io.kcp.netty.EchoClient;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.FloodedEchoServer;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.SimulatedHosts;
import io.kcp.netty.WireSegment;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.internal.channel.DropCounters;
import io.kcp.netty.internal.loop.LoopContext;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many peers connect at the same time to a server that needs {@value #OPENING_NANOS} ns to open a session, on a simulated clock. */
@Timeout(60)
class FirstDatagramReaderTest {

    private static final int CONV = 7;
    private static final int PEERS = 500;
    private static final long OPENING_NANOS = 60_000;
    /** Number of sessions that the server opens in one iteration: the last one begins within the budget. */
    private static final int OPENED_AT_ONCE = (int) (FirstDatagramReader.BUDGET_NANOS / OPENING_NANOS) + 1;

    private static InetSocketAddress peer(int number) {
        return SimulatedHosts.address(0xc6120000 + number, 4_000);
    }

    private static WireSegment push(int sn, String text) {
        return WireSegment.push(CONV, sn, 0, text);
    }

    private static EmbeddedLink create(Consumer<KcpHandlerBuilder> settings) {
        EmbeddedLink[] link = new EmbeddedLink[1];
        link[0] = EmbeddedLink.create(settings, () -> {
            link[0].ticker.advance(OPENING_NANOS, TimeUnit.NANOSECONDS);
            return new SessionRecorder();
        });
        return link[0];
    }

    private static EmbeddedLink create() {
        return create(FirstDatagramReaderTest::withoutLoad);
    }

    /** Allows so many unvalidated sessions that the server does not come under load. */
    private static void withoutLoad(KcpHandlerBuilder server) {
        server.maxSessions(40_000).maxUnvalidatedSessions(40_000);
    }

    /** Lets a server under load open sessions for all first datagrams. */
    private static void withoutProofs(KcpHandlerBuilder server) {
        server.retransmittedOnlyUnderLoad(false).addressProofUnderLoad(false).unknownDatagramsPerSecond(0);
    }

    /** Adds a datagram to the current read batch of the server. */
    private static void add(EmbeddedLink link, InetSocketAddress from, WireSegment... segments) {
        link.server().channel().writeOneInbound(
            new DatagramPacket(WireSegment.datagram(link.allocator(), segments), EmbeddedLink.SERVER_ADDRESS, from));
    }

    /** Adds the datagrams that the client has sent to the current read batch of the server. */
    private static void addSent(EmbeddedLink link) {
        link.client().take().forEach(datagram -> link.server().channel().writeOneInbound(
            new DatagramPacket(datagram, EmbeddedLink.SERVER_ADDRESS, EmbeddedLink.CLIENT_ADDRESS)));
    }

    private static void addFirst(EmbeddedLink link, int peers) {
        for (int i = 0; i < peers; i++) {
            add(link, peer(i), push(0, "first " + i));
        }
    }

    /** Ends the read batch. The embedded channel then also runs a task that opens further sessions. */
    private static void endBatch(EmbeddedLink link) {
        link.server().channel().pipeline().fireChannelReadComplete();
    }

    private static void runIteration(EmbeddedLink link) {
        link.server().channel().runScheduledPendingTasks();
        link.server().channel().releaseOutbound();
    }

    private static int waiting(EmbeddedLink link) {
        return link.server().handler().firstDatagrams().waitingDatagrams();
    }

    private static MemoryLimit held(EmbeddedLink link) {
        return LoopContext.of(link.server().channel().eventLoop()).memoryLimit();
    }

    private static void limitMemory(EmbeddedLink link, int bytes) {
        // Reads the clock first, because each new event loop changes the limits of the others at their next reading.
        LoopContext.of(link.server().channel().eventLoop()).nowMs();
        held(link).setMaxHeldBytes(bytes);
    }

    private static long dropped(EmbeddedLink link, DropReason reason) {
        return DropCounters.of(link.server().channel()).get(reason);
    }

    private static void openAll(EmbeddedLink link) {
        while (waiting(link) > 0) {
            // A server under load waits until it has time for opening sessions.
            link.ticker.advance(1, TimeUnit.MILLISECONDS);
            runIteration(link);
        }
    }

    @Test
    void openSessionsAreServedWhileHundredsOfPeersConnect() {
        try (EmbeddedLink link = create()) {
            SessionRecorder live = link.establish(CONV);
            SessionRecorder served = link.accepted(0);
            List<Long> delaysNanos = new ArrayList<>();
            long[] sentNanos = new long[1];
            served.onRead((ctx, text) -> delaysNanos.add(link.ticker.nanoTime() - sentNanos[0]));
            for (int iteration = 0; waiting(link) > 0 || iteration == 0; iteration++) {
                sentNanos[0] = link.ticker.nanoTime();
                live.session().writeAndFlush(link.text("request " + iteration));
                if (iteration == 0) {
                    addFirst(link, PEERS);
                }
                addSent(link);
                endBatch(link);
                assertThat(delaysNanos).hasSize(iteration + 1);
                runIteration(link);
            }
            assertThat(delaysNanos.get(0)).isBetween(FirstDatagramReader.BUDGET_NANOS, FirstDatagramReader.BUDGET_NANOS + OPENING_NANOS);
            assertThat(delaysNanos.subList(1, delaysNanos.size())).as("no opener arrives in these batches").containsOnly(0L);
            assertThat(link.accepted()).hasSize(PEERS + 1);
            assertThat(delaysNanos.size()).isGreaterThanOrEqualTo(PEERS / (2 * OPENED_AT_ONCE));
            assertThat(DropCounters.of(link.server().channel()).snapshot()).isEmpty();
        }
    }

    @Test
    void datagramsOfWaitingPeersAreDeliveredInOrder() {
        try (EmbeddedLink link = create()) {
            addFirst(link, PEERS);
            for (int i = 0; i < PEERS; i++) {
                add(link, peer(i), push(1, "second"), push(2, "third"));
            }
            assertThat(link.accepted()).hasSize(OPENED_AT_ONCE);
            assertThat(waiting(link)).isEqualTo(2 * (PEERS - OPENED_AT_ONCE));
            endBatch(link);
            add(link, peer(PEERS - 1), push(3, "fourth"));
            endBatch(link);
            openAll(link);
            assertThat(link.accepted()).hasSize(PEERS);
            for (int i = 0; i < PEERS; i++) {
                assertThat(link.accepted(i).messages()).startsWith("first " + i, "second", "third");
            }
            assertThat(link.accepted(PEERS - 1).messages()).endsWith("fourth");
            assertThat(DropCounters.of(link.server().channel()).snapshot()).isEmpty();
        }
    }

    @Test
    void peerMayWaitWithAsManyDatagramsAsItSendsWithoutAWindow() {
        try (EmbeddedLink link = create()) {
            addFirst(link, OPENED_AT_ONCE + 1);
            for (int sn = 1; sn < 100; sn++) {
                add(link, peer(OPENED_AT_ONCE), push(sn, "x"));
            }
            assertThat(waiting(link)).isEqualTo(WaitingPeers.MAX_DATAGRAMS_PER_PEER);
            assertThat(dropped(link, DropReason.OPENING_QUEUE_FULL)).isEqualTo(100 - WaitingPeers.MAX_DATAGRAMS_PER_PEER);
            add(link, peer(PEERS), push(0, "y"));
            assertThat(waiting(link)).as("one peer does not put the server under load").isEqualTo(WaitingPeers.MAX_DATAGRAMS_PER_PEER + 1);
            endBatch(link);
            openAll(link);
            assertThat(link.accepted(OPENED_AT_ONCE).messages()).hasSize(WaitingPeers.MAX_DATAGRAMS_PER_PEER);
        }
    }

    /** The attacker sends more first datagrams than may wait, in one batch and then in each iteration. The server requires no proofs. */
    @Test
    void floodOfFirstDatagramsFillsABoundedQueue() {
        try (EmbeddedLink link = create(server -> {
            withoutLoad(server);
            withoutProofs(server);
            server.openingsPerSecondUnderLoad(0);
        })) {
            SessionRecorder live = link.establish(CONV);
            int sent = 0;
            for (int iteration = 0; iteration < 20; iteration++) {
                for (int i = 0; i < 1_000; i++) {
                    add(link, peer(sent++), push(0, "x".repeat(200)));
                }
                live.session().writeAndFlush(link.text("still here"));
                addSent(link);
                endBatch(link);
                assertThat(waiting(link)).isLessThanOrEqualTo(WaitingPeers.MAX_DATAGRAMS);
                assertThat(held(link).unvalidatedBytes()).isLessThanOrEqualTo(WaitingPeers.MAX_BYTES + 1_000L * link.accepted().size());
                runIteration(link);
            }
            assertThat(link.accepted(0).messages()).filteredOn("still here"::equals).hasSize(20);
            long refused = dropped(link, DropReason.OPENING_QUEUE_FULL);
            openAll(link);
            assertThat(refused).isGreaterThan(10_000);
            assertThat(link.accepted().size() - 1 + refused).as("opened or counted").isEqualTo(sent);
            assertThat(dropped(link, DropReason.OPENING_QUEUE_FULL)).isEqualTo(refused);
        }
    }

    @Test
    void fullQueueRequiresProofsOfAddress() {
        try (EmbeddedLink link = create()) {
            addFirst(link, 2 * WaitingPeers.MAX_DATAGRAMS);
            assertThat(waiting(link)).isEqualTo(WaitingPeers.MAX_DATAGRAMS);
            assertThat(dropped(link, DropReason.OPENING_QUEUE_FULL)).as("later ones must be retransmitted").isEqualTo(1);
            assertThat(dropped(link, DropReason.FIRST_ARRIVAL)).isEqualTo(WaitingPeers.MAX_DATAGRAMS - OPENED_AT_ONCE - 1);
            endBatch(link);
            InetSocketAddress proven = peer(3 * WaitingPeers.MAX_DATAGRAMS);
            WireSegment response = response(link, proven);
            int opened = link.accepted().size();
            add(link, proven, response, push(0, "proven"));
            endBatch(link);
            link.ticker.advance(OPENING_NANOS * 100 / 20 * OPENED_AT_ONCE, TimeUnit.NANOSECONDS);
            runIteration(link);
            assertThat(link.accepted(opened).messages()).as("opened before those that waited").containsExactly("proven");
            openAll(link);
            link.ticker.advance(1, TimeUnit.SECONDS);
            add(link, peer(4 * WaitingPeers.MAX_DATAGRAMS), push(0, "later"));
            endBatch(link);
            assertThat(link.accepted(link.accepted().size() - 1).messages()).as("no longer under load").containsExactly("later");
        }
    }

    /** The rate ends after a fraction of the waiting peers. The others must not be dropped one after the other. */
    @Test
    void peersWaitWhileTheServerOpensTooManySessionsPerSecond() {
        try (EmbeddedLink link = create(server -> {
            server.maxSessions(40_000).maxUnvalidatedSessions(1_000).openingsPerSecondUnderLoad(10);
            withoutProofs(server);
        })) {
            addFirst(link, PEERS);
            endBatch(link);
            int opened = link.accepted().size();
            for (int ms = 0; ms < 2_000; ms++) {
                link.ticker.advance(1, TimeUnit.MILLISECONDS);
                runIteration(link);
            }
            assertThat(link.accepted().size() - opened).isBetween(19, 21);
            assertThat(link.accepted().size() + waiting(link)).isEqualTo(PEERS);
            assertThat(DropCounters.of(link.server().channel()).snapshot()).isEmpty();
        }
    }

    @Test
    void littleMemoryLetsFewDatagramsWait() {
        try (EmbeddedLink link = create()) {
            limitMemory(link, 1 << 20);
            addFirst(link, PEERS);
            int bytes = WaitingPeers.OVERHEAD_BYTES + SegmentHeader.LENGTH + "first 100".length();
            assertThat(waiting(link)).isBetween((1 << 16) / bytes - 10, (1 << 16) / bytes);
            assertThat(held(link).unvalidatedBytes()).isBetween((1L << 16) - bytes, (1L << 16) + 200L * OPENED_AT_ONCE);
            endBatch(link);
            openAll(link);
            assertThat(held(link).unvalidatedBytes()).as("no copy is counted any more").isLessThan(100L * link.accepted().size());
        }
    }

    @Test
    void waitingPeersCountAsSessions() {
        try (EmbeddedLink link = create(server -> {
            server.maxSessions(100).maxUnvalidatedSessions(100).openingsPerSecondUnderLoad(0);
            withoutProofs(server);
        })) {
            addFirst(link, PEERS);
            assertThat(waiting(link)).isEqualTo(100 - OPENED_AT_ONCE);
            endBatch(link);
            openAll(link);
            assertThat(link.server().host().sessions().size()).isEqualTo(100);
            assertThat(dropped(link, DropReason.OPENING_QUEUE_FULL)).isEqualTo(PEERS - 100);
            assertThat(link.server().stats().closed()).as("no session is evicted for a peer that waits").isEmpty();
        }
    }

    /** Under load, most first datagrams must be retransmitted. Such a datagram must not wait. */
    @Test
    void refusedDatagramsDoNotWait() {
        try (EmbeddedLink link = create(server -> server.maxSessions(40_000).maxUnvalidatedSessions(400))) {
            addFirst(link, PEERS);
            int admitted = link.accepted().size() + waiting(link);
            assertThat(admitted).as("a quarter of the permitted number").isEqualTo(101);
            assertThat(dropped(link, DropReason.FIRST_ARRIVAL)).isEqualTo(PEERS - admitted);
        }
    }

    @Test
    void provenPeersDisplaceOthers() {
        try (EmbeddedLink link = create(server -> server.maxSessions(40_000).maxUnvalidatedSessions(400))) {
            addFirst(link, 101);
            endBatch(link);
            openAll(link);
            InetSocketAddress proven = peer(PEERS);
            WireSegment response = response(link, proven);
            // The server is no longer under load, so that unproven peers may wait, too.
            link.accepted().forEach(recorder -> {
                recorder.session().config().setLingerMs(0);
                recorder.session().close();
            });
            link.server().channel().releaseOutbound();
            int opened = link.accepted().size();
            limitMemory(link, 1 << 15);
            for (int i = 1_000; i < 1_100; i++) {
                add(link, peer(i), push(0, "x"));
            }
            int full = waiting(link);
            assertThat(full).isLessThan(100 - OPENED_AT_ONCE);
            add(link, proven, response, push(0, "proven"));
            assertThat(waiting(link)).as("the first one that waited is dropped").isEqualTo(full);
            endBatch(link);
            runIteration(link);
            assertThat(link.accepted(opened + OPENED_AT_ONCE).messages()).as("opened before those that waited").containsExactly("proven");
        }
    }

    /** Sends a first datagram and its retransmission, and returns the response of a peer to the probe of the server. */
    private static WireSegment response(EmbeddedLink link, InetSocketAddress peer) {
        link.server().channel().releaseOutbound();
        link.server().receive(peer, push(0, "proven"));
        link.server().receive(peer, push(0, "proven"));
        List<WireSegment> probes = new ArrayList<>();
        for (DatagramPacket sent = link.server().channel().readOutbound(); sent != null; sent = link.server().channel().readOutbound()) {
            if (sent.recipient().equals(peer)) {
                probes.addAll(WireSegment.parse(sent.content()));
            }
            sent.release();
        }
        assertThat(probes).as("probes").hasSize(1);
        WireSegment probe = probes.get(0);
        return new WireSegment(CONV, SegmentHeader.CMD_ACK, 0, WireSegment.WINDOW, probe.ts(), probe.sn(), 0, "");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingServerRefusesWaitingPeers(boolean removed) {
        try (EmbeddedLink link = create()) {
            addFirst(link, PEERS);
            add(link, peer(PEERS - 1), push(1, "second"));
            if (removed) {
                link.server().channel().pipeline().remove(link.server().handler());
            } else {
                link.server().handler().stopAccepting();
            }
            assertThat(waiting(link)).isZero();
            assertThat(dropped(link, DropReason.CLOSING)).isEqualTo(PEERS - OPENED_AT_ONCE + 1);
            link.server().channel().runScheduledPendingTasks();
            assertThat(link.accepted()).hasSize(OPENED_AT_ONCE);
        }
    }

    @Test
    void closedSocketReleasesWaitingDatagrams() {
        EmbeddedLink link = create();
        addFirst(link, PEERS);
        // Closing the link verifies that all buffers are released.
        link.close();
        assertThat(waiting(link)).isZero();
        assertThat(held(link).heldBytes()).isZero();
    }

    @Test
    void sessionOfTheApplicationTakesTheDatagramsOfAWaitingPeer() {
        try (EmbeddedLink link = create()) {
            addFirst(link, PEERS);
            SessionRecorder outbound = new SessionRecorder();
            link.server().handler().connect(peer(PEERS - 1), CONV, outbound).syncUninterruptibly();
            endBatch(link);
            openAll(link);
            assertThat(outbound.messages()).containsExactly("first " + (PEERS - 1));
            assertThat(link.accepted()).hasSize(PEERS - 1);
            assertThat(link.server().host().sessions().size()).isEqualTo(PEERS);
        }
    }

    @Test
    void filterOfTheApplicationIsAskedWhenTheSessionOpens() {
        int[] asked = new int[1];
        try (EmbeddedLink link = create(server -> {
            withoutLoad(server);
            server.acceptFilter((address, conv) -> asked[0]++ % 2 == 0);
        })) {
            addFirst(link, PEERS);
            for (int i = 0; i < PEERS; i++) {
                add(link, peer(i), push(1, "second"));
            }
            endBatch(link);
            openAll(link);
            assertThat(link.accepted().size() + dropped(link, DropReason.FILTERED)).isEqualTo(asked[0]);
            assertThat(link.accepted()).allMatch(recorder -> recorder.messages().contains("second"));
        }
    }

    @Test
    void failedCopyIsCountedAndLeavesNoPeerWaiting() {
        try (EmbeddedLink link = create()) {
            addFirst(link, OPENED_AT_ONCE + 1);
            DatagramPacket packet = new DatagramPacket(WireSegment.datagram(link.allocator(), push(0, "x")), EmbeddedLink.SERVER_ADDRESS,
                peer(PEERS));
            link.failing().failAfter(0, 1);
            link.server().channel().writeOneInbound(packet);
            assertThat(link.failing().stopFailing()).as("failures that did not occur").isZero();
            assertThat(waiting(link)).isEqualTo(1);
            assertThat(dropped(link, DropReason.OUT_OF_MEMORY)).isEqualTo(1);
            endBatch(link);
            openAll(link);
            assertThat(link.accepted(OPENED_AT_ONCE).messages()).containsExactly("first " + OPENED_AT_ONCE);
            assertThat(link.accepted()).hasSize(OPENED_AT_ONCE + 1);
        }
    }

    /** The decoder of a session does not see the datagrams that waited, so only the data of later datagrams can be recovered. */
    @Test
    void waitingPeersMayUseFec() {
        FloodedEchoServer network = new FloodedEchoServer(server -> {
            withoutLoad(server);
            server.fec(FecConfig.of(2, 1));
        });
        try (network) {
            network.clients(client -> client.fec(FecConfig.of(2, 1)));
            network.openingTakes(OPENING_NANOS);
            List<EchoClient> clients = new ArrayList<>();
            for (int i = 0; i < PEERS; i++) {
                clients.add(network.connect(peer(i), CONV, null));
            }
            network.runForMs(2 * FloodedEchoServer.ROUND_TRIP_MS);
            assertThat(clients).allMatch(EchoClient::isConnected);
            assertThat(clients.get(PEERS - 1).recorder().messages()).containsExactly("hello");
        }
    }
}
