import type { IncomingHttpHeaders } from "node:http";
import type { Sql } from "@/db/client";
import type { EgressReply } from "@/lib/egress";
import { fetchVia, workerOf } from "@/lib/egress/worker";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { addressKey } from "@/lib/rate-window";
import { publicAddressOf } from "@/lib/request/public-address";
import type { Snapshot, SnapshotStore } from "@/lib/snapshot/store";
import type { Caller } from "../../admission/authenticate";
import type { Task } from "../../answers/task";
import type { BodyBudget, BodyShare } from "../../base/body-budget";
import { databaseAway, RelayError } from "../../base/relay-error";
import { ownerOf } from "../../base/upstream-objects/queries";
import type { BodyDeadline } from "../../http/bodies/body-deadline";
import { checkJson, readBody } from "../../http/bodies/read-body";
import type { Exchange } from "../../http/exchange";
import { readJson } from "../../operations/chat/read-json";
import { refused } from "../../operations/operation";
import { type AccountReply, askAccount, keyOf } from "../../operations/tasks/ask-account";
import type { TaskPage, TaskPageCall } from "../../operations/tasks/platform";
import { findTaskById, findTasks, latestTasks } from "../../operations/tasks/queries";
import { taskUpstreams } from "../../operations/tasks/upstreams";
import type { FoundPage } from "../../operations/tasks/wires";
import { rows } from "../../providers/rows";
import type { Json } from "../../wire/canonical/json";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { sendFile } from "./send-file";

export type TaskPageNeeds = {
  authenticate: (exchange: Exchange) => Caller | Promise<Caller>;
  sql: Sql;
  snapshot: SnapshotStore;
  bodyBudget: BodyBudget;
  bodyDeadline: BodyDeadline;
  /** Of pictures: who looks at one is not its owner, and must not spend what the owner's requests need. */
  pictureBudget: BodyBudget;
  /** Throws 429 when the client's address has asked for too many pictures. */
  limitPictures: (exchange: Exchange) => void;
};

type Asked = { path: string; query: string; found: FoundPage };
type Of<Kind> = Extract<TaskPage, { kind: Kind }>;

const BODY_BYTES_MAX = 262_144;
export const PICTURE_BYTES_MAX = 20 * 1_048_576;
const PICTURE_MS = 30_000;
/** Nothing that a browser would run. */
const PICTURE_TYPE = /^image\/(png|jpe?g|webp|gif|avif)$/;

/** Answers where callers ask for their tasks. Throws or rejects with a RelayError. */
export async function answerTaskPage(needs: TaskPageNeeds, exchange: Exchange, asked: Asked): Promise<void> {
  const { page, wire } = asked.found;
  if (page.kind === "picture") return sendPicture(needs, exchange, wire.id, page.taskId({ ...asked, json: {} }));
  const caller = await needs.authenticate(exchange);
  try {
    const json = page.method === "POST" ? await readAsked(needs, exchange, caller) : {};
    const call = { path: asked.path, query: asked.query, json };
    if (page.kind === "file")
      await sendFile(needs, exchange, { taskId: page.taskId(call), call, caller, wire: wire.id });
    else if (page.kind === "rows") await sendRows(needs, exchange, { page, call, caller, wire: wire.id });
    else await sendForwarded(needs, exchange, { page, call, caller, wire: wire.id });
  } catch (error) {
    throw refused(error, { clientDialect: exchange.clientDialect });
  }
}

async function readAsked(
  { bodyBudget, bodyDeadline }: TaskPageNeeds,
  exchange: Exchange,
  caller: Caller,
): Promise<Json> {
  const share = bodyBudget.open(caller.user.id);
  try {
    const limits = { bytesMax: BODY_BYTES_MAX, deadline: bodyDeadline, share, onStart: null };
    const body = await readBody(exchange, limits);
    checkJson(body, share);
    return readJson(body, { clientDialect: exchange.clientDialect }).json;
  } finally {
    share.release();
  }
}

type Wanted<Kind> = { page: Of<Kind>; call: TaskPageCall; caller: Caller; wire: string };

async function sendRows({ sql, snapshot }: TaskPageNeeds, exchange: Exchange, wanted: Wanted<"rows">): Promise<void> {
  const { page, call, caller, wire } = wanted;
  const which = page.wanted(call);
  const looking =
    "ids" in which ? findTasks(sql, ownerOf(caller), wire, which.ids) : latestTasks(sql, ownerOf(caller), wire, which);
  const tasks = await looking.catch(away);
  const { options } = snapshot.current();
  const shown = page.render(tasks, { serverAddress: addressOf(exchange, options), options, requestId: exchange.id });
  exchange.sendJson(200, Buffer.from(JSON.stringify(shown)));
}

function away(error: unknown): never {
  throw databaseAway({ what: "tasks could not be looked up", cause: error });
}

