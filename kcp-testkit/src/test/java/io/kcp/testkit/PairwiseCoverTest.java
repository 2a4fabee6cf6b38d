package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PairwiseCoverTest {

    @Test
    void everyTwoValuesMeet() {
        int[] sizes = {2, 3, 4, 3, 2, 2};
        List<int[]> rows = PairwiseCover.rows(sizes);
        for (int a = 0; a < sizes.length; a++) {
            for (int b = a + 1; b < sizes.length; b++) {
                for (int i = 0; i < sizes[a] * sizes[b]; i++) {
                    int settingOfA = a;
                    int settingOfB = b;
                    int valueOfA = i / sizes[b];
                    int valueOfB = i % sizes[b];
                    assertThat(rows).anyMatch(row -> row[settingOfA] == valueOfA && row[settingOfB] == valueOfB);
                }
            }
        }
        assertThat(rows).hasSizeLessThan(20);
    }
}
