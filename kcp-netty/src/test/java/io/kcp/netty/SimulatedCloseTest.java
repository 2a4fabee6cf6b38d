package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.testkit.LinkProfile;
import io.kcp.testkit.SeededRuns;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests sessions that close on lossy links (S18 and S20 of the scenario table). */
@Timeout(600)
class SimulatedCloseTest {

    private static final int CONV = 77;
    private static final LinkProfile LINK = LinkProfile.builder().delayMs(25).lossProbability(0.20).build();
    /** S18: share of the datagrams of the server that are lost, so that many acknowledgements of the request are lost. */
    private static final LinkProfile BAD_LINK = LINK.toBuilder().lossProbability(0.60).build();

    private static void reply(ChannelHandlerContext context, String request) {
        context.writeAndFlush(context.alloc().directBuffer().writeBytes(("re: " + request).getBytes(StandardCharsets.UTF_8)));
        context.close();
    }

    @ParameterizedTest
    @EnumSource
    void requestIsDeliveredOnceAlthoughTheServerCloses(SimulatedHosts.Layers layers) {
        SeededRuns.named("S18 server closes after its reply " + layers).run(run -> {
            try (SimulatedHosts hosts = new SimulatedHosts(run)) {
                SimulatedHost server = hosts.addServer(BAD_LINK);
                SimulatedHost client = hosts.addClient(LINK);
                List<SessionRecorder> accepted = new ArrayList<>();
                server.startServer(1, layers::apply, session -> {
                    accepted.add(new SessionRecorder().onRead(SimulatedCloseTest::reply));
                    session.pipeline().addLast(accepted.get(accepted.size() - 1));
                });
                client.startClient(layers::apply);
                SessionRecorder recorder = new SessionRecorder();
                KcpChannel session = client.connect(CONV, recorder);
                session.writeAndFlush(session.alloc().directBuffer().writeBytes("transfer 100".getBytes(StandardCharsets.UTF_8)));
                hosts.runForMs(90_000);
                assertThat(accepted).hasSize(1);
                assertThat(accepted.get(0).messages()).containsExactly("transfer 100");
                assertThat(recorder.messages()).hasSizeLessThanOrEqualTo(1);
                assertThat(session.isOpen()).isFalse();
            }
        }).assertNoneFailed();
    }

    @ParameterizedTest
    @EnumSource
    void closeDeliversAllWrittenDataOrReportsTheRest(SimulatedHosts.Layers layers) {
        SeededRuns.named("S20 close at 20 % loss " + layers).reproducible().run(run -> {
            SplittableRandom random = new SplittableRandom(run.seed());
            try (SimulatedHosts hosts = new SimulatedHosts(run)) {
                SimulatedHost server = hosts.addServer(LINK);
                SimulatedHost client = hosts.addClient(LINK);
                CountingStream received = new CountingStream();
                server.startServer(1, builder -> layers.apply(builder).config(KcpConfig.fast3()), received);
                client.startClient(layers::apply);
                CountingStream stream = new CountingStream();
                KcpChannel session = client.connect(CONV, stream);
                // Half of the runs have too little time to deliver everything.
                session.config().setOption(KcpChannelOption.LINGER_MS, run.seed() % 2 == 0 ? 5_000 : random.nextInt(1, 500));
                for (int messages = random.nextInt(1, 300); messages > 0; messages--) {
                    stream.write(session, random.nextInt(1, 1_300));
                }
                ChannelFuture closed = session.close();
                hosts.runForMs(10_000);
                assertThat(closed.isDone()).isTrue();
                assertThat(received.wrong()).isZero();
                assertThat(server.accepted()).hasSizeLessThanOrEqualTo(1);
                if (closed.isSuccess()) {
                    assertThat(received.received()).isEqualTo(stream.sent());
                } else {
                    assertThat(closed.cause()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
                        assertThat(cause.unacknowledgedBytes()).isPositive();
                        assertThat(received.received() + cause.unacknowledgedBytes()).isGreaterThanOrEqualTo(stream.sent());
                    });
                }
            }
        }).assertNoneFailed();
    }
}
