// Who: a caller whose upstream answers with nothing, and says that it has used nothing (0/0/0), as providers do of what they
// block or fail to write. And an upstream that reports zeros although it has written.
// What must hold: nothing is charged for nothing, by tokens and by call, in every format, whole and streamed, passed through and
// translated. Zeros beside an answer are no usage: what was written is counted.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChangeAnswer, type FixtureUpstream, startFixtureUpstream } from "@/lib/testing/fixture-upstream";
import { setUpRelay, until } from "../relay/harness";
import { UPSTREAMS } from "../relay/wire/matrix/upstreams";

type Json = Record<string, unknown>;

/** It reports no usage at all, which is unknown and never zero. */
const SILENT = "ai-proxy-library";
const FORMATS = Object.keys(UPSTREAMS).filter((format) => format !== SILENT);
const CALLERS: Readonly<Record<string, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  "gemini-generate-content": "",
};
/** What the upstream of a model does: nothing in the answer, or its text; and what the model costs. */
const KINDS = ["empty-by-tokens", "empty-by-call", "written-by-tokens"] as const;

type Case = { format: string; kind: (typeof KINDS)[number]; caller: string; isStream: boolean };
const cases: readonly Case[] = FORMATS.flatMap((format) =>
  Object.keys(CALLERS)
    .filter((caller) => caller === format || format in CALLERS || caller === "openai-chat")
    .flatMap((caller) =>
      KINDS.flatMap((kind) => [true, false].map((isStream) => ({ format, kind, caller, isStream }))),
    ),
);
const modelOf = ({ format, kind }: Pick<Case, "format" | "kind">): string =>
  `${UPSTREAMS[format]?.model ?? ""}${format}.${kind}`;
const models = FORMATS.flatMap((format) => KINDS.map((kind) => modelOf({ format, kind })));

const relay = setUpRelay({
  prices: models.filter((model) => model.endsWith("tokens")).join(","),
  options: { ModelPrice: Object.fromEntries(models.filter((name) => name.endsWith("call")).map((name) => [name, 1])) },
});
let upstream: FixtureUpstream;

/** The recorded answer with zeros for its counts, and without its text where the model is to write none. */
const silenced: ChangeAnswer = (json, { text }) => {
  const isEmpty = /\/text\/empty-/.test(text);
  return change(json, (name, value) => {
    if (typeof value === "number" && /token|count/i.test(name)) return 0;
    // Zhipu's old format has its usage in JSON within JSON.
    if (name === "meta" && typeof value === "string") return value.replace(/(_tokens":)\d+/g, "$10");
    const isText = /^(content|text|delta|response|result|answer|thinking|data)$/i.test(name);
    return isEmpty && isText && typeof value === "string" ? "" : value;
  });
};

function change(value: unknown, at: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => change(item, at));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(at(name, inner), at)]));
}

beforeAll(async () => {
  upstream = await startFixtureUpstream(silenced);
  for (const format of FORMATS) {
    const { model: _, isWebSocket, ...values } = UPSTREAMS[format] ?? { type: 1 };
    const origin = isWebSocket ? upstream.url.replace("http:", "ws:") : upstream.url;
    // Not every format sends the model's name.
    for (const kind of KINDS) {
      const baseUrl = `${origin}/f/${format}/text/${kind}`;
      await relay.addChannel({ ...values, baseUrl, models: modelOf({ format, kind }) });
    }
  }
  await relay.inForce();
});
afterAll(() => upstream.close());

async function charge({ format, kind, caller, isStream }: Case): Promise<number> {
  const { user, token } = await relay.addCaller({ balance: 1_000_000_000 });
  const model = modelOf({ format, kind });
  const messages = [{ role: "user", content: "Say hello" }];
  const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  const bodies: Readonly<Record<string, Json>> = {
    "openai-chat": { messages },
    "openai-responses": { input: "Say hello" },
    "anthropic-messages": { messages, max_tokens: 1_000 },
    "gemini-generate-content": { contents: [{ role: "user", parts: [{ text: "Say hello" }] }] },
  };
  const named = CALLERS[caller] ? { model, stream: isStream } : {};
  const response = await fetch(`${relay.url}${CALLERS[caller] || `/v1beta/models/${model}:${verb}`}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...bodies[caller], ...named }),
  });
  await response.text();
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  const rows = await relay.logsOf(user);
  return rows.reduce((sum, { quota }) => sum + quota, 0);
}

test("an empty answer with usage of zeros is free, and zeros beside a text are no usage", async () => {
  const charges: { one: Case; quota: number }[] = [];
  for (let at = 0; at < cases.length; at += 24) {
    const some = cases.slice(at, at + 24);
    charges.push(...(await Promise.all(some.map(async (one) => ({ one, quota: await charge(one) })))));
  }
  const wrong = charges.filter(({ one, quota }) => (one.kind === "written-by-tokens" ? quota === 0 : quota !== 0));
  expect(wrong.map(({ one, quota }) => ({ ...one, quota }))).toEqual([]);
}, 60_000);
