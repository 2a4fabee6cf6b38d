package io.kcp.examples;

/** Listener for the transfers of a file receiver. Its methods are called on the receiver's disk threads. */
interface TransferListener {

    /** Called when the header of a file has been received. */
    void onBegin(TransferHeader header);

    /** Called once for each transfer, after it has succeeded or failed. */
    void onEnd(TransferReply outcome);
}
