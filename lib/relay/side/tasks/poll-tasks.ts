import type { Sql } from "@/db/client";
import { sha256Hex, unseal } from "@/lib/crypto";
import { fetchVia, workerOf } from "@/lib/egress/worker";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { readChannel } from "@/lib/snapshot/build";
import { type ChannelRow, listChannelRows } from "@/lib/snapshot/queries";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { isFinal, type Task, type TaskState } from "../../answers/task";
import type { Secrets } from "../../base/secrets";
import { beginOwn } from "../../http/tracing/trace";
import { type Asking, askAccount, keyOf } from "../../operations/tasks/ask-account";
import { storeState } from "../../operations/tasks/end-task";
import { boundState } from "../../operations/tasks/new-task";
import type { TaskUpstream } from "../../operations/tasks/platform";
import { findTasks, markPolled, optionsInForce, type RunningTask, runningTasks } from "../../operations/tasks/queries";
import { taskUpstreams } from "../../operations/tasks/upstreams";
import { wiresById } from "../../operations/tasks/wires";
import { rows } from "../../providers/rows";
import { tellOfUnknownWord } from "../../routing/channel-state-commands";
import type { Json } from "../../wire/canonical/json";
import { parseJsonObject } from "../../wire/dialects/common/json-text";

export type PollSettings = {
  /** The most tasks that one run looks at; those that wait longest come first. */
  tasksMax?: number;
  /** Questions to one channel at a time. */
  parallel?: number;
  /** For one question. */
  timeoutMs?: number;
  /** Nothing is asked after it; the rest comes first in the next run. */
  runMs?: number;
  bytesMax?: number;
  /** How long an upstream may not know a task that it has just taken. */
  unknownMs?: number;
  /** How long it must have said so: one wrong answer is no proof. */
  unknownAgainMs?: number;
  now?: () => number;
};

/** More than anything in a state that is not a file. */
const TEXT_MAX = 65_536;
/** A channel that left so many questions in a row unanswered is asked no more in the same run. */
const SILENT_MAX = 3;
/** A state with a file in it takes longer to arrive. */
const LONG_TEXTS = 4;

const DEFAULTS: Required<PollSettings> = {
  tasksMax: 5_000,
  parallel: 8,
  timeoutMs: 15_000,
  runMs: 30_000,
  bytesMax: 16 * 1_048_576,
  unknownMs: 300_000,
  unknownAgainMs: 60_000,
  now: Date.now,
};

type Run = Required<PollSettings> & {
  sql: Sql;
  options: OptionValues;
  startedAt: number;
  ended: number;
  changed: Changed[];
};
type Changed = { task: RunningTask; isOver: boolean };
type Question = { channel: SnapshotChannel; upstream: TaskUpstream<unknown>; tasks: RunningTask[]; key: string };

/** When an upstream first said in this process that it does not know a task, by the task's row. */
const unknownSince = new Map<number, number>();

/** Asks all upstreams how far their tasks are, and ends those that are over. Returns how many were looked at and ended. */
export async function pollTasks(sql: Sql, settings: PollSettings = {}): Promise<{ asked: number; ended: number }> {
  const set = { ...DEFAULTS, ...settings };
  const tasks = await runningTasks(sql, set.tasksMax);
  const ids = new Set(tasks.map(({ id }) => id));
  for (const id of unknownSince.keys()) if (!ids.has(id)) unknownSince.delete(id);
  if (tasks.length === 0) return { asked: 0, ended: 0 };
  const options = await optionsInForce(sql);
  const run: Run = { ...set, sql, options, startedAt: performance.now(), ended: 0, changed: [] };
  const channels = new Map((await listChannelRows(sql)).map((row) => [row.id, row]));
  const lines = new Map<number, Question[]>();
  for (const group of groupsOf(tasks)) {
    const [first] = group;
    const row = first && channels.get(first.channelId);
    const upstream = first && taskUpstreams.get(first.platform);
    if (!row || !upstream) {
      for (const task of group) await failAlone(run, task, "the channel that made the task is not there any more");
      continue;
    }
    const account = accountOf(row, first.keyHash);
    if (!account) continue;
    const line = lines.get(row.id) ?? [];
    for (let at = 0; at < group.length; at += upstream.pollMax) {
      line.push({ ...account, upstream, tasks: group.slice(at, at + upstream.pollMax) });
    }
    lines.set(row.id, line);
  }
  await Promise.all([...lines.values()].map((line) => askChannel(run, line)));
  await tellCallers(run);
  return { asked: tasks.length, ended: run.ended };
}

