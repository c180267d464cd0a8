/** The time in a UUID of version 7, in unix seconds, as the gateway gives requests; null = the id has none. */
export function requestMoment(requestId: string): number | null {
  if (requestId[14] !== "7") return null;
  const at = Math.floor(Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16) / 1_000);
  return Number.isFinite(at) ? at : null;
}