/** Where pictures are asked for: the site's address, else the one that the caller used. */
function addressOf(
  { request }: { request: { headers: IncomingHttpHeaders } },
  { ServerAddress }: OptionValues,
): string {
  const { host = "", "x-forwarded-proto": proto = "" } = request.headers;
  return publicAddressOf(ServerAddress, new Headers({ host, "x-forwarded-proto": String(proto) }));
}

async function sendForwarded(needs: TaskPageNeeds, exchange: Exchange, wanted: Wanted<"forward">): Promise<void> {
  const { page, call, caller, wire } = wanted;
  const [task] = await findTasks(needs.sql, ownerOf(caller), wire, [page.taskId(call)]).catch(away);
  if (!task) throw new RelayError("task_no_found", "task_no_found: the task was not found");
  const ask = page.ask(task);
  const reply = await askTaskAccount(needs.snapshot.current(), task, ask).catch((error: unknown) => {
    if (error instanceof RelayError) throw error;
    logger.warn({ err: error, request: exchange.id, channel: task.channelId }, "the upstream of a task did not answer");
    throw new RelayError("fetch_failed", "the upstream did not answer");
  });
  const type = reply.contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (reply.status > 299) throw new RelayError("upstream_error", `the upstream answered with status ${reply.status}`);
  if (page.contentTypes) return sendBytes(exchange, reply, type, page.contentTypes);
  const text = reply.secrets.redact(reply.body.toString("utf8")).replaceAll(task.upstreamId, task.taskId);
  const json = parseJsonObject(text);
  if (!json) throw new RelayError("upstream_error", "the upstream sent no JSON");
  exchange.sendJson(200, Buffer.from(JSON.stringify(json)));
}

function askTaskAccount(
  { channels, options }: Snapshot,
  task: Task,
  ask: ReturnType<Of<"forward">["ask"]>,
): Promise<AccountReply> {
  const channel = channels.get(task.channelId);
  const upstream = taskUpstreams.get(task.platform);
  if (!channel || !upstream || task.upstreamId === "") {
    throw new RelayError(
      "get_channel_info_failed",
      "get_channel_info_failed: the upstream of the task is not there any more",
    );
  }
  const serving = Object.values(rows.get(channel.type)?.serves ?? {}).find(({ format }) => format === upstream.id);
  const { timeoutMs, bytesMax } = ask;
  const key = keyOf(channel, task.keyHash);
  return askAccount(ask, { channel, key, url: serving?.url, options, timeoutMs, bytesMax });
}

function sendBytes(exchange: Exchange, { body }: Pick<AccountReply, "body">, type: string, allowed: RegExp): void {
  if (!allowed.test(type)) throw new RelayError("bad_content_type", "the upstream sent content of another type");
  const { response } = exchange;
  if (exchange.isGone || response.headersSent) return;
  response.writeHead(200, {
    "content-length": body.length,
    "cache-control": "private, max-age=3600",
    ...exchange.head(type),
  });
  response.end(body);
}

/** A task's picture, for everybody who knows its id, so that a browser can show it. */
async function sendPicture(needs: TaskPageNeeds, exchange: Exchange, wire: string, taskId: string): Promise<void> {
  needs.limitPictures(exchange);
  const task = await findTaskById(needs.sql, wire, taskId).catch(away);
  const [url] = task?.results ?? [];
  if (!task || url === undefined) throw new RelayError("task_no_found", "the picture was not found");
  if (exchange.isGone) return;
  const share = needs.pictureBudget.open(addressKey(exchange.clientIp));
  try {
    const reply = await fetchPicture(needs.snapshot.current(), exchange, { task, url, share });
    if (!reply) return;
    const type = reply.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
    sendBytes(exchange, reply, type, PICTURE_TYPE);
  } finally {
    share.release(exchange.response);
  }
}

type Picture = { task: Task; url: string; share: BodyShare };

/** Null = the viewer has left. */
async function fetchPicture(
  { channels, options }: Snapshot,
  exchange: Exchange,
  { task, url, share }: Picture,
): Promise<EgressReply | null> {
  const channel = channels.get(task.channelId);
  // The proxy itself may keep pictures, and be on the operator's own network.
  const isOfProxy = channel !== undefined && originOf(url) === originOf(channel.baseUrl);
  const leaving = new AbortController();
  exchange.whenGone(() => leaving.abort());
  try {
    const reply = await fetchVia(isOfProxy ? null : workerOf(options), url, {
      onBytes: (bytes) => share.addAnswer(bytes),
      timeoutMs: PICTURE_MS,
      maxBytes: PICTURE_BYTES_MAX,
      trust: isOfProxy ? channel.trust : "public",
      redirects: 3,
      signal: leaving.signal,
    });
    if (reply.status === 200) return reply;
  } catch (error) {
    if (exchange.isGone) return null;
    if (!(error instanceof AppError)) throw error;
  } finally {
    exchange.whenGone(null);
  }
  throw new RelayError("fetch_failed", "the picture could not be fetched");
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}
