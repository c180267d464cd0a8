import type { Sql } from "@/db/client";
import { endCharge, type OpenCharge, takeDueCharges } from "@/lib/billing/open-charges";
import { readBounded } from "@/lib/egress/body";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { WHOLE_BYTES_MAX } from "../answers/body-collector";
import type { Json } from "../canonical/json";
import { parseJsonObject } from "../dialects/json-text";
import { openConnections } from "../transport/open-connections";
import type { UpstreamRequest } from "../upstreams/prepare-request";
import { type Account, keyWith } from "./account";
import { prepareAsk } from "./prepare-ask";
import { endResponse } from "./response-end";

const AT_ONCE = 8;
const DUE_MAX = 200;
const ASK_MS = 30_000;

/** What became of a question. "unknown": the account has it no longer. "later": nothing can be said now. */
export type Told = { kind: "json"; json: Json } | { kind: "unknown" } | { kind: "later" };
export type AskUpstream = (path: string) => Promise<Told>;

/** Asks the upstreams how far the answers and batches are whose charges are open. Returns how many have ended. */
export async function pollOpenCharges(sql: Sql, options: OptionValues): Promise<number> {
  const due = await takeDueCharges(sql, DUE_MAX);
  if (due.length === 0) return 0;
  const channels = new Map<number, SnapshotChannel>();
  const wanted = new Set(due.map(({ channelId }) => channelId));
  for (const row of await listChannelRows(sql)) if (wanted.has(row.id)) channels.set(row.id, readChannel(row));
  const queue = [...due];
  let ended = 0;
  const work = async (): Promise<void> => {
    for (let charge = queue.shift(); charge; charge = queue.shift()) {
      const account = accountOf(channels.get(charge.channelId), charge.keyHash);
      try {
        if (await pollOne(sql, options, charge, account)) ended += 1;
      } catch (error) {
        logger.error({ err: error, request: charge.requestId }, "an open charge could not be looked after");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, work));
  return ended;
}

function accountOf(channel: SnapshotChannel | undefined, keyHash: string): Account | null {
  const key = channel && keyWith(channel, keyHash);
  return channel && key !== undefined && key !== null ? { channel, key } : null;
}

async function pollOne(
  sql: Sql,
  options: OptionValues,
  charge: OpenCharge & { isLate: boolean },
  account: Account | null,
): Promise<boolean> {
  if (!account) return endUnknown(sql, charge, "the account that worked on it is not in use any more; not charged");
  const told = await askAccountFor(account, options, `/v1/responses/${encodeURIComponent(charge.objectId)}`);
  if (told.kind === "json" && (await endResponse(sql, charge, told.json))) return true;
  if (told.kind === "unknown") return endUnknown(sql, charge, "the upstream does not know it any more; not charged");
  return charge.isLate ? endUnknown(sql, charge, "the upstream did not finish it in time; not charged") : false;
}

function endUnknown(sql: Sql, charge: OpenCharge, note: string): Promise<boolean> {
  return endCharge(sql, charge, { usage: null, note, other: { outcome: "lost" } });
}

/** GETs JSON from an account, outside of any request. Never rejects. */
export async function askAccountFor(account: Account, options: OptionValues, path: string): Promise<Told> {
  try {
    const request = await prepareAsk(options, account, { method: "GET", path, query: "" });
    const { status, body } = await get(account, request);
    if (status === 404) return { kind: "unknown" };
    const json = status === 200 ? parseJsonObject(body.toString("utf8")) : null;
    return json ? { kind: "json", json } : { kind: "later" };
  } catch {
    return { kind: "later" };
  }
}

async function get({ channel }: Account, request: UpstreamRequest): Promise<{ status: number; body: Buffer }> {
  const { setting, trust } = channel;
  const connections = openConnections({ origin: request.origin, proxy: setting.proxy, trust });
  try {
    const reply = await connections.take().request({
      origin: request.origin,
      path: request.path,
      method: "GET",
      headers: request.headers,
      headersTimeout: ASK_MS,
      bodyTimeout: ASK_MS,
      signal: AbortSignal.timeout(2 * ASK_MS),
    });
    return { status: reply.statusCode, body: await readBounded(reply.body, WHOLE_BYTES_MAX) };
  } finally {
    await connections.destroy();
  }
}
