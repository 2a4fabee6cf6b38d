package io.kcp.bench.rig;

/** Base class of the listeners of client sessions. If a session fails, or if the peer closes it, the program ends with an error. */
abstract class ClientListener implements SessionListener {

    final Load load;

    ClientListener(Load load) {
        this.load = load;
    }

    @Override
    public void failed(Throwable cause) {
        load.setup().termination().fail(new IllegalStateException("a session failed or was closed by its peer: " + cause, cause));
    }
}
