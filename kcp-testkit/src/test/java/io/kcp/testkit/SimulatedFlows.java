package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.KcpInternals;
import io.kcp.core.internal.congestion.BbrCongestionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Bulk flows over simulated links, with windows of 16,384 segments at both ends. Releases all flows after each test. */
final class SimulatedFlows implements AfterEachCallback {

    static final long SEED = 1;
    static final int WINDOW = 16_384;

    final SimulatedNetwork network = new SimulatedNetwork();
    private final Consumer<Flow.Options> defaults;
    private final List<Flow> flows = new ArrayList<>();

    /** Creates a network without flows. {@code defaults} changes the options of each flow before the settings of the test do. */
    SimulatedFlows(Consumer<Flow.Options> defaults) {
        this.defaults = defaults;
    }

    static KcpConfig config(CongestionAlgorithm algorithm) {
        return KcpConfig.fast3().toBuilder().congestionControl(algorithm).windows(WINDOW).build();
    }

    /** Creates a link with a queue of one bandwidth-delay product. */
    static Bottleneck link(long megabits, int roundTripMs) {
        return new Bottleneck(SEED, megabits * 1_000_000).queueBytes(megabits * 125 * roundTripMs);
    }

    static BbrCongestionControl bbr(Flow flow) {
        return (BbrCongestionControl) KcpInternals.congestion(flow.kcp());
    }

    /** Adds a flow that starts immediately, unless the settings say otherwise. */
    Flow add(Bottleneck link, CongestionAlgorithm algorithm, int roundTripMs, int seconds, Consumer<Flow.Options> settings) {
        Flow.Options options = new Flow.Options();
        options.durationUs = seconds * 1_000_000L;
        defaults.accept(options);
        settings.accept(options);
        return add(new Flow(network, link, config(algorithm), roundTripMs * 1_000L, SEED + flows.size(), options));
    }

    /** Releases a flow after the test. */
    Flow add(Flow flow) {
        flows.add(flow);
        return flow;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        flows.forEach(Flow::release);
        network.release();
    }
}
