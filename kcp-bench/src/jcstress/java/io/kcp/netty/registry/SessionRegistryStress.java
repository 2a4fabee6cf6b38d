package io.kcp.netty.registry;

import io.kcp.netty.KcpChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelId;
import io.netty.channel.DefaultChannelId;
import io.netty.util.AttributeKey;
import io.netty.util.DefaultAttributeMap;
import io.netty.util.concurrent.GenericFutureListener;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Several threads use a registry while sessions close. */
public final class SessionRegistryStress {

    private static final String USER = "user";
    private static final String GROUP = "group";

    private SessionRegistryStress() {
    }

    /** A session without an event loop, which has only the methods that a registry calls. */
    private static final class StubSession extends DefaultAttributeMap implements InvocationHandler {

        private final ChannelId id = DefaultChannelId.newInstance();
        private final Queue<ChannelFutureListener> listeners = new ConcurrentLinkedQueue<>();
        private final ChannelFuture closeFuture;
        private final KcpChannel channel;
        private volatile boolean open = true;

        StubSession() {
            ClassLoader loader = SessionRegistryStress.class.getClassLoader();
            channel = (KcpChannel) Proxy.newProxyInstance(loader, new Class<?>[] {KcpChannel.class}, this);
            closeFuture = (ChannelFuture) Proxy.newProxyInstance(loader, new Class<?>[] {ChannelFuture.class}, this);
        }

        void close() {
            open = false;
            for (ChannelFutureListener listener : listeners) {
                try {
                    listener.operationComplete(closeFuture);
                } catch (Exception unexpected) {
                    throw new IllegalStateException(unexpected);
                }
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return switch (method.getName()) {
                case "addListener" -> {
                    GenericFutureListener<ChannelFuture> listener =
                        (GenericFutureListener<ChannelFuture>) arguments[0];
                    listeners.add(listener::operationComplete);
                    yield proxy;
                }
                case "removeListener" -> proxy;
                case "channel" -> channel;
                case "closeFuture" -> closeFuture;
                case "isOpen", "isActive" -> open;
                case "id" -> id;
                case "attr" -> attr((AttributeKey<Object>) arguments[0]);
                case "hashCode" -> id.hashCode();
                case "equals" -> proxy == arguments[0];
                default -> throw new UnsupportedOperationException(method.toString());
            };
        }
    }

    /** Two sessions are bound to one user. */
    @JCStressTest
    @Outcome(id = {"0, 1, 2", "2, 0, 1"}, expect = Expect.ACCEPTABLE, desc = "The later session replaces the earlier one.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Neither or both of the callers are told to close the other session.")
    @State
    public static class Bind {

        private final KcpSessionRegistry<String, String> registry = new KcpSessionRegistry<>();
        private final KcpChannel one = new StubSession().channel;
        private final KcpChannel two = new StubSession().channel;

        /** Adds both sessions. */
        public Bind() {
            registry.add(one);
            registry.add(two);
        }

        /** One session. */
        @Actor
        public void first(III_Result result) {
            result.r1 = number(registry.bind(USER, one));
        }

        /** The other session. */
        @Actor
        public void second(III_Result result) {
            result.r2 = number(registry.bind(USER, two));
        }

        /** Finds the session of the user. */
        @Arbiter
        public void end(III_Result result) {
            result.r3 = number(registry.find(USER));
        }

        private int number(KcpChannel session) {
            return session == null ? 0 : session == one ? 1 : 2;
        }
    }

    /** A session closes while it is bound to a user and joins a group. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The registry is empty.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The registry contains a closed session.")
    @State
    public static class Close {

        private final KcpSessionRegistry<String, String> registry = new KcpSessionRegistry<>();
        private final StubSession session = new StubSession();

        /** Adds the session. */
        public Close() {
            registry.add(session.channel);
        }

        /** The application. */
        @Actor
        public void use() {
            registry.bind(USER, session.channel);
            registry.join(GROUP, session.channel);
        }

        /** The event loop of the session. */
        @Actor
        public void close() {
            session.close();
        }

        /** Counts what remains. */
        @Arbiter
        public void end(II_Result result) {
            result.r1 = registry.size() + (registry.find(USER) == null ? 0 : 1);
            result.r2 = registry.groups().size();
        }
    }

    /** The last session of a group leaves while another session joins. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The group is removed.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An empty group remains, or a session remains in the group.")
    @State
    public static class Leave {

        private final KcpSessionRegistry<String, String> registry = new KcpSessionRegistry<>();
        private final KcpChannel one = new StubSession().channel;
        private final KcpChannel two = new StubSession().channel;

        /** Adds one session to a group. */
        public Leave() {
            registry.add(one);
            registry.add(two);
            registry.join(GROUP, one);
        }

        /** The last session leaves the group. */
        @Actor
        public void leave() {
            registry.leave(GROUP, one);
        }

        /** Another session joins and leaves the group. */
        @Actor
        public void join() {
            registry.join(GROUP, two);
            registry.leave(GROUP, two);
        }

        /** Counts what remains. */
        @Arbiter
        public void end(II_Result result) {
            result.r1 = registry.members(GROUP).size();
            result.r2 = registry.groups().size();
        }
    }
}
