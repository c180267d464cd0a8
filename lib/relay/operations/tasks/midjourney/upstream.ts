import type { Task, TaskState } from "../../../answers/task";
import type { UpstreamOptions } from "../../../providers/requests/upstream-options";
import { type Json, readArray, readObject, readText } from "../../../wire/canonical/json";
import type { SubmitTarget, Submitted, TaskUpstream } from "../platform";
import { noTask, readStateWord, readTaskId, refusedTask, saysTaken } from "../upstream-words";
import type { DrawingRequest } from "./submission";

const SPEED = /\s*--(?:fast|relax|turbo)\b/gi;
const POLL_MAX = 100;

/** A midjourney-proxy, plain (type 2) or extended (type 5). */
export const midjourneyUpstream: TaskUpstream<DrawingRequest> = {
  id: "mj",
  encode: (request, target) => ({ path: request.path, body: bodyOf(request, target) }),
  readSubmitted,
  pollMax: POLL_MAX,
  poll: (tasks) => ({
    method: "POST",
    path: "/mj/task/list-by-condition",
    body: { ids: [...new Set(tasks.map(({ upstreamId }) => upstreamId))] },
  }),
  readPoll(json) {
    if (!Array.isArray(json.list)) return null;
    return new Map(json.list.map(readObject).map((item) => [String(item.id ?? ""), stateOf(item)]));
  },
};

function bodyOf({ body, names }: DrawingRequest, { original, options }: SubmitTarget): Json {
  // Callbacks of the proxy would tell its address and its ids.
  const { notifyHook: _hook, accountFilter, ...rest } = body;
  const sent: Json = { ...rest };
  if (options.MjAccountFilterEnabled && accountFilter !== undefined) sent.accountFilter = accountFilter;
  if (options.MjModeClearEnabled && typeof sent.prompt === "string") sent.prompt = withoutSpeed(sent.prompt, options);
  if (original && names === "taskId") sent.taskId = original.upstreamId;
  if (original && names === "content") {
    sent.content = `${original.upstreamId} ${readText(body.content).trim().split(/\s+/)[1] ?? ""}`;
  }
  return sent;
}

function withoutSpeed(prompt: string, { MjModeClearEnabled }: UpstreamOptions): string {
  return MjModeClearEnabled ? prompt.replace(SPEED, "").trim() : prompt;
}

const TAKEN = { submitted: 1, exists: 21, queued: 22 } as const;
/**
 * Codes by which a proxy says that it has not taken the task. 23 comes with an id all the same; 30 is a site's own word for
 * "too busy". https://github.com/novicezk/midjourney-proxy/blob/main/docs/api.md
 */
const NOT_TAKEN: ReadonlySet<number> = new Set([3, 4, 9, 23, 24, 30]);

function readSubmitted(json: Json, { action, names }: DrawingRequest): Submitted {
  const code = Number(json.code);
  const properties = readObject(json.properties);
  const id = Array.isArray(json.result) ? "" : (readTaskId({}, json.result) ?? "");
  const isTaken = code === TAKEN.submitted || code === TAKEN.exists || code === TAKEN.queued;
  if (!isTaken && (id === "" || NOT_TAKEN.has(code))) {
    const description = readText(json.description);
    if (!NOT_TAKEN.has(code) && saysTaken(json)) throw noTask(json);
    throw json.code === undefined && description === "" ? noTask(json) : refusalOf(code, description, names !== null);
  }
  if (action === "UPLOAD") {
    const results = readArray(json.result).filter((url) => typeof url === "string");
    if (results.length === 0) throw refusalOf(9, "the proxy named no uploaded picture", false);
    return { upstreamId: "", code, state: { status: "SUCCESS", results }, json };
  }
  return { upstreamId: id, code, state: firstState(code, properties), json };
}

/** A task that is there already may be finished, or wait for the caller's next step. */
function firstState(code: number, properties: Json): TaskState {
  if (code !== TAKEN.exists) return { status: "SUBMITTED" };
  const { status } = readStateWord(properties.status);
  if (status === "SUCCESS") return { status, results: [readText(properties.imageUrl)] };
  return { status: status === "MODAL" || status === "IN_PROGRESS" ? status : "SUBMITTED" };
}

/** The codes of the proxy (contract §7.1). `isFollowUp`: "not found" may be the task that it goes on with. */
function refusalOf(code: number, description: string, isFollowUp: boolean) {
  const name = `mj_${Number.isInteger(code) ? code : 9}`;
  const message = description || "the proxy did not take the task";
  if (code === 24) return refusedTask(400, message, name, "content_policy_violation");
  if (code === 4 || (code === 3 && isFollowUp)) return refusedTask(400, message, name);
  if (code === 23) return refusedTask(429, message, name);
  return refusedTask(code === 3 ? 503 : 502, message, name);
}

const KEPT = ["buttons", "properties", "customId", "botType", "action"] as const;

function stateOf(item: Json): TaskState {
  const { status: told, unknown: unknownWord } = readStateWord(item.status ?? "");
  const failReason = readText(item.failReason);
  const progress = readText(item.progress);
  const hasFailed = told === "FAILURE" || (failReason !== "" && told !== "SUCCESS" && progress !== "100%");
  const imageUrl = readText(item.imageUrl);
  return {
    status: hasFailed ? "FAILURE" : told,
    ...(unknownWord === undefined || hasFailed ? {} : { unknownWord }),
    progress,
    failReason: failReason || (hasFailed ? "the proxy gave no reason" : ""),
    promptEn: readText(item.promptEn),
    description: readText(item.description),
    ...timesOf(item),
    ...(imageUrl === "" ? {} : { results: [imageUrl] }),
    data: Object.fromEntries(KEPT.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]]))),
  };
}

function timesOf(item: Json): Pick<TaskState, "startTime" | "finishTime"> {
  const startTime = Number(item.startTime);
  const finishTime = Number(item.finishTime);
  return {
    ...(isTime(startTime) ? { startTime } : {}),
    ...(isTime(finishTime) ? { finishTime } : {}),
  };
}

function isTime(ms: number): boolean {
  return Number.isSafeInteger(ms) && ms > 0 && ms < 32_503_680_000_000;
}

/** What is asked about one finished task. */
export function imageSeedPath({ upstreamId }: Task): string {
  return `/mj/task/${encodeURIComponent(upstreamId)}/image-seed`;
}
