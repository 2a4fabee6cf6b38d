package io.kcp.examples.arena.cluster;

import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The log of one room as its subscribers hear it. The reader brings what is new; who comes later catches up by pages first and
 * joins when it has come as far as the reader. Lives on the thread of its backplane.
 */
final class RoomFeed {

    /** Reads a page of the log. */
    @FunctionalInterface
    interface Pages {
        /** Returns the entries after a position, oldest first, not all of them; none if there are none. */
        CompletionStage<List<RoomEntry>> after(String room, RoomPosition position);
    }

    private static final long RETRY_MS = 200;

    private final String room;
    private final Pages pages;
    private final EventExecutor executor;
    private final List<LogSubscription> subscriptions = new ArrayList<>();
    private volatile RoomPosition last;

    /** Begins where its first subscriber begins. */
    RoomFeed(String room, RoomPosition after, Pages pages, EventExecutor executor) {
        this.room = room;
        this.last = after;
        this.pages = pages;
        this.executor = executor;
    }

    String room() {
        return room;
    }

    /** Returns how far the reader has come; from any thread. */
    RoomPosition last() {
        return last;
    }

    boolean isEmpty() {
        return subscriptions.isEmpty();
    }

    void add(LogSubscription subscription) {
        subscriptions.add(subscription);
        if (!goLive(subscription)) {
            catchUp(subscription);
        }
    }

    void remove(LogSubscription subscription) {
        subscriptions.remove(subscription);
    }

    /** Hands over what the reader brought. */
    void onEntry(RoomEntry entry) {
        last = entry.position();
        for (LogSubscription subscription : subscriptions) {
            if (subscription.isLive()) {
                subscription.tell(entry);
            }
        }
    }

    private boolean goLive(LogSubscription subscription) {
        if (last.isAfter(subscription.last())) {
            return false;
        }
        subscription.setLive();
        return true;
    }

    private void catchUp(LogSubscription subscription) {
        if (subscription.isClosed()) {
            return;
        }
        pages.after(room, subscription.last()).whenCompleteAsync((page, failure) -> {
            if (failure != null) {
                executor.schedule(() -> catchUp(subscription), RETRY_MS, TimeUnit.MILLISECONDS);
                return;
            }
            page.forEach(subscription::tell);
            if (page.isEmpty()) {
                // The log is gone: there is nothing to catch up with.
                subscription.setLive();
            } else if (!goLive(subscription)) {
                catchUp(subscription);
            }
        }, executor);
    }
}
