package io.kcp.bench;

/** A child process that is killed when this process exits. */
final class OwnedProcess implements AutoCloseable {

    private final Process process;
    private final Thread killer;

    OwnedProcess(Process process) {
        this.process = process;
        killer = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
    }

    Process process() {
        return process;
    }

    /** Kills the process and waits until it has exited. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        Runtime.getRuntime().removeShutdownHook(killer);
    }
}
