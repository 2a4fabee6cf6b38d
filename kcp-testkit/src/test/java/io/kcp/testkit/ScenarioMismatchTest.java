package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests endpoints with different MTUs, FEC settings and ciphers (S22 of the scenario table). */
class ScenarioMismatchTest {

    private static final int[] MTU_BYTES = {576, 1_200, 1_400, 1_472};
    private static final List<@Nullable FecConfig> FEC = Arrays.asList(null, FecConfig.of(10, 3), FecConfig.of(4, 2), FecConfig.of(2, 2));
    private static final List<@Nullable CryptoConfig> CRYPTO = Arrays.asList(null, CryptoConfig.of("aes-128-gcm", new byte[16]),
        CryptoConfig.kcptun("aes-128-gcm", "another key"), CryptoConfig.kcptun("aes", "key"), CryptoConfig.kcptun("salsa20", "key"));
    private static final LinkProfile LINK = LinkProfile.broadband().lossProbability(0.02).build();
    private static final int BYTES = 200_000;
    private static final int PAIRS_PER_SEED = 20;
    private static final int DEAD_PEER_MS = 30_000;
    /** The first flight, and one datagram per segment and back-off step until the dead-peer timeout. */
    private static final int MAX_DATAGRAMS_WITHOUT_RESPONSE = 32 * 25;

    private static KcpConfig config(SplittableRandom random) {
        return KcpConfig.fast().toBuilder().mtuBytes(MTU_BYTES[random.nextInt(MTU_BYTES.length)]).build();
    }

    @Test
    void differentSettingsAreCompatibleOrRefused() {
        Scenario scenario = Scenario.named("S22 random MTU, FEC and cipher on each side").only(Variant.PLAIN);
        scenario.forEachSeed(seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            for (int i = 0; i < PAIRS_PER_SEED; i++) {
                FecConfig fecOfA = FEC.get(random.nextInt(FEC.size()));
                FecConfig fecOfB = FEC.get(random.nextInt(FEC.size()));
                CryptoConfig cryptoOfA = CRYPTO.get(random.nextInt(CRYPTO.size()));
                CryptoConfig cryptoOfB = random.nextBoolean() ? cryptoOfA : CRYPTO.get(random.nextInt(CRYPTO.size()));
                boolean compatible = Objects.equals(cryptoOfA, cryptoOfB);
                KcpPairBuilder builder = scenario.pair(random.nextLong()).configs(config(random), config(random)).links(LINK)
                    .fec(fecOfA, fecOfB).crypto(cryptoOfA, cryptoOfB);
                try (KcpPair pair = (compatible ? builder : builder.mismatched()).build()) {
                    if (compatible) {
                        pair.sendFromA(BYTES);
                        pair.sendFromB(BYTES);
                        scenario.record("seconds", pair.assertCompletes(DEAD_PEER_MS) / 1000.0);
                    } else {
                        assertRefused(scenario, pair);
                    }
                } catch (AssertionError e) {
                    throw new AssertionError("pair " + i + ": " + fecOfA + ' ' + cryptoOfA + " with " + fecOfB + ' ' + cryptoOfB + ": "
                        + e.getMessage(), e);
                }
            }
        });
    }

    private static void assertRefused(Scenario scenario, KcpPair pair) {
        pair.sendFromA(BYTES);
        pair.sendFromB(BYTES);
        pair.runForMs(2 * DEAD_PEER_MS);
        pair.assertIntact();
        for (KcpEndpoint side : List.of(pair.a(), pair.b())) {
            assertThat(side.application().readBytes()).isZero();
            assertThat(side.linkState()).isEqualTo(LinkState.PEER_TIMEOUT);
            assertThat(side.closedAtMs()).isBetween((long) DEAD_PEER_MS, DEAD_PEER_MS + 100L);
            scenario.assertAtMost("datagrams without response", side.sent().datagrams() - side.paritySent(),
                MAX_DATAGRAMS_WITHOUT_RESPONSE);
        }
    }
}
