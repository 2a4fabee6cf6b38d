package io.kcp.examples;

/** Hears of the transfers of a receiver, on the threads of its disk. */
interface TransferListener {

    /** The first bytes of a file came. */
    void onBegin(TransferHeader header);

    /** That is what came of a transfer; called once for each. */
    void onEnd(TransferReply outcome);
}
