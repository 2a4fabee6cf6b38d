package io.kcp.spring.handler;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.KcpRejectedException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Calls the methods for what happens to one session. {@link #handle} is called by one thread at a time; nothing that methods
 * throw comes out of it.
 */
final class SessionEvents {

    /** The session has begun. */
    static final Object OPENED = new Object();
    /** The session has ended. */
    static final Object CLOSED = new Object();

    private static final Log LOG = LogFactory.getLog(KcpController.class);

    private final KcpChannel session;
    private final ServerControllers controllers;
    private final ReadGate gate;
    private final Consumer<Failure> errors;
    private final ChannelFutureListener onWritten = written -> onWritten(written.cause(), null);
    private volatile @Nullable Throwable failure;
    private volatile boolean dropping;
    private boolean opened;
    private boolean closed;

    /**
     * Something failed, and not in a method that was called just now.
     *
     * @param what    for people
     * @param cause   the exception
     * @param warning if peers can cause it
     */
    record Failure(String what, Throwable cause, @Nullable OneWarning warning) {
    }

    /**
     * Creates the events of a session.
     *
     * @param gate   counts the answers that are still to come
     * @param errors takes what fails later, from any thread, and has it handled here in its turn
     */
    SessionEvents(KcpChannel session, ServerControllers controllers, ReadGate gate, Consumer<Failure> errors) {
        this.session = session;
        this.controllers = controllers;
        this.gate = gate;
        this.errors = errors;
    }

    /** Tells whether something failed that nobody took, so that nothing is handled any more. Any thread. */
    boolean hasFailed() {
        return failure != null;
    }

    /** From now on messages are released, not handled. Any thread. */
    void dropMessages() {
        dropping = true;
    }

    /**
     * Handles an event.
     *
     * @param event {@link #OPENED}, {@link #CLOSED}, a {@code ByteBuf} or {@link KcpOobMessage}, <b>taken</b>, or a
     *              {@link Failure}
     */
    void handle(Object event) {
        if (event == CLOSED) {
            if (opened) {
                onClosed();
            }
            closed = true;
        } else if (closed || failure != null || dropping) {
            ReferenceCountUtil.safeRelease(event);
        } else if (event == OPENED) {
            opened = true;
            onOpened();
        } else if (event instanceof ByteBuf message) {
            onMessage(message);
        } else if (event instanceof KcpOobMessage message) {
            onOobMessage(message);
        } else {
            Failure failed = (Failure) event;
            raise(failed.what(), failed.cause(), failed.warning());
        }
    }

    /** Each controller, also after one that fails: all will hear of the end. */
    private void onOpened() {
        controllers.opens().forEach(method -> call(method, null));
    }

    private void onMessage(ByteBuf message) {
        Object returned = null;
        ControllerMethod method = null;
        try {
            Object payload = controllers.reading().read(message);
            method = controllers.methodFor(payload);
            returned = method.call(session, payload, null);
            answer(method, returned);
        } catch (Throwable thrown) {
            raise(method == null ? "a message could not be read" : method + " threw", thrown);
        } finally {
            if (returned != message) {
                message.release();
            }
        }
    }

    private void onOobMessage(KcpOobMessage message) {
        ControllerMethod method = controllers.oob();
        Object returned = null;
        try {
            if (method != null) {
                returned = method.call(session, message, null);
                answer(method, returned);
            }
        } catch (Throwable thrown) {
            raise(method + " threw", thrown);
        } finally {
            if (returned != message && returned != message.content()) {
                message.release();
            }
        }
    }

    private void onClosed() {
        Throwable ended = session.closeCause();
        KcpCloseReason reason = ended instanceof KcpCloseException why ? why.reason() : ended != null ? KcpCloseReason.FAILED : null;
        Throwable failed = failure;
        Throwable cause = ended;
        boolean closedByFailure = reason == KcpCloseReason.APPLICATION_FAILED || reason == KcpCloseReason.REJECTED;
        if (closedByFailure && ended != null && ended.getCause() != null) {
            cause = ended.getCause();
        } else if (failed != null && !(failed instanceof KcpRejectedException)) {
            // In a method that had begun when the session ended, or in one for a message that still waited then.
            reason = KcpCloseReason.APPLICATION_FAILED;
            cause = failed;
            if (ended != null && ended != failed) {
                failed.addSuppressed(ended);
            }
        }
        for (ControllerMethod method : controllers.closes()) {
            try {
                method.call(session, reason, cause);
            } catch (Throwable thrown) {
                raise(method + " threw", thrown);
            }
        }
    }

    // ---- answers

    private void call(ControllerMethod method, @Nullable Object payload) {
        try {
            answer(method, method.call(session, payload, null));
        } catch (Throwable thrown) {
            raise(method + " threw", thrown);
        }
    }

    private void answer(ControllerMethod method, @Nullable Object returned) throws Exception {
        if (returned == null) {
            return;
        }
        if (method.repliesLater()) {
            answerLater(method, returned);
        } else {
            write(method, returned);
        }
    }

    private void write(ControllerMethod method, Object value) throws Exception {
        ChannelFuture written = session.writeAndFlush(method.reply().toMessage(value, session.alloc()));
        written.addListener(method.takesErrors() ? done -> onWritten(done.cause(), method) : onWritten);
    }

    private void onWritten(@Nullable Throwable cause, @Nullable ControllerMethod taker) {
        if (cause != null && !(cause instanceof ClosedChannelException) && !(cause instanceof KcpCloseException)) {
            failLater("an answer could not be written", cause, taker);
        }
    }

    private void answerLater(ControllerMethod method, Object future) {
        gate.enter();
        if (future instanceof CompletionStage<?> stage) {
            stage.whenComplete((value, cause) -> onAnswer(method, value, cause));
        } else {
            ((Future<?>) future).addListener(done -> onAnswer(method, done.isSuccess() ? done.getNow() : null, done.cause()));
        }
    }

    /** Any thread. */
    private void onAnswer(ControllerMethod method, @Nullable Object value, @Nullable Throwable cause) {
        try {
            if (cause != null) {
                throw cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
            }
            if (value != null) {
                write(method, value);
            }
        } catch (Throwable thrown) {
            failLater("the future of " + method + " failed", thrown, method.takesErrors() ? method : null);
        } finally {
            gate.leave();
        }
    }

    // ---- errors

    /** What fails in the answer to an error is not brought to the same method again. Any thread. */
    private void failLater(String what, Throwable cause, @Nullable ControllerMethod taker) {
        if (taker != null) {
            giveUp("the answer of " + taker + " failed", cause);
        } else {
            errors.accept(new Failure(what, cause, null));
        }
    }

    private void raise(String what, Throwable thrown) {
        raise(what, thrown, thrown instanceof KcpMessageException ? controllers.unread() : null);
    }

    private void raise(String what, Throwable thrown, @Nullable OneWarning warning) {
        if (thrown instanceof KcpRejectedException rejected) {
            reject(rejected);
            return;
        }
        ControllerMethod taker = isEndOfSession(thrown) ? null : controllers.errors().find(thrown);
        if (taker == null) {
            giveUp(what, thrown, warning);
            return;
        }
        try {
            answer(taker, taker.call(session, thrown, null));
        } catch (Throwable again) {
            if (again != thrown) {
                again.addSuppressed(thrown);
            }
            giveUp(taker + " threw", again, again == thrown ? warning : null);
        }
    }

    /** Tells whether it only says that the session has ended or takes no more writes, which is for {@code @OnClose}. */
    private boolean isEndOfSession(Throwable thrown) {
        if (!session.isClosing() && !dropping) {
            return false;
        }
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof ClosedChannelException || cause instanceof KcpCloseException
            || cause instanceof RejectedExecutionException && session.eventLoop().isShuttingDown();
    }

    /** Closes the session because of something that nobody took, unless it is just that the session has ended. Any thread. */
    void giveUp(String what, Throwable thrown) {
        giveUp(what, thrown, null);
    }

    /** Closes the session quietly: any client can be refused, as often as it likes. Any thread. */
    private void reject(KcpRejectedException rejected) {
        failure = rejected;
        LOG.debug(session + " is rejected: " + rejected.getMessage());
        session.closeBecause(rejected);
    }

    private void giveUp(String what, Throwable thrown, @Nullable OneWarning warning) {
        if (thrown instanceof KcpRejectedException rejected) {
            reject(rejected);
            return;
        }
        if (isEndOfSession(thrown)) {
            LOG.debug(session + ": " + what + " as the session had ended", thrown);
            return;
        }
        String message = session + ": " + what + (session.isOpen() ? "; the session is closed" : " when the session had ended");
        Throwable failed = thrown instanceof KcpMessageException ? thrown : new KcpControllerException(message, thrown);
        failure = failed;
        String logged = message + ", as no @OnError method took it";
        if (warning == null) {
            LOG.error(logged, thrown);
        } else {
            warning.log(LOG, logged, thrown);
        }
        session.closeBecause(failed);
    }
}
