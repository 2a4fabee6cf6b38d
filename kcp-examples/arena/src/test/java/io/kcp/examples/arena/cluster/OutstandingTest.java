package io.kcp.examples.arena.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutstandingTest {

    private final Outstanding outstanding = new Outstanding();

    @Test
    void whatIsUnderWayIsKnownUntilAllIsAnswered() {
        outstanding.onSent("ann", 5);
        outstanding.onSent("ann", 6);
        outstanding.onSent("ann", 7);
        outstanding.onSent("bob", 1);
        assertThat(outstanding.wasSent("ann", 5)).isTrue();
        assertThat(outstanding.wasSent("ann", 4)).isFalse();
        assertThat(outstanding.wasSent("ann", 8)).isFalse();
        outstanding.onAnswered("ann");
        outstanding.onAnswered("ann");
        assertThat(outstanding.wasSent("ann", 6)).isTrue();
        outstanding.onAnswered("ann");
        assertThat(outstanding.wasSent("ann", 6)).isFalse();
        outstanding.onAnswered("bob");
        assertThat(outstanding.isEmpty()).isTrue();
    }

    @Test
    void aGapThatTheUserMadeIsNotUnderWay() {
        outstanding.onSent("ann", 5);
        outstanding.onSent("ann", 7);
        assertThat(outstanding.wasSent("ann", 6)).isFalse();
        assertThat(outstanding.wasSent("ann", 5)).isFalse();
        outstanding.onAnswered("ann");
        outstanding.onAnswered("ann");
        outstanding.onAnswered("ann");
        assertThat(outstanding.isEmpty()).isTrue();
    }

    @Test
    void whatIsSentAgainBelongsToTheSameRun() {
        outstanding.onSent("ann", 5);
        outstanding.onSent("ann", 6);
        outstanding.onSent("ann", 5);
        assertThat(outstanding.wasSent("ann", 6)).isTrue();
    }
}
