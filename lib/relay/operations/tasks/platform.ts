import type { MeterUsage } from "@/lib/meters";
import type { OtherOperation } from "@/lib/provider-catalogue";
import type { Task, TaskState } from "../../answers/task";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
import type { Json } from "../../wire/canonical/json";
import type { ClientDialect } from "../../wire/dialects/dialect";
import type { Call } from "../operation";

/** What a caller asks to be made. */
export type Submission<Request> = {
  /** Decides the price and the channels. */
  model: string;
  action: string;
  /** The most that it can use; charged when it is submitted. One request where nothing else is counted. */
  meters: readonly MeterUsage[];
  /** Shown in the lists of tasks, and read by the word check. */
  prompt: string;
  /** A text of the caller's that comes back unchanged; absent = "". */
  state?: string;
  /** The task of the caller's that it goes on with: only the account that made that one can make this. Absent = none. */
  follows?: Follows;
  /** Stored in the row, for rendering it later. */
  properties: Json;
  /** For the upstream's side. */
  request: Request;
};

export type Follows = {
  /** Our id. */
  taskId: string;
  /** Whether the first task must have succeeded. Pure. */
  mustBeDone: (options: UpstreamOptions) => boolean;
};

/** How callers submit tasks and ask for them. Pure. `id` is stored with each task. */
export type TaskWire<Request> = {
  id: string;
  operation: OtherOperation;
  /** How the key is sent, and what errors look like. */
  clientDialect: ClientDialect;
  /** Where tasks are submitted. */
  submissions: readonly { method: "POST"; path: string | RegExp }[];
  /** Submissions may be forms: then `json` has their fields as texts, and their files as data URLs. */
  takesForms?: true;
  /** Throws InvalidRequest. */
  read(json: Json, call: Pick<Call, "path" | "query">): Submission<Request>;
  /** What the caller gets for a task that an upstream has taken. */
  renderSubmitted(task: Task, submitted: Submitted): Json;
  pages: readonly TaskPage[];
  /** What the address is told that the caller gave for news of the task; null = it gave none. */
  notice?(task: Task, context: PageContext): { url: string; body: Json } | null;
};

/** The options that decide how a task is shown. */
export type PageContext = { serverAddress: string; options: UpstreamOptions; requestId: string };
export type TaskPageCall = { path: string; query: string; json: Json };

/** Where callers ask for tasks. Only their own are found. */
export type TaskPage = { method: "GET" | "POST" | "DELETE"; path: RegExp } & (
  | {
      kind: "rows";
      /** `latest`: that many of the newest of this wire, older than the task `before`. Throws InvalidRequest. */
      wanted(call: TaskPageCall): { ids: readonly string[] } | { latest: number; before?: string };
      /** `tasks`: those found, in the order of `ids`. Throws RelayError, e.g. where one is missing. */
      render(tasks: readonly Task[], context: PageContext): unknown;
    }
  | {
      kind: "forward";
      taskId(call: TaskPageCall): string;
      /** What the task's own account is asked; its answer is passed on. Throws RelayError. */
      ask(task: Task): TaskAsk & { bytesMax: number; timeoutMs: number };
      /** Null = only JSON is passed on, without the account's secrets; else only these content types are, as they are. */
      contentTypes: RegExp | null;
    }
  /** The first result, as a picture, for everybody who knows the unguessable id. */
  | { kind: "picture"; taskId(call: TaskPageCall): string }
  /** The file that was made, streamed to the task's owner from where its upstream says that it is. */
  | { kind: "file"; taskId(call: TaskPageCall): string }
);

/** What is asked of a task's account. `path`: under the channel's base URL, with its query. */
export type TaskAsk = { method: "GET" | "POST" | "DELETE"; path: string; body?: Json };

/** Where a file that was made is. */
export type TaskFile =
  /** At the task's account, for its key. */
  | { at: "account"; ask: TaskAsk }
  /** In the account's answer: the first field of this name in it, as base64. */
  | { at: "field"; ask: TaskAsk; field: string; contentType: string }
  /** Somewhere, for everybody. No key is sent there. */
  | { at: "address"; url: string };

export type SubmitTarget = {
  /** The upstream's name of the model. */
  model: string;
  /** What it goes on with, as the same upstream made it; null = nothing. */
  original: Task | null;
  options: UpstreamOptions;
};

/** What an upstream says of a task that it has taken. */
export type Submitted = {
  /** "" = it gave none; then the task must be final. */
  upstreamId: string;
  /** 1 = taken; others as the upstream's wire has them. */
  code: number;
  state: TaskState;
  /** The whole answer. */
  json: Json;
};

/** How an upstream makes tasks, and says how far they are. Pure. */
export type TaskUpstream<Request> = {
  /** Stored with each task; the `format` of the rows that serve it. */
  id: string;
  /** States tell what was made, which may cost something else than was asked for; absent = they do not. */
  tellsUsage?: true;
  /** From its submission. A task that takes longer has failed. Default 3,600. */
  timeLimitSeconds?: number;
  /** `body`: bytes need a `contentType`. Throws InvalidRequest for what the upstream has no words for. */
  encode(
    request: Request,
    target: SubmitTarget,
  ): { path: string; body: Json } | { path: string; body: Buffer; contentType: string };
  /** An answer with a success status. Throws AnswerRefused (answers/refusal.ts) for one that takes no task. */
  readSubmitted(json: Json, request: Request): Submitted;
  /** The most tasks that one question can be about. */
  pollMax: number;
  /** Tasks of one account. */
  poll(tasks: readonly Task[]): TaskAsk;
  /** By the upstream's id. A list comes as `{list}`. A task that is not in it is unknown there. Null = not an answer to the question. */
  readPoll(json: Json, tasks: readonly Task[]): ReadonlyMap<string, TaskState> | null;
  /** Whether an error status says that the one task that was asked for is not known; absent = 404 does. */
  isUnknown?(status: number, json: Json): boolean;
  /** States come with whole files in them, of which nothing is kept. */
  hasLongTexts?: true;
  /** Null = there is none. Absent = the first result. */
  file?(task: Task, call: TaskPageCall): TaskFile | null;
};
