import type { PriceRow } from "@/lib/billing/types";
import { isFinal, type NewTask, type Task, type TaskState } from "../../answers/task";
import type { Json } from "../../wire/canonical/json";
import type { Submission, Submitted } from "./platform";

const DATA_MAX = 262_144;
const RESULTS_MAX = 100;
const URL_MAX = 4_096;
const TEXT_MAX = 20_000;

export type Submitting = {
  taskId: string;
  platform: string;
  wire: string;
  timeLimitSeconds: number;
  /** The upstream reports at the end what it made, which may change the charge. */
  isOpen: boolean;
  submission: Submission<unknown>;
  submitTime: number;
};

/** `redact` takes out what the upstream was sent as a key. */
export function newTask(given: Submitting, submitted: Submitted, redact: (text: string) => string): NewTask {
  const { submission, submitTime, timeLimitSeconds } = given;
  const { state } = submitted;
  const isOver = isFinal(state.status);
  const task: Task = {
    taskId: given.taskId,
    platform: given.platform,
    wire: given.wire,
    action: submission.action.slice(0, 40),
    userId: 0,
    channelId: 0,
    keyHash: "",
    upstreamId: submitted.upstreamId.slice(0, 1_000),
    modelName: submission.model,
    quota: 0,
    code: submitted.code,
    prompt: submission.prompt.slice(0, TEXT_MAX),
    promptEn: "",
    description: "",
    state: (submission.state ?? "").slice(0, TEXT_MAX),
    progress: isOver ? "100%" : "0%",
    failReason: "",
    submitTime,
    startTime: 0,
    finishTime: isOver ? Date.now() : 0,
    results: [],
    properties: submission.properties,
    data: null,
    ...boundState(state, redact),
  };
  const meters = state.usage ?? submission.meters;
  const { unknownWord } = state;
  return {
    task,
    meters,
    expiresTime: submitTime + timeLimitSeconds * 1_000,
    isOpen: given.isOpen && !isOver,
    ...(unknownWord === undefined ? {} : { unknownWord }),
  };
}

/** What of a state is stored: within the bounds of the columns, and without secrets. */
export function boundState(
  state: TaskState,
  redact: (text: string) => string,
): Omit<TaskState, "usage" | "unknownWord"> {
  const { usage: _, unknownWord: __, data, results, ...rest } = state;
  const bound: Omit<TaskState, "usage" | "unknownWord"> = { ...rest };
  if (rest.progress !== undefined) bound.progress = rest.progress.replace(/[^\w .%]/g, "").slice(0, 30);
  for (const name of ["failReason", "promptEn", "description"] as const) {
    const text = rest[name];
    if (text !== undefined) bound[name] = storable(redact(text).slice(0, TEXT_MAX));
  }
  if (results) bound.results = results.filter((url) => isUrl(url) && redact(url) === url).slice(0, RESULTS_MAX);
  if (data !== undefined) bound.data = boundData(data, redact);
  return bound;
}

/** Null = more than is kept, or nothing that can be. */
function boundData(data: Task["data"], redact: (text: string) => string): Task["data"] {
  if (data === null) return null;
  try {
    const text = JSON.stringify(data);
    return text.length > DATA_MAX ? null : (JSON.parse(redact(text).replace(UNSTORABLE, "$1")) as Task["data"]);
  } catch {
    // Nested too deeply, or no JSON any more without a key of digits: the task and its end do not depend on it.
    return null;
  }
}

/** NUL and unpaired surrogates as JSON.stringify writes them, after any number of escaped backslashes. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi;

function isUrl(text: string): boolean {
  return text.length <= URL_MAX && /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** As columns of the table; see weir_book_settlements and weir_keep_extras. */
export function taskColumns({ task, meters, expiresTime }: NewTask, keyHash: string, price: PriceRow): Json {
  return {
    task_id: task.taskId,
    platform: task.platform,
    wire: task.wire,
    action: task.action,
    key_hash: keyHash,
    upstream_id: task.upstreamId,
    price,
    meters,
    code: task.code,
    prompt: task.prompt,
    prompt_en: task.promptEn,
    description: task.description,
    state: task.state,
    status: task.status,
    progress: task.progress,
    fail_reason: task.failReason,
    submit_time: task.submitTime,
    start_time: task.startTime,
    finish_time: task.finishTime,
    expires_time: expiresTime,
    results: task.results,
    properties: task.properties,
    data: task.data,
  };
}

/** PostgreSQL accepts neither NUL nor an unpaired surrogate. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll("\0", "")).toString();
}
