/**
 * Judges the statements of whole test files as user-keys.test.ts judges those of its run: the product's statements that look
 * at rows of the paying path without naming the user, and are not on the list. Exits with 1 where there are any.
 *
 *     npx tsx tests/runtime/judge-suites.ts lib/billing tests/relay/operations/chat.test.ts
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createRunFolder } from "@/lib/testing/run-folder";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { EXPLAIN_ALL, readPlans, readWithoutUser } from "./statement-plans";
import { isListed } from "./user-keys-exceptions";

/** The connections of gateways and workers, also of those that tests make out of their parts. */
const PRODUCT = /^@@weir-(gateway|worker|listen|playground|test-gateway)/;
/** PostgreSQL has another plan for a statement after some time, but not many. */
const PLANS_MAX = 8;

const directory = createRunFolder("judge");
const settings = { ...EXPLAIN_ALL, fsync: "off", synchronous_commit: "off", shared_buffers: "128MB" };
const server = await startEmbeddedPostgres({ directory, settings });
try {
  const suites = spawn("npx", ["vitest", "run", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, TEST_DATABASE_URL: server.url },
  });
  await once(suites, "exit");
  const { judged, found } = await judge(join(directory, "postgres.log"));
  for (const line of found) console.log(line);
  console.log(`${judged} statements, ${found.size} that name no user and are not on the list`);
  process.exitCode = found.size === 0 && judged > 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Entry by entry: the log of a suite is larger than a string can be. */
async function judge(path: string): Promise<{ judged: number; found: Set<string> }> {
  const plans = new Map<string, number>();
  const found = new Set<string>();
  let entry = "";
  const end = (): void => {
    const text = PRODUCT.test(entry) ? (/"Query Text": ("(?:[^"\\]|\\.)*")/.exec(entry)?.[1] ?? "") : "";
    const seen = plans.get(text) ?? 0;
    if (text === "" || seen >= PLANS_MAX) return;
    plans.set(text, seen + 1);
    for (const statement of readPlans(entry)) {
      const tables = readWithoutUser(statement.plan);
      if (tables.length > 0 && !isListed(statement)) found.add(`${tables.join()}: ${statement.text.slice(0, 300)}`);
    }
  };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.startsWith("@@")) {
      end();
      entry = line;
    } else entry += `\n${line}`;
  }
  end();
  return { judged: plans.size, found };
}
