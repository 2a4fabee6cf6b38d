package io.kcp.core;

/** Stores the highest orders among the acknowledged transmissions, in descending order. */
final class HighestAcked {

    private long[] orders = new long[1];

    /** Changes how many orders are stored. */
    void resize(int depth) {
        if (depth != orders.length) {
            long[] resized = new long[depth];
            System.arraycopy(orders, 0, resized, 0, Math.min(depth, orders.length));
            orders = resized;
        }
    }

    long highest() {
        return orders[0];
    }

    long lowest() {
        return orders[orders.length - 1];
    }

    /** Returns the order at a rank, where rank 0 is the highest. */
    long at(int rank) {
        return orders[rank];
    }

    void add(long order) {
        int last = orders.length - 1;
        if (order <= orders[last]) {
            return;
        }
        int rank = last;
        while (rank > 0 && orders[rank - 1] < order) {
            orders[rank] = orders[rank - 1];
            rank--;
        }
        orders[rank] = order;
    }
}
