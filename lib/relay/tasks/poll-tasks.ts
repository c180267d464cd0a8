import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Json } from "../canonical/json";
import { parseJsonObject } from "../dialects/json-text";
import type { Secrets } from "../secrets";
import { rows } from "../upstreams/rows";
import { askAccount, keyOf } from "./ask-account";
import { storeState } from "./end-task";
import { boundState } from "./new-task";
import { notifyCaller } from "./notify-caller";
import type { TaskUpstream } from "./platform";
import { optionsInForce, type RunningTask, runningTasks } from "./queries";
import type { TaskState } from "./task";
import { taskUpstreams } from "./upstreams";

export type PollSettings = {
  /** The most tasks that one run looks at; those that wait longest come first. */
  tasksMax?: number;
  /** Questions at a time. */
  parallel?: number;
  timeoutMs?: number;
  bytesMax?: number;
  /** How long an upstream may not know a task that it has just taken. */
  unknownMs?: number;
  now?: () => number;
};

/** More than anything in a state that is not a file. */
const TEXT_MAX = 65_536;

const DEFAULTS: Required<PollSettings> = {
  tasksMax: 5_000,
  parallel: 8,
  timeoutMs: 15_000,
  bytesMax: 16 * 1_048_576,
  unknownMs: 300_000,
  now: Date.now,
};

type Run = Required<PollSettings> & { sql: Sql; options: OptionValues; ended: number };
type Question = { channel: SnapshotChannel; upstream: TaskUpstream<unknown>; tasks: RunningTask[]; key: string };

/** Asks all upstreams how far their tasks are, and ends those that are over. Returns how many were asked about and ended. */
export async function pollTasks(sql: Sql, settings: PollSettings = {}): Promise<{ asked: number; ended: number }> {
  const run: Run = { ...DEFAULTS, ...settings, sql, options: await optionsInForce(sql), ended: 0 };
  const tasks = await runningTasks(sql, run.tasksMax);
  if (tasks.length === 0) return { asked: 0, ended: 0 };
  const channels = new Map((await listChannelRows(sql)).map((row) => [row.id, row]));
  const questions: Question[] = [];
  for (const group of groupsOf(tasks)) {
    const [first] = group;
    const row = first && channels.get(first.channelId);
    const upstream = first && taskUpstreams.get(first.platform);
    if (!row || !upstream) {
      for (const task of group) await fail(run, task, "the channel that made the task is not there any more");
      continue;
    }
    const channel = readChannel(row);
    const key = keyOf(channel, first.keyHash);
    for (let at = 0; at < group.length; at += upstream.pollMax) {
      questions.push({ channel, upstream, key, tasks: group.slice(at, at + upstream.pollMax) });
    }
  }
  const work = async (): Promise<void> => {
    for (let question = questions.shift(); question; question = questions.shift()) await answer(run, question);
  };
  await Promise.all(Array.from({ length: run.parallel }, work));
  return { asked: tasks.length, ended: run.ended };
}

/** By account and kind of upstream. */
function groupsOf(tasks: readonly RunningTask[]): RunningTask[][] {
  const groups = new Map<string, RunningTask[]>();
  for (const task of tasks) {
    const name = `${task.channelId} ${task.keyHash} ${task.platform}`;
    groups.set(name, [...(groups.get(name) ?? []), task]);
  }
  return [...groups.values()];
}

/** Never rejects, so that one upstream or one task holds up no other. */
async function answer(run: Run, question: Question): Promise<void> {
  const found = await ask(run, question).catch((error: unknown) => {
    logger.warn({ err: error, channel: question.channel.id }, "an upstream did not tell of its tasks");
    return null;
  });
  const changed: RunningTask[] = [];
  for (const task of question.tasks) {
    const state = found && (found.states.get(task.upstreamId) ?? "unknown");
    const isChanged = await apply(run, task, state, found?.secrets ?? null).catch((error: unknown) => {
      logger.error({ err: error, task: task.id }, "the state of a task could not be stored");
      return false;
    });
    if (isChanged) changed.push(task);
  }
  const ids = question.tasks.map(({ id }) => id);
  await tellCallers(run, changed);
  await run.sql`update tasks set polled_time = ${run.now()} where id = any(${ids})`.catch((error: unknown) =>
    logger.error({ err: error }, "tasks could not be marked as polled"),
  );
}

type Found = { states: ReadonlyMap<string, TaskState>; secrets: Secrets };

/** Null = the upstream did not answer the question. */
async function ask(run: Run, { channel, upstream, tasks, key }: Question): Promise<Found | null> {
  const { options, timeoutMs, bytesMax } = run;
  const serving = Object.values(rows.get(channel.type)?.serves ?? {}).find(({ format }) => format === upstream.id);
  const url = serving?.url;
  const textMax = upstream.hasLongTexts ? TEXT_MAX : undefined;
  const reply = await askAccount(upstream.poll(tasks), { channel, key, url, options, timeoutMs, bytesMax, textMax });
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

/** `state`: null = the upstream did not answer; "unknown" = it does not know the task. */
async function apply(
  run: Run,
  task: RunningTask,
  state: TaskState | "unknown" | null,
  secrets: Secrets | null,
): Promise<boolean> {
  const isOver = task.expiresTime <= run.now();
  if (state === "unknown" && run.now() - task.submitTime >= run.unknownMs) {
    return fail(run, task, "the upstream does not know the task");
  }
  if (state === null || state === "unknown") {
    return isOver ? fail(run, task, "the task did not end in time") : false;
  }
  const isFinal = state.status === "SUCCESS" || state.status === "FAILURE";
  if (!isFinal && isOver) return fail(run, task, "the task did not end in time");
  const { usage } = state;
  const bound = boundState(state, (text) => secrets?.redact(text) ?? text);
  if (!isFinal && isSame(task, bound)) return false;
  const isStored = await storeState(
    run.sql,
    task.id,
    { ...bound, ...(usage ? { usage } : {}) },
    run.options.LogConsumeEnabled,
  );
  if (isStored && isFinal) run.ended += 1;
  return isStored;
}

function isSame(task: RunningTask, state: Omit<TaskState, "usage">): boolean {
  return (
    state.status === task.status &&
    (state.progress ?? task.progress) === task.progress &&
    (state.startTime ?? task.startTime) === task.startTime &&
    (state.results ?? task.results).length === task.results.length
  );
}

async function fail(run: Run, task: RunningTask, failReason: string): Promise<boolean> {
  const isStored = await storeState(run.sql, task.id, { status: "FAILURE", failReason }, run.options.LogConsumeEnabled);
  if (isStored) run.ended += 1;
  return isStored;
}

/** Some at a time, so that slow addresses hold up a run for seconds at most. */
async function tellCallers({ sql, options }: Run, tasks: readonly RunningTask[]): Promise<void> {
  if (!options.MjNotifyEnabled) return;
  for (let at = 0; at < tasks.length; at += NOTICES) {
    await Promise.all(tasks.slice(at, at + NOTICES).map((task) => notifyCaller(sql, task, options)));
  }
}

const NOTICES = 20;
