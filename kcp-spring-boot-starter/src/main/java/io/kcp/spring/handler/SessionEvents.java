package io.kcp.spring.handler;

import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.KcpPeerRejectedException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
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
 * Calls the controller methods for the events of one session. Only one thread at a time may call {@link #handle}, which handles all
 * exceptions of the methods.
 */
final class SessionEvents {

    /** The session has opened. */
    static final Object OPENED = new Object();
    /** The session has closed. */
    static final Object CLOSED = new Object();

    private static final Log LOG = LogFactory.getLog(KcpController.class);

    private final ControllerChannel session;
    private final Channel channel;
    private final ServerControllers controllers;
    private final ReadGate gate;
    private final Consumer<Failure> errors;
    private final ChannelFutureListener onWritten = written -> onWritten(written.cause(), null);
    private volatile @Nullable Throwable failure;
    private volatile boolean discarding;
    private boolean opened;
    private boolean closed;

    /**
     * Failure of a future, a write or a preceding handler, as opposed to an exception that a controller method threw.
     *
     * @param what    the failed operation, for log lines
     * @param cause   the exception
     * @param warning logs the exception if any peer can cause it; null to log it as an error
     */
    record Failure(String what, Throwable cause, @Nullable WarnOnceLogger warning) {
    }

    /**
     * Creates the event dispatcher of a session.
     *
     * @param gate   counts the outstanding futures
     * @param errors accepts a failure on any thread and passes it to {@link #handle} in order with the other events
     */
    SessionEvents(ControllerChannel session, ServerControllers controllers, ReadGate gate, Consumer<Failure> errors) {
        this.session = session;
        channel = session.channel();
        this.controllers = controllers;
        this.gate = gate;
        this.errors = errors;
    }

    /**
     * Returns {@code true} once an exception has occurred that no method handled. All further messages are discarded. Any thread may call
     * this method.
     */
    boolean hasFailed() {
        return failure != null;
    }

    /** Releases all further messages without handling them. Any thread may call this method. */
    void discardMessages() {
        discarding = true;
    }

    /**
     * Handles an event.
     *
     * @param event {@link #OPENED}, {@link #CLOSED}, a {@link Failure}, or a {@code ByteBuf} or {@link KcpOobMessage}, which is
     *              <b>taken</b>
     */
    void handle(Object event) {
        if (event == CLOSED) {
            if (opened) {
                onClosed();
            }
            closed = true;
        } else if (closed || failure != null || discarding) {
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
            handleFailure(failed.what(), failed.cause(), failed.warning());
        }
    }

    /** Calls all {@code @OnOpen} methods, even if one of them fails, because all {@code @OnClose} methods will be called later. */
    private void onOpened() {
        controllers.opens().forEach(method -> call(method, null));
    }

    private void onMessage(ByteBuf message) {
        Object returned = null;
        ControllerMethod method = null;
        try {
            Object payload = controllers.decoder().decode(message);
            method = controllers.methodFor(payload);
            returned = method.call(session, payload, null);
            answer(method, returned);
        } catch (Throwable thrown) {
            handleFailure(method == null ? "a message could not be decoded" : method + " threw", thrown);
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
            handleFailure(method + " threw", thrown);
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
        } else if (ended == null && failed instanceof KcpPeerRejectedException) {
            // A rejected smux stream has no close cause of its own.
            reason = KcpCloseReason.REJECTED;
            cause = failed;
        } else if (failed != null && !(failed instanceof KcpPeerRejectedException)) {
            // Reports the failure of a controller method that was still running, or had not been called yet, when the session closed.
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
                handleFailure(method + " threw", thrown);
            }
        }
    }

    // ---- responses

    private void call(ControllerMethod method, @Nullable Object payload) {
        try {
            answer(method, method.call(session, payload, null));
        } catch (Throwable thrown) {
            handleFailure(method + " threw", thrown);
        }
    }

    private void answer(ControllerMethod method, @Nullable Object returned) throws Exception {
        if (returned == null) {
            return;
        }
        if (method.returnsFuture()) {
            answerWhenDone(method, returned);
        } else {
            write(method, returned);
        }
    }

    private void write(ControllerMethod method, Object value) throws Exception {
        ChannelFuture written = channel.writeAndFlush(method.reply().toMessage(value, channel.alloc()));
        written.addListener(method.handlesErrors() ? done -> onWritten(done.cause(), method) : onWritten);
    }

    private void onWritten(@Nullable Throwable cause, @Nullable ControllerMethod errorMethod) {
        if (cause != null && !(cause instanceof ClosedChannelException) && !(cause instanceof KcpCloseException)) {
            failAsynchronously("a response could not be written", cause, errorMethod);
        }
    }

    private void answerWhenDone(ControllerMethod method, Object future) {
        gate.enter();
        if (future instanceof CompletionStage<?> stage) {
            stage.whenComplete((value, cause) -> onAnswer(method, value, cause));
        } else {
            ((Future<?>) future).addListener(done -> onAnswer(method, done.isSuccess() ? done.getNow() : null, done.cause()));
        }
    }

    /**
     * Writes the result of a future that a controller method returned, or handles the exception with which the future failed. Any thread
     * may call this method.
     */
    private void onAnswer(ControllerMethod method, @Nullable Object value, @Nullable Throwable cause) {
        try {
            if (cause != null) {
                throw cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
            }
            if (value != null) {
                write(method, value);
            }
        } catch (Throwable thrown) {
            failAsynchronously("the future of " + method + " failed", thrown, method.handlesErrors() ? method : null);
        } finally {
            gate.leave();
        }
    }

    // ---- errors

    /**
     * Handles the failure of a future that a controller method returned, or of the write of a response. Any thread may call this method.
     *
     * @param errorMethod the error method whose response failed and which is not called again; null for other methods
     */
    private void failAsynchronously(String what, Throwable cause, @Nullable ControllerMethod errorMethod) {
        if (errorMethod != null) {
            closeAfterFailure("the response of " + errorMethod + " failed", cause);
        } else {
            errors.accept(new Failure(what, cause, null));
        }
    }

    private void handleFailure(String what, Throwable thrown) {
        handleFailure(what, thrown, thrown instanceof KcpMessageException ? controllers.messageWarnings() : null);
    }

    private void handleFailure(String what, Throwable thrown, @Nullable WarnOnceLogger warning) {
        if (thrown instanceof KcpPeerRejectedException rejected) {
            reject(rejected);
            return;
        }
        ControllerMethod errorMethod = isCausedByClose(thrown) ? null : controllers.errors().find(thrown);
        if (errorMethod == null) {
            closeAfterFailure(what, thrown, warning);
            return;
        }
        try {
            answer(errorMethod, errorMethod.call(session, thrown, null));
        } catch (Throwable again) {
            if (again != thrown) {
                again.addSuppressed(thrown);
            }
            closeAfterFailure(errorMethod + " threw", again, again == thrown ? warning : null);
        }
    }

    /**
     * Returns {@code true} if an exception only reports that the session is closed. {@code @OnError} methods are not called for such an
     * exception, because {@code @OnClose} methods report the close.
     */
    private boolean isCausedByClose(Throwable thrown) {
        if (!session.isClosing() && !discarding) {
            return false;
        }
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof ClosedChannelException || cause instanceof KcpCloseException
            || cause instanceof RejectedExecutionException && channel.eventLoop().isShuttingDown();
    }

    /**
     * Closes the session because of an unhandled exception. An exception that only reports that the session is closed is ignored. Any
     * thread may call this method.
     */
    void closeAfterFailure(String what, Throwable thrown) {
        closeAfterFailure(what, thrown, null);
    }

    /**
     * Closes a session that the application has rejected. Logs at debug level only, because any client can cause rejections. Any thread
     * may call this method.
     */
    private void reject(KcpPeerRejectedException rejected) {
        failure = rejected;
        LOG.debug(channel + " is rejected: " + rejected.getMessage());
        session.closeBecause(rejected);
    }

    private void closeAfterFailure(String what, Throwable thrown, @Nullable WarnOnceLogger warning) {
        if (thrown instanceof KcpPeerRejectedException rejected) {
            reject(rejected);
            return;
        }
        if (isCausedByClose(thrown)) {
            LOG.debug(channel + ": " + what + " because the session is closed", thrown);
            return;
        }
        String message = channel + ": " + what + (channel.isOpen() ? "; closing the session" : " after the session had closed");
        Throwable failed = thrown instanceof KcpMessageException ? thrown : new KcpControllerException(message, thrown);
        failure = failed;
        String logged = message + " (not handled by an @OnError method)";
        if (warning == null) {
            LOG.error(logged, thrown);
        } else {
            warning.log(LOG, logged, thrown);
        }
        session.closeBecause(failed);
    }
}
