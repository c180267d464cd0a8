// Who: a caller whose conversation has thousands of messages, calls or results, on purpose or not.
// What must hold: the time to read and write it grows with its length, not with the square of its length, in every dialect and
// format. A square would take an eighth of a second or more here, and the gateway answers nobody meanwhile. What is slow is compared
// with a quarter of it: a slow machine takes longer for both, but only a square takes sixteen times as long.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readChat } from "../../operations/chat/chat-intake";
import { renameTools } from "../../operations/chat/tool-names";
import { withoutCallIds } from "../../providers/fixes/gemini-fixes";
import type { ChatRequest, Message } from "../canonical/request";
import { dialects, upstreamFormats } from ".";
import { withoutExtras } from "./common/extras";
import { sendableRequest } from "./common/sendable-request";
import type { UpstreamTarget } from "./dialect";

const LENGTH = 4_000;
const MOST_MS = 60;
/** Of the time for a quarter. */
const MOST_TIMES = 9;

const text = (value: string) => ({ type: "text" as const, text: value });
const call = (id: string, name = "f") => ({ type: "tool-call" as const, id, name, arguments: "{}" });
const PICTURE = {
  type: "image" as const,
  source: { type: "base64" as const, mediaType: "image/png", data: "aGk=" },
};
const user: Message = { role: "user", content: [text("hi")] };
const result = (toolCallId: string): Message => ({ role: "tool", toolCallId, content: [text("r")] });

type Shape = Pick<ChatRequest, "messages" | "tools">;

function shapesOf(length: number): Record<string, Shape> {
  const many = <Item>(make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at));
  return {
    "messages of the user": { messages: many(() => user) },
    turns: { messages: many((at) => (at % 2 ? { role: "assistant", content: [text("a")] } : user)) },
    "instructions in between": {
      messages: many((at) => (at % 2 ? { role: "developer", content: [text("d")] } : user)),
    },
    "calls of one message": {
      messages: [user, { role: "assistant", content: many((at) => call(`c${at}`)) }, ...many((at) => result(`c${at}`))],
    },
    "calls of one id": {
      messages: [user, { role: "assistant", content: many(() => call("c")) }, ...many(() => result("c"))],
    },
    "results in reverse": {
      messages: [
        user,
        { role: "assistant", content: many((at) => call(`c${at}`, `f${at}`)) },
        ...many((at) => result(`c${length - 1 - at}`)),
      ],
    },
    "pictures of one result": {
      messages: [
        user,
        { role: "assistant", content: [call("c")] },
        { role: "tool", toolCallId: "c", content: many(() => PICTURE) },
      ],
    },
    "calls and results in turn": {
      messages: [
        user,
        ...many((at) => (at % 2 ? result(`c${at - 1}`) : { role: "assistant" as const, content: [call(`c${at}`)] })),
      ],
    },
    "calls without results": {
      messages: [user, { role: "assistant", content: many((at) => call(`c${at}`)) }, user],
    },
    "results without calls": { messages: [user, ...many((at) => result(`c${at}`))] },
    "tools with odd names": {
      messages: [
        user,
        { role: "assistant", content: many((at) => call(`c${at}`, `f.${at}`)) },
        ...many((at) => result(`c${at}`)),
      ],
      tools: many((at) => ({ name: `f.${at}`, parameters: { type: "object", properties: {} } })),
    },
  };
}

const whole = shapesOf(LENGTH);
const quarter = shapesOf(LENGTH / 4);

const target: UpstreamTarget = {
  model: "m",
  canReportStreamUsage: true,
  systemPrompt: { text: "", isForced: false },
  rules: {},
  other: "",
  maxTokens: {},
  safety: {},
};

/** The CPU time of this thread in ms, where the system tells it: a busy machine lets others run meanwhile. */
function spentMs(): number {
  if (process.platform !== "linux") return performance.now();
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
}

/** In ms, the least of three, or the first that is below the bound. A refusal is as good as an answer. */
function costOf(work: () => unknown, mostMs = MOST_MS): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && least > mostMs; tries++) {
    const before = spentMs();
    try {
      work();
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) throw error;
    }
    least = Math.min(least, spentMs() - before);
  }
  return least;
}

