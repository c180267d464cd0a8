import { databaseOf, type Sql } from "@/db/client";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import type { Task } from "../../answers/task";
import { madeBy, type Owner } from "../../base/upstream-objects/queries";

export const IDS_MAX = 500;

const columns = (sql: Sql) => sql`
  task_id as "taskId", platform, wire, action, user_id as "userId", channel_id as "channelId", key_hash as "keyHash",
  upstream_id as "upstreamId", model_name as "modelName", quota, code, prompt, prompt_en as "promptEn", description,
  state, status, progress, fail_reason as "failReason", submit_time as "submitTime", start_time as "startTime",
  finish_time as "finishTime", results, properties, data`;

/** Those of the tasks that this caller submitted through this wire, in the order of their ids. */
export async function findTasks(sql: Sql, owner: Owner, wire: string, ids: readonly string[]): Promise<Task[]> {
  const wanted = [...new Set(ids)].slice(0, IDS_MAX);
  const rows = await sql<Task[]>`
    select ${columns(sql)} from tasks where task_id = any(${wanted})
      and user_id = ${owner.userId} and wire = ${wire} ${madeBy(sql, owner)}`;
  const byId = new Map(rows.map((row) => [row.taskId, row]));
  return wanted.flatMap((id) => byId.get(id) ?? []);
}

/** The newest tasks of a caller through this wire, older than `before`, the newest first. */
export async function latestTasks(
  sql: Sql,
  owner: Owner,
  wire: string,
  { latest, before }: { latest: number; before?: string },
): Promise<Task[]> {
  return await sql<Task[]>`
    select ${columns(sql)} from tasks
    where user_id = ${owner.userId} and wire = ${wire} ${madeBy(sql, owner)}
      and (${before ?? null}::text is null or id < (
        select id from tasks where task_id = ${before ?? null} and user_id = ${owner.userId} and wire = ${wire}))
    order by id desc limit ${Math.min(latest, IDS_MAX)}`;
}

/** A task by its id alone, for what is public to those who know it. */
export async function findTaskById(sql: Sql, wire: string, taskId: string): Promise<Task | null> {
  const [row] = await sql<Task[]>`select ${columns(sql)} from tasks where task_id = ${taskId} and wire = ${wire}`;
  return row ?? null;
}

/** A running task as the worker sees it: with its row, and what it was charged. */
export type RunningTask = Task & { id: number; expiresTime: number };

/** Of each channel those that wait longest for a question about them, in turn: one channel's tasks crowd out no other's. */
export async function runningTasks(sql: Sql, limit: number): Promise<RunningTask[]> {
  return await sql<RunningTask[]>`
    with turns as materialized (
      select id, user_id as owner, polled_time, row_number() over (partition by channel_id order by polled_time, id) as turn
      from tasks where status not in ('SUCCESS', 'FAILURE') and request_id is not null),
    chosen as materialized (select id, owner, turn from turns order by turn, polled_time, id limit ${limit})
    select tasks.id, expires_time as "expiresTime", ${columns(sql)}
    from chosen join tasks on tasks.id = chosen.id and tasks.user_id = chosen.owner order by chosen.turn, polled_time, tasks.id`;
}

/** Notes when the upstreams of these were last asked. */
export async function markPolled(
  sql: Sql,
  tasks: readonly Pick<RunningTask, "id" | "userId">[],
  time: number,
): Promise<void> {
  const ids = tasks.map(({ id }) => id);
  const users = tasks.map(({ userId }) => userId);
  await sql`
    update tasks set polled_time = ${time} from unnest(${ids}::int[], ${users}::int[]) as asked (id, user_id)
    where tasks.id = asked.id and tasks.user_id = asked.user_id`;
}

/** For a process without a snapshot. */
export function optionsInForce(sql: Sql): Promise<OptionValues> {
  return loadOptions(databaseOf(sql));
}
