package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpHandlerAcceptTest {

    private static final InetSocketAddress OTHER = new InetSocketAddress("10.0.0.3", 5_000);
    private static final AttributeKey<String> ROLE = AttributeKey.valueOf(KcpHandlerAcceptTest.class, "role");

    @Test
    void optionsAndAttributesAreSetBeforeTheFirstEvent() {
        List<Object> seen = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(KcpChannelOption.INTERVAL_MS, 17)
            .childOption(KcpChannelOption.LINGER_MS, 123).childAttr(ROLE, "player"), () -> new SessionRecorder() {
                @Override
                public void handlerAdded(ChannelHandlerContext ctx) {
                    super.handlerAdded(ctx);
                    seen.add(session().config().kcp().intervalMs());
                    seen.add(ctx.channel().config().getOption(KcpChannelOption.LINGER_MS));
                    seen.add(ctx.channel().attr(ROLE).get());
                    seen.add(ctx.channel().remoteAddress());
                }
            })) {
            link.establish(1);
            assertThat(seen).containsExactly(17, 123, "player", EmbeddedLink.CLIENT_ADDRESS);
        }
    }

    @Test
    void unknownOptionIsIgnored() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.childOption(ChannelOption.TCP_NODELAY, true),
            SessionRecorder::new)) {
            assertThat(link.establish(1).session().isActive()).isTrue();
            assertThat(link.accepted(0).messages()).containsExactly("hello");
        }
    }

    @Test
    void sessionsBeyondTheLimitAreRefusedUntilOneCloses() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxSessions(2),
            () -> new SessionRecorder().onRead((ctx, text) -> ctx.writeAndFlush(ctx.alloc().buffer().writeByte('!'))))) {
            link.establish(1);
            link.establish(2);
            KcpChannel third = link.connect(3).session();
            third.writeAndFlush(link.text("patient"));
            link.settle();
            assertThat(link.accepted()).hasSize(2);
            assertThat(link.server().dropped(DropReason.SESSION_LIMIT)).isEqualTo(1);
            link.accepted(0).session().close();
            assertThat(link.advanceUntil(() -> link.accepted().size() == 3, 2_000)).isTrue();
            assertThat(link.accepted(2).messages()).containsExactly("patient");
            assertThat(link.server().stats().maxSessions()).isEqualTo(2);
            assertThat(link.server().stats().openedSessions()).isEqualTo(3);
        }
    }

    /** Limits the sessions per address to two. A new session of a full address need not be retransmitted or prove its address. */
    private static EmbeddedLink linkWithTwoSessionsPerAddress() {
        return EmbeddedLink.create(
            server -> server.maxSessionsPerAddress(2).retransmittedOnlyUnderLoad(false).addressProofUnderLoad(false), SessionRecorder::new);
    }

    @Test
    void sessionsBeyondTheAddressLimitAreRefused() {
        try (EmbeddedLink link = linkWithTwoSessionsPerAddress()) {
            for (int conv = 1; conv <= 3; conv++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(conv, 0, 0, "x"));
            }
            link.server().receive(OTHER, WireSegment.push(3, 0, 0, "x"));
            assertThat(link.accepted()).hasSize(3);
            assertThat(link.server().dropped(DropReason.ADDRESS_LIMIT)).isEqualTo(1);
        }
    }

    @Test
    void addressLimitAppliesToAllPortsTogether() {
        try (EmbeddedLink link = linkWithTwoSessionsPerAddress()) {
            for (int port = 1; port <= 5; port++) {
                link.server().receive(new InetSocketAddress("192.0.2.1", port), WireSegment.push(port, 0, 0, "x"));
            }
            assertThat(link.accepted()).hasSize(2);
            assertThat(link.server().dropped(DropReason.ADDRESS_LIMIT)).isEqualTo(3);
            link.accepted(0).session().close();
            link.server().receive(new InetSocketAddress("192.0.2.1", 6), WireSegment.push(6, 0, 0, "x"));
            assertThat(link.accepted()).as("a closed session makes room").hasSize(3);
        }
    }

    @Test
    void addressLimitAppliesToIpv6Subnets() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxSessionsPerAddress(2), SessionRecorder::new)) {
            for (int host = 1; host <= 5; host++) {
                link.server().receive(new InetSocketAddress("2001:db8:0:1::" + host, 1), WireSegment.push(host, 0, 0, "x"));
            }
            assertThat(link.accepted()).hasSize(2);
            link.server().receive(new InetSocketAddress("2001:db8:0:2::1", 1), WireSegment.push(6, 0, 0, "x"));
            assertThat(link.accepted()).as("another /64").hasSize(3);
        }
    }

    @Test
    void trustedAddressesHaveNoAddressLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> server.maxSessionsPerAddress(1).trustedPrefixes("192.0.2.0/24", "2001:db8::/32"), SessionRecorder::new)) {
            for (int port = 1; port <= 3; port++) {
                link.server().receive(new InetSocketAddress("192.0.2.1", port), WireSegment.push(port, 0, 0, "x"));
                link.server().receive(new InetSocketAddress("2001:db8::1", port), WireSegment.push(port, 0, 0, "x"));
                link.server().receive(new InetSocketAddress("127.0.0.1", port), WireSegment.push(port, 0, 0, "x"));
            }
            assertThat(link.accepted()).as("3 + 3 trusted, 1 of loopback, whose exemption is replaced").hasSize(7);
        }
    }

    @Test
    void loopbackIsTrustedUnlessConfigured() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxSessionsPerAddress(1), SessionRecorder::new)) {
            for (int port = 1; port <= 3; port++) {
                link.server().receive(new InetSocketAddress("127.0.0.1", port), WireSegment.push(port, 0, 0, "x"));
                link.server().receive(new InetSocketAddress("::1", port), WireSegment.push(port, 0, 0, "x"));
            }
            assertThat(link.accepted()).hasSize(6);
        }
    }

    @Test
    void refusedSessionsDoNotCountTowardsTheLimit() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxSessions(2).maxSessionsPerAddress(2)
            .acceptFilter((peer, conv) -> conv != 13), SessionRecorder::new)) {
            for (int i = 0; i < 5; i++) {
                link.server().receive(OTHER, WireSegment.push(13, 0, 0, "x"));
            }
            link.server().receive(OTHER, WireSegment.push(1, 0, 0, "x"));
            link.server().receive(OTHER, WireSegment.push(2, 0, 0, "x"));
            assertThat(link.accepted()).hasSize(2);
        }
    }

    @Test
    void throwingFilterOrHookRefusesOnlyThatSession() {
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.acceptFilter((peer, conv) -> {
            if (peer.equals(OTHER)) {
                throw new IllegalStateException("filter, thrown by the test");
            }
            return true;
        }).foreignDatagrams((context, packet) -> {
            throw new IllegalStateException("hook, thrown by the test");
        }), SessionRecorder::new)) {
            KcpChannel session = link.establish(1).session();
            for (int i = 0; i < 3; i++) {
                link.server().receive(OTHER, WireSegment.push(i, 0, 0, "x"));
                link.server().receive(OTHER, link.text("noise"));
            }
            assertThat(link.server().dropped(DropReason.FILTERED)).isEqualTo(3);
            assertThat(link.server().dropped(DropReason.NOT_KCP)).isEqualTo(3);
            session.writeAndFlush(link.text("unharmed"));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "unharmed");
        }
    }

    @Test
    void singleOptionsOverrideTheConfigInAnyOrder() {
        for (boolean first : new boolean[] {true, false}) {
            try (EmbeddedLink link = EmbeddedLink.create(server -> {
                if (first) {
                    server.childOption(KcpChannelOption.MTU_BYTES, 1_111);
                }
                server.childOption(KcpChannelOption.KCP_CONFIG, KcpConfig.fast3());
                if (!first) {
                    server.childOption(KcpChannelOption.MTU_BYTES, 1_111);
                }
            }, SessionRecorder::new)) {
                link.establish(1);
                KcpConfig config = link.accepted(0).session().config().kcp();
                assertThat(config.mtuBytes()).isEqualTo(1_111);
                assertThat(config.intervalMs()).isEqualTo(KcpConfig.fast3().intervalMs());
            }
        }
    }

    @Test
    void acceptFilterIsCalledForFirstDatagramsOnly() {
        List<String> asked = new ArrayList<>();
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.acceptFilter((peer, conv) -> {
            asked.add(peer.getAddress().getHostAddress() + "/" + conv);
            return conv != 13;
        }), SessionRecorder::new)) {
            for (int round = 0; round < 3; round++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(1, round, 0, "x"));
                link.server().receive(OTHER, WireSegment.push(13, 0, 0, "x"));
            }
            link.server().receive(OTHER, WireSegment.ack(5, 0, 0));
            assertThat(asked).containsExactly("10.0.0.2/1", "10.0.0.3/13", "10.0.0.3/13", "10.0.0.3/13");
            assertThat(link.accepted()).hasSize(1);
            assertThat(link.server().dropped(DropReason.FILTERED)).isEqualTo(3);
            assertThat(link.server().dropped(DropReason.NO_SESSION)).isEqualTo(1);
        }
    }

    @Test
    void anotherConversationOfAnAddressOpensAnotherSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel first = link.establish(1).session();
            KcpChannel second = link.establish(2).session();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(3, 0, 0, "forged"));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.ack(4, 0, 0));
            first.writeAndFlush(link.text("one"));
            second.writeAndFlush(link.text("two"));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "one");
            assertThat(link.accepted(1).messages()).containsExactly("hello", "two");
            assertThat(link.accepted(2).messages()).containsExactly("forged");
            assertThat(link.server().stats().activeSessions()).isEqualTo(3);
        }
    }

    @Test
    void sameConversationOfTwoAddressesIsTwoSessions() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(1, 0, 0, "one"));
            link.server().receive(OTHER, WireSegment.push(1, 0, 0, "two"));
            assertThat(link.accepted()).extracting(SessionRecorder::messages).containsExactly(List.of("one"), List.of("two"));
        }
    }

    @Test
    void laterSegmentsOpenNoSession() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            for (int sn = 1; sn < 10; sn++) {
                link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(1, sn, 0, "later"));
            }
            assertThat(link.accepted()).isEmpty();
            assertThat(link.server().dropped(DropReason.NO_SESSION)).isEqualTo(9);
            assertThat(link.server().channel().outboundMessages()).as("nothing is acknowledged").isEmpty();
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(1, 0, 0, "a"));
            link.server().receive(EmbeddedLink.CLIENT_ADDRESS, WireSegment.push(1, 1, 0, "b"));
            assertThat(link.accepted(0).messages()).containsExactly("a", "b");
        }
    }

    /** The later segments of the burst arrive before the session is open and are dropped, so the client retransmits them. */
    @Test
    void lostFirstDatagramCostsOneRetransmissionTimeout() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            int[] datagrams = {0};
            link.client().lose(datagram -> datagrams[0]++ == 0);
            KcpChannel client = link.connect(1).session();
            for (int i = 0; i < 8; i++) {
                client.write(link.text("x".repeat(1_000) + i));
            }
            client.flush();
            link.settle();
            assertThat(datagrams[0]).isGreaterThan(4);
            assertThat(link.accepted()).isEmpty();
            assertThat(link.advanceUntil(() -> client.acknowledged().isSuccess(), 1_000)).isTrue();
            assertThat(link.accepted(0).messages()).hasSize(8);
        }
    }

    @Test
    void clientsOpenSessionsUnderHeavyLoss() {
        for (int seed = 0; seed < 50; seed++) {
            try (EmbeddedLink link = EmbeddedLink.create()) {
                link.client().loseAtRandom(0.3, seed);
                link.server().loseAtRandom(0.3, seed + 1_000);
                KcpChannel client = link.connect(1).session();
                for (int i = 0; i < 20; i++) {
                    client.write(link.text("x".repeat(1_000) + i));
                }
                client.flush();
                assertThat(link.advanceUntil(() -> client.acknowledged().isSuccess(), 20_000)).as("seed " + seed).isTrue();
                assertThat(link.accepted(0).messages()).as("seed " + seed).hasSize(20);
            }
        }
    }

    @Test
    void onlyAnInWindowPushWithUnaZeroOpensASession() {
        WireSegment good = WireSegment.push(1, 0, 0, "x");
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.server().receive(OTHER, WireSegment.push(1, 0, 1, "una is not 0"));
            link.server().receive(OTHER, WireSegment.push(1, 128, 0, "outside the window"));
            link.server().receive(OTHER, WireSegment.push(1, -1, 0, "before everything"));
            link.server().receive(OTHER, WireSegment.ack(1, 0, 0));
            link.server().receive(OTHER, WireSegment.control(1, SegmentHeader.CMD_WASK));
            link.server().receive(OTHER, WireSegment.control(1, SegmentHeader.CMD_WINS));
            link.server().receive(OTHER, good, WireSegment.ack(1, 0, 0));
            link.server().receive(OTHER, good, WireSegment.push(2, 1, 0, "another conversation"));
            link.server().receive(OTHER, WireSegment.datagram(link.allocator(), good).writeByte(0));
            assertThat(link.accepted()).isEmpty();
            assertThat(link.server().dropped(DropReason.NO_SESSION)).isEqualTo(9);
            assertThat(link.server().channel().outboundMessages()).as("no response").isEmpty();
        }
    }

    @Test
    void smallReceiveWindowAcceptsPeersUnawareOfIt() {
        try (EmbeddedLink link = EmbeddedLink.create(
            server -> server.childOption(KcpChannelOption.RECEIVE_WINDOW, 4), SessionRecorder::new)) {
            KcpChannel client = link.connect(1).session();
            for (int i = 0; i < 40; i++) {
                client.write(link.text("m" + i));
            }
            client.flush();
            assertThat(link.advanceUntil(() -> client.acknowledged().isSuccess(), 10_000)).isTrue();
            assertThat(link.accepted(0).messages()).hasSize(40).endsWith("m39");
        }
    }

    @Test
    void clientAcceptsNoSessions() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            link.client().receive(OTHER, WireSegment.push(1, 0, 0, "x"));
            assertThat(link.client().dropped(DropReason.NO_SESSION)).isEqualTo(1);
            assertThat(link.client().stats().openedSessions()).isZero();
        }
    }

    @Test
    void serverMayOpenSessionsToo() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            SessionRecorder dialled = new SessionRecorder();
            KcpChannel session =
                link.server().handler().connect(OTHER, 77, dialled).syncUninterruptibly().channel();
            session.writeAndFlush(link.text("hello"));
            link.server().lose(datagram -> true);
            link.settle();
            assertThat(link.server().sent().segments()).singleElement()
                .satisfies(push -> assertThat(push.payload()).isEqualTo("hello"));
            link.server().receive(OTHER, WireSegment.push(77, 0, 1, "answer"));
            assertThat(dialled.messages()).containsExactly("answer");
        }
    }
}
