/**
 * Flags of Node.js for gateway processes. Bodies and frames are memory outside of V8's heap. After its first large collection V8
 * shrinks the young space of a process that is not busy, so that those bytes pass into the old space, and then it stops
 * the process for 10 ms and more each second to collect them. With a young space that keeps its size they are freed there.
 */
export const GATEWAY_FLAGS: readonly string[] = ["--min-semi-space-size=16", "--no-memory-reducer"];
