package io.kcp.bench;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that KCP is compared with, or our own: a program whose ends understand what {@link KcpLoad} says about lines
 * and events. Only ours knows {@code stats}.
 */
interface Peer {

    /** Short name. */
    String name();

    /** What to do to have it here; null if it is. */
    @Nullable String missing();

    /** Why it cannot take part in a scenario; null if it can. */
    @Nullable String unable(Scenario scenario);

    /** Whether it understands {@code stats}. */
    boolean tellsStats();

    /** How many sessions its client can have at most on one machine. */
    int mostSessions();

    /** Starts one end; {@code options} are what all peers understand. */
    ChildProcess startServer(Scenario scenario, Contender contender, List<String> options);

    /** See {@link #startServer}. */
    ChildProcess startClient(Scenario scenario, Contender contender, List<String> options);
}
