package io.kcp.bench.rig;

import org.HdrHistogram.AbstractHistogram;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Creates the JSON objects that load programs print, one per line. */
public final class Events {

    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;

    private Events() {
    }

    /** Creates an event, to which fields can be added. */
    public static ObjectNode event(String name) {
        return JsonNodeFactory.instance.objectNode().put("event", name);
    }

    static ObjectNode addMicroseconds(ObjectNode event, AbstractHistogram ns) {
        return addPercentiles(event, ns, "_us", NS_PER_US);
    }

    static ObjectNode addMilliseconds(ObjectNode event, AbstractHistogram ns) {
        return addPercentiles(event, ns, "_ms", NS_PER_MS);
    }

    private static ObjectNode addPercentiles(ObjectNode event, AbstractHistogram ns, String suffix, double nsPerUnit) {
        return ns.getTotalCount() == 0 ? event : event.put("p50" + suffix, ns.getValueAtPercentile(50) / nsPerUnit)
            .put("p90" + suffix, ns.getValueAtPercentile(90) / nsPerUnit).put("p99" + suffix, ns.getValueAtPercentile(99) / nsPerUnit)
            .put("p999" + suffix, ns.getValueAtPercentile(99.9) / nsPerUnit).put("max" + suffix, ns.getMaxValue() / nsPerUnit);
    }
}
