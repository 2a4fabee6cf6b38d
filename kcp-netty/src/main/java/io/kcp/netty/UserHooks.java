package io.kcp.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;

/** Calls what the user has put into the path of datagrams. What throws there costs its datagram and nothing else. */
final class UserHooks {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpHandler.class);

    private final AcceptFilter acceptFilter;
    private final ForeignDatagramHandler foreignHandler;
    private boolean complained;

    UserHooks(AcceptFilter acceptFilter, ForeignDatagramHandler foreignHandler) {
        this.acceptFilter = acceptFilter;
        this.foreignHandler = foreignHandler;
    }

    boolean isAccepted(ChannelHandlerContext context, InetSocketAddress peer, int conv) {
        try {
            return acceptFilter.accept(peer, conv);
        } catch (VirtualMachineError shortage) {
            throw shortage;
        } catch (RuntimeException | Error mistake) {
            complain("The filter", context, mistake);
            return false;
        }
    }

    boolean isConsumed(ChannelHandlerContext context, DatagramPacket packet) {
        try {
            return foreignHandler.handle(context, packet);
        } catch (VirtualMachineError shortage) {
            throw shortage;
        } catch (RuntimeException | Error mistake) {
            complain("The handler of foreign datagrams", context, mistake);
            return false;
        }
    }

    /** Once: whoever sends such datagrams must not fill the log. */
    private void complain(String who, ChannelHandlerContext context, Throwable mistake) {
        if (!complained) {
            complained = true;
            LOGGER.warn("{} of {} threw; the datagram is dropped, and so are all to come without another word", who, context.channel(),
                mistake);
        }
    }
}
