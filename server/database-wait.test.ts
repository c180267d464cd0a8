import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { assertDatabaseAddresses } from "./database-answers";
import { type DatabaseWait, whenDatabaseServes } from "./database-wait";
import { freePort } from "./ports";

let database: TestDatabase;
let listening: ReturnType<typeof createServer> | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => void listening?.close());
afterAll(() => database.drop());

/** A server that says one thing, in PostgreSQL's protocol, to everybody. */
async function refuser(code: string, message: string): Promise<string> {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`;
  const reply = Buffer.alloc(5 + Buffer.byteLength(fields));
  reply.write("E");
  reply.writeUInt32BE(4 + Buffer.byteLength(fields), 1);
  reply.write(fields, 5);
  const port = await freePort();
  listening = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(reply));
  });
  await new Promise<void>((done) => listening?.listen(port, "127.0.0.1", done));
  return `postgres://weir:hidden@127.0.0.1:${port}/weir`;
}

type Told = DatabaseWait & { said: string[] };
function waiting(seconds: number, signal?: AbortSignal): Told {
  const said: string[] = [];
  return { said, seconds, tell: (message) => said.push(message), ...(signal ? { signal } : {}) };
}
const startWith = (url: () => string, wait: DatabaseWait) =>
  whenDatabaseServes(() => assertDatabaseAddresses({ DATABASE_URL: url() }), wait);

const NOT_YET: Record<string, [() => Promise<string> | string, RegExp]> = {
  "is starting": [() => refuser("57P03", "the database system is starting up"), /is starting, recovering or stopping/],
  "is shut down": [
    () => refuser("57P01", "terminating connection due to administrator command"),
    /terminating connection/,
  ],
  "has no connection left": [() => refuser("53300", "sorry, too many clients already"), /has no connection left/],
  "is not there": [async () => `postgres://weir:hidden@127.0.0.1:${await freePort()}/weir`, /does not answer/],
  "has no name yet": [() => "postgres://weir:hidden@not-there.invalid/weir", /there is no machine with the name/],
  "has made no socket yet": [() => "postgres://weir:hidden@localhost/weir?host=/no/such/folder", /does not answer/],
};

test.each(Object.keys(NOT_YET))(
  "a start waits for a database that %s, says so, and goes on when it serves",
  async (name) => {
    const [place, words] = NOT_YET[name] ?? [() => "", / /];
    const first = await place();
    const wait = waiting(30);
    await startWith(() => (wait.said.length > 0 ? database.url : first), wait);
    expect(wait.said).toEqual([
      expect.stringMatching(words),
      expect.stringMatching(/^the database answers after \d+ s$/),
    ]);
    expect(wait.said[0]).toContain("Waiting for it, up to 30 s (WEIR_DATABASE_WAIT_SECONDS)");
    expect(wait.said.join()).not.toContain("hidden");
  },
);

test("the bound holds, and says which variable it is; with 0 nothing is waited for", async () => {
  const url = await refuser("57P03", "the database system is starting up");
  const wait = waiting(1);
  await expect(startWith(() => url, wait)).rejects.toThrow(
    /did not come within \d s; WEIR_DATABASE_WAIT_SECONDS sets how long/,
  );
  expect(wait.said.length).toBe(1);
  const none = waiting(0);
  await expect(startWith(() => url, none)).rejects.toThrow("is starting, recovering or stopping");
  expect(none.said).toEqual([]);
});

test.each([
  ["28P01", "password authentication failed", "refuses the password"],
  ["28000", "no pg_hba.conf entry", "does not let"],
  ["3D000", "database does not exist", "has no database"],
])("what waiting does not mend ends a start at once: %s", async (code, message, words) => {
  const url = await refuser(code, message);
  const wait = waiting(60);
  await expect(startWith(() => url, wait)).rejects.toThrow(words);
  expect(wait.said).toEqual([]);
});

test("a stop ends the waiting", async () => {
  const url = await refuser("57P03", "the database system is starting up");
  const stop = new AbortController();
  const wait = waiting(3_600, stop.signal);
  const started = startWith(() => url, { ...wait, tell: () => stop.abort() });
  await expect(started).rejects.toThrow("is starting");
});
