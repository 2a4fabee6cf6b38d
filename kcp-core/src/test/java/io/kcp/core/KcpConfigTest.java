package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KcpConfigTest {

    static Stream<Arguments> limits() {
        return Stream.of(
            limit("mtuBytes", 25, 1500, KcpConfigBuilder::mtuBytes, KcpConfig::mtuBytes),
            limit("sendWindow", 1, 65535, KcpConfigBuilder::sendWindow, KcpConfig::sendWindow),
            limit("receiveWindow", 1, 65535, KcpConfigBuilder::receiveWindow, KcpConfig::receiveWindow),
            limit("minRtoMs", 0, 60_000, KcpConfigBuilder::minRtoMs, null),
            limit("intervalMs", 10, 5_000, KcpConfigBuilder::intervalMs, KcpConfig::intervalMs),
            limit("fastResend", 0, 64, KcpConfigBuilder::fastResend, KcpConfig::fastResend),
            limit("fastResendLimit", 0, 255, KcpConfigBuilder::fastResendLimit, KcpConfig::fastResendLimit),
            limit("probeInitialMs", 10, 120_000, KcpConfigBuilder::probeInitialMs, KcpConfig::probeInitialMs),
            limit("probeLimitMs", 10, 120_000, KcpConfigBuilder::probeLimitMs, KcpConfig::probeLimitMs),
            limit("backoffLimitMs", 0, 60_000, KcpConfigBuilder::backoffLimitMs, KcpConfig::backoffLimitMs),
            limit("deadPeerTimeoutMs", 0, 86_400_000, KcpConfigBuilder::deadPeerTimeoutMs, KcpConfig::deadPeerTimeoutMs),
            limit("maxTransmissions", 0, 10_000, KcpConfigBuilder::maxTransmissions, KcpConfig::maxTransmissions),
            limit("zeroWindowTimeoutMs", 0, 86_400_000, KcpConfigBuilder::zeroWindowTimeoutMs,
                KcpConfig::zeroWindowTimeoutMs),
            limit("minDrainBytesPerSecond", 0, Integer.MAX_VALUE, KcpConfigBuilder::minDrainBytesPerSecond,
                KcpConfig::minDrainBytesPerSecond),
            limit("maxRefusedSegments", 0, Integer.MAX_VALUE, KcpConfigBuilder::maxRefusedSegments, KcpConfig::maxRefusedSegments),
            limit("maxMessageBytes", 1, Integer.MAX_VALUE, KcpConfigBuilder::maxMessageBytes, KcpConfig::maxMessageBytes));
    }

    private static Arguments limit(String name, int min, int max, BiFunction<KcpConfigBuilder, Integer, KcpConfigBuilder> set,
        Function<KcpConfig, Integer> get) {
        return Arguments.of(name, min, max, set, get);
    }

    @ParameterizedTest(name = "{0}: {1} to {2}")
    @MethodSource("limits")
    void outOfRangeValueIsRejectedWithItsName(String name, int min, int max,
        BiFunction<KcpConfigBuilder, Integer, KcpConfigBuilder> set, Function<KcpConfig, Integer> get) {
        List<Integer> wrong = new ArrayList<>(List.of(min - 1, Integer.MIN_VALUE));
        if (max < Integer.MAX_VALUE) {
            wrong.add(max + 1);
            wrong.add(Integer.MAX_VALUE);
        }
        for (int value : wrong) {
            assertThatIllegalArgumentException().isThrownBy(() -> set.apply(KcpConfig.builder(), value))
                .withMessageContaining(name + ": " + value).withMessageContaining(min + " to " + max);
        }
    }

    @ParameterizedTest(name = "{0}: {1} to {2}")
    @MethodSource("limits")
    void bothEndsOfARangeAreAccepted(String name, int min, int max,
        BiFunction<KcpConfigBuilder, Integer, KcpConfigBuilder> set, Function<KcpConfig, Integer> get) {
        for (int value : new int[] {min, max}) {
            KcpConfig config = set.apply(KcpConfig.builder(), value).build();
            if (get != null) {
                assertThat(get.apply(config)).as(name).isEqualTo(value);
            }
        }
    }

    @Test
    void nullIsRejectedWithTheParameterName() {
        KcpConfigBuilder builder = KcpConfig.builder();
        assertThatNullPointerException().isThrownBy(() -> builder.mode(null)).withMessage("mode");
        assertThatNullPointerException().isThrownBy(() -> builder.redundancy(null)).withMessage("redundancy");
        assertThatNullPointerException().isThrownBy(() -> builder.earlyRetransmit(null)).withMessage("earlyRetransmit");
        assertThatNullPointerException().isThrownBy(() -> builder.congestionControl(null)).withMessage("congestionControl");
    }

    @Test
    void presetsAreThoseOfKcptun() {
        assertNoDelay(KcpConfig.normal(), false, 40, 2, 100);
        assertNoDelay(KcpConfig.fast(), false, 30, 2, 100);
        assertNoDelay(KcpConfig.fast2(), true, 20, 2, 30);
        assertNoDelay(KcpConfig.fast3(), true, 10, 2, 30);
    }

    private static void assertNoDelay(KcpConfig config, boolean noDelay, int intervalMs, int resend, int minRtoMs) {
        assertThat(config.noDelay()).isEqualTo(noDelay);
        assertThat(config.intervalMs()).isEqualTo(intervalMs);
        assertThat(config.fastResend()).isEqualTo(resend);
        assertThat(config.congestionControl()).isEqualTo(CongestionAlgorithm.NONE);
        assertThat(config.minRtoMs()).isEqualTo(minRtoMs);
    }

    @Test
    void defaultIsFast() {
        assertThat(KcpConfig.builder().build()).usingRecursiveComparison().isEqualTo(KcpConfig.fast());
    }

    @Test
    void kcpGoCompatibleHasTheDefaultsOfKcpGo() {
        KcpConfig config = KcpConfig.kcpGoCompatible();
        assertThat(config.mode()).isEqualTo(KcpTransferMode.MESSAGE);
        assertThat(config.mtuBytes()).isEqualTo(1400);
        assertThat(config.sendWindow()).isEqualTo(32);
        assertThat(config.receiveWindow()).isEqualTo(32);
        assertThat(config.noDelay()).isFalse();
        assertThat(config.minRtoMs()).isEqualTo(100);
        assertThat(config.intervalMs()).isEqualTo(100);
        assertThat(config.fastResend()).isZero();
        assertThat(config.fastResendLimit()).isEqualTo(1);
        assertThat(config.earlyRetransmit()).isEqualTo(EarlyRetransmit.FIRST_SKIP);
        assertThat(config.adaptiveReordering()).isFalse();
        assertThat(config.congestionControl()).isEqualTo(CongestionAlgorithm.KCP_GO);
        assertThat(config.ackNoDelay()).isFalse();
        assertThat(config.writeDelay()).isFalse();
        assertThat(config.probeInitialMs()).isEqualTo(500);
        assertThat(config.probeLimitMs()).isEqualTo(120_000);
        assertThat(config.backoffLimitMs()).isZero();
        assertThat(config.deadPeerTimeoutMs()).isZero();
        assertThat(config.maxTransmissions()).isZero();
        assertThat(config.zeroWindowTimeoutMs()).isZero();
    }

    @Test
    void explicitMinRtoOverridesNoDelay() {
        assertThat(KcpConfig.fast3().toBuilder().minRtoMs(77).build().minRtoMs()).isEqualTo(77);
    }

    @Test
    void windowsSetsBoth() {
        KcpConfig config = KcpConfig.builder().windows(1_024).build();
        assertThat(config.sendWindow()).isEqualTo(1_024);
        assertThat(config.receiveWindow()).isEqualTo(1_024);
    }

    @Test
    void toBuilderKeepsEverySetting() throws ReflectiveOperationException {
        KcpConfig config = KcpConfig.builder().mode(KcpTransferMode.STREAM).mtuBytes(1_111).sendWindow(11).receiveWindow(12)
            .noDelay(true).minRtoMs(13).intervalMs(14).fastResend(15).fastResendLimit(16)
            .earlyRetransmit(EarlyRetransmit.OFF).adaptiveReordering(false).mtuFallback(false).redundancy(Redundancy.ON)
            .redundancyDelayMs(26).mtuSearchLimitBytes(27)
            .congestionControl(CongestionAlgorithm.CUBIC)
            .ackNoDelay(false).writeDelay(true).probeInitialMs(17).probeLimitMs(18).backoffLimitMs(19)
            .deadPeerTimeoutMs(20).maxTransmissions(21).zeroWindowTimeoutMs(22).maxMessageBytes(23)
            .maxBytesPerSecond(1_024).minDrainBytesPerSecond(24).maxRefusedSegments(25)
            .windowBudgetBytes(1 << 20).build();
        for (Method getter : KcpConfig.class.getDeclaredMethods()) {
            boolean isProperty = Modifier.isPublic(getter.getModifiers()) && !Modifier.isStatic(getter.getModifiers())
                && getter.getParameterCount() == 0 && getter.getDeclaringClass() == KcpConfig.class
                && !getter.getName().startsWith("to");
            if (isProperty) {
                assertThat(getter.invoke(config)).as("this test sets %s", getter.getName())
                    .isNotEqualTo(getter.invoke(KcpConfig.builder().build()));
            }
        }
        assertThat(config.toBuilder().build()).usingRecursiveComparison().isEqualTo(config);
    }

    @Test
    void autoFollowsThePathWithinItsBudget() {
        KcpConfig config = KcpConfig.auto();
        assertThat(config.congestionControl()).isEqualTo(CongestionAlgorithm.BBR);
        assertThat(config.redundancy()).isEqualTo(Redundancy.ON);
        assertThat(config.windowBudgetBytes()).isEqualTo(32 << 20);
        assertThat(config.sendWindow()).isEqualTo(32);
        assertThat(config.maxSendWindow()).isEqualTo(65_535);
        assertThat(config.receiveWindow()).isEqualTo(512);
        assertThat(config.maxReceiveWindow()).isEqualTo(15_689);
        assertThat(config).hasToString("KcpConfig(MESSAGE, nodelay=1,10,2,BBR, windows=32/512 up to 33554432 bytes, mtu=1400)");
    }

    @Test
    void windowsDoNotGrowWithoutBudget() {
        KcpConfig config = KcpConfig.builder().sendWindow(5).receiveWindow(6).build();
        assertThat(config.maxSendWindow()).isEqualTo(5);
        assertThat(config.maxReceiveWindow()).isEqualTo(6);
        assertThat(KcpConfig.auto().toBuilder().windowBudgetBytes(0).build().maxReceiveWindow()).isEqualTo(512);
        assertThat(KcpConfig.auto().toBuilder().windowBudgetBytes(1 << 16).build().maxReceiveWindow()).isEqualTo(512);
        assertThat(KcpConfig.auto().toBuilder().windowBudgetBytes(Integer.MAX_VALUE).build().maxReceiveWindow()).isEqualTo(65_535);
    }

    @Test
    void tooSmallBudgetIsRejected() {
        for (int wrong : new int[] {-1, 1, (1 << 16) - 1}) {
            assertThatIllegalArgumentException().isThrownBy(() -> KcpConfig.builder().windowBudgetBytes(wrong))
                .withMessageContaining("windowBudgetBytes: " + wrong);
        }
    }

    @Test
    void builderDoesNotChangeBuiltSettings() {
        KcpConfigBuilder builder = KcpConfig.builder();
        KcpConfig first = builder.build();
        builder.mtuBytes(500);
        assertThat(first.mtuBytes()).isEqualTo(1400);
    }

    @Test
    void toStringContainsTheMainSettings() {
        assertThat(KcpConfig.fast3()).hasToString("KcpConfig(MESSAGE, nodelay=1,10,2,NONE, windows=128/128, mtu=1400)");
    }
}
