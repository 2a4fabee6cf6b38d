package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StolenTimeTest {

    private static final StolenTime BEFORE = new StolenTime(41_172, 2_055_309);

    @TempDir
    Path directory;

    private StolenTime read(String content) throws IOException {
        Path file = directory.resolve("stat");
        Files.writeString(file, content);
        return StolenTime.read(file);
    }

    @Test
    void stealIsTheEighthNumberOfTheFirstLine() throws IOException {
        assertThat(read("""
            cpu  1244408 758877 179342 504030 3750 0 22914 41172 900 80
            cpu0 631043 380251 85041 253621 1235 0 8013 19639 450 40
            intr 4711 0 0
            """)).isEqualTo(new StolenTime(41_172, 1_244_408 + 758_877 + 179_342 + 504_030 + 3_750 + 22_914 + 41_172));
    }

    @Test
    void shareIsThatOfTheTimeBetweenTwoReadings() {
        StolenTime later = new StolenTime(BEFORE.stolenTicks() + 48, BEFORE.totalTicks() + 400);
        assertThat(BEFORE.percentUntil(later)).isEqualTo(12);
        assertThat(StolenTime.text(12)).isEqualTo("CPU taken by the host: 12 % (WARNING: the result is unreliable)");
        assertThat(StolenTime.text(2)).isEqualTo("CPU taken by the host: 2.0 %");
    }

    @Test
    void nothingIsPrintedWithoutTheFile() throws IOException {
        StolenTime missing = StolenTime.read(directory.resolve("missing"));
        assertThat(missing.percentUntil(BEFORE)).isNaN();
        assertThat(BEFORE.percentUntil(missing)).isNaN();
        assertThat(read("").percentUntil(BEFORE)).isNaN();
        assertThat(read("cpu  1 2 3 4\n").percentUntil(BEFORE)).isNaN();
        assertThat(StolenTime.text(Double.NaN)).isEmpty();
    }
}
