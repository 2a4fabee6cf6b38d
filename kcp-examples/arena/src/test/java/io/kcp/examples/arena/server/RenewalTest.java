package io.kcp.examples.arena.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RenewalTest {

    @Test
    void isDueEveryTenSecondsFromTheFirstTimeOn() {
        assertThat(dueSeconds(0)).containsExactly(0, 10, 20, 30);
        assertThat(dueSeconds(9)).containsExactly(9, 19, 29);
    }

    private static List<Integer> dueSeconds(int first) {
        Renewal renewal = new Renewal(first);
        List<Integer> due = new ArrayList<>();
        for (int second = 0; second <= 35; second++) {
            if (renewal.isDue()) {
                due.add(second);
            }
        }
        return due;
    }
}
