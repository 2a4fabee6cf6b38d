package io.kcp.spring.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/**
 * A bean whose methods are called for the sessions of KCP servers: {@link OnOpen}, {@link OnMessage}, {@link OnClose},
 * {@link OnError}. One bean serves all sessions, so what belongs to one goes into its attributes
 * ({@link io.kcp.netty.KcpChannel#attr}) or a map.
 *
 * <h2>Threads and order</h2>
 * The methods of one session are called one at a time, {@code @OnOpen} first, then the messages as they were sent, then
 * {@code @OnClose}. They run on the session's event loop and must not block, or on virtual threads, where they may. A
 * message whose method returned a future does not hold up the next one; the answers are written as the futures complete.
 *
 * <h2>Writing</h2>
 * What {@link OnMessage} methods may return may also be written to a session, by any thread at any time:
 * {@code session.writeAndFlush("hello")}, or an object of the type of a {@link KcpMessageCodec} bean.
 *
 * <h2>Back-pressure</h2>
 * A session is not read while {@link #maxPending()} of its messages wait for a virtual thread or for the future of their
 * answer, nor while its own answers are not taken by the peer ({@link io.kcp.netty.KcpChannel#isWritable()}). Its KCP window
 * closes then, and the peer stops. Out-of-band messages are dropped while that many wait.
 *
 * <h2>Closing</h2>
 * Whoever closes a session drops the messages that wait. Only where the server itself closes, because the application ends or by
 * {@link io.kcp.netty.KcpServerChannel#close()}, a session ends later: all messages that it had received by then are handled and
 * answered first, without auto-read too, and what comes meanwhile as long as that goes, but of a peer that never stops no more than two
 * receive windows. Out-of-band messages are dropped then. If the peer acknowledges nothing for the linger time, no more is read and
 * the session is closed without the answers that are missing: methods that wait for their writes learn that these failed, and messages
 * that wait for a virtual thread are still handled. A method that never finishes holds this up for as long as
 * {@code spring.lifecycle.timeout-per-shutdown-phase}. Meanwhile {@code close}, {@code closeBecause} and a kick by the application end
 * a session as always.
 *
 * <h2>Several</h2>
 * All controllers of a server share its messages: the {@code @OnMessage} methods are told apart by type over all of them,
 * the other methods are called in the order of the beans ({@code @Order}).
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Component
public @interface KcpController {

    /**
     * Returns the name of the bean, as in {@link Component}.
     *
     * @return the name, empty for one made of the class's
     */
    @AliasFor(annotation = Component.class)
    String value() default "";

    /**
     * Returns the server whose sessions it is for.
     *
     * @return the name in {@code kcp.servers.<name>}, {@code server} for that of {@code kcp.server}; empty for all servers
     */
    String server() default "";

    /**
     * Returns where its methods run. All controllers of one server must agree.
     *
     * @return the kind of threads
     */
    KcpExecution execution() default KcpExecution.AUTO;

    /**
     * Returns how many messages of a session may wait for their method, or for the future that it returned, before the
     * session is not read any more. A few that were on their way already may come on top. Of several controllers of a server
     * the least counts.
     *
     * @return messages, at least 1
     */
    int maxPending() default 64;

    /**
     * Returns the type of which messages are JSON, read and written with the {@code JsonMapper} bean of the application: a
     * record, or a sealed or abstract type that says by {@code @JsonTypeInfo} what its kinds are called. No
     * {@link KcpMessageCodec} is needed then.
     *
     * @return the type, {@code void} for none
     */
    Class<?> json() default void.class;
}
