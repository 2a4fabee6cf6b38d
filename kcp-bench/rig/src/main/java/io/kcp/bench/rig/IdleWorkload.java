package io.kcp.bench.rig;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import tools.jackson.databind.node.ObjectNode;

/** Workload that opens sessions on command. Each session makes one round trip and then stays idle. */
final class IdleWorkload implements Workload {

    static final int MESSAGE_BYTES = 16;

    private final Load load;
    private final SessionOpener opener;
    private final BlockingQueue<Integer> targets = new LinkedBlockingQueue<>();

    IdleWorkload(Load load) {
        this.load = load;
        opener = new SessionOpener(load);
    }

    /** Queues a request to open sessions until a total of {@code sessions} sessions are open. May be called from any thread. */
    void open(int sessions) {
        targets.add(sessions);
    }

    /** Executes the queued requests until the thread is interrupted. */
    @Override
    public ObjectNode run() throws InterruptedException {
        while (true) {
            opener.open(targets.take(), MESSAGE_BYTES, session -> { });
            load.print(Events.event("opened").put("sessions", opener.opened())
                .put("sockets", load.protocol().sockets(opener.opened())));
        }
    }
}
