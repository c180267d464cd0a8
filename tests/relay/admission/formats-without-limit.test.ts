import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { chatBody, setUpRelay, until } from "../harness";

const MODEL = "hunyuan-endless";
const TEXT = "Once upon a time in a river...";
const relay = setUpRelay({ prices: MODEL });
let hunyuan: Server;
let open = 0;

/** Writes without end where it may stream, and else a long answer: nobody can tell it to write less. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  const ofStream = (JSON.parse(text) as { Stream?: boolean }).Stream === true;
  const piece = (words: string, tokens: number, reason: string) => ({
    Id: "h1",
    Choices: [{ Index: 0, [ofStream ? "Delta" : "Message"]: { Content: words }, FinishReason: reason }],
    Usage: { PromptTokens: 10, CompletionTokens: tokens, TotalTokens: 10 + tokens },
  });
  if (!ofStream) {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ Response: piece(TEXT.repeat(1_000), 10_000, "stop") }));
    return;
  }
  open += 1;
  response.setHeader("content-type", "text/event-stream");
  let tokens = 0;
  const timer = setInterval(() => {
    tokens += 10;
    response.write(`data: ${JSON.stringify(piece(TEXT, tokens, ""))}\n\n`);
  }, 1);
  response.on("close", () => {
    clearInterval(timer);
    open -= 1;
  });
}

beforeAll(async () => {
  hunyuan = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => hunyuan.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(hunyuan.address() as AddressInfo).port}`;
  await relay.addChannel({ type: CHANNEL_TYPE.hunyuan, baseUrl, key: "1|id|secret", models: MODEL });
  await relay.inForce();
});
afterAll(() => {
  hunyuan.close();
  hunyuan.closeAllConnections();
});

test.each([false, true])(
  "an upstream that cannot be told how long its answer may be writes no more than the balance pays for (stream: %s)",
  async (stream) => {
    const { user, token } = await relay.addCaller({ balance: 400 });
    const { status, text } = await relay.post(token.key, chatBody(MODEL, { max_tokens: 1, stream }));
    expect(status).toBe(200);
    expect(text).toContain('"finish_reason":"length"');
    expect(text).toContain(TEXT);
    if (!stream) expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { role: "assistant" } }] });
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    expect((await relay.logsOf(user))[0]?.other).toMatchObject({ ended_by_balance: true });
    // What one chunk may bring beyond the limit.
    expect((await relay.balanceOf(user)).quota).toBeGreaterThan(-200);
    await expect.poll(() => open).toBe(0);
  },
);
