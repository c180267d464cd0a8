import type { Sql } from "@/db/client";
import { env } from "@/lib/env";
import { pollTasks } from "@/lib/relay/side/tasks/poll-tasks";

/** Asks upstreams how far their tasks are (contract §7); does nothing where UPDATE_TASK is off. */
export async function followTasks(sql: Sql): Promise<string> {
  if (!env().UPDATE_TASK) return "switched off";
  const { asked, ended } = await pollTasks(sql);
  return `${asked} asked about, ${ended} ended`;
}
