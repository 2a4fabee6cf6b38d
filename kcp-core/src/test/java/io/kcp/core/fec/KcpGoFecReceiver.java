package io.kcp.core.fec;

import io.kcp.core.internal.reedsolomon.ReedSolomon;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The FEC receiver of kcp-go 5.6.72, with the defects that section 4.3 of {@code wire-format-layers.md} describes. */
final class KcpGoFecReceiver {

    private static final int SAMPLES = 258;
    private static final int GROUPS_BELOW_NEWEST = 3;

    private record Sample(int seqid, boolean isData) {
    }

    private final List<Sample> ring = new ArrayList<>();
    private final Map<Integer, TreeMap<Integer, byte[]>> groups = new HashMap<>();
    private FecShape shape;
    private ReedSolomon code;
    private int newestGroup;
    private boolean tune;

    KcpGoFecReceiver(FecShape shape) {
        adopt(shape);
    }

    FecShape shape() {
        return shape;
    }

    /** Returns recovered shards, including SIZE and padding. */
    List<byte[]> receive(byte[] datagram) {
        int seqid = FecHeader.seqid(Unpooled.wrappedBuffer(datagram), 0);
        boolean isData = FecHeader.type(Unpooled.wrappedBuffer(datagram), 0) == FecHeader.TYPE_DATA;
        ring.add(new Sample(seqid, isData));
        if (ring.size() > SAMPLES) {
            ring.remove(0);
        }
        int total = shape.totalShards();
        if (Integer.compareUnsigned(seqid, shape.paws()) >= 0) {
            return List.of();
        }
        tune |= Integer.remainderUnsigned(seqid, total) < shape.dataShards() != isData;
        if (tune) {
            tune();
            return List.of();
        }
        int id = Integer.divideUnsigned(seqid, total);
        TreeMap<Integer, byte[]> group = groups.computeIfAbsent(id, any -> new TreeMap<>());
        int position = Integer.remainderUnsigned(seqid, total);
        if (group.putIfAbsent(position, ShardBytes.shard(datagram)) != null) {
            return List.of();
        }
        List<byte[]> recovered = List.of();
        if (group.size() >= shape.dataShards()) {
            recovered = decode(group);
            group.clear();
        }
        if (id * total - newestGroup * total > 0) {
            newestGroup = id;
        }
        groups.keySet().removeIf(each -> newestGroup * total - each * total > GROUPS_BELOW_NEWEST * total);
        return recovered;
    }

    private List<byte[]> decode(TreeMap<Integer, byte[]> group) {
        if (group.headMap(shape.dataShards()).size() == shape.dataShards()) {
            return List.of();
        }
        byte[][] shards = new byte[shape.totalShards()][];
        int longest = 0;
        for (Map.Entry<Integer, byte[]> each : group.entrySet()) {
            shards[each.getKey()] = each.getValue();
            longest = Math.max(longest, each.getValue().length);
        }
        return ShardBytes.reconstruct(code, shards, longest);
    }

    private void tune() {
        int data = period(true);
        int parity = period(false);
        if (data > 0 && parity > 0 && data + parity < 256) {
            FecShape seen = new FecShape(data, parity);
            if (!seen.equals(shape)) {
                adopt(seen);
            }
            tune = false;
        }
    }

    private void adopt(FecShape next) {
        shape = next;
        code = ShardBytes.code(next);
        groups.clear();
    }

    private int period(boolean bit) {
        if (ring.size() < 3) {
            return -1;
        }
        Sample[] sorted = ring.toArray(new Sample[0]);
        Arrays.sort(sorted, (a, b) -> Integer.compare(a.seqid() - b.seqid(), 0));
        int left = -1;
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i].seqid() != sorted[i - 1].seqid() + 1) {
                return -1;
            }
            boolean changes = sorted[i].isData() != sorted[i - 1].isData();
            if (changes && left < 0 && sorted[i].isData() == bit) {
                left = i;
            } else if (changes && left >= 0 && sorted[i].isData() != bit) {
                return i - left;
            }
        }
        return -1;
    }
}
