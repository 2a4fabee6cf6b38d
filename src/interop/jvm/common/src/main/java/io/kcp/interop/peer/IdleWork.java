package io.kcp.interop.peer;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Runs the {@code idle} scenario, which opens as many sessions as the runner requests and keeps them open. */
final class IdleWork implements Work {

    private static final int MESSAGE_BYTES = 16;

    private final Load load;
    private final List<Session> held = new ArrayList<>();

    IdleWork(Load load) {
        this.load = load;
    }

    @Override
    public void run() {
        // Does nothing, because sessions are opened only when the runner sends the command "open".
    }

    synchronized void open(int count) throws Exception {
        if (count > held.size()) {
            held.addAll(List.of(load.open(count - held.size(), MESSAGE_BYTES, new SessionListener() {
                @Override
                public void received(Session session, ByteBuf message) {
                    Peer.fail("an idle session received a message");
                }
            })));
        }
        JsonLine.event("opened").put("sessions", held.size()).print();
    }
}
