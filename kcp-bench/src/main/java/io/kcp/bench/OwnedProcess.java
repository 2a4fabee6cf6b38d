package io.kcp.bench;

/** A child process that is killed when this process exits. */
public final class OwnedProcess implements AutoCloseable {

    private final Process process;
    private final Thread killer;

    /** Takes a process that has been started. */
    public OwnedProcess(Process process) {
        this.process = process;
        killer = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
    }

    /** Returns the process. */
    public Process process() {
        return process;
    }

    /** Kills the process and waits until it has exited. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        Runtime.getRuntime().removeShutdownHook(killer);
    }
}
