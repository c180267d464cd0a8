import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { upstreamFormats } from "@/lib/relay/wire/dialects";
import { encodeHistory } from "@/lib/relay/wire/dialects/pictures/answer-pictures";
import { setUpRelay } from "../harness";

// Gemini signs each picture, and the signature goes back with it; pictures with `thought` are sketches.
// https://ai.google.dev/gemini-api/docs/image-generation#thinking-process,
// https://ai.google.dev/gemini-api/docs/thought-signatures ("Image generation and editing")

type Json = Record<string, unknown>;
type Part = Json & { text?: string; inlineData?: { data: string; mimeType: string }; thoughtSignature?: string };

const PICTURES = ["iVBORw0KGgoFIRST", "iVBORw0KGgoSECOND"] as const;
const SKETCH = "iVBORw0KGgoSKETCH";
const SIGNATURES = { text: "c2lnbmVkVGV4dA==", first: "c2lnbmVkRmlyc3Q=", second: "c2lnbmVkU2Vjb25k" };
const USAGE = { promptTokenCount: 10, candidatesTokenCount: 1_300, thoughtsTokenCount: 40, totalTokenCount: 1_350 };

const inline = (data: string) => ({ inlineData: { mimeType: "image/png", data } });
const ANSWERS: Readonly<Record<string, Part[]>> = {
  "gemini-signed": [{ ...inline(PICTURES[0]), thoughtSignature: SIGNATURES.first }],
  "gemini-unsigned": [inline(PICTURES[0])],
  "gemini-sketched": [
    { ...inline(SKETCH), thought: true },
    { ...inline(SKETCH), thought: true, thoughtSignature: "c2tldGNo" },
    { ...inline(PICTURES[0]), thoughtSignature: SIGNATURES.first },
  ],
  "gemini-several": [
    { text: "I think of herons.", thought: true },
    { text: "Two herons: ", thoughtSignature: SIGNATURES.text },
    { ...inline(PICTURES[0]), thoughtSignature: SIGNATURES.first },
    { text: " and " },
    { ...inline(PICTURES[1]), thoughtSignature: SIGNATURES.second },
  ],
};
const MODELS = Object.keys(ANSWERS);

const relay = setUpRelay({ prices: [...MODELS, "drawing-chat"].join(","), channels: [] });
const seen: { contents: { role: string; parts: Part[] }[] }[] = [];

/** OpenRouter's form: https://openrouter.ai/docs/features/multimodal/image-generation */
const drawn = {
  role: "assistant",
  content: "A heron.",
  images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PICTURES[0]}` } }],
};

const server = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += String(part);
  const body = JSON.parse(text) as (typeof seen)[number] & { stream?: boolean };
  const { url = "" } = request;
  const isStream = url.includes("streamGenerateContent") || body.stream === true;
  response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  if (url.includes("chat/completions")) {
    const usage = { prompt_tokens: 10, completion_tokens: 1_300, total_tokens: 1_310 };
    const head = { id: "c1", created: 1, model: "drawing-chat" };
    const whole = {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message: drawn, finish_reason: "stop" }],
      usage,
    };
    if (!isStream) return void response.end(JSON.stringify(whole));
    const event = (delta: Json, finish: string | null) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], usage: finish ? usage : null })}\n\n`;
    const { images, ...words } = drawn;
    return void response.end(`${event(words, null)}${event({ images }, null)}${event({}, "stop")}data: [DONE]\n\n`);
  }
  seen.push(body);
  const model = /models\/([^:]+):/.exec(url)?.[1] ?? "";
  const parts = ANSWERS[model] ?? [];
  const answer = (given: Part[], isLast: boolean) => ({
    candidates: [{ content: { role: "model", parts: given }, index: 0, ...(isLast ? { finishReason: "STOP" } : {}) }],
    usageMetadata: USAGE,
    modelVersion: model,
    responseId: "r1",
  });
  if (!isStream) return void response.end(JSON.stringify(answer(parts, true)));
  for (const [at, part] of parts.entries()) {
    response.write(`data: ${JSON.stringify(answer([part], at === parts.length - 1))}\r\n\r\n`);
  }
  response.end();
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models: MODELS.join(",") });
  await relay.addChannel({ type: CHANNEL_TYPE.openrouter, baseUrl, models: "drawing-chat" });
  await relay.inForce();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const QUESTION = "Draw a heron.";

