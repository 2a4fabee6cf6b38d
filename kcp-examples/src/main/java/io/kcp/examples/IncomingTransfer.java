package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Incrementally parses the header, content and hash of one incoming file. Not thread-safe. */
final class IncomingTransfer {

    private enum Phase { HEADER, CONTENT, SHA256, OVER }

    private final Path directory;
    private final ByteBuf head = Unpooled.buffer();
    private final byte[] sha256 = new byte[Sha256.BYTES];
    private int sha256Bytes;
    private Phase phase = Phase.HEADER;
    private @Nullable IncomingFile file;

    IncomingTransfer(Path directory) {
        this.directory = directory;
    }

    /** Consumes the buffer. Returns the reply to the sender once the transfer is complete or refused, otherwise {@code null}. */
    @Nullable TransferReply take(ByteBuf bytes) {
        try {
            if (phase == Phase.HEADER) {
                head.writeBytes(bytes);
                TransferHeader header = TransferHeader.decode(head);
                if (header == null) {
                    return null;
                }
                begin(header);
                return takeBody(head);
            }
            return takeBody(bytes);
        } catch (IOException refused) {
            phase = Phase.OVER;
            String why = refused.getMessage();
            return new TransferReply(false, why != null ? why : refused.toString());
        }
    }

    /** Returns the header of the file, or {@code null} if the header has not arrived yet or the file was refused. */
    @Nullable TransferHeader header() {
        IncomingFile incoming = file;
        return incoming == null ? null : incoming.header();
    }

    /** Returns a description of the progress, which is reported if the transfer is interrupted. */
    String progress() {
        IncomingFile incoming = file;
        if (incoming == null) {
            return "no file was received: the header is incomplete";
        }
        long size = incoming.header().size();
        return "'" + incoming.header().name() + "' was not received completely: " + (size - incoming.missing()) + " of " + size
            + " bytes arrived";
    }

    /** Ends the transfer and deletes the file if it is incomplete. */
    void discard() {
        phase = Phase.OVER;
        IncomingFile incoming = file;
        if (incoming != null) {
            incoming.discard();
        }
    }

    private void begin(TransferHeader header) throws IOException {
        file = IncomingFile.create(directory, header);
        phase = Phase.CONTENT;
    }

    private @Nullable TransferReply takeBody(ByteBuf bytes) throws IOException {
        IncomingFile incoming = file;
        if (incoming == null) {
            return null;
        }
        if (phase == Phase.CONTENT) {
            incoming.write(bytes);
            if (incoming.missing() == 0) {
                phase = Phase.SHA256;
            }
        }
        if (phase == Phase.SHA256) {
            int length = Math.min(Sha256.BYTES - sha256Bytes, bytes.readableBytes());
            bytes.readBytes(sha256, sha256Bytes, length);
            sha256Bytes += length;
            if (sha256Bytes == Sha256.BYTES) {
                phase = Phase.OVER;
                incoming.commit(sha256);
                return new TransferReply(true, incoming.header().name());
            }
        }
        return null;
    }
}
