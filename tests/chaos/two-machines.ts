import { rmSync } from "node:fs";
import { request as send } from "node:http";
import { afterAll, beforeAll, expect } from "vitest";
import { createSession } from "@/lib/auth/session-commands";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createRunFolder } from "@/lib/testing/run-folder";
import { createSeed, type TokenValues, type UserValues } from "@/tests/relay/seed";
import { freePort } from "@/tools/bench/alternatives";
import { type ConsoleProcess, startConsoleProcess } from "./console-process";
import { type HeldUpstream, startHeldUpstream } from "./held-upstream";
import { type Stack, startStack } from "./stack";

/** How soon a change must be in force on every process. */
const WITHIN_MS = 1_000;
const GATEWAYS_PER_MACHINE = 2;
export const GATEWAYS = 2 * GATEWAYS_PER_MACHINE;

/** The status; "refused" = the console answered 200 with a refusal in its envelope; "broken" = the connection was lost. */
export type Outcome = number | "refused" | "broken";

type Headers = Record<string, string>;
type Call = { url: string; method?: string; headers?: Headers; body?: object };

/** Sends a request on a connection of its own, because a machine's gateways take connections in turn. */
export function callOnce({ url, method = "POST", headers = {}, body }: Call): Promise<Outcome> {
  return new Promise((resolve) => {
    const text = body ? JSON.stringify(body) : "";
    const length = body ? { "content-type": "application/json", "content-length": String(text.length) } : {};
    const call = send(url, { method, agent: false, headers: { ...headers, ...length } }, (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        answer += part;
      });
      response.once("error", () => resolve("broken"));
      response.once("end", () => resolve(/"success": ?false/.test(answer) ? "refused" : (response.statusCode ?? 0)));
    });
    call.once("error", () => resolve("broken"));
    call.end(text);
  });
}

const chat = (model: string) => ({ model, max_tokens: 10, messages: [{ role: "user", content: "hi" }] });

/** Two machines' worth of processes on one PostgreSQL: 4 gateways, 2 consoles, 1 worker. */
export type TwoMachines = {
  database: TestDatabase;
  seed: ReturnType<typeof createSeed>;
  /** All channels but those that a test adds lead here. */
  upstream: HeldUpstream;
  /** A second one. */
  primary: HeldUpstream;
  consoles: ConsoleProcess[];
  /** The process ids of all gateways. */
  gateways: () => number[];
  /** One request at one gateway. */
  askOne: (key: string, model?: string) => Promise<Outcome>;
  /** One request at every gateway process. */
  askAll: (key: string, model?: string) => Promise<Outcome>[];
  /** One request in the playground of every console process. */
  askPlaygrounds: (as: Headers) => Promise<Outcome>[];
  newCaller: (user?: UserValues, token?: TokenValues) => Promise<{ user: number; key: string; tokenId: number }>;
  /** The headers of a browser that is signed in. */
  signIn: (userId: number) => Promise<Headers>;
  signInAsRoot: () => Promise<Headers>;
};

export function setUpTwoMachines(prepare: (weir: TwoMachines) => Promise<void>): TwoMachines {
  const weir = {} as TwoMachines;
  const entry = setUpBundle(["main", "gateway", "worker"]);
  const directories = [1, 2].map(() => createRunFolder("many"));
  let machines: Stack[] = [];

  beforeAll(async () => {
    const database = await createTestDatabase();
    const [upstream, primary] = await Promise.all([startHeldUpstream(), startHeldUpstream()]);
    const seed = createSeed(database, upstream.url);
    Object.assign(weir, { database, upstream, primary, seed, ...callers(weir, () => machines) });
    await prepare(weir);
    const { url } = database;
    const startMachine = async (directory: string, roles: string): Promise<Stack> =>
      startStack(entry("main"), directory, await freePort(), { DATABASE_URL: url, WEIR_ROLES: roles });
    const [first = "", second = ""] = directories;
    [machines, weir.consoles] = await Promise.all([
      Promise.all([startMachine(first, "gateway,worker"), startMachine(second, "gateway")]),
      Promise.all([startConsoleProcess(url), startConsoleProcess(url)]),
    ]);
  }, 120_000);

  afterAll(async () => {
    await Promise.all([...(weir.consoles ?? []), ...machines].map((one) => one.stop()));
    await Promise.all([weir.upstream?.close(), weir.primary?.close()]);
    await weir.database?.drop();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  }, 60_000);
  return weir;
}

function callers(weir: TwoMachines, machines: () => Stack[]): Partial<TwoMachines> {
  const ask = ({ port }: Stack, key: string, model: string): Promise<Outcome> => {
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    return callOnce({ url, headers: { authorization: `Bearer ${key}` }, body: chat(model) });
  };
  const signIn = async (userId: number): Promise<Headers> => {
    const from = { clientIp: "198.51.100.1", userAgent: "", method: "password" } as const;
    const { token } = await createSession(weir.database.db, { userId, ...from });
    return { cookie: `session=${token}`, "new-api-user": String(userId) };
  };
  return {
    gateways: () => machines().flatMap((machine) => machine.gateways()),
    askOne: (key, model = "held") => ask(machines()[0] as Stack, key, model),
    askAll: (key, model = "held") =>
      machines().flatMap((machine) => Array.from({ length: GATEWAYS_PER_MACHINE }, () => ask(machine, key, model))),
    askPlaygrounds: (as) =>
      weir.consoles.map(({ url }) => callOnce({ url: `${url}/pg/chat/completions`, headers: as, body: chat("held") })),
    async newCaller(ofUser, ofToken) {
      const { user, token } = await weir.seed.addCaller(ofUser, ofToken);
      return { user, key: token.key, tokenId: token.id };
    },
    signIn,
    async signInAsRoot() {
      const [root] = await weir.database.sql<{ id: number }[]>`select id from users where username = 'root'`;
      return signIn(root?.id ?? 0);
    },
  };
}

/** Twice at every process, so that none is missed where two requests reach the same one. */
export async function askTwice(ask: () => Promise<Outcome>[]): Promise<Outcome[]> {
  return [...(await Promise.all(ask())), ...(await Promise.all(ask()))];
}

/** Polls until the value is as expected on every process, for as long as a change may take to reach them all. */
export async function expectSoon<T>(read: () => Promise<T> | T, expected: T, withinMs = WITHIN_MS): Promise<void> {
  await expect.poll(read, { timeout: withinMs, interval: 20 }).toEqual(expected);
}

export async function expectEverywhere(ask: () => Promise<Outcome>[], outcome: Outcome): Promise<void> {
  await expectSoon(async () => (await askTwice(ask)).filter((one) => one !== outcome), []);
}
