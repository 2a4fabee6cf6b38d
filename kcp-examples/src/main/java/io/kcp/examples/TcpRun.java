package io.kcp.examples;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs all players of the demo over the kernel's TCP, with {@code TCP_NODELAY} set. The senders are in one process and the receivers in
 * another, at the two ends of a {@link TunLink}.
 */
final class TcpRun implements DemoRun {

    private final DemoTraffic traffic;
    private final List<DelayRecorder> recorders;
    private final TunLink link;
    private final List<Process> processes = new ArrayList<>();
    private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
    private final String name;
    private final BufferedWriter senderInput;
    private volatile boolean closing;

    /** Creates the simulated link, starts both processes and connects all players. */
    TcpRun(Path linkemu, LinkConditions conditions, long seed, DemoTraffic traffic) throws IOException {
        this.traffic = traffic;
        recorders = Stream.generate(() -> new DelayRecorder(traffic)).limit(traffic.players()).toList();
        link = new TunLink(linkemu, conditions, seed);
        try {
            Process receiver = link.startReceiver(TcpMessages.class, arguments(TcpMessages.RECEIVE));
            processes.add(receiver);
            BufferedReader delivered = receiver.inputReader(StandardCharsets.UTF_8);
            String port = field(delivered, TcpMessages.LISTENING);
            List<String> arguments = arguments(TcpMessages.SEND);
            arguments.add(link.receiverAddress());
            arguments.add(port);
            Process sender = link.startSender(TcpMessages.class, arguments);
            processes.add(sender);
            senderInput = sender.outputWriter(StandardCharsets.UTF_8);
            name = "TCP (" + field(sender.inputReader(StandardCharsets.UTF_8), TcpMessages.CONNECTED) + ')';
            Thread reader = new Thread(() -> read(delivered), "deliveries of TCP");
            reader.setDaemon(true);
            reader.start();
        } catch (Throwable failed) {
            close();
            throw failed;
        }
    }

    private List<String> arguments(String role) {
        return new ArrayList<>(List.of(role, Integer.toString(traffic.players()), Integer.toString(traffic.messages()),
            Integer.toString(traffic.messageBytes()), Double.toString(traffic.perSecond())));
    }

    private static String field(BufferedReader output, String event) throws IOException {
        String line = output.readLine();
        if (line == null || !line.startsWith(event + ' ')) {
            throw new IOException("the TCP program printed " + line + " (expected: " + event + ')');
        }
        return line.substring(event.length() + 1);
    }

    private void read(BufferedReader output) {
        try {
            while (delivered() < messages()) {
                String[] delivered = field(output, TcpMessages.DELIVERED).split(" ", -1);
                recorders.get(Integer.parseInt(delivered[0])).onDelivered(Integer.parseInt(delivered[1]), Long.parseLong(delivered[2]));
            }
        } catch (IOException ended) {
            if (!closing) {
                failure.set(ended);
            }
        }
    }

    @Override
    public void begin(long atNanos) throws IOException {
        for (int i = 0; i < recorders.size(); i++) {
            recorders.get(i).begin(atNanos + traffic.beginNanos(i));
        }
        senderInput.write(Long.toString(atNanos));
        senderInput.newLine();
        senderInput.flush();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String shortName() {
        return "TCP";
    }

    @Override
    public List<DelayRecorder> recorders() {
        return recorders;
    }

    @Override
    public void check() throws IOException {
        IOException cause = failure.get();
        if (cause != null) {
            throw new IOException(name + " failed after " + delivered() + " of " + messages() + " messages: " + cause.getMessage(), cause);
        }
    }

    @Override
    public long wireBytes() throws IOException {
        return link.wireBytes();
    }

    @Override
    public void close() {
        closing = true;
        processes.forEach(Process::destroyForcibly);
        link.close();
    }
}
