/**
 * Flags of Node.js for gateway processes. Bodies and frames are memory outside of V8's heap. After its first large collection V8
 * shrinks the young space of a process that is not busy, so that those bytes pass into the old space, and then it stops
 * the process for 10 ms and more each second to collect them. With a young space that keeps its size they are freed there.
 * Node.js 24 and 26 would let it grow to 64 and 32 MB, and it holds twice that; 16 is what Node.js 20 allows.
 */
export const GATEWAY_FLAGS: readonly string[] = [
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
  "--no-memory-reducer",
];

/** For the console and the worker, whose young space would otherwise grow to that size while they load. */
export const BACKGROUND_FLAGS: readonly string[] = ["--max-semi-space-size=4"];
