package io.kcp.netty.internal.roaming;

import io.kcp.core.PathProof;
import io.kcp.core.conversation.PeerPath;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpAddressChangeEvent;
import io.kcp.netty.internal.channel.DatagramChannelWriter;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionHost;
import io.kcp.netty.internal.loop.LoopContext;
import io.netty.buffer.ByteBuf;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Moves one session to a new address of its peer.
 * <ol>
 * <li>A datagram from an unknown address must contain an acknowledgement that only the peer can send ({@link PeerPath#examine}).
 * The address then becomes the candidate. Its datagrams are processed, and their acknowledgements and a challenge are sent to
 * it.</li>
 * <li>A response to the challenge that arrives from the candidate shows that the peer receives datagrams at that address. The session then
 * moves, and all data is sent to the new address. Until then, data is sent to the old address only.</li>
 * </ol>
 * An attacker who records a datagram and delivers it first from another address reaches step 1 at most, because the attacker
 * cannot decrypt the challenge.
 *
 * <p>Except for {@link #candidate()}, this class is used on the event loop of the session only.
 */
public final class PathMigration {

    /** Time in milliseconds after which a candidate that has not responded to the challenge is no longer considered. */
    private static final int CANDIDATE_MS = 10_000;
    /** Minimum time in milliseconds between two challenges to the same candidate. */
    private static final int CHALLENGE_INTERVAL_MS = 50;
    /** Number of wrong answers to challenges after which a candidate is no longer considered. */
    private static final int MAX_WRONG_ANSWERS = 3;

    private static final AttributeKey<PathMigration> KEY = AttributeKey.valueOf(PathMigration.class, "MIGRATION");

    private final DefaultKcpChannel session;
    private final PathRouter router;
    private final MoveLimits limits;
    private volatile @Nullable InetSocketAddress candidate;
    private long candidateSinceMs;
    private long challengedAtMs;
    private int wrongAnswers;
    /**
     * The router of the socket at which the datagrams of the session arrive. If it is not {@link #router}, it has an entry for
     * {@link #arrivesFrom}.
     */
    private PathRouter arrival;
    private InetSocketAddress arrivesFrom;

    private PathMigration(DefaultKcpChannel session, PathRouter router, long nowMs) {
        this.session = session;
        this.router = router;
        limits = new MoveLimits(nowMs);
        arrival = router;
        arrivesFrom = session.remoteAddress();
    }

    /** Returns the object that moves a session, or null if the session has not received a datagram from another address or socket. */
    public static @Nullable PathMigration of(DefaultKcpChannel session) {
        return session.hasAttr(KEY) ? session.attr(KEY).get() : null;
    }

    /** Creates the object that moves a session of a router's socket. */
    static PathMigration create(DefaultKcpChannel session, PathRouter router, long nowMs) {
        PathMigration migration = new PathMigration(session, router, nowMs);
        session.attr(KEY).set(migration);
        return migration;
    }

    /** Records that the datagrams of the session arrive from an address at the socket of {@code via} from now on. */
    void arriveAt(PathRouter via, InetSocketAddress from) {
        removeRoute();
        if (via != router) {
            via.addRoute(from, router);
            arrivesFrom = from;
            arrival = via;
        }
    }

    /** Removes the entry of the session at another socket, if there is one. */
    void removeRoute() {
        if (arrival != router) {
            arrival.removeRoute(arrivesFrom, router);
            arrival = router;
        }
    }

    /** Returns the new address that the session considers, or null if there is none. Any thread may call this method. */
    public @Nullable InetSocketAddress candidate() {
        return candidate;
    }

    /**
     * Reads a datagram from an address other than that of the session.
     *
     * @param datagram the datagram without FEC and cipher headers, borrowed
     * @param via      the router whose socket received the datagram
     * @return {@code false} if the caller must still process the datagram, either like any other datagram because it proves nothing, or as
     *         a datagram of the session because the session has just moved to {@code sender}
     */
    boolean read(ByteBuf datagram, InetSocketAddress sender, PathRouter via) {
        if (!session.isServed() || session.isClosedByPeer()) {
            return false;
        }
        try {
            return readServed(datagram, sender, via, router.host().loop().nowMs());
        } catch (RuntimeException | OutOfMemoryError failure) {
            session.failWith(failure);
            return true;
        }
    }

    private boolean readServed(ByteBuf datagram, InetSocketAddress sender, PathRouter via, long nowMs) {
        PeerPath path = session.kcp().path();
        if (candidate != null && nowMs - candidateSinceMs > CANDIDATE_MS) {
            abandon(path);
        }
        if (!sender.equals(candidate)) {
            if (!limits.mayExamine(nowMs)) {
                return false;
            }
            PathProof evidence = path.examine(datagram);
            if (evidence == PathProof.WRONG_ECHO) {
                limits.onWrongEcho();
                router.host().drop(DropReason.FORGED_ACKNOWLEDGEMENT);
                return true;
            }
            if (evidence != PathProof.PROOF) {
                return false;
            }
            limits.onNewAddress();
            // Sends pending acknowledgements to the old address, because their segments came from that address.
            sendControlSegments(session.remoteAddress(), nowMs);
            abandon(path);
            candidate = sender;
            candidateSinceMs = nowMs;
            wrongAnswers = 0;
            challengedAtMs = nowMs - CHALLENGE_INTERVAL_MS;
        } else {
            PathProof answer = path.examineAnswer(datagram);
            if (answer == PathProof.PROOF) {
                return !move(sender, via, path, nowMs);
            }
            if (answer == PathProof.WRONG_ECHO) {
                onWrongAnswer(path);
                return true;
            }
        }
        return readFromCandidate(datagram, sender, path, nowMs);
    }

    private void onWrongAnswer(PeerPath path) {
        limits.onWrongEcho();
        router.host().drop(DropReason.FORGED_ACKNOWLEDGEMENT);
        if (++wrongAnswers >= MAX_WRONG_ANSWERS) {
            abandon(path);
        }
    }

    private boolean readFromCandidate(ByteBuf datagram, InetSocketAddress sender, PeerPath path, long nowMs) {
        SessionHost<DefaultKcpChannel> host = router.host();
        if (session.kcp().owesAcknowledgement()) {
            // These acknowledgements belong to the old address. An attacker could otherwise divert them by a replayed datagram.
            sendControlSegments(session.remoteAddress(), nowMs);
        }
        if (host.read(session, datagram, false)) {
            if (nowMs - challengedAtMs >= CHALLENGE_INTERVAL_MS && host.writer().canWrite()) {
                challengedAtMs = nowMs;
                path.challenge((int) nowMs, host.loop().random().nextInt());
            }
            sendControlSegments(sender, nowMs);
        }
        return true;
    }

    private void sendControlSegments(InetSocketAddress recipient, long nowMs) {
        DatagramChannelWriter writer = router.host().writer();
        if (writer.canWrite()) {
            writer.redirect(recipient);
            try {
                session.kcp().flush((int) nowMs, 0);
            } finally {
                writer.redirect(null);
            }
        }
    }

    private void abandon(PeerPath path) {
        candidate = null;
        path.cancelChallenge();
    }

    /** Moves the session to its candidate. Returns {@code false} if too many sessions have that IP address. */
    private boolean move(InetSocketAddress current, PathRouter via, PeerPath path, long nowMs) {
        SessionHost<DefaultKcpChannel> host = router.host();
        InetSocketAddress previous = session.remoteAddress();
        if (!router.mayMove(session, current)) {
            host.drop(DropReason.ADDRESS_LIMIT);
            abandon(path);
            return false;
        }
        router.onLeaving(session, nowMs);
        host.sessions().remove(session);
        session.setRemoteAddress(current);
        arriveAt(via, current);
        host.sessions().add(session);
        candidate = null;
        path.onMoved((int) nowMs);
        LoopContext.EVENTS.moved(session, previous);
        session.pipeline().fireUserEventTriggered(new KcpAddressChangeEvent(previous, current));
        return true;
    }
}
