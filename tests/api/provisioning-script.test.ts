/**
 * The script of docs/api.md, exactly as it stands there, is run by Node against a gateway with /api behind it, over real sockets: accounts,
 * groups, keys with budgets and models, and the export of the month. Then the keys are used.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routeTables } from "@/app/api/openapi.json/tables";
import { consoleDatabase } from "@/lib/console-database";
import { sha256Hex } from "@/lib/crypto";
import { chatBody, type Relay, startRelay } from "../relay/harness";

const CUSTOMERS = 4;
const MONTH = new Date().toISOString().slice(0, 7);
const TOKEN = "root-access-token-0123456789";
const folder = mkdtempSync(join(tmpdir(), "provision-"));
const console_ = createServer((request, response) => {
  void answer(request).then(async (reply) => {
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
});
let relay: Relay;

/** As Next.js hands a request to the route table of its path. */
async function answer(request: IncomingMessage): Promise<Response> {
  const url = new URL(request.url ?? "/", "http://weir.example");
  const tables = routeTables().sort((one, other) => other.base.length - one.base.length);
  const table = tables.find(({ base }) => url.pathname === base || url.pathname.startsWith(`${base}/`));
  if (!table) return new Response("no such path", { status: 404 });
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { method = "GET", headers } = request;
  const body = pieces.length > 0 ? { body: new Uint8Array(Buffer.concat(pieces)) } : {};
  const path = url.pathname.slice(table.base.length).split("/").filter(Boolean);
  const sent = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return table.handler(new Request(url, { method, headers: sent, ...body }), { params: Promise.resolve({ path }) });
}

/** The last block of code of a language in the page. */
function blockOf(language: string): string {
  const blocks = readFileSync("docs/api.md", "utf8").matchAll(
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"),
  );
  const text = [...blocks].at(-1)?.[1];
  if (text === undefined) throw new Error(`docs/api.md has no ${language}`);
  return text;
}

const run = () =>
  promisify(execFile)(process.execPath, ["provision.mjs", "customers.csv", MONTH], {
    cwd: folder,
    env: { ...process.env, WEIR_URL: relay.url, WEIR_ACCESS_TOKEN: TOKEN },
  });

beforeAll(async () => {
  await new Promise<void>((done) => console_.listen(0, "127.0.0.1", () => done()));
  const consolePort = (console_.address() as AddressInfo).port;
  relay = await startRelay({
    prices: "fake-gpt,fake-slow",
    channels: [{ group: "default,business" }],
    gateway: { consolePort },
  });
  process.env.DATABASE_URL = relay.database.url;
  process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "true";
  const root = { username: "root", role: 100, accessTokenHash: sha256Hex(TOKEN) };
  await relay.addCaller(root);
  writeFileSync(join(folder, "provision.mjs"), blockOf("js"));
  const [head = ""] = blockOf("csv").split("\n");
  const rows = Array.from({ length: CUSTOMERS }, (_, index) => `customer${index},business,100,25,fake-gpt`);
  writeFileSync(join(folder, "customers.csv"), [head, ...rows].join("\n"));
});
afterAll(async () => {
  process.env.GLOBAL_API_RATE_LIMIT_ENABLE = "false";
  await relay.close();
  await consoleDatabase().end();
  console_.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the script of the docs sets up customers at its first run, and changes nothing at its second", async () => {
  const { stdout, stderr } = await run();
  expect([stdout.trim(), stderr]).toEqual([`${CUSTOMERS} customers, ${CUSTOMERS} new keys`, ""]);
  const rows = await relay.database.sql`
    select count(*)::int as users, min(u.quota)::bigint as quota, min(u.budget_month)::bigint as budget, min(u."group") as "group",
      min(t.budget_month)::bigint as of_key, bool_and(t.model_limits_enabled) as limited, min(t.model_limits) as models
    from users u join tokens t on t.user_id = u.id where u.username like 'customer%'`;
  expect(rows[0]).toMatchObject({ users: CUSTOMERS, quota: 50_000_000, budget: 12_500_000, group: "business" });
  expect(rows[0]).toMatchObject({ of_key: 12_500_000, limited: true, models: "fake-gpt" });
  const [, ...keys] = readFileSync(join(folder, "keys.csv"), "utf8").trim().split("\n");
  expect(keys).toHaveLength(CUSTOMERS);
  const key = keys[0]?.split(",")[1] ?? "";
  await relay.inForce();
  expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
  expect((await relay.post(key, chatBody("fake-slow"))).status).toBe(403);
  expect(readFileSync(join(folder, "statements/customer0.csv"), "utf8")).toContain("customer0");
  expect(readFileSync(join(folder, "log.csv"), "utf8").length).toBeGreaterThan(10);

  // As if it had been stopped before one customer had a key; a key with a name that is like it is another one.
  const [gone = {}] = await relay.database.sql`
    update tokens set name = 'domain' where id = (select max(id) from tokens where name = 'main') returning user_id`;
  const before = readFileSync(join(folder, "keys.csv"), "utf8");
  const again = await run();
  expect([again.stdout.trim(), again.stderr]).toEqual([`${CUSTOMERS} customers, 1 new keys`, ""]);
  const after = readFileSync(join(folder, "keys.csv"), "utf8");
  expect(after.startsWith(before)).toBe(true);
  expect(after.trim().split("\n")).toHaveLength(CUSTOMERS + 2);
  const [made] = await relay.database.sql`select user_id from tokens where name = 'main' order by id desc limit 1`;
  expect(made?.user_id).toBe(gone.user_id);
  const last = await run();
  expect([last.stdout.trim(), last.stderr]).toEqual([`${CUSTOMERS} customers, 0 new keys`, ""]);
  expect(readFileSync(join(folder, "keys.csv"), "utf8")).toBe(after);
  expect(await relay.differences()).toEqual([]);
}, 60_000);
