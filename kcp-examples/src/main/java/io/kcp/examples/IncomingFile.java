package io.kcp.examples;

import io.netty.buffer.ByteBuf;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.UUID;

/**
 * A file that is being received. The file is stored under a temporary name in the target directory until it is complete and its hash
 * matches. Never replaces an existing file. Not thread-safe.
 */
final class IncomingFile {

    private static final String FORBIDDEN = "/\\:*?\"<>|";
    private static final int BUFFER_BYTES = 1 << 16;

    private final TransferHeader header;
    private final Path target;
    private final Path part;
    private final MessageDigest digest = Sha256.newDigest();
    private final OutputStream out;
    private long missing;

    private IncomingFile(TransferHeader header, Path target, Path part) throws IOException {
        this.header = header;
        this.target = target;
        this.part = part;
        missing = header.size();
        out = new DigestOutputStream(new BufferedOutputStream(
            Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), BUFFER_BYTES), digest);
    }

    /** Creates the temporary file. If the file is not allowed or cannot be stored, throws an exception whose message suggests a remedy. */
    static IncomingFile create(Path directory, TransferHeader header) throws IOException {
        String name = header.name();
        if (!isPlain(name)) {
            throw new IOException("'" + printable(name) + "' is not a plain file name; send it under a different name with --name");
        }
        Path target = resolve(directory, name);
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw exists(name);
        }
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < header.size()) {
            throw new IOException("not enough disk space at the receiver for '" + name + "': the file has " + header.size()
                + " bytes, but only " + free + " bytes are free; free some space, or choose a different directory with --dir");
        }
        return new IncomingFile(header, target, directory.resolve(".kcp-" + UUID.randomUUID() + ".part"));
    }

    TransferHeader header() {
        return header;
    }

    /** Returns the number of bytes that have not been received yet. */
    long missing() {
        return missing;
    }

    /** Writes the received bytes to the file. Bytes after the end of the file remain in the buffer. */
    void write(ByteBuf bytes) throws IOException {
        int length = (int) Math.min(missing, bytes.readableBytes());
        bytes.readBytes(out, length);
        missing -= length;
    }

    /** Renames the temporary file to its final name if the hash of the file equals the hash that the sender has computed. */
    void commit(byte[] expectedSha256) throws IOException {
        out.close();
        if (!MessageDigest.isEqual(digest.digest(), expectedSha256)) {
            throw new IOException("'" + header.name() + "' is corrupted (its SHA-256 does not match); send it again");
        }
        try {
            // Creates an empty file to reserve the name atomically, so that the move cannot replace a file that existed before.
            Files.createFile(target);
        } catch (FileAlreadyExistsException meanwhile) {
            throw exists(header.name());
        }
        Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Deletes the temporary file. Has no effect after {@link #commit}. */
    void discard() {
        try {
            out.close();
        } catch (IOException alreadyFailed) {
            // A full disk may cause close() to fail. The failure is ignored, because the incomplete file is deleted anyway.
        }
        try {
            Files.deleteIfExists(part);
        } catch (IOException cannotDelete) {
            System.err.println("Could not delete " + part + ": " + cannotDelete.getMessage());
        }
    }

    private static IOException exists(String name) {
        return new IOException("'" + name + "' already exists at the receiver; send it under a different name with --name");
    }

    private static Path resolve(Path directory, String name) throws IOException {
        try {
            return directory.resolve(name);
        } catch (InvalidPathException impossibleHere) {
            throw new IOException("the receiver's file system does not support this name: " + impossibleHere.getMessage()
                + "; send it under a different name with --name", impossibleHere);
        }
    }

    private static boolean isPlain(String name) {
        return !name.equals(".") && !name.equals("..")
            && name.chars().noneMatch(c -> Character.isISOControl(c) || FORBIDDEN.indexOf(c) >= 0);
    }

    private static String printable(String name) {
        return name.replaceAll("\\p{Cntrl}", "?");
    }
}
