// Who: a caller with a small balance, in many sessions at once, some of which are left as soon as a response has begun.
// What must hold: whatever settings, responses, items and events the official client knows, the balance never falls below 0 where
// the upstream reports the most that each can cause.
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEAR_OPTIONS } from "@/lib/option/dear-options";
import { setUpRelay, until } from "../relay/harness";
import { openSession } from "../relay/realtime-harness";
import { startDearestSessions, WINDOWS } from "./dearest-session";
import { declarationsIn, keyOf, Reader, short } from "./request-catalogue";
import type { Json } from "./scripted-upstream";

const BALANCE = 40_000;
const TRANSCRIBER = "gpt-4o-transcribe";
const MODELS = Object.keys(WINDOWS);
/** A whole window of text; two are paid for by the balance, and no third one. */
const WINDOW_COST = 19_000;

const relay = setUpRelay({
  prices: [...MODELS, TRANSCRIBER].join(","),
  options: {
    AllowedRequestOptions: DEAR_OPTIONS.join("\n"),
    RealtimeSessionsPerKey: "1000",
    ModelRatio: { ...ratios(), [TRANSCRIBER]: 0.5 },
    CompletionRatio: Object.fromEntries(MODELS.map((model) => [model, 0.5])),
    AudioRatio: Object.fromEntries(MODELS.map((model) => [model, 8])),
    CacheRatio: Object.fromEntries(MODELS.map((model) => [model, 0.1])),
  },
  channels: [],
});
let upstream: Awaited<ReturnType<typeof startDearestSessions>>;

beforeAll(async () => {
  upstream = await startDearestSessions();
  await relay.addChannel({ type: 1, baseUrl: upstream.url, models: MODELS.join(",") });
  await relay.inForce();
});
afterAll(() => upstream.close());

function ratios(): Record<string, number> {
  return Object.fromEntries(Object.entries(WINDOWS).map(([model, window]) => [model, WINDOW_COST / window]));
}

/** What a caller sends in one session, event by event, without waiting for answers. */
type Script = { what: string; events: readonly Json[] };

const TEXT = "It runs over the weir. ".repeat(200);
const SECONDS = Buffer.alloc(96_000, 7).toString("base64");
const message = (content: Json): Json => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [content] },
});
const said = message({ type: "input_text", text: TEXT });
const heard: readonly Json[] = [
  { type: "input_audio_buffer.append", audio: SECONDS },
  { type: "input_audio_buffer.commit" },
];
/** Several at once, in the conversation and beside it. */
const answers = (response: Json = {}): Json[] => [
  { type: "response.create", response },
  { type: "response.create", response: { ...response, conversation: "none" } },
  { type: "response.create", response },
];

const reader = new Reader(declarationsIn(["openai/resources/realtime/realtime.d.ts", "openai/resources/shared.d.ts"]));
/** What the attack itself sets. */
const OWN = /^(type|model|event_id)$/;
const LONG: Readonly<Record<string, unknown>> = { instructions: TEXT, prompt: { id: "pmpt_1" }, transcription: null };

/** A value, and larger ones of its type. */
function grown(field: string, value: unknown): unknown[] {
  const long = LONG[field];
  if (typeof value === "string" && value === "x") return [value, TEXT];
  if (typeof value === "number") return [value, 4_096];
  return long ? [value, long] : [value];
}

function fieldsOf(type: string): { field: string; value: unknown }[] {
  return reader.membersOf(reader.named(type)).flatMap((member) => {
    const field = keyOf(member.name);
    if (!member.type || OWN.test(field)) return [];
    return reader
      .variants(member.type, field, new Set())
      .flatMap((value) => grown(field, value))
      .map((value) => ({ field, value }));
  });
}

const before = [said, ...heard];
const ofSession = (type: string): Script[] =>
  fieldsOf(type).map(({ field, value }) => ({
    what: `session ${field} ${short(value)}`,
    events: [
      { type: "session.update", session: { type: "realtime", [field]: value } },
      ...before,
      ...heard,
      ...answers(),
    ],
  }));
const ofInput = (type: string): Script[] =>
  fieldsOf(type).map(({ field, value }) => ({
    what: `input ${field} ${short(value)}`,
    events: [
      { type: "session.update", session: { audio: { input: { [field]: value } } } },
      ...before,
      ...heard,
      ...heard,
      ...answers(),
    ],
  }));

