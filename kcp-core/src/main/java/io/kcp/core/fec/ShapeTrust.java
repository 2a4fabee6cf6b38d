package io.kcp.core.fec;

/**
 * The degree to which a {@link FecDecoder} trusts the group shape that it assumes for the peer. Three events change the state: the decoder
 * adopts a configured or detected shape, a group confirms the shape, or a shard contradicts it. {@link ShapeVerification} defines when a
 * group confirms and a shard contradicts the shape.
 *
 * <pre>
 * State         Meaning                                  Adopt         Group confirms      Shard contradicts
 * UNKNOWN       no shape                                 UNVERIFIED    (impossible)        UNKNOWN
 * UNVERIFIED    nothing has confirmed the shape          UNVERIFIED    CONFIRMED           UNVERIFIED
 * CONFIRMED     one group has confirmed it               UNVERIFIED    VERIFIED *          UNVERIFIED
 * VERIFIED      two groups have confirmed it             UNVERIFIED    VERIFIED            CONTRADICTED
 * CONTRADICTED  verified before, contradicted since      UNVERIFIED    RECONFIRMED         CONTRADICTED
 * RECONFIRMED   contradicted, confirmed by one group     UNVERIFIED    VERIFIED *          CONTRADICTED
 * FIXED         configured as the shape of the peer      (impossible)  FIXED               FIXED
 *
 * * if another group confirmed the shape before; otherwise the state does not change
 * </pre>
 */
enum ShapeTrust {

    UNKNOWN, UNVERIFIED, CONFIRMED, VERIFIED, CONTRADICTED, RECONFIRMED, FIXED;

    ShapeTrust onAdopted() {
        return this == FIXED ? FIXED : UNVERIFIED;
    }

    ShapeTrust onConfirmed(boolean byAnotherGroup) {
        return switch (this) {
            case UNVERIFIED -> CONFIRMED;
            case CONTRADICTED -> RECONFIRMED;
            case CONFIRMED, RECONFIRMED -> byAnotherGroup ? VERIFIED : this;
            case UNKNOWN, VERIFIED, FIXED -> this;
        };
    }

    ShapeTrust onContradicted() {
        return switch (this) {
            case CONFIRMED -> UNVERIFIED;
            case VERIFIED, RECONFIRMED -> CONTRADICTED;
            case UNKNOWN, UNVERIFIED, CONTRADICTED, FIXED -> this;
        };
    }

    /** Returns {@code true} if recovered data may be delivered even if no surplus shard confirms it. */
    boolean isVerified() {
        return this == VERIFIED || this == FIXED;
    }

    /** Returns {@code true} if the shape has been verified at any time since it was adopted. */
    boolean wasVerified() {
        return switch (this) {
            case VERIFIED, CONTRADICTED, RECONFIRMED, FIXED -> true;
            case UNKNOWN, UNVERIFIED, CONFIRMED -> false;
        };
    }
}