/** How a caller asks, and how it sends back what it got; `history`: the whole answer as its next request has it. */
const CALLERS: Readonly<
  Record<string, { path: (model: string, isStream: boolean) => string; body: (model: string, history?: Json) => Json }>
> = {
  chat: {
    path: () => "/v1/chat/completions",
    body(model, history) {
      const [choice] = (history?.choices ?? []) as { message: Json }[];
      const messages = [{ role: "user", content: QUESTION }];
      return {
        model,
        messages: choice ? [...messages, choice.message, { role: "user", content: "Bluer." }] : messages,
      };
    },
  },
  messages: {
    path: () => "/v1/messages",
    body(model, history) {
      const messages = [{ role: "user", content: QUESTION }];
      const more = [
        { role: "assistant", content: history?.content },
        { role: "user", content: "Bluer." },
      ];
      return { model, max_tokens: 8_000, messages: history ? [...messages, ...more] : messages };
    },
  },
  responses: {
    path: () => "/v1/responses",
    body(model, history) {
      const input = [{ role: "user", content: QUESTION }];
      const more = [...((history?.output ?? []) as Json[]), { role: "user", content: "Bluer." }];
      return { model, input: history ? [...input, ...more] : input, include: ["reasoning.encrypted_content"] };
    },
  },
  google: {
    path: (model, isStream) =>
      `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body(_model, history) {
      const contents = [{ role: "user", parts: [{ text: QUESTION }] }];
      const [candidate] = (history?.candidates ?? []) as { content: Json }[];
      return {
        contents: candidate
          ? [...contents, candidate.content, { role: "user", parts: [{ text: "Bluer." }] }]
          : contents,
      };
    },
  },
};

async function ask(path: string, body: Json) {
  const { user, token } = await relay.addCaller({ balance: 100_000_000 });
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${token.key}`,
    "x-goog-api-key": token.key,
  };
  const response = await fetch(relay.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { user, status: response.status, text: await response.text() };
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe.each(Object.entries(CALLERS))("a picture of Gemini, asked for by %s", (name, { path, body }) => {
  test.each(MODELS.flatMap((model) => [true, false].map((isStream) => ({ model, isStream }))))(
    "reaches the caller once, with its usage charged and without sketches: %j",
    async ({ model, isStream }) => {
      const { user, status, text } = await ask(path(model, isStream), {
        ...body(model),
        ...(name === "google" ? {} : { stream: isStream }),
      });
      expect(status).toBe(200);
      const shown = (ANSWERS[model] ?? []).filter(({ inlineData, thought }) => inlineData && thought !== true);
      // A stream of Responses repeats the whole text in the events that end it.
      for (const { inlineData } of shown) expect(count(text, inlineData?.data ?? "none")).toBeGreaterThanOrEqual(1);
      if (name !== "google") expect(text).not.toContain(SKETCH);
      // One quota a prompt token, two a completion token.
      expect((await relay.balanceOf(user)).used).toBe(10 + 2 * 1_340);
    },
  );

  test.each(MODELS)("sent back as history is a picture with its signature: %s", async (model) => {
    const first = await ask(path(model, false), body(model));
    const history = JSON.parse(first.text) as Json;
    const { status, text } = await ask(path(model, false), body(model, history));
    expect([status, text.slice(0, status === 200 ? 0 : 300)]).toEqual([200, ""]);
    const [, said] = seen.at(-1)?.contents ?? [];
    const pictures = (said?.parts ?? []).filter(({ inlineData, thought }) => inlineData && thought !== true);
    const right = (ANSWERS[model] ?? []).filter(({ inlineData, thought }) => inlineData && thought !== true);
    expect(said?.role).toBe("model");
    expect(pictures).toEqual(right);
    expect(JSON.stringify((said?.parts ?? []).map((part) => part.text))).not.toContain("iVBOR");
    const signed = (said?.parts ?? []).find((part) => part.text?.includes("Two herons"));
    if (model === "gemini-several") expect(signed?.thoughtSignature).toBe(SIGNATURES.text);
  });
});

const URL_OF = `data:image/png;base64,${PICTURES[0]}`;
const user = (content: string) => ({ role: "user", content });
/** Other ways in which callers have what a model drew in their history. */
const HISTORIES: Readonly<Record<string, [path: string, body: Json]>> = {
  "message.images": ["/v1/chat/completions", { messages: [user("a"), drawn, user("b")] }],
  "message.images of texts": [
    "/v1/chat/completions",
    { messages: [user("a"), { ...drawn, images: [{ url: URL_OF }] }, user("b")] },
  ],
  "a part of the content": [
    "/v1/chat/completions",
    {
      messages: [
        user("a"),
        {
          role: "assistant",
          content: [
            { type: "text", text: "A heron." },
            { type: "image_url", image_url: { url: URL_OF } },
          ],
        },
        user("b"),
      ],
    },
  ],
  "Markdown with other words": [
    "/v1/chat/completions",
    { messages: [user("a"), { role: "assistant", content: `A heron. ![a blue one](${URL_OF}) Well?` }, user("b")] },
  ],
  "Markdown in a list of parts": [
    "/v1/chat/completions",
    {
      messages: [
        user("a"),
        { role: "assistant", content: [{ type: "text", text: `A heron. ![image](${URL_OF})` }] },
        user("b"),
      ],
    },
  ],
  image_generation_call: [
    "/v1/responses",
    {
      input: [
        user("a"),
        {
          type: "image_generation_call",
          id: "ig_weir_1",
          status: "completed",
          output_format: "png",
          result: PICTURES[0],
        },
        user("b"),
      ],
    },
  ],
  "Markdown in output_text": [
    "/v1/responses",
    {
      input: [
        user("a"),
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: `![image](${URL_OF})`, annotations: [] }],
        },
        user("b"),
      ],
    },
  ],
  "an image block": [
    "/v1/messages",
    {
      max_tokens: 9,
      messages: [
        user("a"),
        {
          role: "assistant",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PICTURES[0] } }],
        },
        user("b"),
      ],
    },
  ],
  "Markdown in a text block": [
    "/v1/messages",
    {
      max_tokens: 9,
      messages: [
        user("a"),
        { role: "assistant", content: [{ type: "text", text: `A heron. ![image](${URL_OF})` }] },
        user("b"),
      ],
    },
  ],
};

