package io.kcp.netty;

import java.util.ArrayList;
import java.util.List;

/** The datagrams that one end of an {@link EmbeddedLink} sent, including lost ones. */
public final class WireLog {

    private final List<List<WireSegment>> datagrams = new ArrayList<>();

    void add(List<WireSegment> datagram) {
        datagrams.add(datagram);
    }

    public void clear() {
        datagrams.clear();
    }

    public int size() {
        return datagrams.size();
    }

    List<WireSegment> datagram(int index) {
        return datagrams.get(index);
    }

    public List<WireSegment> segments() {
        return datagrams.stream().flatMap(List::stream).toList();
    }

    public List<WireSegment> segments(int cmd) {
        return segments().stream().filter(segment -> segment.cmd() == cmd).toList();
    }

    WireSegment last() {
        List<WireSegment> all = segments();
        return all.get(all.size() - 1);
    }
}
