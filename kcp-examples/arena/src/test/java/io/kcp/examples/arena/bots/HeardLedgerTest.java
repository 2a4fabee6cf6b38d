package io.kcp.examples.arena.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import io.kcp.examples.arena.wire.Token;
import org.junit.jupiter.api.Test;

class HeardLedgerTest {

    private static final String ANNA = new Token(1, 2).login("anna");

    private final HeardLedger ledger = new HeardLedger(new RoomPosition(7, 0));

    @Test
    void copyDoesNotChange() {
        ledger.hear(said(1, 1), true);
        HeardLedger.Heard before = ledger.heard();
        ledger.hear(said(2, 4), true);
        ledger.hear(said(2, 4), true);
        assertThat(before.count()).isEqualTo(1);
        assertThat(before.lastSequence(ANNA)).isEqualTo(1);
        HeardLedger.Heard after = ledger.heard();
        assertThat(after.count()).isEqualTo(2);
        assertThat(after.missed()).isEqualTo(2);
        assertThat(after.repeated()).isEqualTo(1);
        assertThat(after.lastSequence(ANNA)).isEqualTo(4);
    }

    @Test
    void gapInPositionsIsCountedForAnySpeaker() {
        ledger.hear(said(1, 1), false);
        ledger.hear(said(2, 2), false);
        assertThat(ledger.heard().jumps()).isZero();
        ledger.hear(said(4, 3), false);
        assertThat(ledger.heard().jumps()).isEqualTo(1);
        assertThat(ledger.heard().missed()).as("of this speaker").isZero();
    }

    private static ServerMessage.Said said(long position, long sequence) {
        return new ServerMessage.Said(new RoomPosition(7, position), ANNA, sequence, "text");
    }
}
