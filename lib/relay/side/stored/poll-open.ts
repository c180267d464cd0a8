import type { Sql } from "@/db/client";
import { endCharge, type OpenCharge, takeDueCharges } from "@/lib/billing/open-charges";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { WHOLE_BYTES_MAX } from "../../answers/body-collector";
import { askOnce, openOnce, type Patience } from "../../http/attempt/ask-once";
import { optionsInForce } from "../../operations/tasks/queries";
import type { Json } from "../../wire/canonical/json";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { endBatch, noteBatch, type OpenFile } from "../batches/end-batch";
import { type Account, keyWith } from "./account";
import { questionFor } from "./ask-account";
import { endResponse } from "./response-end";
import { pathOf } from "./routes";

const AT_ONCE = 8;
const DUE_MAX = 200;
const ASK_MS = 30_000;
/** For a file with the answers of a batch. */
const FILE_MS = 10 * 60_000;

/** What became of a question. "unknown": the account has it no longer. "later": nothing can be said now. */
export type Told = { kind: "json"; json: Json } | { kind: "unknown" } | { kind: "later" };

/** Asks the upstreams how far the answers and batches are whose charges are open. Returns how many have ended. */
export async function pollOpenCharges(sql: Sql): Promise<number> {
  const due = await takeDueCharges(sql, DUE_MAX);
  if (due.length === 0) return 0;
  const options = await optionsInForce(sql);
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
  const told = await askAccountFor(account, options, pathOf({ kind: charge.kind, id: charge.objectId, suffix: "" }));
  try {
    if (told.kind === "json" && (await endOne(sql, options, charge, account, told.json))) return true;
  } catch (error) {
    if (!charge.isLate || (error as Error).name === "PostgresError") throw error;
    logger.error({ err: error, request: charge.requestId }, "what an upstream has finished could not be read in time");
  }
  if (told.kind === "unknown") return endUnknown(sql, charge, "the upstream does not know it any more; not charged");
  return charge.isLate ? endUnknown(sql, charge, "the upstream did not finish it in time; not charged") : false;
}

async function endOne(
  sql: Sql,
  options: OptionValues,
  charge: OpenCharge & { isLate: boolean },
  account: Account,
  json: Json,
): Promise<boolean> {
  if (charge.kind === "response") return endResponse(sql, charge, json);
  await noteBatch(sql, charge.userId, charge, json);
  return withFiles(account, options, (openFile) => endBatch(sql, charge, json, openFile));
}

/** Opens files of an account, each over its own connection; all are closed at the end. */
async function withFiles<Result>(
  account: Account,
  options: OptionValues,
  work: (openFile: OpenFile) => Promise<Result>,
): Promise<Result> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    return await work(async (id) => {
      const path = pathOf({ kind: "file", id, suffix: "/content" });
      const question = questionFor(account, options, { method: "GET", path, query: "", form: "bytes" });
      const { status, body, close } = await openOnce(question, within(FILE_MS));
      closing.push(close);
      if (status === 200) return body as AsyncIterable<Buffer>;
      if (status === 404) return null;
      throw new Error(`the upstream answered a question for a file with status ${status}`);
    });
  } finally {
    await Promise.all(closing.map((close) => close()));
  }
}

function endUnknown(sql: Sql, charge: OpenCharge, note: string): Promise<boolean> {
  return endCharge(sql, charge, { usage: null, note, other: { outcome: "lost" } });
}

/** GETs JSON from an account, outside of any request. Never rejects. */
export async function askAccountFor(account: Account, options: OptionValues, path: string): Promise<Told> {
  try {
    const question = questionFor(account, options, { method: "GET", path, query: "", form: "json" });
    const { status, body } = await askOnce(question, { ...within(2 * ASK_MS), bytesMax: WHOLE_BYTES_MAX });
    if (status === 404) return { kind: "unknown" };
    const json = status === 200 ? parseJsonObject(body.toString("utf8")) : null;
    return json ? { kind: "json", json } : { kind: "later" };
  } catch {
    return { kind: "later" };
  }
}

function within(wholeMs: number): Patience {
  return { silenceMs: ASK_MS, signal: AbortSignal.timeout(wholeMs) };
}
