package io.kcp.netty.smux;

import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.DuplexChannelConfig;
import org.jspecify.annotations.Nullable;

/**
 * A smux stream as a Netty channel, which transfers bytes reliably and in order over a parent channel that it shares with other streams.
 *
 * <h2>Open and close</h2>
 * A stream is active as soon as it is registered, because smux does not confirm that a stream was opened. {@link #shutdownOutput()} sends a
 * FIN after all flushed data. A FIN of the peer closes the stream, unless {@link io.netty.channel.ChannelOption#ALLOW_HALF_CLOSURE} is set;
 * the pipeline then receives a {@link io.netty.channel.socket.ChannelInputShutdownEvent}. As on a TCP channel, a stream detects the end of
 * the data only when it reads. A stream closes when both sides have sent a FIN. {@link #close()} refuses new writes, discards later data of
 * the peer, sends the flushed data and a FIN, and then closes the stream, at the latest after
 * {@link SmuxHandlerBuilder#lingerMs(int) the linger time}. smux has no reset, so the peer is not notified that its data is discarded. The
 * peer receives the same FIN if the stream closes before all flushed data was sent. A protocol that has to detect missing data must mark
 * the end of its data.
 *
 * <h2>Writing</h2>
 * A stream accepts {@code ByteBuf}s. The promise of a write succeeds when the parent channel has written the data. Writability depends on
 * the water marks of the stream, which apply to data that the parent channel has not written yet, and on the
 * {@linkplain SmuxHandlerBuilder#writeBufferWaterMark water marks of all streams together}. The streams of a parent channel are served
 * round-robin, one data frame at a time.
 *
 * <h2>Reading</h2>
 * A stream fires {@code ByteBuf}s, each with a part of the stream. The handler owns them. A buffer of 256 bytes or more may be a slice of
 * the read buffer of the parent channel, so copy data that is kept for long. Without auto-read, received data stays queued. In version 2
 * the peer stops sending on this stream when its window is used up. In version 1 the peer stops sending on all streams when the receive
 * buffer that they share is full.
 *
 * <p>When the parent channel closes, a stream fires all data that has already been received, even without a pending read, and then becomes
 * inactive.
 */
public interface SmuxStreamChannel extends DuplexChannel {

    /**
     * Returns the id of the stream.
     *
     * @return the id in the frame headers, from 0 to 4,294,967,295
     */
    long streamId();

    /**
     * Returns the exception that describes why the stream was closed.
     *
     * @return the exception; null while the stream is open, or if it closed without an error
     */
    @Nullable Throwable closeCause();

    /**
     * Returns the channel that carries the frames of this stream.
     *
     * @return the channel whose pipeline contains the {@link SmuxHandler}
     */
    @Override
    Channel parent();

    @Override
    DuplexChannelConfig config();
}
