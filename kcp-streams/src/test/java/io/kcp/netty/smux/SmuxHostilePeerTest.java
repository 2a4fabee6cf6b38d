package io.kcp.netty.smux;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelOption;
import java.io.ByteArrayOutputStream;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer with valid frames that are meant to cost much: floods of window updates, tiny windows and streams that never end. */
@Timeout(60)
class SmuxHostilePeerTest {

    private static byte[] repeat(int count, IntFunction<byte[]> frame) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(frame.apply(i));
        }
        return all.toByteArray();
    }

    @Test
    void floodOfUnchangedWindowsSendsNothing() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            end.receive(end.syn(3), end.upd(3, 0, 1_000));
            end.accepted.get(0).stream.writeAndFlush(end.buffer(new byte[50_000]));
            end.channel.runPendingTasks();
            assertThat(end.sentNames()).containsExactly("PSH 3 1000");
            long before = end.usedBytes();
            for (int i = 0; i < 20; i++) {
                end.receive(repeat(4_000, frame -> end.upd(3, 0, 1_000)));
            }
            assertThat(end.sent()).isEmpty();
            assertThat(end.usedBytes()).isEqualTo(before);
            assertThat(end.channel.isOpen()).isTrue();
        }
    }

    @Test
    void tinyWindowsSendAtMostOneFramePerUpdate() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2)) {
            end.receive(end.syn(3), end.upd(3, 0, 1));
            end.accepted.get(0).stream.writeAndFlush(end.buffer(new byte[50_000]));
            end.channel.runPendingTasks();
            assertThat(end.sentNames()).containsExactly("PSH 3 1");
            int frames = 0;
            for (int consumed = 1; consumed <= 1_000; consumed++) {
                end.receive(end.upd(3, consumed, 1));
                frames += end.sent().size();
            }
            assertThat(frames).isEqualTo(1_000);
            end.receive(repeat(1_000, i -> end.upd(3, 1_001, 1 + i)));
            assertThat(end.sent()).as("one frame for all updates of a read").hasSize(1);
        }
    }

    @Test
    void halfClosedStreamsCountUntilThisSideCloses() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2,
            smux -> smux.maxStreams(100).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true), recorder -> { })) {
            end.receive(repeat(100, i -> end.syn(3 + 2 * i)));
            end.receive(repeat(100, i -> end.fin(3 + 2 * i)));
            for (int accepted = 0; accepted < 100; accepted += SmuxMultiplexer.MAX_ACCEPTED_PER_ITERATION) {
                end.advanceMs(1);
            }
            end.sent();
            long before = end.usedBytes();
            end.receive(repeat(1_000, i -> end.syn(1_001 + 2 * i)));
            assertThat(end.sent()).hasSize(1_000).allMatch(frame -> frame.command() == WireFrame.FIN);
            assertThat(end.stats().openStreams()).isEqualTo(100);
            assertThat(end.stats().refusedStreams()).isEqualTo(1_000);
            assertThat(end.usedBytes()).isEqualTo(before);
            end.accepted.get(0).stream.close();
            end.channel.runPendingTasks();
            end.receive(end.syn(5_001));
            assertThat(end.accepted).hasSize(101);
        }
    }

    @Test
    void frameReceivedByteByByteUsesLittleMemory() {
        try (SmuxEnd end = SmuxEnd.server(SmuxVersion.V2, smux -> smux.childOption(ChannelOption.AUTO_READ, false), recorder -> { })) {
            end.receive(end.syn(3));
            for (byte single : repeat(500, i -> end.psh(3, 1))) {
                end.receive(new byte[] {single});
            }
            assertThat(end.usedBytes()).as("chunks for 500 bytes").isLessThan(2_048);
            assertThat(end.stats().bytesReceived()).isEqualTo(500);
        }
    }
}
