package io.kcp.testkit;

import io.kcp.core.fec.FecHeader;
import io.kcp.core.fec.FecShape;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Records for each FEC group on a link how many parity datagrams were sent and whether enough datagrams arrived to recover the others. */
final class ParityTrace {

    /** A group whose data shards have all been sent. */
    private record Group(long endUs, int parity, boolean recoverable) {
    }

    private final FecShape shape;
    private final List<Group> groups = new ArrayList<>();
    private int group = -1;
    private int data;
    private int parity;
    private int arrived;
    private long latestUs;

    ParityTrace(FecShape shape) {
        this.shape = shape;
    }

    void onSent(ByteBuf datagram, LinkFate fate, long nowUs) {
        if (!FecHeader.isPresent(datagram)) {
            return;
        }
        int next = Integer.divideUnsigned(FecHeader.seqid(datagram, datagram.readerIndex()), shape.totalShards());
        if (next != group) {
            end();
            group = next;
        }
        boolean isData = FecHeader.type(datagram, datagram.readerIndex()) == FecHeader.TYPE_DATA;
        data += isData ? 1 : 0;
        parity += isData ? 0 : 1;
        arrived += fate.arrives() ? 1 : 0;
        latestUs = nowUs;
    }

    private void end() {
        if (data == shape.dataShards() && parity > 0) {
            groups.add(new Group(latestUs, parity, arrived >= data));
        }
        data = 0;
        parity = 0;
        arrived = 0;
    }

    /** Returns the number of complete groups within a time. */
    long groups(long fromMs, long toMs) {
        return groups.stream().filter(each -> isWithin(each, fromMs, toMs)).count();
    }

    /** Returns the number of groups within a time that were not recoverable. */
    long unrecoverable(long fromMs, long toMs) {
        return groups.stream().filter(each -> isWithin(each, fromMs, toMs) && !each.recoverable).count();
    }

    /** Returns the mean number of parity datagrams of a group within a time. */
    double meanParity(long fromMs, long toMs) {
        return groups.stream().filter(each -> isWithin(each, fromMs, toMs)).mapToInt(Group::parity).average().orElse(0);
    }

    /** Returns the number of parity datagrams of the latest group that ended before a time. */
    int parityAt(long ms) {
        return groups.stream().filter(each -> isWithin(each, 0, ms)).reduce((first, second) -> second).orElseThrow().parity;
    }

    /** Returns how often the number of parity datagrams changed within a time. */
    int changes(long fromMs, long toMs) {
        List<Group> within = groups.stream().filter(each -> isWithin(each, fromMs, toMs)).toList();
        int changes = 0;
        for (int i = 1; i < within.size(); i++) {
            changes += within.get(i).parity == within.get(i - 1).parity ? 0 : 1;
        }
        return changes;
    }

    private static boolean isWithin(Group group, long fromMs, long toMs) {
        return group.endUs >= fromMs * 1_000 && group.endUs < toMs * 1_000;
    }
}
