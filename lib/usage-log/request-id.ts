const IDS = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/i;
const READ_MAX = 5_000;

/** The first request id in a text, such as an error message that was pasted whole; null = there is none. */
export function findRequestId(text: string): string | null {
  const found = IDS.exec(text.slice(0, READ_MAX))?.[0].replaceAll("-", "").toLowerCase();
  return found?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") ?? null;
}

/** When the gateway gave a request this id, in unix seconds; null = it is none of the gateway's. */
export function momentOf(requestId: string, nowSeconds: number): number | null {
  if (requestId[14] !== "7") return null;
  const at = Math.floor(Number.parseInt(requestId.replaceAll("-", "").slice(0, 12), 16) / 1_000);
  return at > 1_500_000_000 && at <= nowSeconds + 60 ? at : null;
}
