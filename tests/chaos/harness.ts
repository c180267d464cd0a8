import { chmodSync, rmSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { freePort } from "@/tools/bench/alternatives";
import { prepareDatabase } from "@/tools/bench/weir";
import { databaseUrl, type Stack, startStack } from "./stack";

export type Weir = {
  /** The running stack. A test that restarts it puts the new one here. */
  stack: Stack;
  /** An API key that may use the models. */
  key: string;
  database: DatabaseHandle;
  upstream: FakeUpstream;
  /** Starts the supervisor again on the same data and port. */
  startAgain: () => Promise<void>;
};

/**
 * The rows of the log and those in the outbox. So the suite can be run with a log store that is away all the time:
 * LOG_STORE_URL=clickhouse://127.0.0.1:1/weir.
 */
const EVERY_LOG = `
  create view every_log as select * from usage_logs
  union all select one.* from log_outbox, unnest(string_to_array(body, E'\\n')) with ordinality as lines (line, place),
    json_populate_record(null::usage_logs, line::json) as one
  where place - 1 <> all (coalesce(skipped, '{}'))`;

/**
 * A complete Weir with its own data, a fake upstream and one caller, for a test file. `more` starts what is beside it and
 * gives the variables for it.
 */
export function setUpWeir(models: string, more: () => Promise<Record<string, string>> = async () => ({})): Weir {
  const weir = {} as Weir;
  const entry = setUpBundle(["main", "gateway", "worker"]);
  const directory = createRunFolder("chaos");

  beforeAll(async () => {
    // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
    chmodSync(directory, 0o711);
    weir.upstream = await startFakeUpstream();
    const [port, variables] = [await freePort(), await more()];
    weir.startAgain = async () => {
      weir.stack = await startStack(entry("main"), directory, port, variables);
    };
    await weir.startAgain();
    const url = databaseUrl(directory);
    weir.key = await prepareDatabase(url, weir.upstream.url, models);
    weir.database = createDatabase({ url, max: 2, applicationName: "weir-chaos" });
    await weir.database.sql.unsafe(EVERY_LOG);
  }, 120_000);

  afterAll(async () => {
    await weir.database?.end();
    await weir.stack?.stop();
    await weir.upstream?.close();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);
  return weir;
}
