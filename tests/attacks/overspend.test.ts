// Who: a caller with a small balance, who asks many times at once for what costs far more than its body shows.
// What must hold: whatever a request can have (every option, tool and part that the official clients know), the balance never
// falls below 0 where the upstream reports the most that the request can cause, because all of that is reserved before it is asked.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEAR_OPTIONS } from "@/lib/option/dear-options";
import { setUpRelay, until } from "../relay/harness";
import { catalogueOf, type Item } from "./request-catalogue";
import { type Asked, type Json, type Script, startScriptedUpstream, type Wire } from "./scripted-upstream";

const BALANCE = 40_000;
/** Models that show all they write, and their windows. Two windows are paid for by the balance, and no third one. */
const MODELS: Record<Wire, { name: string; window: number }> = {
  chat: { name: "gpt-4.1-mini", window: 1_047_576 },
  responses: { name: "gpt-4.1", window: 1_047_576 },
  messages: { name: "claude-3-5-haiku-20241022", window: 200_000 },
  gemini: { name: "gemini-2.0-flash", window: 1_048_576 },
};
const WINDOW_COST = 19_000;
const STORED_TOKENS = 900_000;
const WIRES = ["chat", "responses", "messages", "gemini"] as const;

const relay = setUpRelay();
let upstream: Awaited<ReturnType<typeof startScriptedUpstream>>;
let storing = 0;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const baseUrl = upstream.url;
  const setting = '{"speaks_responses":true}';
  await relay.addChannel({ baseUrl, models: MODELS.chat.name });
  storing = await relay.addChannel({ baseUrl, models: MODELS.responses.name, setting });
  await relay.addChannel({ baseUrl, models: MODELS.messages.name, type: 14 });
  await relay.addChannel({ baseUrl, models: MODELS.gemini.name, type: 24 });
  const models = Object.values(MODELS);
  await relay.setOption(
    "ModelRatio",
    Object.fromEntries(models.map(({ name, window }) => [name, WINDOW_COST / window])),
  );
  await relay.setOption("CompletionRatio", Object.fromEntries(models.map(({ name }) => [name, 2])));
  await relay.setOption("CreateCacheRatio", Object.fromEntries(models.map(({ name }) => [name, 1])));
  await relay.setOption("AllowedRequestOptions", DEAR_OPTIONS.join("\n"));
  await relay.inForce();
  upstream.script(dearest);
});
afterAll(() => upstream.close());

/** What its caller runs: everything else runs at the upstream, and brings in as much as it can. */
const OWN_TOOL =
  /^(function|custom|computer|computer_use_preview|local_shell|apply_patch|namespace|programmatic_tool_calling|tool_search|(bash|text_editor|memory|computer|tool_search_tool)_.*|functionDeclarations|computerUse)$/;
const UNSEEN =
  /"(input_file|file|document|container_upload|item_reference|fileData|inlineData|conversation|prompt|previous_message_id|file_url|file_id|file_data)"/;

/** The most that a request can cause, by what its provider documents. */
function dearest(asked: Asked): Script {
  const { wire, body } = asked;
  const { window } = MODELS[wire];
  const text = Math.ceil(JSON.stringify(body).length / 3);
  const limit = limitOf(asked);
  const completion = Math.min(limit, asked.isStream ? 20 : 500);
  const stored = body.previous_response_id === undefined ? 0 : STORED_TOKENS;
  const unseen = UNSEEN.test(JSON.stringify(body)) ? window : 0;
  const first = Math.min(window, text + stored + unseen);
  let prompt = first;
  for (let call = 1; call <= callsOf(asked); call++) prompt += Math.min(window, text + call * resultOf(asked));
  return { prompt, completion, text: "ab ".repeat(completion) };
}

function limitOf({ wire, body }: Asked): number {
  const config = (body.generationConfig ?? {}) as Json;
  const given = [body.max_tokens, body.max_completion_tokens, body.max_output_tokens, config.maxOutputTokens];
  const limits = given.filter((one) => typeof one === "number");
  return limits.length > 0 ? Math.max(...limits) : wire === "messages" ? 1 : 500;
}

