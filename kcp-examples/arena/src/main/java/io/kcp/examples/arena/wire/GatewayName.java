package io.kcp.examples.arena.wire;

/** What gateways may be called: what hosts and pods are. */
public final class GatewayName {

    private GatewayName() {
    }

    /**
     * Refuses what cannot be sent to players.
     *
     * @param what what has that name, for the message
     * @param name the name
     * @throws IllegalArgumentException if it cannot be one
     */
    public static void check(String what, String name) {
        Limits.gateway(what, name);
    }
}
