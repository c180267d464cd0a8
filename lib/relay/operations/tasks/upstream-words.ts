import { AnswerRefused } from "../../answers/answer";
import { refusal, reportedRefusal } from "../../answers/refusal";
import { TASK_STATUSES, type TaskStatus } from "../../answers/task";
import { provesNothing } from "../../base/failure-cause";
import { RawError } from "../../base/upstream-error";
import { type Json, readArray, readObject } from "../../wire/canonical/json";
import { isFailureStatus, reportsError } from "../../wire/dialects/common/reported-error";

/**
 * What upstreams call the states of a task, in any case and with any separators. One table for all platforms: services
 * that copy a maker's format bring words of other makers.
 * Sources: OpenAI https://platform.openai.com/docs/api-reference/videos/object, Kling
 * https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo, Ark
 * https://www.volcengine.com/docs/82379/1521309, DashScope https://help.aliyun.com/zh/model-studio/text-to-video-api-reference,
 * midjourney-proxy https://github.com/novicezk/midjourney-proxy/blob/main/docs/api.md, Tencent
 * https://cloud.tencent.com/document/api/1616/130573 (WAIT, RUN, FAIL, DONE), Luma https://docs.lumalabs.ai/reference (dreaming),
 * Black Forest Labs https://docs.bfl.ai (Content Moderated), sunoapi.org https://docs.sunoapi.org (TEXT_SUCCESS, …_FAILED).
 */
const WORDS: Readonly<Record<string, TaskStatus>> = Object.fromEntries(
  (
    [
      ["SUBMITTED", "submitted created accepted received preparing"],
      ["QUEUED", "queued pending queueing queuing inqueue wait waiting scheduled notstart notstarted starting"],
      ["IN_PROGRESS", "inprogress processing running run generating rendering working started throttled dreaming"],
      ["IN_PROGRESS", "textsuccess firstsuccess"],
      ["SUCCESS", "success succeeded succeed successful completed complete done finished finish ready"],
      ["FAILURE", "failed failure fail error errored cancelled canceled expired rejected aborted timeout"],
      [
        "FAILURE",
        "moderated contentmoderated requestmoderated createtaskfailed generateaudiofailed sensitiveworderror",
      ],
    ] as const
  ).flatMap(([status, words]) => words.split(" ").map((word): [string, TaskStatus] => [word, status])),
);

const WORD_MAX = 60;

/** `unknown`: the word, if the table does not have it; the task then counts as in progress. */
export type StateWord = { status: TaskStatus; unknown?: string };

export function readStateWord(value: unknown): StateWord {
  const own = TASK_STATUSES.find((known) => known === value);
  if (own !== undefined && own !== "UNKNOWN") return { status: own };
  const word = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const status =
    WORDS[
      word
        .toLowerCase()
        .replace(/^task_?status_/, "")
        .replace(/[\s_-]/g, "")
    ];
  if (status !== undefined) return { status };
  return { status: "IN_PROGRESS", unknown: word.replace(/[\p{Cc}\p{Cs}]/gu, "").slice(0, WORD_MAX) };
}

/** The state in the answer to a submission. Success counts as in progress: only a poll reads the result, and what it costs. */
export function firstState(value: unknown): StateWord {
  if (value === undefined || value === null) return { status: "SUBMITTED" };
  const word = readStateWord(value);
  return word.status === "SUCCESS" ? { status: "IN_PROGRESS" } : word;
}

const ID_NAMES = ["task_id", "taskId", "id", "video_id", "job_id"];
const ID_MAX = 1_000;

function asId(value: unknown): string | null {
  if (typeof value === "string") return value !== "" && value.length <= ID_MAX ? value : null;
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? String(value) : null;
}

function idsIn(json: Json): string[] {
  const places = [json, ...["data", "output", "result", "task"].map((name) => readObject(json[name]))];
  return places.flatMap((place) => idsAt(place, ID_NAMES));
}

const idsAt = (place: Json, names: readonly string[]): string[] => names.flatMap((name) => asId(place[name]) ?? []);

