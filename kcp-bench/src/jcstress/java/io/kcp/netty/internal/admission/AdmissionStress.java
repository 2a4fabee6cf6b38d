package io.kcp.netty.internal.admission;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The sockets of one server share its limits and its replay filter. */
public final class AdmissionStress {

    private static final SessionLimits ONE_SESSION = new SessionLimits(1, 1, 1, List.of());
    private static final InetAddress ADDRESS = InetAddress.getLoopbackAddress();

    private AdmissionStress() {
    }

    /** Two sockets open a session of the same address, which may have one session. */
    @JCStressTest
    @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = Expect.ACCEPTABLE, desc = "One session is open.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No session or two sessions are open, or the count is wrong.")
    @State
    public static class AddressLimit {

        private final SessionCounts counts = new SessionCounts(ONE_SESSION);

        /** The event loop of one socket. */
        @Actor
        public void first(III_Result result) {
            result.r1 = counts.take(counts.place(ADDRESS)) == null ? 1 : 0;
        }

        /** The event loop of another socket. */
        @Actor
        public void second(III_Result result) {
            result.r2 = counts.take(counts.place(ADDRESS)) == null ? 1 : 0;
        }

        /** Reads the number of sessions. */
        @Arbiter
        public void end(III_Result result) {
            result.r3 = counts.sessions();
        }
    }

    /** One session of an address closes while another one opens. */
    @JCStressTest
    @Outcome(id = {"1, 1, 1", "0, 0, 0"}, expect = Expect.ACCEPTABLE, desc = "The counts equal the number of open sessions.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The counts are wrong.")
    @State
    public static class OpenAndClose {

        private final SessionCounts counts = new SessionCounts(ONE_SESSION);
        private final SessionCounts.Place open = counts.place(ADDRESS);

        /** Creates a session that is open already. */
        public OpenAndClose() {
            counts.take(open);
        }

        /** The event loop of one socket. */
        @Actor
        public void close() {
            counts.release(open);
        }

        /** The event loop of another socket. */
        @Actor
        public void open(III_Result result) {
            result.r1 = counts.take(counts.place(ADDRESS)) == null ? 1 : 0;
        }

        /** Reads the counts. */
        @Arbiter
        public void end(III_Result result) {
            result.r2 = counts.sessions();
            result.r3 = counts.addresses();
        }
    }

    /** Two sockets receive copies of one datagram. The test cases share a filter, because a filter takes several megabytes. */
    @JCStressTest
    @Outcome(id = {"true, false", "false, true"}, expect = Expect.ACCEPTABLE, desc = "One copy is new.")
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE_INTERESTING, desc = "The filter mistakes the datagram for an older one.")
    @Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "Both copies are new.")
    @State
    public static class Replay {

        private static final ReplayFilter FILTER = new ReplayFilter(new SecureRandom());
        private static final AtomicLong NUMBERS = new AtomicLong();

        private final ByteBuf one;
        private final ByteBuf two;

        /** Creates two copies of a new datagram. */
        public Replay() {
            long number = NUMBERS.incrementAndGet();
            one = Unpooled.buffer(Long.BYTES).writeLong(number);
            two = one.copy();
        }

        /** The event loop of one socket. */
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = FILTER.testAndAdd(one, 0);
        }

        /** The event loop of another socket. */
        @Actor
        public void second(ZZ_Result result) {
            result.r2 = FILTER.testAndAdd(two, 0);
        }
    }

    /** Two sockets of a server under load open sessions, although only one more session is permitted. */
    @JCStressTest
    @Outcome(id = {"true, false", "false, true"}, expect = Expect.ACCEPTABLE, desc = "One session is opened.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No session or two sessions are opened.")
    @State
    public static class Openings {

        private final ServerLoad load = new ServerLoad(new SessionCounts(ONE_SESSION), FloodLimits.DEFAULT.withOpeningsPerSecond(1));

        /** The event loop of one socket. */
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = load.takeOpening(1);
        }

        /** The event loop of another socket. */
        @Actor
        public void second(ZZ_Result result) {
            result.r2 = load.takeOpening(1);
        }
    }

    /** Two sockets log the same problem. */
    @JCStressTest
    @Outcome(id = {"true, false", "false, true"}, expect = Expect.ACCEPTABLE, desc = "One line is logged.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "No line or two lines are logged.")
    @State
    public static class Log {

        private final LogInterval interval = new LogInterval();

        /** The event loop of one socket. */
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = interval.begin(1);
        }

        /** The event loop of another socket. */
        @Actor
        public void second(ZZ_Result result) {
            result.r2 = interval.begin(1);
        }
    }
}
