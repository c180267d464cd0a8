import type { Task } from "../../../answers/task";
import { RelayError } from "../../../base/relay-error";
import { type Json, readArray, readText } from "../../../wire/canonical/json";
import { InvalidRequest } from "../../../wire/canonical/wire-error";
import { taskCaller } from "../../caller-shapes";
import type { Submission, TaskWire } from "../platform";
import { IDS_MAX } from "../queries";

export type MusicRequest = { action: "MUSIC" | "LYRICS"; body: Json };

const SUBMIT = /^\/suno\/submit\/(music|lyrics)$/i;
const FETCH_ONE = /^\/suno\/fetch\/([^/]{1,64})$/;
const FETCH_MANY = /^\/suno\/fetch$/;
const VERSION = "chirp-v3-0";

/** Callers of a Suno API proxy. */
export const sunoWire: TaskWire<MusicRequest> = {
  id: "suno",
  operation: "music",
  clientDialect: taskCaller,
  submissions: [{ method: "POST", path: SUBMIT }],
  read: (json, { path }) => (/music$/i.test(path) ? readMusic(json) : readLyrics(json)),
  renderSubmitted: ({ taskId }) => ({ code: "success", message: "", data: taskId }),
  pages: [
    {
      method: "GET",
      path: FETCH_ONE,
      kind: "rows",
      wanted: ({ path }) => ({ ids: [FETCH_ONE.exec(path)?.[1] ?? ""] }),
      render: ([task]) => ({ code: "success", message: "", data: renderMusic(task ?? unknown()) }),
    },
    {
      method: "POST",
      path: FETCH_MANY,
      kind: "rows",
      wanted: ({ json }) => ({ ids: readIds(json) }),
      render: (tasks) => ({ code: "success", message: "", data: tasks.map(renderMusic) }),
    },
  ],
};

function readMusic(body: Json): Submission<MusicRequest> {
  const prompt = readText(body.gpt_description_prompt) || readText(body.prompt);
  const clip = readText(body.continue_clip_id);
  if (prompt === "" && clip === "" && body.make_instrumental !== true)
    throw new InvalidRequest("prompt or gpt_description_prompt is required", "prompt");
  const taskId = readText(body.task_id);
  if (clip !== "" && taskId === "") throw new InvalidRequest("task_id is required with continue_clip_id", "task_id");
  const mv = readText(body.mv) || VERSION;
  return {
    ...submission("MUSIC", { ...body, mv }, prompt),
    ...(taskId === "" ? {} : { follows: { taskId, mustBeDone: () => false } }),
  };
}

function readLyrics(body: Json): Submission<MusicRequest> {
  const prompt = readText(body.prompt);
  if (prompt === "") throw new InvalidRequest("prompt is required", "prompt");
  return submission("LYRICS", body, prompt);
}

function submission(action: MusicRequest["action"], body: Json, prompt: string): Submission<MusicRequest> {
  return {
    model: `suno_${action.toLowerCase()}`,
    action,
    meters: [{ meter: "request", quantity: 1 }],
    prompt: [prompt, readText(body.title), readText(body.tags)].filter((text) => text !== "").join("\n"),
    properties: {},
    request: { action, body },
  };
}

/** Times in seconds. */
function renderMusic(task: Task): Json {
  return {
    task_id: task.taskId,
    action: task.action,
    status: task.status,
    fail_reason: task.failReason,
    submit_time: toSeconds(task.submitTime),
    start_time: toSeconds(task.startTime),
    finish_time: toSeconds(task.finishTime),
    progress: task.progress,
    data: task.data,
  };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

function readIds({ ids }: Json): string[] {
  const list = readArray(ids);
  if (list.length > IDS_MAX || !list.every((id) => typeof id === "string"))
    throw new InvalidRequest(`ids must be a list of at most ${IDS_MAX} texts`, "ids");
  return list as string[];
}

function unknown(): never {
  throw new RelayError("task_not_exist", "the task does not exist");
}