test.each(Object.entries(HISTORIES))(
  "what a model drew goes to Google as a picture: %s",
  async (_name, [path, body]) => {
    const { status, text } = await ask(path, { model: "gemini-unsigned", ...body });
    expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
    const parts = seen.at(-1)?.contents[1]?.parts ?? [];
    expect(parts.filter(({ inlineData }) => inlineData)).toEqual([inline(PICTURES[0])]);
    expect(JSON.stringify(parts.map((part) => part.text))).not.toContain("iVBOR");
  },
);

test.each(["chat", "messages", "responses"].flatMap((name) => [true, false].map((isStream) => ({ name, isStream }))))(
  "what a chat upstream drew beside its text reaches the caller: %j",
  async ({ name, isStream }) => {
    const caller = CALLERS[name];
    const { status, text } = await ask(caller?.path("drawing-chat", isStream) ?? "", {
      ...caller?.body("drawing-chat"),
      stream: isStream,
    });
    expect([status, text.includes(PICTURES[0])]).toEqual([200, true]);
  },
);

describe("what a model drew", () => {
  const text = `A heron: ![image](data:image/png;base64,${"QUJD".repeat(20_000)})`;
  const request = {
    model: "m",
    messages: [
      { role: "user" as const, content: [{ type: "text" as const, text: "Draw." }] },
      { role: "assistant" as const, content: [{ type: "text" as const, text }] },
      { role: "user" as const, content: [{ type: "text" as const, text: "Bluer." }] },
    ],
  };
  const options = defaultOptions();

  test.each([...upstreamFormats])("goes to %s as a picture or not at all, and never as a text", (_id, format) => {
    const target = {
      model: "m",
      canReportStreamUsage: false,
      systemPrompt: { text: "", isForced: false },
      other: "",
      maxTokens: options["claude.default_max_tokens"],
      safety: options["gemini.safety_settings"],
    };
    const decoded = { ...request, isStream: false } as unknown as Parameters<typeof format.encode>[0];
    const encode = (given: typeof decoded) => format.encode(given, target);
    const body = format.takesModelPictures ? encode(decoded) : encodeHistory(decoded, encode);
    expect(JSON.stringify(body)).not.toContain("![image](data:");
    expect(JSON.stringify(body)).toContain("A heron:");
  });
});
