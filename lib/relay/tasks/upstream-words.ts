import { AnswerRefused } from "../answers/answer";
import { refusal, reportedRefusal } from "../answers/refusal";
import { type Json, readObject } from "../canonical/json";
import { reportsError } from "../dialects/reported-error";
import { provesNothing } from "../failure-cause";
import { TASK_STATUSES, type TaskStatus } from "./task";

/**
 * What upstreams call the states of a task, whatever the case and the marks between words. One table for all: services
 * that copy a maker's format bring words of other makers.
 * Sources: OpenAI https://platform.openai.com/docs/api-reference/videos/object, Kling
 * https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo, Ark
 * https://www.volcengine.com/docs/82379/1521309, DashScope https://help.aliyun.com/zh/model-studio/text-to-video-api-reference,
 * midjourney-proxy https://github.com/novicezk/midjourney-proxy/blob/main/docs/api.md, Tencent
 * https://cloud.tencent.com/document/api/1616/130573 (WAIT, RUN, FAIL, DONE).
 */
const WORDS: Readonly<Record<string, TaskStatus>> = Object.fromEntries(
  (
    [
      ["SUBMITTED", "submitted created accepted received preparing"],
      ["QUEUED", "queued pending queueing queuing inqueue wait waiting scheduled notstart notstarted starting"],
      ["IN_PROGRESS", "inprogress processing running run generating rendering working started throttled"],
      ["SUCCESS", "success succeeded succeed successful completed complete done finished finish ready"],
      ["FAILURE", "failed failure fail error errored cancelled canceled expired rejected aborted timeout"],
    ] as const
  ).flatMap(([status, words]) => words.split(" ").map((word): [string, TaskStatus] => [word, status])),
);

const WORD_MAX = 60;

/** `unknown`: the word, where no platform is known to have it; then the task is taken to be under way. */
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

/** The state of a task that was only just taken. What was made is read when it is asked about, where it changes the charge. */
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
  return places.flatMap((place) => ID_NAMES.flatMap((name) => asId(place[name]) ?? []));
}

/** The id of a task, in any place where upstreams are known to put one; `own`: the format's place. Null = none. */
export function readTaskId(json: Json, own?: unknown): string | null {
  return asId(own) ?? idsIn(json)[0] ?? null;
}

/** Whether an answer is about this task. One that names no task must at least tell a state. */
export function isAbout(json: Json, upstreamId: string, state: unknown): boolean {
  const ids = idsIn(json);
  return ids.includes(upstreamId) || (ids.length === 0 && typeof state === "string" && state !== "");
}

/** A good status without the id of a task: a refusal where it reports one, else nobody knows whether it was taken. */
export function noTask(json: Json): AnswerRefused {
  if (reportsError(json, null, false)) return reportedRefusal(JSON.stringify(json));
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

/** A failure's status in answer to a submission. */
export function refusedSubmission(status: number, body: Buffer, retryAfter?: string): AnswerRefused {
  const refused = refusal(status, body, retryAfter);
  return provesNothing(status) ? new AnswerRefused({ ...refused.failure, work: "unclear" }) : refused;
}