/** What to report of it; null = it takes what its length asks for. */
function tooSlow(id: string, work: (shape: Shape | undefined) => () => unknown, name: string): string | null {
  const took = costOf(work(whole[name]));
  if (took <= MOST_MS) return null;
  const ofQuarter = costOf(work(quarter[name]), 0);
  return took > ofQuarter * MOST_TIMES ? `${id}: ${took} ms, ${ofQuarter} for a quarter` : null;
}

const requestOf = (shape: Shape = { messages: [] }): ChatRequest => ({
  model: "m",
  isStream: false,
  maxTokens: 10,
  ...shape,
});

test.each(Object.keys(whole))("%s are written in every format in a time that grows with their number", (name) => {
  const slow = [...upstreamFormats].map(([id, format]) => {
    const write = (shape?: Shape) => () => {
      const sendable = sendableRequest(withoutExtras(requestOf(shape), format.canBeAsked));
      format.encode(renameTools(sendable, format, id).request, target);
    };
    return tooSlow(id, write, name);
  });
  expect(slow.filter(Boolean)).toEqual([]);
});

test.each(Object.keys(whole))("%s are read in every dialect in a time that grows with their number", (name) => {
  const slow = [...dialects.values()].map(({ id, client, upstream }) => {
    const path = client.pathWithModel ? "/v1beta/models/m:generateContent" : String(client.paths[0]);
    const read = (shape?: Shape) => {
      let json: Record<string, unknown> = {};
      costOf(() => {
        json = JSON.parse(JSON.stringify(upstream.encode(requestOf(shape), target)));
      });
      const body = Buffer.from(JSON.stringify(json));
      const given = { clientDialect: client, path, query: "", headers: {}, allowedOptions: [], requestId: "r" };
      return () => {
        const intake = readChat(body, given as unknown as Parameters<typeof readChat>[1]);
        return [intake.need, intake.isContinuable, client.decode(json, path), client.promptTexts(json)];
      };
    };
    return tooSlow(id, read, name);
  });
  expect(slow.filter(Boolean)).toEqual([]);
});

/** Long lists in the words of one dialect, which no request of another becomes. */
const own: Record<string, (length: number) => () => unknown> = {
  "OpenAI's own tools without others": (length) => {
    const tools = Array.from({ length }, () => ({ type: "web_search" }));
    const json = { model: "m", input: "hi", tools };
    return () => dialects.get("openai-responses")?.client.decode(json, "/v1/responses");
  },
  "Gemini's allowed functions": (length) => {
    const names = Array.from({ length }, (_, at) => `f${at}`);
    const json = {
      contents: [{ parts: [{ text: "hi" }] }],
      tools: [{ functionDeclarations: names.map((name) => ({ name })) }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: names.toReversed() } },
    };
    return () => dialects.get("gemini-generate-content")?.client.decode(json, "/v1beta/models/m:generateContent");
  },
  "Gemini's results without ids": (length) => {
    const names = Array.from({ length }, (_, at) => `f${at}`);
    const calls = names.map((name) => ({ functionCall: { name, args: {} } }));
    const results = names.toReversed().map((name) => ({ functionResponse: { name, response: { output: "r" } } }));
    const json = {
      contents: [
        { role: "model", parts: calls },
        { role: "user", parts: results },
      ],
    };
    return () => dialects.get("gemini-generate-content")?.client.decode(json, "/v1beta/models/m:generateContent");
  },
  "ids of calls that Vertex AI does not take": (length) => {
    const ids = Array.from({ length }, (_, at) => `c${at}`);
    const calls = ids.map((id) => ({ functionCall: { id, name: "f", args: {} } }));
    const results = ids.toReversed().map((id) => ({ functionResponse: { id, name: "f", response: {} } }));
    const json = { contents: [{ parts: calls }, { parts: results }] };
    return () => withoutCallIds(json, "m", {} as never);
  },
};

test.each(Object.keys(own))("%s take a time that grows with their number", (name) => {
  const took = costOf(own[name]?.(4 * LENGTH) ?? fail);
  const ofQuarter = took > MOST_MS ? costOf(own[name]?.(LENGTH) ?? fail, 0) : took;
  expect(took / ofQuarter, `${took} ms, ${ofQuarter} for a quarter`).toBeLessThan(MOST_TIMES);
});

function fail(): never {
  throw new TypeError("no such shape");
}
