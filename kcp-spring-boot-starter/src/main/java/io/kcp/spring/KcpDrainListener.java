package io.kcp.spring;

import java.util.concurrent.CompletionStage;

/**
 * A bean of this kind is told that the sessions of a server are to end because the application stops, and keeps them open until it
 * has nothing more to write to them: a farewell, the answers to what it has taken in.
 */
@FunctionalInterface
public interface KcpDrainListener {

    /**
     * Learns that a server accepts no more sessions. Called on the thread that stops the application; must not block.
     *
     * @param server still runs, and so do its sessions
     * @return done when this bean has written everything: sessions are then closed, each as soon as its peer has acknowledged all of it
     *         or {@code linger} is over. Nothing is waited for after {@code spring.lifecycle.timeout-per-shutdown-phase}
     */
    CompletionStage<?> onDrain(KcpServer server);
}
