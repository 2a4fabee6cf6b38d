package io.kcp.examples;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Program that sends or receives the demo's messages over TCP. It is a separate process, because it runs in a different network namespace
 * than the demo. The program prints one line for each event. Times are values of {@link System#nanoTime}, which is the same clock for all
 * processes on Linux. The first byte of each connection is the player's number.
 */
final class TcpMessages {

    static final String RECEIVE = "receive";
    static final String SEND = "send";
    static final String LISTENING = "listening";
    static final String CONNECTED = "connected";
    static final String DELIVERED = "delivered";
    static final int MAX_PLAYERS = 127;

    private static final int BUFFER_BYTES = 1 << 16;
    /** Default congestion control algorithm of Linux. The program sets it explicitly, because the machine may be configured differently. */
    private static final String CONGESTION_CONTROL = "cubic";
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final int MAX_NAME_BYTES = 16;

    private TcpMessages() {
    }

    /**
     * Runs the sender or the receiver.
     *
     * @param arguments {@code receive PLAYERS MESSAGES BYTES RATE}, or {@code send PLAYERS MESSAGES BYTES RATE HOST PORT}
     */
    public static void main(String... arguments) throws IOException, InterruptedException {
        DemoTraffic traffic = new DemoTraffic(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]),
            Integer.parseInt(arguments[3]), Double.parseDouble(arguments[4]));
        if (arguments[0].equals(RECEIVE)) {
            endWithParent();
            receive(traffic);
        } else {
            send(traffic, new InetSocketAddress(arguments[5], Integer.parseInt(arguments[6])));
        }
    }

    private static void endWithParent() {
        Thread watch = new Thread(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException closed) {
                // The parent has ended.
            }
            Runtime.getRuntime().halt(0);
        }, "end with parent");
        watch.setDaemon(true);
        watch.start();
    }

    private static void fail(Throwable cause) {
        System.err.println("TCP: " + cause);
        Runtime.getRuntime().halt(1);
    }

    private static void receive(DemoTraffic traffic) throws IOException, InterruptedException {
        try (ServerSocket server = new ServerSocket(0, MAX_PLAYERS)) {
            System.out.println(LISTENING + ' ' + server.getLocalPort());
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < traffic.players(); i++) {
                Socket socket = server.accept();
                Thread thread = new Thread(() -> receive(traffic, socket));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void receive(DemoTraffic traffic, Socket socket) {
        try (socket; InputStream in = socket.getInputStream()) {
            int player = in.read();
            byte[] buffer = new byte[BUFFER_BYTES];
            long position = 0;
            while (position < traffic.bytesOfAPlayer()) {
                int length = in.read(buffer);
                long nowNanos = System.nanoTime();
                if (length < 0) {
                    throw new IOException("a connection was closed after " + position + " of " + traffic.bytesOfAPlayer() + " bytes");
                }
                for (int i = 0; i < length; i++) {
                    if (buffer[i] != DemoTraffic.byteAt(position + i)) {
                        throw new IOException("byte " + (position + i) + " was corrupted in transit");
                    }
                }
                position += length;
                System.out.println(DELIVERED + ' ' + player + ' ' + length + ' ' + nowNanos);
            }
        } catch (IOException failed) {
            fail(failed);
        }
    }

    /** Connects all players, and starts sending at the time that it reads from standard input. */
    private static void send(DemoTraffic traffic, InetSocketAddress receiver) throws IOException, InterruptedException {
        Bootstrap bootstrap = new Bootstrap().group(new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()))
            .channel(EpollSocketChannel.class).option(ChannelOption.TCP_NODELAY, true);
        List<MessageSender> senders = new ArrayList<>();
        List<EpollSocketChannel> channels = new ArrayList<>();
        for (int player = 0; player < traffic.players(); player++) {
            MessageSender sender = new MessageSender(new DelayRecorder(traffic), TcpMessages::fail);
            senders.add(sender);
            bootstrap.handler(new ChannelInitializer<EpollSocketChannel>() {
                @Override
                protected void initChannel(EpollSocketChannel channel) {
                    setCongestionControl(channel);
                    channel.pipeline().addLast(sender);
                }
            });
            EpollSocketChannel channel = (EpollSocketChannel) bootstrap.connect(receiver).sync().channel();
            channel.writeAndFlush(channel.alloc().buffer(1).writeByte(player));
            channels.add(channel);
        }
        System.out.println(CONNECTED + ' ' + congestionControlOf(channels.get(0)));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        String begin = input.readLine();
        if (begin != null) {
            for (int player = 0; player < traffic.players(); player++) {
                senders.get(player).begin(channels.get(player), Long.parseLong(begin) + traffic.beginNanos(player));
            }
        }
        endWithParent();
        Thread.currentThread().join();
    }

    private static RawUnixChannelOption congestionControl(int nameBytes) {
        return new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, nameBytes);
    }

    private static void setCongestionControl(EpollSocketChannel channel) {
        byte[] name = CONGESTION_CONTROL.getBytes(StandardCharsets.US_ASCII);
        try {
            channel.config().setOption(congestionControl(name.length), ByteBuffer.wrap(name));
        } catch (ChannelException notAvailable) {
            // Keeps the default congestion control algorithm of the machine. The "connected" event reports the algorithm in use.
        }
    }

    private static String congestionControlOf(EpollSocketChannel channel) {
        ByteBuffer name = channel.config().getOption(congestionControl(MAX_NAME_BYTES));
        return StandardCharsets.US_ASCII.decode(name).toString().replaceAll("\\W.*", "");
    }
}
