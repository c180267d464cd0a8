import { createDatabase, type Sql } from "@/db/client";
import type { Env } from "@/lib/env";
import { readPrimary, readReplica } from "@/lib/replica/replica-queries";
import { type Finding, messageOf, ok, problem, warning } from "./finding";

const CHECK = "replica";
const ADVICE = "Pages read the primary meanwhile. Look at the replica and at DATABASE_REPLICA_URL (docs/cluster.md).";
/** About as much as a replica replays in a second. */
const LAG_BYTES_MAX = 64 * 1_048_576;

/** Whether DATABASE_REPLICA_URL leads to a replica of this database that keeps up. Nothing where it is not set. */
export async function checkReplica(primary: Sql, { DATABASE_REPLICA_URL: url }: Env): Promise<Finding[]> {
  if (url === undefined) return [];
  const { sql, end } = createDatabase({
    url,
    isReplica: true,
    max: 1,
    applicationName: "weir-doctor",
    statementTimeoutMs: 15_000,
  });
  try {
    // The replica first, so that what it lacks is not what was written between the two.
    const replica = await readReplica(sql);
    const { position, cluster } = await readPrimary(primary);
    if (replica.cluster !== cluster) return [problem(CHECK, "follows another cluster or database", ADVICE)];
    if (replica.position === null) return [warning(CHECK, "takes writes, so it is no replica", ADVICE)];
    const lag = Math.max(0, position - replica.position);
    const text = `lacks ${(lag / 1_048_576).toFixed(1)} MB of the primary's log`;
    return [lag <= LAG_BYTES_MAX ? ok(CHECK, text) : warning(CHECK, text, ADVICE)];
  } catch (error) {
    return [warning(CHECK, messageOf(error), ADVICE)];
  } finally {
    await end();
  }
}
