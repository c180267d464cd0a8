/** Header by which proxy.ts tells the pages their own path and query; whatever a client sends under it is overwritten. */
export const PATH_HEADER = "x-weir-path";
