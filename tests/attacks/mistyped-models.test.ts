/**
 * Who: a developer with a typo: in the name of the model, in the path, in the body; or with a model of another group.
 * What must hold: who looks for that name in the log finds the refusals, by the whole name or a part of it, in the console and
 * over /api alike; and the log of the process has no error for what is a caller's mistake, while failures of ours have one.
 */
import { randomUUID } from "node:crypto";
import { and, inArray, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { toClickHouse } from "@/lib/log-store/clickhouse/condition";
import { createRequestLog } from "@/lib/relay/http/request-log";
import { listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { chatBody, MODELS, setUpRelay } from "../relay/harness";

const lines: { level: number; request: string; code?: string }[] = [];
const written = { level: 20, base: "", write: (line: string) => void lines.push(JSON.parse(line)) };
const ERROR = 50;

const relay = setUpRelay({
  options: { GroupRatio: { default: 1, vip: 2 }, UserUsableGroups: { default: "default", vip: "vip" } },
  channels: [
    { models: MODELS },
    { models: "only-vip,gpt-vip", group: "vip" },
    { models: "switched-off", status: 2 },
    { models: "failed", status: 3 },
  ],
  gateway: {
    bodyBytesMax: 1_048_576,
    refusalLimits: { userBurst: 200, burst: 10_000, flushMs: 50 },
    onEnd: createRequestLog({ lines: written, share: 1 }),
  },
});

let user: number;
let key: string;
beforeEach(async () => {
  user = await relay.addUser({});
  ({ key } = await relay.addToken(user, {}));
  lines.length = 0;
});

const ctxOf = (role: number): ServiceContext => ({
  db: relay.database.db,
  sql: relay.database.sql,
  actor: { type: "user", id: user, username: "", role, group: "default", via: "session" },
  clientIp: "",
});
const send = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(relay.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body,
  });
const rowsWith = async (search: LogSearch, role = 1) => (await listLogs(ctxOf(role), search)).items;
const ended = () => expect.poll(() => lines.length).toBeGreaterThan(0);

describe("the log finds refusals by the name that was asked for", () => {
  test.each([1, 100])("by the whole name or a part of it, for a user and for root (role %d)", async (role) => {
    const name = `gpt-9-typo_${randomUUID().slice(0, 8)}`;
    expect((await send("/v1/chat/completions", chatBody(name))).status).toBe(404);
    expect((await send("/v1/embeddings", JSON.stringify({ model: name, input: "x" }))).status).toBe(404);
    expect((await send("/v1/chat/completions", chatBody("fake-gpt"))).status).toBe(200);
    await expect.poll(() => rowsWith({}, 1)).toHaveLength(3);
    for (const modelName of [
      name,
      `${name.slice(0, -2)}%`,
      `%${name.slice(4)}`,
      "gpt-9-typo_%".replace("%", `${name.slice(11)}%`),
    ]) {
      const found = await rowsWith({ modelName }, role);
      expect(found.map(({ other }) => other.requested_model)).toEqual([name, name]);
      expect(await rowsWith({ modelName, errorCode: "model_not_found" }, role)).toHaveLength(2);
    }
    expect(await rowsWith({ modelName: name.replace("_", "x") }, role)).toEqual([]);
    expect(await rowsWith({ modelName: name.toUpperCase() }, role)).toEqual([]);
  });

  test("a pattern finds served requests and made-up names together, and a known name no others", async () => {
    await send("/v1/chat/completions", chatBody("fake-gpt"));
    await send("/v1/chat/completions", chatBody("fake-gpt-made-up"));
    await expect.poll(() => rowsWith({})).toHaveLength(2);
    expect(await rowsWith({ modelName: "fake-gpt%" })).toHaveLength(2);
    expect((await rowsWith({ modelName: "fake-gpt" })).map(({ modelName }) => modelName)).toEqual(["fake-gpt"]);
    expect(await rowsWith({ modelName: "fake-gpt-m%" })).toHaveLength(1);
    expect(await rowsWith({ modelName: "%" })).toHaveLength(2);
  });
});

test("ClickHouse is asked for the same rows", () => {
  const where = and(inArray(usageLogs.modelName, ["a", ""]), sql`${usageLogs.other}->>'requested_model' like ${"a'%"}`);
  expect(toClickHouse(where)).toBe(
    `("model_name" in ('a', '') and visitParamExtractString("other", 'requested_model') like 'a\\'%')`,
  );
});

type Mistake = [name: string, path: string, body: string];
const MISTAKES: Mistake[] = [
  ["an unknown model", "/v1/chat/completions", chatBody("gpt-9")],
  ["an unknown model of a stream", "/v1/chat/completions", chatBody("gpt-9", { stream: true })],
  ["an unknown model, Anthropic's way", "/v1/messages", chatBody("claude-9", { max_tokens: 5 })],
  ["an unknown model, Google's way", "/v1beta/models/gemini-9:generateContent", JSON.stringify({ contents: [] })],
  ["an unknown model of responses", "/v1/responses", JSON.stringify({ model: "gpt-9", input: "x" })],
  ["an unknown model of embeddings", "/v1/embeddings", JSON.stringify({ model: "e-9", input: "x" })],
  ["an unknown model of pictures", "/v1/images/generations", JSON.stringify({ model: "i-9", prompt: "x" })],
  ["an unknown model of sound", "/v1/audio/speech", JSON.stringify({ model: "s-9", input: "x", voice: "a" })],
  ["an unknown model of a ranking", "/v1/rerank", JSON.stringify({ model: "r-9", query: "x", documents: ["y"] })],
  ["a model of another group", "/v1/chat/completions", chatBody("only-vip")],
  ["a model that an administrator has switched off", "/v1/chat/completions", chatBody("switched-off")],
  ["no model", "/v1/chat/completions", JSON.stringify({ messages: [] })],
  ["an operation that the model does not serve", "/v1/rerank", JSON.stringify({ model: "fake-gpt", query: 1 })],
  ["text that is no JSON", "/v1/chat/completions", "{"],
  ["a body that is an array", "/v1/chat/completions", "[]"],
  ["a model that is a number", "/v1/chat/completions", JSON.stringify({ model: 5, messages: [] })],
  ["a NUL character", "/v1/chat/completions", chatBody("a\u0000b")],
  ["a body too large", "/v1/chat/completions", chatBody("fake-gpt", { padding: "x".repeat(1_100_000) })],
  ["an API that is not implemented", "/v1/fine_tuning/jobs", "{}"],
  ["a path with a typo", "/v1/chat/completion", chatBody("fake-gpt")],
  ["files, where no channel keeps any", "/v1/files", "{}"],
];

test.each(MISTAKES)("the log of the process has no error for a mistake of a caller: %s", async (_name, path, body) => {
  const answer = await send(path, body);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  await answer.text();
  await ended();
  expect(lines.filter(({ level }) => level >= ERROR)).toEqual([]);
});

test("a model whose only channel failed and is switched off, and an upstream that fails, are errors", async () => {
  await send("/v1/chat/completions", chatBody("failed"));
  await ended();
  expect(lines).toMatchObject([{ level: ERROR, code: "no_available_channel" }]);
  lines.length = 0;
  await send("/v1/chat/completions", chatBody("fake-error-500"));
  await ended();
  expect(lines[0]?.level).toBe(ERROR);
});
