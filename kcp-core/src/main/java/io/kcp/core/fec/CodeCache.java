package io.kcp.core.fec;

import io.kcp.core.internal.reedsolomon.ReedSolomon;
import java.util.ArrayList;
import java.util.List;

/**
 * Caches the {@link ReedSolomon} codes for recently used numbers of data and parity shards. All sessions of a thread share the cache,
 * because creating a code is expensive.
 */
final class CodeCache {

    private static final int MAX_CODES = 16;

    /** List of the cached codes, in which frequently used codes move to the front. */
    private final List<ReedSolomon> codes = new ArrayList<>(MAX_CODES);

    ReedSolomon code(FecShape shape) {
        for (int i = 0; i < codes.size(); i++) {
            ReedSolomon code = codes.get(i);
            if (code.dataShards() == shape.dataShards() && code.parityShards() == shape.parityShards()) {
                if (i > 0) {
                    codes.set(i, codes.get(i - 1));
                    codes.set(i - 1, code);
                }
                return code;
            }
        }
        if (codes.size() == MAX_CODES) {
            codes.remove(MAX_CODES - 1);
        }
        ReedSolomon code = new ReedSolomon(shape.dataShards(), shape.parityShards());
        codes.add(code);
        return code;
    }
}