/** Every setting, response, item and event of the client, each by itself and once. */
const all: readonly Script[] = [
  ...ofSession("RealtimeSessionCreateRequest"),
  ...ofSession("RealtimeSession"),
  ...ofInput("RealtimeAudioConfigInput"),
  ...fieldsOf("AudioTranscription").map(({ field, value }) => ({
    what: `transcription ${field} ${short(value)}`,
    events: [
      {
        type: "session.update",
        session: { audio: { input: { transcription: { model: TRANSCRIBER, [field]: value } } } },
      },
      ...Array.from({ length: 12 }, () => heard).flat(),
      ...answers(),
    ],
  })),
  ...["RealtimeResponseCreateParams", "RealtimeResponseCreateParamsWithReferencesParam"].flatMap((type) =>
    fieldsOf(type).map(({ field, value }) => ({
      what: `response ${field} ${short(value)}`,
      events: [...before, ...answers({ [field]: value })],
    })),
  ),
  ...reader.alternativesOf(reader.unionOf("ConversationItem")).flatMap((one) =>
    reader.variants(one, "", new Set()).map((item) => ({
      what: `item ${short(item)}`,
      events: [{ type: "conversation.item.create", item: item as Json }, ...before, ...answers()],
    })),
  ),
  ...[
    { type: "input_text", text: TEXT },
    { type: "input_text", text: "𓀀".repeat(1_000) },
    { type: "input_audio", audio: SECONDS },
    { type: "input_image", image_url: "data:image/png;base64,AAAA" },
  ].map((content) => ({ what: `content ${short(content)}`, events: [message(content), ...answers()] })),
  ...reader.alternativesOf(reader.unionOf("RealtimeClientEvent")).map((one) => {
    const event = reader.sample(one, "") as Json;
    return { what: `event ${short(event)}`, events: [...before, event, ...answers(), event] };
  }),
  {
    what: "the same item named again and again",
    events: [
      { type: "conversation.item.create", item: { ...(said.item as Json), id: "known_1" } },
      ...answers({ input: Array.from({ length: 5 }, () => ({ type: "item_reference", id: "known_1" })) }),
    ],
  },
  {
    what: "a small input of its own, then the whole conversation",
    events: [...before, ...heard, ...answers({ input: [] }), ...answers()],
  },
  {
    what: "an output of few bytes a second, and a session of many",
    events: [
      { type: "session.update", session: { audio: { input: { format: { type: "audio/pcmu" } } } } },
      ...heard,
      ...heard,
      ...answers({ audio: { output: { format: { type: "audio/pcmu" } } } }),
    ],
  },
];

const SCRIPTS = [...new Map(all.map((script) => [JSON.stringify(script.events), script])).values()];

type Attack = { what: string; model: string; begun: number; charged: number; left: number };

/** A session for each script, all at once with one balance; every third is left when a response has begun. */
async function attack(model: string, scripts: readonly Script[]): Promise<Attack> {
  const { user, token } = await relay.addCaller({ balance: BALANCE });
  const run = async ({ events }: Script, at: number): Promise<number> => {
    const session = await openSession(relay.url, token.key, `model=${model}`);
    const leaves = at % 3 === 0;
    const wanted = events.filter(({ type }) => type === "response.create").length;
    const over = new Promise<void>((done) => {
      let ended = 0;
      session.socket.on("message", (data: Buffer) => {
        const { type } = JSON.parse(data.toString("utf8")) as Json;
        if (type === "response.done" || type === "error") ended += 1;
        if ((leaves && type === "response.created") || ended >= wanted) done();
      });
      void session.closed.then(() => done());
    });
    if (session.events.length === 0)
      await Promise.race([new Promise<void>((done) => session.socket.once("message", () => done())), session.closed]);
    for (const event of events) if (session.socket.readyState === session.socket.OPEN) session.send(event as never);
    await over;
    if (leaves) session.socket.terminate();
    await session.close();
    return session.events.some(({ type }) => type === "session.created") ? 1 : 0;
  };
  const begun = (await Promise.all(scripts.map(run))).reduce((sum, one) => sum + one, 0);
  const ended = async () =>
    (await relay.logsOf(user)).filter(({ other }) => "ended" in ((other.realtime ?? {}) as object)).length;
  await until(async () => (await ended()) >= begun, 20_000);
  const { quota: left, used } = await relay.balanceOf(user);
  const what = [...new Set(scripts.map((script) => script.what))].join("; ");
  return { what, model, begun, charged: used, left };
}

/** Each script by itself, in one session that is left and one that is not, a few at a time. */
async function attackAll(model: string, scripts: readonly Script[]): Promise<Attack[]> {
  const queue = [...scripts];
  const done: Attack[] = [];
  const work = async (): Promise<void> => {
    for (let script = queue.shift(); script; script = queue.shift()) done.push(await attack(model, [script, script]));
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return done;
}

const overspent = (attacks: readonly Attack[]) => attacks.filter(({ left }) => left < 0);
/** What brings in, repeats or hides more than its bytes show. */
const HIDING = /mcp|prompt|reference|reasoning|again|of its own|few bytes|transcription|turn_detection|^content|^event/;

const hiding = SCRIPTS.filter(({ what }) => HIDING.test(what));

test("every setting, response, item and event (B317)", async () => {
  expect(SCRIPTS.length).toBeGreaterThan(120);
  const attacks = await attackAll("gpt-realtime", SCRIPTS);
  expect(overspent(attacks)).toEqual([]);
  expect(attacks.filter(({ charged }) => charged > 0).length).toBeGreaterThan(SCRIPTS.length / 2);
}, 120_000);

test("what brings in more than it shows, with a model that thinks unseen (B317)", async () => {
  const attacks = await attackAll("gpt-realtime-2", hiding);
  expect(overspent(attacks)).toEqual([]);
  expect(attacks.filter(({ charged }) => charged > 0).length).toBeGreaterThan(hiding.length / 2);
}, 120_000);

test.each(MODELS)(
  "what brings in more than it shows, forty sessions at once: %s (B317)",
  async (model) => {
    expect(hiding.length).toBeGreaterThan(40);
    const crowds = [hiding.slice(0, 40), hiding.slice(-40)];
    const attacks: Attack[] = [];
    for (const crowd of crowds) attacks.push(await attack(model, crowd));
    expect(overspent(attacks)).toEqual([]);
    expect(attacks.filter(({ charged }) => charged > 0)).toHaveLength(crowds.length);
  },
  120_000,
);
