package io.kcp.netty.internal.roaming;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A session considers only a few new addresses, and ignores senders that guess timestamps. */
class MoveLimitsTest {

    private static final long MINUTE_MS = 60_000;

    private final MoveLimits limits = new MoveLimits(0);

    @Test
    void newAddressesAreLimited() {
        for (int i = 0; i < MoveLimits.BURST; i++) {
            assertThat(limits.mayExamine(0)).isTrue();
            limits.onNewAddress();
        }
        assertThat(limits.mayExamine(MoveLimits.REFILL_MS - 1)).isFalse();
        assertThat(limits.mayExamine(MoveLimits.REFILL_MS)).isTrue();
        limits.onNewAddress();
        assertThat(limits.mayExamine(MoveLimits.REFILL_MS)).isFalse();
        assertThat(limits.mayExamine(MINUTE_MS)).isTrue();
    }

    @Test
    void wrongGuessesAreLimited() {
        for (int i = 0; i < MoveLimits.MAX_WRONG_ECHOES; i++) {
            assertThat(limits.mayExamine(i)).isTrue();
            limits.onWrongEcho();
        }
        assertThat(limits.mayExamine(MINUTE_MS - 1)).isFalse();
        assertThat(limits.mayExamine(MINUTE_MS)).isTrue();
    }
}
