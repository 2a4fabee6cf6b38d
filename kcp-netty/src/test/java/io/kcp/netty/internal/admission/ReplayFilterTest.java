package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ReplayFilterTest {

    private final ReplayFilter filter = new ReplayFilter(new SecureRandom());

    private static ByteBuf datagram(long number, int length) {
        byte[] bytes = new byte[length];
        new Random(number).nextBytes(bytes);
        return Unpooled.wrappedBuffer(bytes);
    }

    @Test
    void aDatagramIsKnownFromItsFirstTimeOn() {
        for (int length = 0; length < 100; length++) {
            assertThat(filter.testAndAdd(datagram(7, length), 0)).as("%d bytes, new", length).isFalse();
            assertThat(filter.testAndAdd(datagram(7, length), 1)).as("%d bytes, again", length).isTrue();
        }
    }

    @Test
    void whereItLiesInItsBufferDoesNotMatter() {
        ByteBuf plain = datagram(3, 77);
        ByteBuf shifted = Unpooled.buffer().writeZero(13).writeBytes(plain, 0, 77).writeZero(9).setIndex(13, 90);
        assertThat(filter.testAndAdd(plain, 0)).isFalse();
        assertThat(filter.testAndAdd(shifted, 0)).isTrue();
    }

    @Test
    void oneChangedByteMakesItNew() {
        ByteBuf datagram = datagram(5, 40);
        assertThat(filter.testAndAdd(datagram, 0)).isFalse();
        for (int i = 0; i < 40; i++) {
            datagram.setByte(i, datagram.getByte(i) ^ 1);
            assertThat(filter.testAndAdd(datagram, 0)).as("byte %d", i).isFalse();
        }
    }

    @Test
    void isKnownForAtLeastOnePeriodAndForgottenAfterTwo() {
        assertThat(filter.testAndAdd(datagram(1, 50), 0)).isFalse();
        assertThat(filter.testAndAdd(datagram(2, 50), ReplayFilter.PERIOD_MS - 1)).isFalse();
        assertThat(filter.testAndAdd(datagram(2, 50), 2 * ReplayFilter.PERIOD_MS - 2)).isTrue();
        assertThat(filter.testAndAdd(datagram(1, 50), 5 * ReplayFilter.PERIOD_MS)).isFalse();
    }

    @Test
    void aPauseOfManyPeriodsForgetsEverything() {
        assertThat(filter.testAndAdd(datagram(1, 50), 0)).isFalse();
        assertThat(filter.testAndAdd(datagram(1, 50), 100 * ReplayFilter.PERIOD_MS)).isFalse();
    }

    @Test
    void rarelyTakesANewDatagramForAKnownOne() {
        int wrong = 0;
        int count = 1_000_000;
        ByteBuf datagram = Unpooled.buffer(32).writeZero(32);
        for (int i = 0; i < count; i++) {
            datagram.setInt(3, i);
            if (filter.testAndAdd(datagram, 0)) {
                wrong++;
            }
        }
        // The error rate of one in a million applies to full filters. Here the current one is half full on average, the previous one full.
        assertThat(wrong).as("of %d", count).isLessThanOrEqualTo(10);
    }

    @Test
    void onlyOneThreadIsTheFirstToAddADatagram() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                tasks.add(() -> {
                    int known = 0;
                    for (int i = 0; i < 20_000; i++) {
                        known += filter.testAndAdd(datagram(i, 48), 0) ? 1 : 0;
                    }
                    return known;
                });
            }
            int known = 0;
            for (Future<Integer> result : threads.invokeAll(tasks)) {
                known += result.get();
            }
            assertThat(known).as("one of four copies at the same moment is new").isEqualTo(3 * 20_000);
            for (int i = 0; i < 20_000; i++) {
                assertThat(filter.testAndAdd(datagram(i, 48), 0)).isTrue();
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void aFilterThatIsFullBeforeItsTimeIsCounted() {
        ByteBuf datagram = Unpooled.buffer(32).writeZero(32);
        int known = 0;
        for (int i = 0; i <= ReplayFilter.MAX_ENTRIES + known; i++) {
            assertThat(filter.shortPeriods()).isZero();
            datagram.setInt(3, i);
            known += filter.testAndAdd(datagram, 0) ? 1 : 0;
        }
        assertThat(known).as("mistakes, about one in a million when it is full").isLessThan(10);
        assertThat(filter.shortPeriods()).isOne();
        filter.testAndAdd(datagram, ReplayFilter.PERIOD_MS);
        assertThat(filter.shortPeriods()).as("in its time").isOne();
    }
}
