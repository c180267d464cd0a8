import type { Sql } from "@/db/client";
import { boundUsage } from "@/lib/billing/bound-usage";
import { endCharge, type OpenCharge, type OpenEnd, type OpenTerms } from "@/lib/billing/open-charges";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { describeMedia } from "../../pipeline/settle";
import { endAndTell } from "../../routing/channel-state-commands";
import { type Json, readObject, readText } from "../../wire/canonical/json";
import { mayHoldMore, reportsNothing } from "../../wire/canonical/nothing-used";
import { isObjectId } from "../../wire/canonical/upstream-object";
import { sumOfMedia } from "../../wire/canonical/usage";
import { dialects } from "../../wire/dialects";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { readOpenaiUsage } from "../../wire/dialects/common/openai/openai-usage";
import { noteObject, refreshObject } from "../stored/stored-objects";
import { linesOf } from "./read-requests";

const OVER = new Set(["completed", "failed", "expired", "cancelled"]);
const BYTES_PER_TOKEN = 3;
/** Answers may be longer than requests. */
const LINE_BYTES_MAX = 64 * 1_048_576;

/** The bytes of a file of the account; null = it is not there. */
export type OpenFile = (id: string) => Promise<AsyncIterable<Buffer> | null>;

/** Shows how far a batch is, and makes the files of its answers its owner's. */
export async function noteBatch(sql: Sql, userId: number, place: Place, batch: Json): Promise<void> {
  await refreshObject(sql, userId, "batch", batch);
  const batchId = readText(batch.id);
  for (const [name, what] of [
    ["output_file_id", "output"],
    ["error_file_id", "error"],
  ] as const) {
    const id = readText(batch[name]);
    if (id === "" || !isObjectId(id)) continue;
    const shown = { id, object: "file", purpose: "batch_output", filename: `${batchId}_${what}.jsonl` };
    const created = typeof batch.completed_at === "number" ? { created_at: batch.completed_at } : {};
    await noteObject(sql, { userId }, place, {
      kind: "file",
      id,
      details: { shown: { ...shown, ...created }, ofBatch: batchId },
    });
  }
}

type Place = { channelId: number; keyHash: string };

/** Charges for what the requests of a batch have used, as its file of answers says. False = it still runs. */
export async function endBatch(sql: Sql, charge: OpenCharge, batch: Json, openFile: OpenFile): Promise<boolean> {
  const status = readText(batch.status);
  if (!OVER.has(status)) return false;
  const id = readText(batch.output_file_id);
  const file = id === "" ? [] : await openFile(id);
  if (file === null) {
    const note = "the file with the answers of the batch is not there; not charged";
    return endCharge(sql, charge, { usage: null, note, other: { outcome: "lost", batch: status } });
  }
  return endAndTell(sql, charge, await readEnd(file, status, charge.terms));
}

async function readEnd(
  file: AsyncIterable<Buffer> | Iterable<Buffer>,
  status: string,
  terms: OpenTerms,
): Promise<OpenEnd> {
  let usage: BilledUsage = NO_USAGE;
  let answered = 0;
  for await (const line of linesOf(toAsync(file), LINE_BYTES_MAX)) {
    const used = usageOfLine(line);
    if (!used) continue;
    answered += 1;
    usage = plus(usage, used);
  }
  const note = status === "completed" ? "" : `the batch is ${status}; charged for the requests that were answered`;
  const { promptTokensMax: promptTokens, completionTokensMax: completionTokens, price } = terms;
  const charged = boundUsage(usage, { promptTokens, completionTokens });
  const other = { batch: status, batch_answered: answered, ...describeMedia(charged, price) };
  return { usage: charged, note, other };
}

async function* toAsync(file: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* file;
}

/** Null = the request was not answered. An answer without usage is counted by its length. */
function usageOfLine(line: Buffer): BilledUsage | null {
  const response = readObject(parseJsonObject(line.toString("utf8"))?.response);
  if (response.status_code !== 200) return null;
  const body = readObject(response.body);
  const read = readOpenaiUsage(body.usage);
  if (read) {
    const { reasoningTokens: _, webSearches: __, ...counts } = read;
    return { ...counts, estimated: false };
  }
  if (reportsNothing(body.usage) && isSilent(body, line)) return NO_USAGE;
  return { ...NO_USAGE, completionTokens: Math.ceil(line.length / BYTES_PER_TOKEN), estimated: true };
}

/** An answer of either format with nothing in it. */
function isSilent(body: Json, line: Buffer): boolean {
  const hasText = ["openai-chat", "openai-responses"].some((id) => {
    const { texts = [], extra = 0 } = dialects.get(id)?.upstream.answerTexts(body) ?? {};
    return texts.join("") !== "" || extra > 0;
  });
  return !hasText && !mayHoldMore(line.toString("latin1"));
}

function plus(a: BilledUsage, b: BilledUsage): BilledUsage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    audioPromptTokens: a.audioPromptTokens + b.audioPromptTokens,
    audioCompletionTokens: a.audioCompletionTokens + b.audioCompletionTokens,
    ...sumOfMedia(a, b),
    estimated: a.estimated || b.estimated,
  };
}
