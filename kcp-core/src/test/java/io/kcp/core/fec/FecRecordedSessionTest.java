package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.LeakCheck;
import io.kcp.core.RecordedSession;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both directions of a session between a kcp-go client and server over a lossy relay, without cipher. */
class FecRecordedSessionTest {

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private record Seen(int atMs, boolean dropped, byte[] bytes) {

        int seqid() {
            return FecHeader.seqid(Unpooled.wrappedBuffer(bytes), 0);
        }

        int type() {
            return FecHeader.type(Unpooled.wrappedBuffer(bytes), 0);
        }

        String payload() {
            return HexFormat.of().formatHex(bytes, FecHeader.LENGTH, bytes.length);
        }
    }

    @ParameterizedTest
    @CsvSource({"fec10x3-loss10, c, 10:3", "fec10x3-loss10, s, 10:3", "fec3x1-oob-loss5, c, 3:1", "fec3x1-oob-loss5, s, 3:1"})
    void datagramsDroppedByTheRelayAreRecovered(String name, String side, String text) {
        FecShape shape = FecShape.parse(text);
        RecordedSession session = RecordedSession.load(name);
        List<Seen> seen = datagrams(session, side);
        Map<Integer, Integer> arrivedOf = new TreeMap<>();
        Set<String> dropped = new HashSet<>();
        for (Seen each : seen) {
            if (!each.dropped() && each.type() != FecHeader.TYPE_OOB) {
                arrivedOf.merge(each.seqid() / shape.totalShards(), 1, Integer::sum);
            }
        }
        for (Seen each : seen) {
            if (each.dropped() && each.type() == FecHeader.TYPE_DATA
                && arrivedOf.getOrDefault(each.seqid() / shape.totalShards(), 0) >= shape.dataShards()) {
                dropped.add(each.payload());
            }
        }
        for (FecConfig config : new FecConfig[] {FecConfig.of(shape), FecConfig.of(new FecShape(2, 2)), null}) {
            FecReceiver receiver = new FecReceiver(leaks, config, session.conv());
            Set<String> recovered = new HashSet<>();
            for (Seen each : seen) {
                if (!each.dropped()) {
                    receiver.receive(each.bytes(), each.atMs()).forEach(bytes -> recovered.add(HexFormat.of().formatHex(bytes)));
                }
            }
            boolean known = config != null && config.shape().equals(shape);
            if (known) {
                assertThat(recovered).containsExactlyInAnyOrderElementsOf(dropped).isNotEmpty();
            } else {
                assertThat(dropped).containsAll(recovered);
                assertThat(receiver.decoder.shape()).isEqualTo(shape);
            }
            assertThat(receiver.stats().malformedShards()).isZero();
            assertThat(receiver.stats().failedReconstructions()).as("by a wrong guess only").matches(failed -> failed == 0 || !known);
        }
    }

    @ParameterizedTest
    @CsvSource({"fec10x3-loss10, c, 10:3", "fec10x3-loss10, s, 10:3", "fec3x1-oob-loss5, c, 3:1", "fec3x1-oob-loss5, s, 3:1"})
    void parityHasTheBytesOfKcpGo(String name, String side, String text) {
        FecShape shape = FecShape.parse(text);
        Map<Integer, byte[]> sent = new TreeMap<>();
        datagrams(RecordedSession.load(name), side).stream().filter(each -> each.type() != FecHeader.TYPE_OOB)
            .forEach(each -> sent.put(each.seqid(), each.bytes()));
        int groups = 0;
        for (int first = 0; sent.containsKey(first + shape.totalShards() - 1); first += shape.totalShards()) {
            FecSender sender = new FecSender(leaks, FecConfig.of(shape), first);
            List<byte[]> ours = new ArrayList<>();
            for (int i = 0; i < shape.dataShards(); i++) {
                byte[] datagram = sent.get(first + i);
                ours.addAll(sender.send(Arrays.copyOfRange(datagram, FecHeader.LENGTH, datagram.length), 0));
            }
            for (int i = 0; i < shape.totalShards(); i++) {
                assertThat(ours.get(i)).isEqualTo(sent.get(first + i));
            }
            groups++;
        }
        assertThat(groups).isGreaterThan(3);
    }

    private static List<Seen> datagrams(RecordedSession session, String side) {
        return session.datagrams().stream().filter(datagram -> datagram.fromClient() == side.equals("c"))
            .map(datagram -> new Seen(datagram.atMs(), datagram.dropped(), datagram.bytes())).toList();
    }
}
