package io.kcp.spring;

import java.util.concurrent.CompletionStage;

/**
 * Listener that is notified when a server begins its graceful shutdown because the application stops. Beans of this type keep the
 * sessions open until they have written their last messages, for example a farewell or outstanding responses.
 */
@FunctionalInterface
public interface KcpDrainListener {

    /**
     * Called after a server has stopped accepting sessions, on the thread that stops the application. The method must not block.
     *
     * @param server the server, which is still running; its sessions are open
     * @return a stage that completes when this bean has written its last messages. The sessions are then closed, each as soon as its
     *         peer has acknowledged all data or {@code linger} has elapsed. The shutdown waits for at most
     *         {@code spring.lifecycle.timeout-per-shutdown-phase}
     */
    CompletionStage<?> onDrain(KcpServer server);
}
