package io.kcp.netty.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.SessionRecorder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.ChannelMatchers;
import io.netty.util.AttributeKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KcpSessionRegistryTest {

    private final EmbeddedLink link = EmbeddedLink.create();
    private final KcpSessionRegistry<String, String> registry = new KcpSessionRegistry<>();
    private final List<SessionRecorder> clients = new ArrayList<>();

    @AfterEach
    void close() {
        link.close();
        assertThat(registry.size()).as("all sessions have closed").isZero();
        assertThat(registry.groups()).isEmpty();
    }

    /** Opens a session and returns its server side. The client side has the same index in {@code clients}. */
    private KcpChannel session() {
        clients.add(link.establish(clients.size() + 1));
        return link.accepted(clients.size() - 1).session();
    }

    private KcpChannel added() {
        KcpChannel session = session();
        registry.add(session);
        return session;
    }

    private static void closeAtOnce(KcpChannel session) {
        session.close();
        assertThat(session.isOpen()).as("nothing to wait for").isFalse();
    }

    @Test
    void userIsFoundByNameAndBySession() {
        KcpChannel session = added();
        assertThat(registry.userOf(session)).isNull();
        assertThat(registry.bind("ann", session)).isNull();
        assertThat(registry.find("ann")).isSameAs(session);
        assertThat(registry.userOf(session)).isEqualTo("ann");
        assertThat(registry.find("bob")).isNull();
        assertThat(registry.bind("ann", session)).as("bound again").isNull();
        assertThat(registry.size()).isEqualTo(1);
    }

    @Test
    void newSessionOfAUserTakesThePlaceOfTheOldOne() {
        KcpChannel old = added();
        KcpChannel fresh = added();
        registry.bind("ann", old);
        assertThat(registry.bind("ann", fresh)).isSameAs(old);
        assertThat(registry.find("ann")).isSameAs(fresh);
        assertThat(registry.userOf(old)).isNull();
        assertThat(old.isOpen()).isTrue();
        closeAtOnce(old);
        assertThat(registry.find("ann")).as("the old one takes nothing along").isSameAs(fresh);
        assertThat(registry.userOf(old)).isNull();
    }

    @Test
    void sessionThatChangesItsUserLeavesTheOneBefore() {
        KcpChannel session = added();
        registry.bind("ann", session);
        registry.bind("bob", session);
        assertThat(registry.find("ann")).isNull();
        assertThat(registry.userOf(session)).isEqualTo("bob");
        KcpChannel other = added();
        registry.bind("bob", other);
        registry.bind("cid", session);
        assertThat(registry.find("bob")).as("not the session's any more").isSameAs(other);
    }

    @Test
    void groupBeginsWithItsFirstSessionAndEndsWithItsLast() {
        KcpChannel one = added();
        KcpChannel two = added();
        assertThat(registry.join("room", one)).isTrue();
        assertThat(registry.join("room", one)).isFalse();
        assertThat(registry.join("room", two)).isTrue();
        assertThat(registry.join("hall", two)).isTrue();
        assertThat(registry.members("room")).containsExactlyInAnyOrder(one, two);
        assertThat(registry.groups()).containsExactlyInAnyOrder("room", "hall");
        assertThat(registry.leave("room", one)).isTrue();
        assertThat(registry.leave("room", one)).isFalse();
        assertThat(registry.leave("attic", one)).isFalse();
        assertThat(registry.members("room")).containsExactly(two);
        assertThat(registry.leave("room", two)).isTrue();
        assertThat(registry.groups()).containsExactly("hall");
        assertThat(registry.members("room")).isEmpty();
    }

    @Test
    void membersAreACopy() {
        KcpChannel session = added();
        registry.join("room", session);
        registry.members("room").clear();
        assertThat(registry.members("room")).containsExactly(session);
    }

    @Test
    void sessionThatClosesLeavesEverythingAndItsHandlersStillKnowWhoseItWas() {
        KcpChannel session = added();
        KcpChannel other = added();
        registry.bind("ann", session);
        registry.join("room", session);
        registry.join("hall", session);
        registry.join("hall", other);
        List<String> left = new ArrayList<>();
        session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                left.add(registry.userOf((KcpChannel) ctx.channel()) + " of " + registry.members("hall").size());
            }
        });
        closeAtOnce(session);
        link.settle();
        assertThat(left).containsExactly("ann of 1");
        assertThat(registry.find("ann")).isNull();
        assertThat(registry.groups()).containsExactly("hall");
        assertThat(registry.members("hall")).containsExactly(other);
        assertThat(registry.size()).isEqualTo(1);
        assertThat(registry.bind("ann", session)).as("too late").isNull();
        assertThat(registry.join("room", session)).isFalse();
        assertThat(registry.leave("hall", session)).isFalse();
        registry.add(session);
        assertThat(registry.size()).isEqualTo(1);
        assertThat(registry.find("ann")).isNull();
    }

    @Test
    void sessionThatWasNotAddedIsRefused() {
        KcpChannel session = session();
        assertThatThrownBy(() -> registry.bind("ann", session)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("session").hasMessageContaining("added");
        assertThatThrownBy(() -> registry.join("room", session)).isInstanceOf(IllegalArgumentException.class);
        assertThat(registry.leave("room", session)).isFalse();
        assertThat(registry.userOf(session)).isNull();
        assertThat(registry.find("ann")).isNull();
        assertThat(registry.groups()).isEmpty();
    }

    @Test
    void twoRegistriesDoNotMixUpWhoseASessionWas() {
        KcpSessionRegistry<Integer, String> other = new KcpSessionRegistry<>();
        KcpChannel session = added();
        other.add(session);
        registry.bind("ann", session);
        other.bind(7, session);
        closeAtOnce(session);
        assertThat(registry.userOf(session)).isEqualTo("ann");
        assertThat(other.userOf(session)).isEqualTo(7);
    }

    @Test
    void manyRegistriesLeaveNothingInTheConstantsOfNetty() {
        int before = AttributeKey.newInstance("before " + registry).id();
        for (int i = 0; i < 100; i++) {
            assertThat(new KcpSessionRegistry<String, String>().size()).isZero();
        }
        assertThat(AttributeKey.newInstance("after " + registry).id()).isEqualTo(before + 1);
    }

    // ---- broadcast

    /** Keeps the memory of what is written to a session. */
    private static List<byte[]> memoryWrittenTo(KcpChannel session) {
        List<byte[]> written = new ArrayList<>();
        session.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                written.add(((ByteBuf) message).array());
                ctx.write(message, promise);
            }
        });
        return written;
    }

    private ByteBuf heap(String text) {
        ByteBuf buffer = link.allocator().heapBuffer();
        buffer.writeCharSequence(text, StandardCharsets.US_ASCII);
        return buffer;
    }

    @Test
    void broadcastReachesAllWithoutACopyAndTakesTheBuffer() {
        List<List<byte[]>> written = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            written.add(memoryWrittenTo(added()));
        }
        ByteBuf message = heap("snapshot");
        byte[] memory = message.array();
        ChannelGroupFuture future = registry.broadcastAll(message);
        link.settle();
        assertThat(written).allSatisfy(memories -> assertThat(memories).hasSize(1).allMatch(bytes -> bytes == memory));
        assertThat(clients).allSatisfy(client -> assertThat(client.messages()).containsExactly("snapshot"));
        assertThat(message.refCnt()).isZero();
        assertThat(future.awaitUninterruptibly(30_000)).isTrue();
        assertThat(future.isSuccess()).isTrue();
        List<ChannelFuture> writes = new ArrayList<>();
        future.forEach(writes::add);
        assertThat(writes).hasSize(5);
    }

    @Test
    void broadcastToAGroupReachesItsMembersOnly() {
        KcpChannel one = added();
        KcpChannel two = added();
        added();
        registry.join("room", one);
        registry.join("room", two);
        ByteBuf message = link.text("hi");
        registry.broadcast("room", message);
        link.settle();
        assertThat(clients).extracting(SessionRecorder::messages).containsExactly(List.of("hi"), List.of("hi"), List.of());
        assertThat(message.refCnt()).isZero();
    }

    /** Writes the text of strings and of holders, as encoders do. */
    private static void addEncoder(KcpChannel session) {
        session.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ByteBuf bytes = ctx.alloc().buffer();
                if (message instanceof ByteBufHolder holder) {
                    bytes.writeBytes(holder.content());
                    holder.release();
                } else {
                    bytes.writeCharSequence(message.toString(), StandardCharsets.US_ASCII);
                }
                ctx.write(bytes, promise);
            }
        });
    }

    @Test
    void messagesNeedNotBeBuffers() {
        KcpChannel one = added();
        KcpChannel two = added();
        addEncoder(one);
        addEncoder(two);
        registry.join("room", one);
        registry.broadcastAll("to all");
        registry.broadcast("room", "to one", ChannelMatchers.isNot(two));
        DefaultByteBufHolder held = new DefaultByteBufHolder(link.text("held"));
        registry.broadcastAll(held);
        registry.kick(two, "no reason", "farewell");
        link.settle();
        assertThat(clients).extracting(SessionRecorder::messages).containsExactly(List.of("to all", "to one", "held"),
            List.of("to all", "held", "farewell"));
        assertThat(held.refCnt()).isZero();
        DefaultByteBufHolder refused = new DefaultByteBufHolder(link.text("refused"));
        assertThatThrownBy(() -> registry.broadcastAll(refused, session -> {
            throw new IllegalStateException("on purpose");
        })).hasMessage("on purpose");
        assertThat(refused.refCnt()).isZero();
    }

    @Test
    void broadcastToNoGroupReleasesTheBuffer() {
        ByteBuf message = link.text("hi");
        ChannelGroupFuture future = registry.broadcast("room", message);
        assertThat(message.refCnt()).isZero();
        assertThat(future.awaitUninterruptibly(30_000)).isTrue();
        assertThat(future.iterator().hasNext()).isFalse();
        ByteBuf toAll = link.text("hi");
        registry.broadcastAll(toAll);
        assertThat(toAll.refCnt()).isZero();
    }

    @Test
    void broadcastLeavesOutWhomTheCallerSays() {
        KcpChannel sender = added();
        KcpChannel lagging = added();
        KcpChannel third = added();
        List.of(sender, lagging, third).forEach(session -> registry.join("room", session));
        registry.broadcast("room", link.text("said"), ChannelMatchers.isNot(sender));
        link.settle();
        assertThat(clients).extracting(SessionRecorder::messages).containsExactly(List.of(), List.of("said"), List.of("said"));
        lagging.unsafe().outboundBuffer().setUserDefinedWritability(5, false);
        ByteBuf message = link.text("state");
        registry.broadcast("room", message, Channel::isWritable);
        link.settle();
        assertThat(clients.get(1).messages()).containsExactly("said");
        assertThat(clients.get(2).messages()).containsExactly("said", "state");
        assertThat(message.refCnt()).isZero();
    }

    @Test
    void broadcastToAllLeavesOutWhomTheCallerSays() {
        KcpChannel sender = added();
        added();
        added();
        ByteBuf message = link.text("news");
        ChannelGroupFuture future = registry.broadcastAll(message, ChannelMatchers.isNot(sender));
        link.settle();
        assertThat(clients).extracting(SessionRecorder::messages).containsExactly(List.of(), List.of("news"), List.of("news"));
        assertThat(future.find(sender)).isNull();
        assertThat(message.refCnt()).isZero();
    }

    @Test
    void broadcastThatNobodyIsToGetReleasesTheBuffer() {
        added();
        ByteBuf message = link.text("news");
        assertThat(registry.broadcastAll(message, session -> false).iterator().hasNext()).isFalse();
        assertThat(message.refCnt()).isZero();
    }

    @Test
    void broadcastWhoseMatcherThrowsReleasesTheBuffer() {
        KcpChannel first = added();
        registry.join("room", first);
        registry.join("room", added());
        ByteBuf toAll = link.text("all");
        assertThatThrownBy(() -> registry.broadcastAll(toAll, session -> {
            throw new IllegalStateException("on purpose");
        })).hasMessage("on purpose");
        assertThat(toAll.refCnt()).isZero();
        ByteBuf toSome = link.text("some");
        int[] asked = {0};
        assertThatThrownBy(() -> registry.broadcast("room", toSome, session -> {
            if (asked[0]++ > 0) {
                throw new IllegalStateException("on purpose");
            }
            return true;
        })).hasMessage("on purpose");
        link.settle();
        assertThat(toSome.refCnt()).isZero();
        assertThat(clients).extracting(client -> client.messages().size()).as("one was asked before")
            .containsExactlyInAnyOrder(0, 1);
        ByteBuf toNull = link.text("null");
        assertThatThrownBy(() -> registry.broadcast(null, toNull)).isInstanceOf(NullPointerException.class);
        assertThat(toNull.refCnt()).isZero();
    }

    @Test
    void broadcastThatASessionCannotTakeReachesTheOthersAndReleasesTheBuffer() {
        KcpChannel small = added();
        KcpChannel large = added();
        small.config().setOption(KcpChannelOption.MAX_MESSAGE_BYTES, 2_000);
        ByteBuf message = link.allocator().buffer().writeZero(3_000);
        ChannelGroupFuture future = registry.broadcastAll(message);
        link.settle();
        assertThat(future.awaitUninterruptibly(30_000)).isTrue();
        assertThat(future.isPartialFailure()).isTrue();
        assertThat(future.find(small).isSuccess()).isFalse();
        assertThat(future.find(large).isSuccess()).isTrue();
        assertThat(message.refCnt()).isZero();
    }

    // ---- kick

    @Test
    void kickTellsThePipelineDeliversTheFarewellAndCloses() {
        KcpChannel session = added();
        registry.bind("ann", session);
        registry.join("room", session);
        List<Object> seen = new ArrayList<>();
        session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                seen.add(event);
                seen.add(ctx.channel().isOpen());
            }
        });
        ChannelFuture closed = registry.kick(session, "cheating", link.text("bye"));
        assertThat(seen).containsExactly(new KcpKickEvent("cheating"), true);
        assertThat(KcpSessionRegistry.kickReason(session)).isEqualTo("cheating");
        assertThat(session.isOpen()).as("waits for the acknowledgement").isTrue();
        assertThat(registry.size()).as("has left already").isZero();
        assertThat(registry.find("ann")).isNull();
        assertThat(registry.groups()).isEmpty();
        assertThat(registry.userOf(session)).isEqualTo("ann");
        registry.add(session);
        assertThat(registry.bind("ann", session)).isNull();
        assertThat(registry.join("room", session)).isFalse();
        assertThat(registry.size()).isZero();
        link.advanceMs(1_000);
        assertThat(clients.get(0).messages()).containsExactly("bye");
        assertThat(closed.isSuccess()).isTrue();
        assertThat(session.closeCause()).isNull();
    }

    @Test
    void kickOfAClientThatIsGoneEndsWithItsLinger() {
        KcpChannel session = added();
        link.client().loseAll();
        ChannelFuture closed = registry.kick(session, "cheating", link.text("bye"));
        link.advanceMs(10_000);
        assertThat(closed.cause()).isInstanceOf(KcpCloseException.class);
        assertThat(session.isOpen()).isFalse();
    }

    @Test
    void firstReasonOfTwoKicksCounts() {
        KcpChannel session = added();
        registry.kick(session, "one", link.text("bye"));
        ByteBuf second = link.text("bye again");
        registry.kick(session, "two", second);
        assertThat(KcpSessionRegistry.kickReason(session)).isEqualTo("one");
        assertThat(second.refCnt()).isZero();
        link.advanceMs(1_000);
        assertThat(clients.get(0).messages()).containsExactly("bye");
    }

    @Test
    void kickOfAClosedSessionReleasesTheFarewell() {
        KcpChannel session = added();
        closeAtOnce(session);
        ByteBuf farewell = link.text("bye");
        assertThat(registry.kick(session, "late", farewell).isSuccess()).isTrue();
        assertThat(farewell.refCnt()).isZero();
        assertThat(KcpSessionRegistry.kickReason(session)).isNull();
    }

    @Test
    void sessionThatWasNeverAddedMayBeKickedToo() {
        KcpChannel session = session();
        registry.kick(session, "no login in time", null);
        assertThat(session.isOpen()).isFalse();
        assertThat(KcpSessionRegistry.kickReason(session)).isEqualTo("no login in time");
    }
}
