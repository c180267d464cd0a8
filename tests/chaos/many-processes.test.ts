import { mkdtempSync, rmSync } from "node:fs";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "@/bench/alternatives";
import { createSession } from "@/lib/auth/session-commands";
import { reconcile } from "@/lib/billing/reconcile";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createSeed } from "@/tests/relay/seed";
import { type ConsoleProcess, startConsoleProcess } from "./console-process";
import { type HeldUpstream, startHeldUpstream } from "./held-upstream";
import { type Stack, startStack } from "./stack";

// Two machines' worth of processes on one PostgreSQL: 4 gateways, 2 consoles, 1 worker.

/** How soon a change must be in force on every process. */
const WITHIN_MS = 1_000;
const GATEWAYS_PER_MACHINE = 2;

const entry = setUpBundle(["main", "gateway", "worker"]);
const directories = [1, 2].map(() => mkdtempSync(join(tmpdir(), "weir-many-")));
let machines: Stack[] = [];
let consoles: ConsoleProcess[] = [];
let upstream: HeldUpstream;
let database: TestDatabase;
let seed: ReturnType<typeof createSeed>;

beforeAll(async () => {
  database = await createTestDatabase();
  const { url } = database;
  upstream = await startHeldUpstream();
  seed = createSeed(database, upstream.url);
  await seed.addChannel({ models: "held" });
  await seed.setPrices("held");
  const startMachine = async (directory: string, roles: string): Promise<Stack> =>
    startStack(entry("main"), directory, await freePort(), { DATABASE_URL: url, WEIR_ROLES: roles });
  const [first = "", second = ""] = directories;
  [machines, consoles] = await Promise.all([
    Promise.all([startMachine(first, "gateway,worker"), startMachine(second, "gateway")]),
    Promise.all([startConsoleProcess(url), startConsoleProcess(url)]),
  ]);
}, 120_000);

afterAll(async () => {
  await Promise.all([...consoles, ...machines].map((one) => one.stop()));
  await upstream?.close();
  await database?.drop();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
}, 60_000);

/** The status, or that the console answered 200 with a refusal in its envelope. */
type Outcome = number | "refused";

type Call = { url: string; method?: string; headers?: Record<string, string>; body?: object };

/** Sends a request on a connection of its own, because a machine's gateways take connections in turn. */
function callOnce({ url, method = "POST", headers = {}, body }: Call): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const text = body ? JSON.stringify(body) : "";
    const length = body ? { "content-type": "application/json", "content-length": String(text.length) } : {};
    const call = send(url, { method, agent: false, headers: { ...headers, ...length } }, (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        answer += part;
      });
      response.once("end", () => resolve(/"success": ?false/.test(answer) ? "refused" : (response.statusCode ?? 0)));
    });
    call.once("error", reject);
    call.end(text);
  });
}

const chat = { model: "held", max_tokens: 10, messages: [{ role: "user", content: "hi" }] };

/** One request at every gateway process. */
function askAll(key: string): Promise<Outcome>[] {
  return machines.flatMap(({ port }) =>
    Array.from({ length: GATEWAYS_PER_MACHINE }, () => {
      const url = `http://127.0.0.1:${port}/v1/chat/completions`;
      return callOnce({ url, headers: { authorization: `Bearer ${key}` }, body: chat });
    }),
  );
}

async function newCaller() {
  const { user, token } = await seed.addCaller();
  return { user, token, as: await signIn(user) };
}

/** The headers of a browser that is signed in. */
async function signIn(userId: number): Promise<Record<string, string>> {
  const from = { clientIp: "198.51.100.1", userAgent: "", method: "password" } as const;
  const { token } = await createSession(database.db, { userId, ...from });
  return { cookie: `session=${token}`, "new-api-user": String(userId) };
}

async function signInAsRoot(): Promise<Record<string, string>> {
  const [root] = await database.sql<{ id: number }[]>`select id from users where username = 'root'`;
  return signIn(root?.id ?? 0);
}

/** One request in the playground of every console process. */
const askPlaygrounds = (as: Record<string, string>): Promise<Outcome>[] =>
  consoles.map(({ url }) => callOnce({ url: `${url}/pg/chat/completions`, headers: as, body: chat }));

async function expectEverywhere(ask: () => Promise<Outcome>[], outcome: Outcome): Promise<void> {
  // Twice, so that no process is missed where two requests reach the same one.
  const askTwice = async () => [...(await Promise.all(ask())), ...(await Promise.all(ask()))];
  const others = async () => (await askTwice()).filter((one) => one !== outcome);
  await expect.poll(others, { timeout: WITHIN_MS, interval: 20 }).toEqual([]);
}

test("a key that its owner deletes in one console is refused by all gateways within a second", async () => {
  const { token, as } = await newCaller();
  await expectEverywhere(() => askAll(token.key), 200);
  const url = `${consoles[0]?.url}/api/token/${token.id}`;
  expect(await callOnce({ url, method: "DELETE", headers: as })).toBe(200);
  await expectEverywhere(() => askAll(token.key), 401);
});

test("a user who is banned in one console is refused by all gateways and all playgrounds within a second", async () => {
  const { user, token, as } = await newCaller();
  await expectEverywhere(() => askAll(token.key), 200);
  await expectEverywhere(() => askPlaygrounds(as), 200);
  const url = `${consoles[1]?.url}/api/user/manage`;
  const body = { id: user, action: "disable" };
  expect(await callOnce({ url, headers: await signInAsRoot(), body })).toBe(200);
  await expectEverywhere(() => askAll(token.key), 403);
  await expectEverywhere(() => askPlaygrounds(as), "refused");
});

test("of 42 requests on all processes at once, a user with 5 places has 5 in flight, and the others get 429", async () => {
  const { user, token, as } = await newCaller();
  await database.sql`update users set concurrency_limit = 5 where id = ${user}`;
  await expectEverywhere(() => askAll(token.key), 200);
  upstream.hold();
  const asked = [...Array.from({ length: 10 }, () => askAll(token.key)).flat(), ...askPlaygrounds(as)];
  let refused = 0;
  for (const call of asked) {
    void call.then((outcome) => {
      if (outcome === 429) refused += 1;
    });
  }
  await expect.poll(() => [upstream.held(), refused], { timeout: 10_000, interval: 20 }).toEqual([5, 37]);
  expect(upstream.most()).toBe(5);
  upstream.release();
  const statuses = await Promise.all(asked);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
});

test("the books agree", async () => {
  expect((await reconcile(database.sql)).differences).toEqual([]);
});