/** Null = its key cannot be read: the tasks of the other channels go on. */
function accountOf(row: ChannelRow, keyHash: string): Pick<Question, "channel" | "key"> | null {
  try {
    const channel = readChannel(row);
    return { channel, key: switchedOffKey(row, keyHash) ?? keyOf(channel, keyHash) };
  } catch (error) {
    logger.error({ err: error, channel: row.id }, "the tasks of a channel cannot be asked about");
    return null;
  }
}

/** A key that is not used any more still knows what it has made. */
function switchedOffKey({ keys }: ChannelRow, keyHash: string): string | undefined {
  const off = (keys ?? []).filter(({ status }) => status !== CHANNEL_STATUS.enabled);
  return off.map(({ keyCipher }) => unseal(keyCipher)).find((key) => sha256Hex(key) === keyHash);
}

/** By account and kind of upstream. */
function groupsOf(tasks: readonly RunningTask[]): RunningTask[][] {
  const groups = new Map<string, RunningTask[]>();
  for (const task of tasks) {
    const name = `${task.channelId} ${task.keyHash} ${task.platform}`;
    const group = groups.get(name);
    if (group) group.push(task);
    else groups.set(name, [task]);
  }
  return [...groups.values()];
}

/** Never rejects. Each channel has its own line, so that a slow one holds up no other. */
async function askChannel(run: Run, line: Question[]): Promise<void> {
  let silent = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - run.startedAt < run.runMs) {
      const question = line.shift();
      if (!question) return;
      const isAnswered = await answer(run, question, silent < SILENT_MAX);
      silent = isAnswered ? 0 : silent + 1;
    }
  };
  await Promise.all(Array.from({ length: run.parallel }, work));
}

/** Never rejects, so that one upstream or one task holds up no other. False = the upstream did not answer, or was not asked. */
async function answer(run: Run, question: Question, isAsked: boolean): Promise<boolean> {
  let isAnswered = isAsked;
  const asking = isAsked ? ask(run, question) : Promise.resolve(null);
  const found = await asking.catch((error: unknown) => {
    logger.warn({ err: error, channel: question.channel.id }, "an upstream did not tell of its tasks");
    isAnswered = false;
    return null;
  });
  for (const task of question.tasks) {
    const state = found && (found.states.get(task.upstreamId) ?? "unknown");
    const change = await apply(run, task, state, found?.secrets ?? null).catch((error: unknown) => {
      logger.error({ err: error, task: task.id }, "the state of a task could not be stored");
      return isOverdue(run, task) ? failAlone(run, task, OVERDUE) : null;
    });
    if (change) run.changed.push({ task, isOver: change === "ended" });
  }
  await markPolled(run.sql, question.tasks, run.now()).catch((error: unknown) =>
    logger.error({ err: error }, "tasks could not be marked as polled"),
  );
  return isAnswered;
}

type Found = { states: ReadonlyMap<string, TaskState>; secrets: Secrets };

/** Null = the upstream did not answer the question. */
async function ask(run: Run, { channel, upstream, tasks, key }: Question): Promise<Found | null> {
  const { options, bytesMax } = run;
  const timeoutMs = upstream.hasLongTexts ? LONG_TEXTS * run.timeoutMs : run.timeoutMs;
  const serving = Object.values(rows.get(channel.type)?.serves ?? {}).find(({ format }) => format === upstream.id);
  const url = serving?.url;
  const textMax = upstream.hasLongTexts ? TEXT_MAX : undefined;
  const trace: Asking["trace"] = (request) => beginOwn({ purpose: "poll", operation: null, channel, request });
  const asking = { channel, key, url, options, timeoutMs, bytesMax, textMax, trace };
  const reply = await askAccount(upstream.poll(tasks), asking);
  const json = readReply(reply.body.toString("utf8"));
  const isUnknown = tasks.length === 1 && (upstream.isUnknown?.(reply.status, json ?? {}) ?? reply.status === 404);
  if (isUnknown) return { states: new Map(), secrets: reply.secrets };
  const states = reply.status < 300 && json ? upstream.readPoll(json, tasks) : null;
  if (!states) {
    logger.warn({ channel: channel.id, status: reply.status }, "an upstream did not tell of its tasks");
    return null;
  }
  return { states, secrets: reply.secrets };
}

function readReply(text: string): Json | null {
  if (!text.trimStart().startsWith("[")) return parseJsonObject(text);
  return parseJsonObject(`{"list":${text}}`);
}

type Change = "ended" | "changed" | null;

