import { isFinal, type Task } from "../../../../answers/task";
import { RelayError } from "../../../../base/relay-error";
import { readObject } from "../../../../wire/canonical/json";
import type { PageContext, TaskPageCall } from "../../platform";

/** All formats of callers are one wire, so that a video can be asked for in each, whichever it was submitted in. */
export const VIDEO_WIRE = "video";

export type PlainStatus = "queued" | "running" | "succeeded" | "failed";

export function plainStatus({ status }: Pick<Task, "status">): PlainStatus {
  if (status === "SUCCESS") return "succeeded";
  if (status === "FAILURE") return "failed";
  return status === "IN_PROGRESS" || status === "MODAL" || status === "UNKNOWN" ? "running" : "queued";
}

export function percentOf({ progress, status }: Pick<Task, "progress" | "status">): number {
  const percent = Number.parseInt(progress, 10);
  return status === "SUCCESS" ? 100 : Number.isFinite(percent) ? percent : 0;
}

export function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}

/** What was asked for, as `notesOf` wrote it. */
export function notesIn({ properties }: Pick<Task, "properties">): {
  seconds: number | null;
  size: string | null;
  resolution: string | null;
  aspectRatio: string | null;
} {
  const { seconds, size, resolution, aspectRatio } = readObject(properties);
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return {
    seconds: typeof seconds === "number" ? seconds : null,
    size: text(size),
    resolution: text(resolution),
    aspectRatio: text(aspectRatio),
  };
}

/** Where the video is: the provider's own public address, else ours, which asks for the caller's key. */
export function videoUrl(task: Task, { serverAddress }: Pick<PageContext, "serverAddress">): string | null {
  if (task.status !== "SUCCESS") return null;
  return task.results[0] ?? `${serverAddress.replace(/\/+$/, "")}/v1/videos/${task.taskId}/content`;
}

export function whenDone(task: Task): number | null {
  return isFinal(task.status) && task.finishTime > 0 ? secondsOf(task.finishTime) : null;
}

/** The only task that was asked for. Throws RelayError. */
export function onlyTask([task]: readonly Task[]): Task {
  if (task) return task;
  throw new RelayError("video_not_found", "no such video");
}

/** The id at the end of a path, without what may follow it. */
export const idAfter =
  (prefix: RegExp) =>
  ({ path }: Pick<TaskPageCall, "path">): { ids: readonly string[] } => ({
    ids: [path.replace(prefix, "").split("/")[0] ?? ""],
  });
