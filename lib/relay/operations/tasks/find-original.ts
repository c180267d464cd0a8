import type { Sql } from "@/db/client";
import type { Task } from "../../answers/task";
import { databaseAway, RelayError } from "../../base/relay-error";
import type { Owner } from "../../base/upstream-objects/queries";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
import type { Follows } from "./platform";
import { findTasks } from "./queries";

/** The caller's own task that another goes on with. What somebody else made is as unknown as what nobody made. */
export async function findOriginal(
  sql: Sql,
  owner: Owner,
  wire: string,
  { taskId, mustBeDone }: Follows,
  options: UpstreamOptions,
): Promise<Task> {
  const found = await findTasks(sql, owner, wire, [taskId]).catch((error: unknown) => {
    throw databaseAway({ what: "tasks could not be looked up", cause: error });
  });
  const [task] = found;
  if (!task || task.upstreamId === "") throw refusal("task_not_found", "the task was not found");
  if (mustBeDone(options) && task.status !== "SUCCESS") {
    throw refusal("task_status_not_success", "the task must have succeeded before");
  }
  return task;
}

function refusal(name: "task_not_found" | "task_status_not_success", message: string): RelayError {
  return new RelayError(name, `${name}: ${message}`);
}
