package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Closes channels of an event loop when that shuts down. The loop itself knows its sockets only, and forgets them too if it has
 * no quiet period and is told to shut down after it has looked whether it shall, but before it asks whether it may: their close
 * futures would never be done, and their sessions never hear of it. Used on the loop only.
 */
final class LoopShutdown {

    private final EventLoop loop;
    private final Set<Channel> channels = new LinkedHashSet<>();
    private final Runnable hook = this::closeAll;

    LoopShutdown(EventLoop loop) {
        this.loop = loop;
    }

    /** Closes this channel too, until it is {@link #remove}d. */
    void add(Channel channel) {
        channels.add(channel);
        if (channels.size() == 1 && loop instanceof SingleThreadEventExecutor executor) {
            executor.addShutdownHook(hook);
        }
    }

    void remove(Channel channel) {
        if (channels.remove(channel) && channels.isEmpty() && loop instanceof SingleThreadEventExecutor executor) {
            executor.removeShutdownHook(hook);
        }
    }

    private void closeAll() {
        List.copyOf(channels).forEach(Channel::close);
    }
}
