import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay } from "../harness";

// DashScope draws after it has answered with the id of a task, which is asked for until it is over.
// https://help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference

type Answer = [status: number, body: unknown] | "cut";
const relay = setUpRelay({ prices: "wanx-l", channels: [], options: { RetryTimes: "3" } });
let submitted = 0;
let looks = 0;
let submit: (count: number) => Answer = () => [200, {}];
let look: (count: number) => Answer = () => [200, {}];

const state = (task_status: unknown, more: object = {}) => ({ output: { task_id: "t1", task_status, ...more } });
const TAKEN: Answer = [200, state("PENDING")];
const MADE: Answer = [200, state("SUCCEEDED", { results: [{ url: "https://x.invalid/1.png" }] })];

function give(response: ServerResponse, answer: Answer): void {
  if (answer === "cut") return void response.destroy();
  response.writeHead(answer[0], { "content-type": "application/json" });
  response.end(typeof answer[1] === "string" ? answer[1] : JSON.stringify(answer[1]));
}

const server = createServer(async (request, response) => {
  for await (const _ of request);
  if (request.method === "GET") {
    looks += 1;
    return give(response, look(looks));
  }
  submitted += 1;
  give(response, submit(submitted));
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const priority of [0, -1]) {
    await relay.addChannel({ type: CHANNEL_TYPE.dashscope, baseUrl, models: "wanx-l", priority });
  }
  await relay.inForce();
});
beforeEach(() => {
  submitted = 0;
  looks = 0;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function draw() {
  const { user, token } = await relay.addCaller();
  const headers = { "content-type": "application/json", authorization: `Bearer ${token.key}` };
  const body = JSON.stringify({ model: "wanx-l", prompt: "a heron" });
  const response = await fetch(`${relay.url}/v1/images/generations`, { method: "POST", headers, body });
  return { status: response.status, text: await response.text(), used: (await relay.balanceOf(user)).used };
}

const FIRST: readonly [name: string, first: Answer][] = [
  ["cut", "cut"],
  ["500", [500, { code: "InternalError", message: "no", request_id: "r" }]],
  ["504", [504, "<html>"]],
  ["no JSON", [200, "<html>"]],
  ["no id", [200, { output: {}, request_id: "r" }]],
];

test.each(FIRST)("a picture that may be drawn already is not drawn elsewhere: %s", async (_name, first) => {
  submit = () => first;
  look = () => MADE;
  const { status, text, used } = await draw();
  expect([submitted, status >= 500, used]).toEqual([1, true, 0]);
  expect(text).toContain("no other channel was asked");
});

test.each<[name: string, before: Answer]>([
  ["a failed look", [500, {}]],
  ["a lost look", "cut"],
  ["a limit", [429, { code: "Throttling", message: "slow", request_id: "r" }]],
  ["a word that is not known", [200, state("SUSPENDED")]],
  ["no word", [200, state(undefined)]],
])("a picture that was begun is waited for, whatever comes of one look: %s", async (_name, before) => {
  submit = () => TAKEN;
  look = (count) => (count === 1 ? before : MADE);
  const { status, text } = await draw();
  expect([status, submitted, text.includes("x.invalid/1.png")]).toEqual([200, 1, true]);
});

test("a picture that is made, and whose result is lost, is not made again", async () => {
  submit = () => TAKEN;
  look = (count) => (count === 1 ? MADE : "cut");
  const { status, used } = await draw();
  expect([submitted, status >= 500, used]).toEqual([1, true, 0]);
});

test.each<[name: string, first: Answer, looked: Answer]>([
  ["a refusal", [429, { code: "Throttling", message: "slow", request_id: "r" }], MADE],
  ["an overload", [503, { code: "ModelUnavailable", message: "busy", request_id: "r" }], MADE],
  ["a failure of the work", TAKEN, [200, state("FAILED", { code: "InternalError", message: "broke" })]],
])("what was not drawn is drawn by the next channel: %s", async (_name, first, looked) => {
  submit = (count) => (count === 1 ? first : TAKEN);
  look = () => (submitted === 1 ? looked : MADE);
  const { status } = await draw();
  expect([status, submitted]).toEqual([200, 2]);
});
