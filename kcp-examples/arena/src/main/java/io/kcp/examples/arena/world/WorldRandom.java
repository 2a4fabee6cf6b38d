package io.kcp.examples.arena.world;

/** SplitMix64 random number generator, whose state is a single number that can be saved. */
final class WorldRandom {

    private long state;

    WorldRandom(long state) {
        this.state = state;
    }

    long state() {
        return state;
    }

    private long nextLong() {
        state += 0x9E3779B97F4A7C15L;
        long mixed = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Returns a random number between a lower bound (inclusive) and an upper bound (exclusive). */
    double between(double from, double to) {
        return from + (to - from) * ((nextLong() >>> 11) * 0x1.0p-53);
    }
}
