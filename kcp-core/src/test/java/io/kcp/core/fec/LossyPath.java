package io.kcp.core.fec;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A path that loses, duplicates and reorders datagrams, determined by a seed. */
final class LossyPath {

    private final Random random;
    private ShardLoss loss = ShardLoss.none();
    private double duplicates;
    private int span;

    LossyPath(long seed) {
        random = new Random(seed);
    }

    LossyPath losing(ShardLoss model) {
        loss = model;
        return this;
    }

    LossyPath repeating(double share) {
        duplicates = share;
        return this;
    }

    /** Maximum number of later datagrams that overtake a datagram. */
    LossyPath reordering(int datagrams) {
        span = datagrams;
        return this;
    }

    <T> List<T> carry(List<T> sent) {
        record At<T>(double place, T what) {
        }

        List<At<T>> arriving = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            int copies = random.nextDouble() < duplicates ? 2 : 1;
            if (loss.losesNext()) {
                copies--;
            }
            for (int copy = 0; copy < copies; copy++) {
                arriving.add(new At<>(i + random.nextDouble() * span, sent.get(i)));
            }
        }
        if (span > 0) {
            arriving.sort((a, b) -> Double.compare(a.place(), b.place()));
        }
        return arriving.stream().map(At::what).toList();
    }
}
