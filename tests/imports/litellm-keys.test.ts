// Keys of LiteLLM in a running gateway: only their SHA-256 moves.
import postgres from "postgres";
import { beforeAll, expect, test } from "vitest";
import { ROLE } from "@/lib/context";
import { importedKeyHasher, sha256Hex } from "@/lib/crypto";
import { rotateSecret } from "@/lib/secret/secret-commands";
import { createKeyCache, type LoadOwner } from "@/lib/snapshot/key-cache";
import { deleteToken, revealToken, revealTokens, rotateToken, updateToken } from "@/lib/token/commands";
import { listTokens, readTokenKeys } from "@/lib/token/queries";
import { readConfig } from "@/tools/import/litellm/read-config";
import { runLitellm } from "@/tools/import/litellm/run-litellm";
import { openSource } from "@/tools/import/sources/open";
import { chatBody, setUpRelay, until } from "../relay/harness";
import { dropAfterAll, emptyDatabase, freshWeir } from "./harness";

const KEYS = ["sk-Ab_cd-Ef-12345678901", "sk-onlylettersAndDigits1", "sk-$+/=~.x!_0000", "sk-will-be-rotated"];
const [ODD = "", PLAIN = "", SIGNS = "", ROTATED = ""] = KEYS;
const relay = setUpRelay({ channels: [{}] });
let address: string;
let owner: number;
dropAfterAll();

const asOwner = () => ({
  db: relay.database.db,
  sql: relay.database.sql,
  actor: {
    type: "user" as const,
    id: owner,
    username: "ada",
    role: ROLE.user,
    group: "default",
    via: "access-token" as const,
  },
  clientIp: "",
});

async function importAll({ db, sql } = relay.database): Promise<void> {
  const database = await openSource(address);
  const ctx = { db, sql, actor: { type: "command-line" as const }, clientIp: "" };
  const source = { config: readConfig(""), database, environment: {} };
  await runLitellm(ctx, source, { dryRun: false, onCollision: "skip", balance: 5 }).finally(database.close);
}

const tokenOf = async (name: string): Promise<number> =>
  (await relay.database.sql<{ id: number }[]>`select id from tokens where name = ${name}`)[0]?.id ?? 0;
const ask = async (key: string): Promise<number> => (await relay.post(key, chatBody("fake-gpt"))).status;

beforeAll(async () => {
  address = await emptyDatabase();
  const sql = postgres(address, { max: 1, onnotice: () => {} });
  await sql.unsafe(`
    create table "LiteLLM_UserTable" (user_id text primary key, user_alias text, spend float8 default 0, max_budget float8);
    create table "LiteLLM_VerificationToken" (token text primary key, key_name text, key_alias text, user_id text, spend float8);
    insert into "LiteLLM_UserTable" values ('u1', 'ada', 0, null)`);
  for (const [at, key] of KEYS.entries())
    await sql`insert into "LiteLLM_VerificationToken" values (${sha256Hex(key)}, ${`sk-...${key.slice(-4)}`}, ${`k${at}`}, 'u1', 0)`;
  await sql.end();
});

test("before an import nothing but Weir's own form of keys is looked up", async () => {
  for (const key of KEYS) expect(await ask(key)).toBe(401);
});

test("a key goes on working without a restart, whatever its characters, also if it was refused a moment ago", async () => {
  await importAll();
  [owner] = (await relay.database.sql<{ id: number }[]>`select id from users where username = 'ada'`).map(
    ({ id }) => id,
  ) as [number];
  for (const key of [ODD, PLAIN, SIGNS]) await until(async () => (await ask(key)) === 200, 10_000);
});

test("neither the hash that LiteLLM has nor a part of the key is one; an own key with a channel stays one", async () => {
  expect(await ask(sha256Hex(ODD))).toBe(401);
  expect(await ask(`sk-${sha256Hex(ODD)}`)).toBe(401);
  expect(await ask("sk-Ab_cd")).toBe(401);
  expect(await ask(`${PLAIN}-1`)).toBe(401);
  const admin = await relay.addCaller({ role: 10 });
  expect(await ask(`${admin.token.key}-${relay.channelIds[0]}`)).toBe(200);
  const hashes = await relay.database.sql`select key_hash from tokens where key_hash = ${sha256Hex(ODD)}`;
  expect(hashes).toEqual([]);
});

test("it cannot be shown, and says so; it is found by its whole and by its end", async () => {
  const id = await tokenOf("k0");
  await expect(revealToken(asOwner(), id)).rejects.toMatchObject({ messageKey: "tokenHashOnly" });
  await expect(revealTokens(asOwner(), { ids: [id] })).rejects.toMatchObject({ messageKey: "tokenHashOnly" });
  expect(await readTokenKeys(asOwner(), [id])).toEqual(new Map());
  for (const key of [ODD, "8901"]) {
    const { items } = await listTokens(asOwner(), { key });
    expect(items.map((token) => token.id)).toEqual([id]);
  }
});

test("it is edited, replaced and deleted as any other", async () => {
  const id = await tokenOf("k3");
  expect((await updateToken(asOwner(), { id, name: "renamed" })).name).toBe("renamed");
  const { key, token } = await rotateToken(asOwner(), id);
  expect(token.keyHint).toBe(`${key.slice(0, 4)}…${key.slice(-4)}`);
  expect(await revealToken(asOwner(), id)).toBe(key);
  await until(async () => (await ask(ROTATED)) === 401 && (await ask(`sk-${key}`)) === 200, 10_000);
  await deleteToken(asOwner(), await tokenOf("k2"));
  await until(async () => (await ask(SIGNS)) === 401, 10_000);
  await importAll();
  expect(await ask(ROTATED)).toBe(401);
});

test("a change of WEIR_SECRET makes the hashes anew", async () => {
  const other = await freshWeir();
  await importAll(other);
  const from = process.env.WEIR_SECRET ?? "";
  const to = "another-secret-another-secret-another";
  const hashes = async () => (await other.sql`select key_hash from tokens order by name`).map((row) => row.key_hash);
  const made = (secret: string) => KEYS.map((key) => importedKeyHasher(secret)(sha256Hex(key)));
  expect(await hashes()).toEqual(made(from));
  await rotateSecret(other.sql, { from, to, keepUnreadable: false, prepare: () => {}, onTable: () => {} });
  expect(await hashes()).toEqual(made(to));
});

test("what is no key is asked for once, whichever forms it could have", async () => {
  const asked: (readonly string[])[] = [];
  const load: LoadOwner = async (hashes) => {
    asked.push(hashes);
    return null;
  };
  const cache = createKeyCache(load);
  for (let time = 0; time < 3; time++) {
    expect(await cache.find("own", () => "imported")).toBeNull();
    expect(await cache.find(null, () => "other")).toBeNull();
    expect(await cache.find("own", () => null)).toBeNull();
  }
  expect(asked).toEqual([["own", "imported"], ["other"], ["own"]]);
});
