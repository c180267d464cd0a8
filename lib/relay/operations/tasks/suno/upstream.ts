import type { Task, TaskState } from "../../../answers/task";
import { type Json, readObject, readText } from "../../../wire/canonical/json";
import type { TaskUpstream } from "../platform";
import { noTask, readStateWord, readTaskId, refusedTask, saysTaken } from "../upstream-words";
import type { MusicRequest } from "./wire";

const POLL_MAX = 50;

/** A Suno API proxy (type 36). */
export const sunoUpstream: TaskUpstream<MusicRequest> = {
  id: "suno",
  encode({ action, body }, { original }) {
    // A hook of the caller's would be called with the upstream's ids.
    const { notify_hook: _hook, ...rest } = body;
    return { path: `/suno/submit/${action}`, body: original ? { ...rest, task_id: original.upstreamId } : rest };
  },
  readSubmitted(json) {
    const id = taskIdOf(json);
    if (json.code !== "success" && id === "") {
      const code = readText(json.code);
      if (saysTaken(json) || (code === "" && readText(json.message) === "")) throw noTask(json);
      const message = readText(json.message) || "the upstream did not take the task";
      throw refusedTask(code === "invalid_request" ? 400 : 502, message, code || "submit_failed");
    }
    return { upstreamId: id, code: 1, state: { status: "SUBMITTED" }, json };
  },
  pollMax: POLL_MAX,
  poll: (tasks) => ({
    method: "POST",
    path: "/suno/fetch",
    body: { ids: [...new Set(tasks.map(({ upstreamId }) => upstreamId))] },
  }),
  readPoll(json) {
    if (json.code !== "success" || !Array.isArray(json.data)) return null;
    return new Map(json.data.map(readObject).map((item) => [readText(item.task_id), stateOf(item)]));
  },
};

/** A text, or an object that names it. */
function taskIdOf({ data }: Json): string {
  return typeof data === "string" ? data : (readTaskId({}, data) ?? readTaskId(readObject(data)) ?? "");
}

function stateOf(item: Json): TaskState {
  const { status, unknown: unknownWord } = readStateWord(item.status ?? "");
  const failReason = readText(item.fail_reason);
  return {
    status,
    ...(unknownWord === undefined ? {} : { unknownWord }),
    failReason: failReason || (status === "FAILURE" ? "the upstream gave no reason" : ""),
    progress: readText(item.progress),
    ...seconds("startTime", item.start_time),
    ...seconds("finishTime", item.finish_time),
    results: songUrls(item.data),
    data: (item.data ?? null) as Task["data"],
  };
}

function seconds(name: "startTime" | "finishTime", value: unknown): Partial<TaskState> {
  const time = Number(value);
  return Number.isSafeInteger(time) && time > 0 && time < 32_503_680_000 ? { [name]: time * 1_000 } : {};
}

function songUrls(data: unknown): string[] {
  if (!Array.isArray(data)) return [];
  return data.map((song) => readText(readObject(song).audio_url)).filter((url) => url !== "");
}
