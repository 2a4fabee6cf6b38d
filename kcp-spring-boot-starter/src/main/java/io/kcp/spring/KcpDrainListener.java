package io.kcp.spring;

import java.util.concurrent.CompletionStage;

/**
 * Listener that is notified when the application stops and a server begins its graceful shutdown. Each bean of this type keeps the sessions
 * open until it has written its last messages, for example a farewell or outstanding responses.
 */
@FunctionalInterface
public interface KcpDrainListener {

    /**
     * Called on the thread that stops the application, after a server has stopped accepting sessions. The method must not block.
     *
     * @param server the server, which is still running; its sessions are open
     * @return a stage that completes when this bean has written its last messages. The sessions are then closed, each as soon as its
     *         peer has acknowledged all data or {@code linger} has elapsed. The shutdown waits for at most
     *         {@code spring.lifecycle.timeout-per-shutdown-phase}
     */
    CompletionStage<?> onDrain(KcpServer server);
}
