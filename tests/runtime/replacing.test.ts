import { rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { freePort } from "@/server/ports";
import { childrenOf, isAlive, startWeir, until, type WeirProcess } from "./weir-process";

const directory = createRunFolder("replacing");
const entry = setUpBundle(["main", "gateway", "worker"], { isChanged: true });
let database: TestDatabase;
let weir: WeirProcess;
let url: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  weir = startWeir(
    {
      DATABASE_URL: database.url,
      WEIR_SECRET: process.env.WEIR_SECRET ?? "",
      WEIR_DATA_DIR: directory,
      WEIR_ROLES: "gateway,worker",
      WEIR_GATEWAY_WORKERS: "1",
      WEIR_DRAIN_SECONDS: "2",
      HOST: "127.0.0.1",
      PORT: String(port),
    },
    entry("main"),
  );
  await weir.waitFor(/ready in/);
});

afterAll(async () => {
  weir.signal("SIGINT");
  expect(await weir.ended).toBe(0);
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

const pids = () => childrenOf(weir.pid).map(({ pid }) => pid);

test("SIGHUP replaces gateway and worker, the new one first, and the port never refuses a connection", async () => {
  const before = pids();
  const statuses = new Set<number>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) statuses.add((await fetch(`${url}/readyz`, { headers: { connection: "close" } })).status);
  })();
  weir.signal("SIGHUP");
  await weir.waitFor(/all processes are replaced/);
  await until("the old processes have ended", () => !before.some(isAlive));
  isOver = true;
  await asking;
  expect([...statuses]).toEqual([200]);
  expect(pids()).toHaveLength(before.length);
});

test("a new process that does not become ready leaves the old one in place, and that is said", async () => {
  const before = pids();
  writeFileSync(entry("gateway"), "process.exit(3);");
  weir.signal("SIGHUP");
  await weir.waitFor(/the new gateway did not become ready; the old one goes on/);
  expect(pids()).toEqual(before);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test("while something asks /readyz, SIGTERM is followed by a pause in which requests are served and /readyz says 503", async () => {
  weir.signal("SIGTERM");
  await until("it is not ready", async () => (await fetch(`${url}/readyz`)).status === 503);
  expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  expect(await weir.ended).toBe(0);
});
