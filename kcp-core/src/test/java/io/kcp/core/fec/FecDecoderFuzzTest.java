package io.kcp.core.fec;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.kcp.core.conversation.LeakCheck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks that arbitrary shards between genuine ones cause neither exceptions nor leaks, that memory stays bounded, and that a subsequent
 * genuine stream is recovered. A normal build replays the stored inputs; {@code JAZZER_FUZZ=1} searches for new ones.
 *
 * <p>Each shard of an input consists of an operation byte, a length byte and content of that length. The operation selects either a genuine
 * shard or the position of the forged shard.
 */
class FecDecoderFuzzTest {

    private static final int MAX_SHARDS = 2_000;

    @FuzzTest(maxDuration = "60s")
    void arbitraryShardsNeitherThrowNorLeak(byte[] bytes) {
        LeakCheck leaks = new LeakCheck(false);
        try {
            FecShape shape = new FecShape(4, 2);
            List<FecStream.Sent> stream = FecStream.of(leaks, shape, 0, 400, 1);
            FecReceiver receiver = new FecReceiver(leaks, bytes.length % 2 == 0 ? FecConfig.of(shape) : null, FecStream.CONV);
            int at = 0;
            int next = 0;
            int nowMs = 0;
            for (int shards = 0; at + 1 < bytes.length && shards < MAX_SHARDS; shards++) {
                int operation = bytes[at] & 0xff;
                int length = bytes[at + 1] & 0xff;
                byte[] content = Arrays.copyOfRange(bytes, Math.min(at + 2, bytes.length), Math.min(at + 2 + length, bytes.length));
                at += 2 + length;
                nowMs += operation;
                if (operation % 4 == 0 && next < stream.size() / 2) {
                    receiver.receive(stream.get(next++).bytes(), nowMs);
                } else {
                    receiver.receive(forged(operation, content, next), nowMs);
                }
                check(receiver.stats().groupsHeld() <= FecDecoder.MAX_GROUPS, "too many groups");
            }
            genuineStreamIsRecovered(receiver, stream.subList(stream.size() / 2, stream.size()), nowMs + 2_000);
            receiver.decoder.release();
            check(receiver.pool.slabs().kept() % 16 == 0, "a slab leaked");
        } finally {
            leaks.verify();
        }
    }

    private static byte[] forged(int operation, byte[] content, int next) {
        int seqid = next + operation / 16 - 8;
        return switch (operation % 4) {
            case 1 -> content;
            case 2 -> FecStream.data(seqid, content);
            default -> {
                byte[] parity = Arrays.copyOf(FecStream.data(seqid, content), FecHeader.LENGTH + content.length);
                parity[FecHeader.TYPE_OFFSET] = (byte) FecHeader.TYPE_PARITY;
                yield parity;
            }
        };
    }

    private static void genuineStreamIsRecovered(FecReceiver receiver, List<FecStream.Sent> stream, int nowMs) {
        Set<String> genuine = new HashSet<>();
        List<String> recovered = new ArrayList<>();
        int shard = 0;
        for (FecStream.Sent each : stream) {
            if (each.isData()) {
                genuine.add(Arrays.toString(each.payload()));
            }
            if (each.seqid() % 6 != 1) {
                int time = nowMs + shard++ * 20;
                receiver.receive(each.bytes(), time).forEach(payload -> recovered.add(Arrays.toString(payload)));
            }
        }
        check(recovered.size() >= 20, "recovered only " + recovered.size());
        check(genuine.containsAll(recovered.subList(recovered.size() - 10, recovered.size())), "recovered data that was not sent");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
