/** The header in which proxy.ts passes path and query to the pages; a value sent by the client is overwritten. */
export const PATH_HEADER = "x-weir-path";
