package io.kcp.examples;

/** Is notified of the transfers of a receiver, on its disk threads. */
interface TransferListener {

    /** Called when the header of a file was received. */
    void onBegin(TransferHeader header);

    /** Called once for each transfer, with its outcome. */
    void onEnd(TransferReply outcome);
}
