package io.kcp.bench;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ours: both ends are {@link KcpLoad} in a JVM of their own. */
final class OurPeer implements Peer {

    /** A session whose client closed it is gone soon: KCP does not tell. */
    private static final String CHURN_TIMEOUT_MS = "2000";

    private final List<String> jvmOptions;
    private final String classPath;

    /** This build. */
    OurPeer(List<String> jvmOptions) {
        this(jvmOptions, System.getProperty("java.class.path"));
    }

    /** The build that is on a class path. */
    OurPeer(List<String> jvmOptions, String classPath) {
        this.jvmOptions = jvmOptions;
        this.classPath = classPath;
    }

    @Override
    public String name() {
        return Scenarios.OURS;
    }

    @Override
    public @Nullable String missing() {
        return null;
    }

    @Override
    public @Nullable String unable(Scenario scenario) {
        return null;
    }

    @Override
    public boolean tellsStats() {
        return true;
    }

    @Override
    public int mostSessions() {
        return Integer.MAX_VALUE;
    }

    @Override
    public ChildProcess startServer(Scenario scenario, Contender contender, List<String> options) {
        List<String> ownOptions = new ArrayList<>(contender.serverOptions());
        if (scenario.work() == LoadClient.Work.CHURN) {
            ownOptions.addAll(List.of("--idle-timeout-ms", CHURN_TIMEOUT_MS));
        }
        return start("server", scenario, contender, options, ownOptions);
    }

    @Override
    public ChildProcess startClient(Scenario scenario, Contender contender, List<String> options) {
        return start("client", scenario, contender, options, contender.clientOptions());
    }

    private ChildProcess start(String end, Scenario scenario, Contender contender, List<String> options, List<String> ownOptions) {
        List<String> all = new ArrayList<>(List.of(end));
        all.addAll(options);
        all.addAll(List.of("--quiet", "--mode", scenario.messages() ? "MESSAGE" : "STREAM"));
        if (scenario.work() == LoadClient.Work.IDLE) {
            all.addAll(List.of("--keepalive-ms", "0", "--idle-timeout-ms", "0"));
        }
        if (!scenario.layers().isNone()) {
            all.addAll(scenario.layers().ourOptions());
        }
        all.addAll(contender.options());
        all.addAll(ownOptions);
        List<String> jvm = new ArrayList<>(jvmOptions);
        jvm.addAll(contender.jvmOptions());
        return ChildProcess.startJava(KcpLoad.class, classPath, jvm, all);
    }
}
