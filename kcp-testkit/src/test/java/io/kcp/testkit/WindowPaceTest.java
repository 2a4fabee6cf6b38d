package io.kcp.testkit;

import static io.kcp.testkit.SimulatedFlows.SEED;
import static io.kcp.testkit.SimulatedFlows.link;
import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a large window without congestion control is spread over the round trip. */
class WindowPaceTest {

    private static final int SECONDS = 20;

    @RegisterExtension
    final SimulatedFlows flows = new SimulatedFlows(options -> { });

    private Flow run(Bottleneck link, int roundTripMs, int window) {
        KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.NONE).windows(window).build();
        Flow.Options options = new Flow.Options();
        options.durationUs = SECONDS * 1_000_000L;
        options.measureFromUs = 1_000_000;
        Flow flow = flows.add(new Flow(flows.network, link, config, roundTripMs * 1_000L, SEED, options));
        flows.network.runUntil(options.durationUs);
        return flow;
    }

    /** The path and its queue hold two bandwidth-delay products, which are 890 segments. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.05})
    void windowThatFitsThePathOverflowsNoQueue(double loss) {
        Flow flow = run(link(100, 50).loss(loss), 50, 700);
        assertThat(flow.queueDropShare()).as("drops of the queue").isLessThan(0.001);
        if (loss == 0) {
            assertThat(flow.deliveredBytes() * 8.0 / SECONDS).as("rate").isGreaterThan(95e6);
        }
    }
}
