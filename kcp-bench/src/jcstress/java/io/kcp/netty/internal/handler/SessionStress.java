package io.kcp.netty.internal.handler;

import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.session.ConversationIndex;
import io.netty.channel.embedded.EmbeddedChannel;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Several threads use the options of one session, or the index of all sessions. */
public final class SessionStress {

    private static final int SEND_WINDOW = 77;
    private static final int INTERVAL_MS = 33;
    private static final int CONV = 7;

    /** A handler in the pipeline of a datagram channel, which all sessions of the tests use. */
    private static final DefaultKcpHandler HANDLER = (DefaultKcpHandler) new KcpClientHandlerBuilder().build();
    private static final EmbeddedChannel DATAGRAMS = new EmbeddedChannel(HANDLER);

    private SessionStress() {
    }

    private static DefaultKcpChannel newSession() {
        assert DATAGRAMS.isOpen();
        return HANDLER.newSession(null, CONV);
    }

    /** Two threads change different options. Both changes must remain, although they replace the same object. */
    @JCStressTest
    @Outcome(id = "77, 33", expect = Expect.ACCEPTABLE, desc = "Both options have changed.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A change is lost.")
    @State
    public static class Options {

        private final DefaultKcpChannel session = newSession();

        /** One thread. */
        @Actor
        public void first() {
            session.config().setOption(KcpChannelOption.SEND_WINDOW, SEND_WINDOW);
        }

        /** Another thread. */
        @Actor
        public void second() {
            session.config().setOption(KcpChannelOption.INTERVAL_MS, INTERVAL_MS);
        }

        /** Reads the options. */
        @Arbiter
        public void end(II_Result result) {
            result.r1 = session.config().kcp().sendWindow();
            result.r2 = session.config().kcp().intervalMs();
        }
    }

    /** One socket opens a session while another opens and closes a session with the same {@code conv}. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The index finds the session that is still open.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The index has lost the session or finds the closed one.")
    @State
    public static class Index {

        private final ConversationIndex<DefaultKcpChannel> index = new ConversationIndex<>();
        private final DefaultKcpChannel stays = newSession();
        private final DefaultKcpChannel closes = newSession();

        /** The event loop of one socket. */
        @Actor
        public void first() {
            index.add(stays);
            index.onValidated(stays);
        }

        /** The event loop of another socket. */
        @Actor
        public void second() {
            index.add(closes);
            index.onValidated(closes);
            index.remove(closes);
        }

        /** Looks up the session. */
        @Arbiter
        public void end(II_Result result) {
            result.r1 = index.find(CONV) == stays ? 1 : 0;
            result.r2 = index.size();
        }
    }

    /** The last session with a {@code conv} closes while another one opens. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The index finds the new session.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The index has lost the new session.")
    @State
    public static class LastOfConversation {

        private final ConversationIndex<DefaultKcpChannel> index = new ConversationIndex<>();
        private final DefaultKcpChannel opens = newSession();
        private final DefaultKcpChannel closes = newSession();

        /** Creates a session that is open already. */
        public LastOfConversation() {
            index.add(closes);
        }

        /** The event loop of one socket. */
        @Actor
        public void first() {
            index.remove(closes);
        }

        /** The event loop of another socket. */
        @Actor
        public void second() {
            index.add(opens);
        }

        /** Looks up the session. */
        @Arbiter
        public void end(I_Result result) {
            result.r1 = index.find(CONV) == opens ? 1 : 0;
        }
    }
}
