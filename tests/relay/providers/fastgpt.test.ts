import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay, until } from "../harness";

const KEY = "fastgpt-key-of-an-application-65f0";
const NODES = [{ moduleName: "AI", totalPoints: 1 }];
const relay = setUpRelay({ prices: "library" });
let server: Server;
let key: string;
let user: number;
const seen: { authorization: string | undefined; url: string | undefined; body: Record<string, unknown> }[] = [];

const chunk = (delta: object, finish: string | null) =>
  JSON.stringify({ id: "", object: "", created: 0, model: "", choices: [{ delta, index: 0, finish_reason: finish }] });

/** As FastGPT does with `detail`: events have names, and tell of the nodes of the flow between the words. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  const body = JSON.parse(text) as Record<string, unknown>;
  seen.push({ authorization: request.headers.authorization, url: request.url, body });
  if (body.stream !== true) {
    response.writeHead(200, { "content-type": "application/json" });
    const choices = [{ message: { role: "assistant", content: "The river runs." }, finish_reason: "stop", index: 0 }];
    const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 };
    response.end(JSON.stringify({ responseData: NODES, id: body.chatId, model: "", usage, choices }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream;charset=utf-8" });
  response.write(`event: flowNodeStatus\ndata: ${JSON.stringify({ status: "running", name: "AI" })}\n\n`);
  response.write(`event: answer\ndata: ${chunk({ role: "assistant", content: "The river" }, null)}\n\n`);
  response.write(`event: answer\ndata: ${chunk({ content: " runs." }, null)}\n\n`);
  response.write(`event: answer\ndata: ${chunk({}, "stop")}\n\nevent: answer\ndata: [DONE]\n\n`);
  response.end(`event: flowResponses\ndata: ${JSON.stringify(NODES)}\n\n`);
}

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/openapi`;
  await relay.addChannel({ type: CHANNEL_TYPE.fastgpt, baseUrl, models: "library", key: KEY });
  await relay.inForce();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(async () => {
  seen.length = 0;
  const made = await relay.addCaller();
  user = made.user;
  key = made.token.key;
});

const ask = (stream: boolean) =>
  relay.post(
    key,
    JSON.stringify({
      ...{ model: "library", chatId: "chat-1", detail: true, variables: { city: "Bern" }, stream },
      messages: [{ role: "user", content: "Where does it run?" }],
    }),
  );

test("FastGPT gets the key of its application, the id of the chat and the wish for details", async () => {
  const { status, text } = await ask(false);
  expect([status, JSON.parse(text)]).toMatchObject([200, { responseData: NODES, id: "chat-1" }]);
  expect(seen).toEqual([
    {
      authorization: `Bearer ${KEY}`,
      url: "/api/openapi/v1/chat/completions",
      body: expect.objectContaining({ chatId: "chat-1", detail: true, variables: { city: "Bern" } }),
    },
  ]);
  await until(async () => (await relay.logsOf(user)).length > 0);
  expect((await relay.logsOf(user))[0]).toMatchObject({ prompt: 12, completion: 4, quota: 20 });
});

test("what FastGPT tells of its flow passes with the words, and the answer is whole", async () => {
  const { text } = await ask(true);
  expect(text).toContain("event: flowNodeStatus");
  expect(text).toContain("The river");
  expect(text).toContain(" runs.");
  expect(text).toContain("[DONE]");
  expect(text).not.toContain('"error"');
  await until(async () => (await relay.logsOf(user)).length > 0);
  const [row] = await relay.logsOf(user);
  expect(row).toMatchObject({ type: 2, stream: true });
  expect(row?.quota).toBeGreaterThan(0);
});
