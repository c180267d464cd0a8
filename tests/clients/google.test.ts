import { ApiError, type Content, type FunctionCall, GoogleGenAI, ThinkingLevel } from "@google/genai";
import { describe, expect, test } from "vitest";
import {
  COMPLETION_TOKENS,
  collect,
  FORECAST,
  FORECASTED,
  NAMES,
  PIXEL,
  PLACE,
  PROMPT_TOKENS,
  QUESTION,
  SENTENCE,
  setUpClients,
  THOUGHT,
  upstreams,
} from "./harness";

const clients = setUpClients();
const question: Content = { role: "user", parts: [{ text: QUESTION }] };
const tools = [{ functionDeclarations: NAMES.map((name) => ({ name, parametersJsonSchema: PLACE })) }];

const clientFor = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: clients.url } });

async function newClient() {
  const { user, key } = await clients.newKey();
  return { user, google: clientFor(key) };
}

/** The conversation with this content of the model and the results of its calls. */
function withResults(content: Content, calls: readonly FunctionCall[]): Content[] {
  const parts = calls.map(({ id, name }) => ({
    functionResponse: { ...(id === undefined ? {} : { id }), name: name ?? "", response: { output: "ok" } },
  }));
  return [question, content, { role: "user", parts }];
}

describe.each(upstreams)("Google's client, at an upstream that speaks %s", (_name, model) => {
  test("reads text, whole and streamed, for the same charge", async () => {
    const { user, google } = await newClient();
    const config = { systemInstruction: "Be brief." };
    const whole = await google.models.generateContent({ model, contents: QUESTION, config });
    expect(clients.lastAsked()?.system).toBe("Be brief.");
    expect(whole.text).toBe(SENTENCE);
    const chunks = await collect(await google.models.generateContentStream({ model, contents: QUESTION }));
    expect(chunks.map(({ text }) => text ?? "").join("")).toBe(SENTENCE);
    for (const answer of [whole, chunks.at(-1)]) {
      expect(answer?.candidates?.[0]?.finishReason).toBe("STOP");
      const { promptTokenCount: prompt, candidatesTokenCount: completion } = answer?.usageMetadata ?? {};
      expect([prompt, completion]).toEqual([PROMPT_TOKENS, COMPLETION_TOKENS]);
    }
    await clients.expectCharged(user, 2);
  });

  test("calls tools at once, and gives their results back", async () => {
    const { user, google } = await newClient();
    const whole = await google.models.generateContent({ model, contents: [question], config: { tools } });
    const stream = await google.models.generateContentStream({ model, contents: [question], config: { tools } });
    const parts = (await collect(stream)).flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    for (const content of [whole.candidates?.[0]?.content ?? {}, { role: "model", parts }]) {
      const calls = (content.parts ?? []).flatMap(({ functionCall }) => functionCall ?? []);
      expect(calls).toMatchObject(NAMES.map((name) => ({ name, args: { place: "Bern" } })));
      const second = await google.models.generateContent({
        model,
        contents: withResults(content, calls),
        config: { tools },
      });
      expect(second.text).toBe("Found: ok, ok");
    }
    await clients.expectCharged(user, 4);
  });

  test("shows a picture, and reads JSON of a schema", async () => {
    const { google } = await newClient();
    const image = { inlineData: { mimeType: "image/png", data: PIXEL } };
    const seen = await google.models.generateContent({ model, contents: [{ role: "user", parts: [image] }] });
    expect(seen.text).toBe("1 pictures");
    const config = { responseMimeType: "application/json", responseJsonSchema: FORECAST };
    const parsed = await google.models.generateContent({ model, contents: QUESTION, config });
    expect(JSON.parse(parsed.text ?? "")).toEqual(FORECASTED);
  });

  test("keeps thinking over turns with tools", async () => {
    const { google } = await newClient();
    const thinkingConfig = { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW };
    const config = { tools, thinkingConfig };
    const first = await google.models.generateContent({ model, contents: [question], config });
    expect(clients.lastAsked()?.isThinking).toBe(true);
    const content = first.candidates?.[0]?.content ?? {};
    expect(content.parts?.[0]).toMatchObject({ text: THOUGHT, thought: true });
    const contents = withResults(content, first.functionCalls ?? []);
    const second = await google.models.generateContent({ model, contents, config });
    expect(second.text).toBe("Found: ok, ok");
  });

  test("goes on in a chat of its own", async () => {
    const { google } = await newClient();
    const chat = google.chats.create({ model, config: { tools } });
    const first = await chat.sendMessage({ message: QUESTION });
    const [, , results] = withResults({}, first.functionCalls ?? []);
    const second = await chat.sendMessage({ message: results?.parts ?? [] });
    expect(second.text).toBe("Found: ok, ok");
  });

  test("throws its own errors", async () => {
    const { google } = await newClient();
    const wrong = clientFor("sk-wrong").models.generateContent({ model, contents: QUESTION });
    await expect(wrong).rejects.toBeInstanceOf(ApiError);
    await expect(wrong).rejects.toMatchObject({ status: 401 });
    const bad = google.models.generateContent({ model, contents: QUESTION, config: { maxOutputTokens: -1 } });
    await expect(bad).rejects.toMatchObject({ status: 400, message: expect.stringContaining("INVALID_ARGUMENT") });
    const limited = { model: `${model}-error-429`, contents: QUESTION };
    await expect(google.models.generateContent(limited)).rejects.toMatchObject({ status: 429 });
    await expect(google.models.generateContentStream(limited)).rejects.toMatchObject({ status: 429 });
  });

  test("leaves in mid-stream", async () => {
    const { user, google } = await newClient();
    const control = new AbortController();
    const config = { abortSignal: control.signal };
    const stream = await google.models.generateContentStream({ model: `${model}-endless`, contents: QUESTION, config });
    const read = async () => {
      for await (const { text } of stream) if (text) control.abort();
    };
    await expect(read()).rejects.toThrow();
    await clients.expectBrokenOff(user);
  });
});
