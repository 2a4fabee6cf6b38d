package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryReliefTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final UnvalidatedSessions<String> sessions = new UnvalidatedSessions<>(change -> { });
    private final SessionCounts counts = new SessionCounts(SessionLimits.DEFAULT);
    private final List<String> closed = new ArrayList<>();
    private final MemoryRelief<String> relief = new MemoryRelief<>(sessions, closed::add);

    private SessionCounts.Place place() {
        return counts.place(new InetSocketAddress("192.0.2.1", 0).getAddress());
    }

    private void runOutOfMemory(long nowMs) {
        relief.onOutOfMemory(channel, new OutOfMemoryError("thrown by the test"), nowMs);
    }

    @AfterEach
    void closeChannel() {
        channel.finishAndReleaseAll();
    }

    @Test
    void sessionsOlderThanTenSecondsAreClosedLast() {
        sessions.add("aged", place(), 0);
        sessions.add("young 1", place(), 9_900);
        sessions.add("young 2", place(), 9_999);
        runOutOfMemory(10_000);
        assertThat(closed).containsExactly("young 1", "young 2", "aged");
    }

    /** The server may have mistaken a forged address for one that has responded to a probe. */
    @Test
    void sessionsOfProvedAddressesAreClosedLast() {
        sessions.addProven("proved", place(), 0);
        sessions.addProven("proved and younger than a round trip", place(), 600);
        sessions.add("young", place(), 600);
        runOutOfMemory(1_000);
        assertThat(closed).containsExactly("young", "proved");
    }

    @Test
    void oneFailedAllocationClosesALimitedNumberOfSessions() {
        for (int i = 0; i < MemoryRelief.SESSIONS; i++) {
            sessions.add("young", place(), 1);
            sessions.addProven("proved", place(), 1);
        }
        runOutOfMemory(1_000);
        assertThat(closed).hasSize(MemoryRelief.SESSIONS).containsOnly("young");
        runOutOfMemory(1_000);
        assertThat(closed).hasSize(2 * MemoryRelief.SESSIONS);
    }
}
