package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.crypto.CryptoConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests links that invert bits (S8 of the scenario table). KCP has no checksum, so all variants of this scenario have a cipher. */
class ScenarioCorruptionTest {

    private static final long BYTES = 500_000;
    private static final int LIMIT_MS = 120_000;

    private static CryptoConfig crypto(String cipher) {
        return CryptoConfig.kcptun(cipher, "password");
    }

    /** These ciphers check every bit, so each corrupted datagram is rejected. */
    @ParameterizedTest
    @CsvSource({"aes, 2", "aes, 30", "aes-128-gcm, 2", "aes-128-gcm, 30"})
    @Tag("slow")
    void everyCorruptedDatagramIsRejectedAndCounted(String cipher, int percent) {
        CryptoConfig crypto = crypto(cipher);
        LinkProfile link = LinkProfile.broadband().corruptProbability(percent / 100.0).build();
        Scenario scenario = Scenario.named("S8 " + percent + " % corrupted, " + cipher).only(Variant.PLAIN, Variant.FEC);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).crypto(crypto).configs(KcpConfig.fast()).links(link).build()) {
                pair.sendFromA(BYTES);
                pair.sendFromB(BYTES);
                scenario.record("seconds", pair.assertCompletes(LIMIT_MS) / 1000.0);
                scenario.record("corrupted", pair.a().sent().corruptedDatagrams());
                assertThat(pair.b().rejectedDatagrams()).isEqualTo(pair.a().sent().corruptedDatagrams());
                assertThat(pair.a().rejectedDatagrams()).isEqualTo(pair.b().sent().corruptedDatagrams());
            }
        });
    }

    /** The checksum of these ciphers does not cover the nonce. A datagram with a wrong bit in an unused part of the nonce is accepted. */
    @ParameterizedTest
    @CsvSource({"salsa20, 30", "none, 30"})
    void corruptedPayloadIsNeverDelivered(String cipher, int percent) {
        CryptoConfig crypto = crypto(cipher);
        LinkProfile link = LinkProfile.broadband().corruptProbability(percent / 100.0).build();
        Scenario scenario = Scenario.named("S8 " + percent + " % corrupted, " + cipher).only(Variant.PLAIN, Variant.FEC);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).crypto(crypto).configs(KcpConfig.fast()).links(link).build()) {
                pair.sendFromA(BYTES);
                scenario.record("seconds", pair.assertCompletes(LIMIT_MS) / 1000.0);
                scenario.record("corrupted", pair.a().sent().corruptedDatagrams());
                scenario.assertAtMost("rejected", pair.b().rejectedDatagrams(), pair.a().sent().corruptedDatagrams());
                scenario.assertAtLeast("rejected", pair.b().rejectedDatagrams(), pair.a().sent().corruptedDatagrams() * 0.8);
            }
        });
    }
}