const OVERDUE = "the task did not end in time";

function isOverdue({ now }: Run, { expiresTime }: RunningTask): boolean {
  return expiresTime <= now();
}

/** `state`: null = the upstream did not answer; "unknown" = it does not know the task. */
async function apply(
  run: Run,
  task: RunningTask,
  state: TaskState | "unknown" | null,
  secrets: Secrets | null,
): Promise<Change> {
  if (state === "unknown" && isUnknownForLong(run, task)) {
    return fail(run, task, "the upstream does not know the task");
  }
  if (state === null || state === "unknown") return isOverdue(run, task) ? fail(run, task, OVERDUE) : null;
  unknownSince.delete(task.id);
  const isOver = isFinal(state.status);
  if (!isOver && isOverdue(run, task)) return fail(run, task, OVERDUE);
  const { usage, unknownWord } = state;
  if (unknownWord !== undefined) await tellOfUnknownWord(run.sql, task.channelId, task.platform, unknownWord);
  const bound = boundState(state, (text) => secrets?.redact(text) ?? text);
  if (!isOver && isSame(task, bound)) return null;
  const found = { ...bound, ...(usage ? { usage } : {}) };
  if (!(await storeState(run.sql, task, found, run.options.LogConsumeEnabled))) return null;
  if (isOver) run.ended += 1;
  return isOver ? "ended" : "changed";
}

/** A proxy that starts again, or an address that is mistyped for a moment, knows nothing: a task ends after that lasts. */
function isUnknownForLong({ now, unknownMs, unknownAgainMs }: Run, task: RunningTask): boolean {
  const since = unknownSince.get(task.id) ?? now();
  unknownSince.set(task.id, since);
  return now() - task.submitTime >= unknownMs && now() - since >= unknownAgainMs;
}

function isSame(task: RunningTask, state: Omit<TaskState, "usage">): boolean {
  return (
    state.status === task.status &&
    (state.progress ?? task.progress) === task.progress &&
    (state.startTime ?? task.startTime) === task.startTime &&
    (state.results ?? task.results).length === task.results.length
  );
}

async function fail(run: Run, task: RunningTask, failReason: string): Promise<Change> {
  const isStored = await storeState(run.sql, task, { status: "FAILURE", failReason }, run.options.LogConsumeEnabled);
  unknownSince.delete(task.id);
  if (!isStored) return null;
  run.ended += 1;
  return "ended";
}

/** Never rejects: the next run tries again. */
async function failAlone(run: Run, task: RunningTask, failReason: string): Promise<Change> {
  return await fail(run, task, failReason).catch((error: unknown) => {
    logger.error({ err: error, task: task.id }, "a task could not be ended");
    return null;
  });
}

const NOTICES = 50;
const NOTICES_MS = 15_000;

/** When all upstreams were asked, and for seconds at most: slow addresses hold up nothing but the news, of ends at last. */
async function tellCallers({ sql, options, changed }: Run): Promise<void> {
  if (!options.MjNotifyEnabled) return;
  const tasks = [...changed.filter(({ isOver }) => isOver), ...changed.filter(({ isOver }) => !isOver)];
  const until = performance.now() + NOTICES_MS;
  for (let at = 0; at < tasks.length && performance.now() < until; at += NOTICES) {
    await Promise.all(tasks.slice(at, at + NOTICES).map(({ task }) => notifyCaller(sql, task, options)));
  }
}

const NOTICE_TIMEOUT_MS = 5_000;
const NOTICE_BYTES_MAX = 65_536;

/**
 * Tells the address that a caller gave with its task how far it is, in the words of its wire and under our id. The upstream
 * never learns the address. Once, and nothing depends on it: callers that miss it ask. Never rejects.
 */
async function notifyCaller(
  sql: Sql,
  { userId, wire: id, taskId }: Pick<Task, "userId" | "wire" | "taskId">,
  options: OptionValues,
): Promise<void> {
  const wire = wiresById.get(id);
  if (!options.MjNotifyEnabled || !wire?.notice) return;
  try {
    const [task] = await findTasks(sql, { userId, tokenId: null }, id, [taskId]);
    const notice = task && wire.notice(task, { serverAddress: options.ServerAddress, options, requestId: "" });
    if (!notice) return;
    await fetchVia(workerOf(options), notice.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(notice.body),
      timeoutMs: NOTICE_TIMEOUT_MS,
      maxBytes: NOTICE_BYTES_MAX,
    });
  } catch (error) {
    logger.info({ err: error, task: taskId }, "the caller's address of a task could not be told");
  }
}
