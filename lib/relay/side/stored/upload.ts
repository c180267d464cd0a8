import { sha256Hex } from "@/lib/crypto";
import type { Snapshot, SnapshotChannel } from "@/lib/snapshot/store";
import type { Caller } from "../../admission/authenticate";
import type { StoredAnswer } from "../../answers/stored-answer";
import type { BodyBudget } from "../../base/body-budget";
import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../../http/exchange";
import { Form, type FormFile } from "../../http/forms/form";
import { writeForm } from "../../http/forms/write-form";
import { type Receiving, receiveBody } from "../../pipeline/receive-body";
import { rows } from "../../providers/rows";
import { servesResponses } from "../../providers/serves-responses";
import { effectiveGroup } from "../../routing/route";
import { type Json, readText } from "../../wire/canonical/json";
import { isObjectId } from "../../wire/canonical/upstream-object";
import { type Account, keyWith } from "./account";
import { type AccountNeeds, askAccount } from "./ask-account";
import { filesOf, noteObject, placeOf } from "./stored-objects";

export type UploadNeeds = AccountNeeds & Receiving & { bodyBudget: BodyBudget; random: () => number };

/** Of one user at all upstreams together: they stand in the operator's accounts. */
const FILES_MAX = 1_000;
const PURPOSES = new Set(["assistants", "batch", "fine-tune", "vision", "user_data", "evals"]);
const TEXTS = /^(purpose|expires_after\[(anchor|seconds)\])$/;

/** What a file of requests needs: the channel must have the model, under the same name. */
export type ReadRequests = (file: FormFile) => Promise<{ summary: Json; model: string }>;

/** Takes a file, and passes it on to one account. Null = the caller has an error already, or has left. */
export async function uploadFile(
  needs: UploadNeeds,
  exchange: Exchange,
  caller: Caller,
  readRequests: ReadRequests,
): Promise<StoredAnswer | null> {
  const { sql, bodyBudget, snapshot: store } = needs;
  const snapshot = store.current();
  const { count, last } = await filesOf(sql, caller.user.id);
  if (count >= FILES_MAX) throw tooMany();
  // Before a large body is read.
  if (storingChannels(caller, snapshot, null).length === 0) throw nobodyStores();
  const share = bodyBudget.open(caller.user.id);
  try {
    const form = await receiveBody(needs, exchange, caller, share, { id: "chat", readForm: neverRead });
    if (!(form instanceof Form))
      throw invalid("the body must be multipart/form-data with a file and a purpose", "file");
    const { file, purpose } = checkForm(form);
    const requests = purpose === "batch" ? await readRequests(file) : null;
    const channels = storingChannels(caller, snapshot, requests?.model ?? null);
    const account = chooseAccount(channels, last, needs.random);
    if (!account) throw nobodyStores();
    const { contentType, body } = writeForm(form);
    const asked = { method: "POST", path: "/v1/files", query: "", body, contentType, form: "json" } as const;
    const end = await askAccount(needs, exchange, account, asked);
    if (!end || end === "cut") return null;
    await noteFile(needs, caller, account, end, requests?.summary ?? null);
    return end;
  } finally {
    share.release();
  }
}

async function noteFile(
  { sql }: UploadNeeds,
  caller: Caller,
  account: Account,
  { json }: StoredAnswer,
  batch: Json | null,
): Promise<void> {
  const id = readText(json?.id);
  if (!json || !isObjectId(id)) throw new RelayError("bad_response", "the upstream gave the file no id");
  const details = { shown: json, ...(batch ? { batch } : {}) };
  const made = { userId: caller.user.id, tokenId: caller.token.id };
  await noteObject(sql, made, placeOf(account, sha256Hex), { kind: "file", id, details });
}

function neverRead(): never {
  throw new Error("a file is no request to a model");
}

function checkForm(form: Form): { file: FormFile; purpose: string } {
  const files = form.files();
  const [file] = files;
  if (!file || files.length > 1 || file.name !== "file") throw invalid("one file is needed, in the field file", "file");
  const purpose = form.text("purpose") ?? "";
  if (!PURPOSES.has(purpose)) throw invalid(`purpose must be one of ${[...PURPOSES].join(", ")}`, "purpose");
  const strange = form.entries.find((entry) => "text" in entry && !TEXTS.test(entry.name));
  if (strange) throw invalid(`the field ${strange.name.slice(0, 50)} is not known`, strange.name.slice(0, 50));
  return { file, purpose };
}

/** The channels of the caller's group whose upstreams take files. */
function storingChannels(caller: Caller, snapshot: Snapshot, model: string | null): SnapshotChannel[] {
  const group = effectiveGroup(caller, snapshot);
  const found = new Set<SnapshotChannel>();
  for (const [name, tiers] of snapshot.abilities.get(group) ?? []) {
    if (model !== null && name !== model) continue;
    for (const channel of tiers.flat()) if (takesFiles(channel)) found.add(channel);
  }
  const pinned = caller.pinnedChannel;
  const fitting = [...found].filter(({ id }) => pinned === null || pinned === String(id));
  if (model === null) return fitting;
  // The names of models stand in the file, which is passed on as it is.
  return fitting.filter(({ modelMapping }) => (modelMapping.get(model) ?? model) === model);
}

/** Files are where OpenAI's Responses API is. */
function takesFiles(channel: SnapshotChannel): boolean {
  return rows.get(channel.type)?.storedUrl !== undefined && servesResponses(channel);
}

/** The account that took the last one, so that a request can name several; else one of the highest priority, by weight. */
function chooseAccount(
  channels: readonly SnapshotChannel[],
  last: { channelId: number; keyHash: string } | null,
  random: () => number,
): Account | null {
  const known = channels.find(({ id }) => id === last?.channelId);
  const key = known && last ? keyWith(known, last.keyHash) : null;
  if (known && key !== null) return { channel: known, key };
  const highest = Math.max(...channels.map(({ priority }) => priority));
  const best = channels.filter(({ priority }) => priority === highest);
  const channel = best[Math.floor(random() * best.length)];
  return channel ? { channel, key: channel.key } : null;
}

function invalid(message: string, param: string): RelayError {
  return new RelayError("invalid_file_request", message, { param });
}

function tooMany(): RelayError {
  return new RelayError("too_many_files", `a user may have ${FILES_MAX} files; delete some first`);
}

function nobodyStores(): RelayError {
  const message = "no channel of this group has an upstream that takes such files";
  return new RelayError("no_available_channel", message, { isCallers: true });
}
