import type { MeterUsage } from "@/lib/meters";
import type { Json } from "../wire/canonical/json";

/** As on the wire of the task and drawing lists (B165, B169). "" = not known yet. MODAL waits for the caller's next step. */
export const TASK_STATUSES = [
  "",
  "NOT_START",
  "SUBMITTED",
  "QUEUED",
  "IN_PROGRESS",
  "MODAL",
  "SUCCESS",
  "FAILURE",
  "UNKNOWN",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export function isFinal(status: TaskStatus): status is "SUCCESS" | "FAILURE" {
  return status === "SUCCESS" || status === "FAILURE";
}

/** A row of the table tasks, as wires and upstreams see it. Times are unix milliseconds, 0 = not yet. */
export type Task = {
  /** Ours, unguessable; the only id that callers see. */
  taskId: string;
  /** Id of the TaskUpstream that makes it. */
  platform: string;
  /** Id of the TaskWire that its caller spoke. */
  wire: string;
  action: string;
  userId: number;
  channelId: number;
  keyHash: string;
  /** The upstream's id; "" = it gave none. */
  upstreamId: string;
  modelName: string;
  /** What is charged for it now: 0 after a refund. */
  quota: number;
  code: number;
  prompt: string;
  promptEn: string;
  description: string;
  /** A text of the caller's that comes back unchanged. */
  state: string;
  status: TaskStatus;
  /** E.g. "40%". */
  progress: string;
  failReason: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  /** URLs of what was made, the main one first. */
  results: readonly string[];
  /** What the wire noted when the task was submitted. */
  properties: Json;
  /** The upstream's last answer about it, without secrets; null = none yet. */
  data: Json | readonly unknown[] | null;
};

/** What an upstream says of a task. What is absent stays as it is. */
export type TaskState = {
  status: TaskStatus;
  progress?: string;
  failReason?: string;
  promptEn?: string;
  description?: string;
  startTime?: number;
  finishTime?: number;
  results?: readonly string[];
  /** What the provider says it used, for a task that succeeded: what was charged is adjusted to it. Null = it says nothing. */
  usage?: readonly MeterUsage[] | null;
  data?: Json | readonly unknown[] | null;
  /** The upstream's word for its state, where it is not known: root is told. Not stored. */
  unknownWord?: string;
};
