import type { Sql } from "@/db/client";
import { fetchVia, workerOf } from "@/lib/egress/worker";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import type { Task } from "../../answers/task";
import { findTasks } from "./queries";
import { wiresById } from "./wires";

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 65_536;

/**
 * Tells the address that a caller gave with its task how far it is, in the words of its wire and under our id. The upstream
 * never learns the address. Once, and nothing depends on it: callers that miss it ask. Never rejects.
 */
export async function notifyCaller(
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
      timeoutMs: TIMEOUT_MS,
      maxBytes: BYTES_MAX,
    });
  } catch (error) {
    logger.info({ err: error, task: taskId }, "the caller's address of a task could not be told");
  }
}