const PLACES = ["data", "output", "result", "task", "tasks", "response", "job", "video"];
const MORE_NAMES = [...ID_NAMES, "taskID", "taskid", "jobId", "videoId", "generation_id", "generationId", "uuid"];
/** An id that stands where an object is expected. */
const BARE_ID = /^(?=.*\d)[\w.:-]{6,200}$/;

/** An id where none is at a usual place: under another name, in a list, one level deeper, or alone. */
function unusualId(json: Json): string | null {
  const inner = PLACES.map((name) => json[name]);
  const lists = inner.map((value) => readObject(readArray(value)[0]));
  const deeper = inner.flatMap((value) => PLACES.map((name) => readObject(readObject(value)[name])));
  const [named] = [json, ...inner.map(readObject), ...lists, ...deeper].flatMap((place) => idsAt(place, MORE_NAMES));
  if (named !== undefined || !saysTaken(json)) return named ?? null;
  const alone = inner.find((value) => typeof value === "string" && BARE_ID.test(value));
  return typeof alone === "string" ? alone : null;
}

/** The id of a task, in any place where upstreams are known to put one; `own`: the format's place. Null = none. */
export function readTaskId(json: Json, own?: unknown): string | null {
  return asId(own) ?? idsIn(json)[0] ?? unusualId(json);
}

const GOOD_CODE = /^(0|20\d|success|succeed(ed)?|ok)$/i;

/** Whether an answer says that a task was taken, by a code, a message or a state, although it may not name it. */
export function saysTaken(json: Json): boolean {
  if (reportsError(json, null, true) || json.success === false) return false;
  const codes = [json.code, json.status_code, json.status].filter((code) => code !== undefined && code !== null);
  if (codes.some(isFailureStatus)) return false;
  const states = [
    json.status,
    json.state,
    json.task_status,
    readObject(json.data).status,
    readObject(json.data).task_status,
  ];
  const words = [...states, json.message, json.msg].filter((word) => typeof word === "string" && word !== "");
  const known = words.map(readStateWord).filter(({ unknown }) => unknown === undefined);
  if (known.some(({ status }) => status === "FAILURE")) return false;
  if (codes.some((code) => GOOD_CODE.test(String(code))) || json.success === true) return true;
  return json.code === undefined && (known.length > 0 || words.some((word) => GOOD_CODE.test(String(word))));
}

/** Whether an answer is about this task. One that names no task must at least tell a state. */
export function isAbout(json: Json, upstreamId: string, state: unknown): boolean {
  const ids = idsIn(json);
  return ids.includes(upstreamId) || (ids.length === 0 && typeof state === "string" && state !== "");
}

/** A good status without the id of a task: a refusal where it reports one, else nobody knows whether it was taken. */
export function noTask(json: Json): AnswerRefused {
  if (!saysTaken(json) && reportsError(json, null, false)) return reportedRefusal(JSON.stringify(json));
  return lostTask();
}

/** The upstream answered, and no id can be read from it. The task may be made and billed all the same. */
export function lostTask(): AnswerRefused {
  const message = "the upstream's response names no task";
  return new AnswerRefused({ kind: "network", message, cause: "bad_answer" });
}

/** A task that was taken, and has failed at once. Nobody else is asked for it, and nothing is charged. */
export function failedTask(json: Json): AnswerRefused {
  return new AnswerRefused({ ...reportedRefusal(JSON.stringify(json)).failure, work: "failed" });
}

/** A submission that was answered with an error status. */
export function refusedSubmission(status: number, body: Buffer, retryAfter?: string): AnswerRefused {
  const refused = refusal(status, body, retryAfter);
  return provesNothing(status) ? new AnswerRefused({ ...refused.failure, work: "unclear" }) : refused;
}

/** An upstream's answer with a success status that takes no task. The status decides what is tried next. */
export function refusedTask(status: number, message: string, code: string, type = "upstream_error"): AnswerRefused {
  const error = new RawError({ message, type, param: null, code });
  return new AnswerRefused({ kind: "status", status, error, retryAfterMs: null });
}
