package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;
import picocli.CommandLine;

class MonteCarloTest {

    private static String run(Path directory, int threads) throws IOException {
        Path out = directory.resolve("page.html");
        Path picture = directory.resolve("picture.svg");
        assertThat(new CommandLine(new MonteCarlo()).execute("--seeds", "6", "--threads", "" + threads,
            "--out", out.toString(), "--picture", picture.toString())).isZero();
        return Files.readString(out) + Files.readString(picture);
    }

    @Test
    void pageIsSelfContainedAndDependsOnlyOnTheSeeds(@TempDir Path directory) throws IOException {
        String page = run(directory, 1);
        assertThat(page).isEqualTo(run(directory, 2)).doesNotContain("<script", "NaN", "Infinity", "src=", "href=")
            .contains("All transfers arrived completely and intact.");
        assertThat(page.split("<svg ")).hasSize(6);
    }

    @Test
    void pictureIsValidXml(@TempDir Path directory) throws Exception {
        run(directory, 2);
        assertThat(DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(new InputSource(new StringReader(Files.readString(directory.resolve("picture.svg"))))).getDocumentElement().getTagName())
            .isEqualTo("svg");
    }

    @Test
    void resultsShowTheEffectOfFec() {
        MonteCarloResult without = MonteCarloResult.simulate(1, 0.1, false);
        MonteCarloResult with = MonteCarloResult.simulate(1, 0.1, true);
        assertThat(without.deliveryTimesUs()).hasSize(MonteCarloResult.MESSAGES);
        assertThat(with.retransmissionPercent()).isLessThan(without.retransmissionPercent());
    }
}