function callsOf({ wire, body }: Asked): number {
  const tools = (Array.isArray(body.tools) ? body.tools : []) as Json[];
  const kinds = tools.flatMap((tool) => (wire === "gemini" ? Object.keys(tool) : [String(tool.type ?? "custom")]));
  const hosted = tools.filter((_, at) => !OWN_TOOL.test(kinds[at] ?? ""));
  if (wire === "responses") return hosted.length > 0 ? Number(body.max_tool_calls ?? 60) : 0;
  if (wire === "chat") return hosted.length + (body.web_search_options === undefined ? 0 : 1);
  if (wire === "gemini") return kinds.filter((kind) => !OWN_TOOL.test(kind)).length;
  const servers = Array.isArray(body.mcp_servers) ? body.mcp_servers.length : 0;
  if (servers > 0) return 10;
  return Math.min(
    10,
    hosted.reduce((sum, { max_uses: uses }) => sum + Number(uses ?? 10), 0),
  );
}

/** What the result of a call brings in. */
function resultOf({ wire, body }: Asked): number {
  const limits = ((body.tools ?? []) as Json[]).map(({ max_content_tokens: most }) => Number(most ?? Number.NaN));
  const isLimited = wire === "messages" && limits.length > 0 && limits.every((one) => one > 0) && !body.mcp_servers;
  return isLimited ? Math.max(...limits) + 1_000 : Number.POSITIVE_INFINITY;
}

const plain: Record<Wire, Json> = {
  chat: { messages: [{ role: "user", content: "hi" }] },
  responses: { input: "hi" },
  messages: { max_tokens: 500, messages: [{ role: "user", content: "hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};

async function ask(key: string, wire: Wire, more: Json, isStream: boolean): Promise<number> {
  const { name } = MODELS[wire];
  const gemini = `/v1beta/models/${name}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  const path = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages", gemini }[wire];
  const body = {
    ...plain[wire],
    ...more,
    ...(wire === "gemini" ? {} : { model: name }),
    ...(isStream ? { stream: true } : {}),
  };
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

/** A caller who has stored an answer, a file and an item that nobody knows the size of. */
async function poorCaller() {
  const { user, token } = await relay.addCaller({ balance: BALANCE });
  const kinds = ["response", "item", "conversation", "file"];
  await relay.database.sql`
    insert into upstream_objects (user_id, kind, object_id, channel_id, key_hash, created_at, expires_at, tokens)
    select ${user}, kind, 'known_1', ${storing}, '', 1, 4e9, case kind when 'response' then ${STORED_TOKENS}::int end
    from unnest(${kinds}::text[]) as kind`;
  return { user, key: token.key };
}

type Attack = { what: string; wire: Wire; served: number; refused: number; left: number };

async function attack(wire: Wire, { what, more }: Item, times: number): Promise<Attack> {
  const { user, key } = await poorCaller();
  const asking = Array.from({ length: times }, (_, at) => ask(key, wire, more, at % 2 === 1));
  const statuses = await Promise.all(asking);
  const served = statuses.filter((status) => status === 200).length;
  await until(async () => (await relay.logsOf(user)).filter(({ type }) => type === 2).length >= served, 10_000);
  const { quota: left } = await relay.balanceOf(user);
  return { what, wire, served, refused: statuses.filter((status) => status === 403 || status === 503).length, left };
}

/** Each item by itself, a few at a time. */
async function attackAll(wire: Wire, items: readonly Item[], times: number): Promise<Attack[]> {
  const queue = [...items];
  const done: Attack[] = [];
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item; item = queue.shift()) done.push(await attack(wire, item, times));
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return done;
}

const overspent = (attacks: readonly Attack[]) => attacks.filter(({ left }) => left < 0);

describe.each(WIRES)("%s", (wire) => {
  test("every option, tool and part, three at once (B317)", async () => {
    const items = catalogueOf(wire);
    expect(items.length).toBeGreaterThan(60);
    const attacks = await attackAll(wire, items, 3);
    expect(overspent(attacks)).toEqual([]);
    // What costs no more than its body shows is served to who has little.
    expect(attacks.filter(({ served }) => served === 3).length).toBeGreaterThan(30);
  }, 120_000);

  test("every tool, forty at once (B317)", async () => {
    const tools = catalogueOf(wire).filter(({ isTool }) => isTool);
    expect(overspent(await attackAll(wire, tools, 40))).toEqual([]);
  }, 120_000);
});
