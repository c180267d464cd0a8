import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay } from "../relay/harness";

type Case = 401 | 403 | 404 | 413 | 429 | 500 | 503 | 529 | "too long";
const CASES: readonly Case[] = [401, 403, 404, 413, 429, 500, 503, 529, "too long"];
const statusOf = (one: Case): number => (one === "too long" ? 400 : one);

const WHY = "the upstream's own reason";
const ANTHROPIC_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
  529: "overloaded_error",
};
const GOOGLE_STATUSES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  529: "UNAVAILABLE",
};
const OPENAI_TYPES: Record<number, [type: string, code: string | null]> = {
  400: ["invalid_request_error", "context_length_exceeded"],
  401: ["invalid_request_error", "invalid_api_key"],
  403: ["invalid_request_error", "unsupported_country_region_territory"],
  404: ["invalid_request_error", "model_not_found"],
  413: ["invalid_request_error", null],
  429: ["requests", "rate_limit_exceeded"],
  500: ["server_error", null],
  503: ["server_error", null],
  529: ["server_error", null],
};

/** How each upstream words its errors. */
const UPSTREAMS = {
  openai: (one: Case) => {
    const [type, code] = OPENAI_TYPES[statusOf(one)] ?? [];
    const message = one === "too long" ? "This model's maximum context length is 8192 tokens." : WHY;
    return { error: { message, type, param: null, code } };
  },
  anthropic: (one: Case) => {
    const message = one === "too long" ? "prompt is too long: 210000 tokens > 200000 maximum" : WHY;
    return { type: "error", error: { type: ANTHROPIC_TYPES[statusOf(one)], message } };
  },
  gemini: (one: Case) => {
    const status = statusOf(one);
    const tooLong = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    return { error: { code: status, message: one === "too long" ? tooLong : WHY, status: GOOGLE_STATUSES[status] } };
  },
} as const;
type Side = keyof typeof UPSTREAMS;
const SIDES = Object.keys(UPSTREAMS) as Side[];

/** `class`: of the official client. `words`: what a program reads beside the status; of OpenAI's type and code. */
type Told = { status: number; class: unknown; words: readonly (string | null)[]; message: RegExp };

const REFUSED = /refused the gateway's own access/;
const reason = /upstream's own reason/;
const SATURATED = /saturated/;

/** What OpenAI's client gets; an upstream of OpenAI's format keeps its own words. */
function openaiTold(one: Case, side: Side): Told {
  const own = side === "openai" && one !== "too long" ? OPENAI_TYPES[statusOf(one)] : undefined;
  const { InternalServerError, NotFoundError, RateLimitError, BadRequestError, APIError } = OpenAI;
  switch (one) {
    case 401:
    case 403:
      return {
        status: 502,
        class: InternalServerError,
        words: ["upstream_error", "upstream_access_refused"],
        message: REFUSED,
      };
    case 404:
      return {
        status: 404,
        class: NotFoundError,
        words: own ?? ["invalid_request_error", "not_found"],
        message: reason,
      };
    case 413:
      return {
        status: 413,
        class: APIError,
        words: own ?? ["invalid_request_error", "request_too_large"],
        message: reason,
      };
    case 429:
      return {
        status: 429,
        class: RateLimitError,
        words: own ?? ["rate_limit_error", "rate_limit_exceeded"],
        message: SATURATED,
      };
    case 500:
      return { status: 500, class: InternalServerError, words: own ?? ["server_error", null], message: reason };
    case 503:
    case 529:
      return { status: 503, class: InternalServerError, words: own ?? ["server_error", "overloaded"], message: reason };
    case "too long":
      return {
        status: 400,
        class: BadRequestError,
        words: ["invalid_request_error", "context_length_exceeded"],
        message: /./,
      };
  }
}

function anthropicTold(one: Case): Told {
  const { InternalServerError, NotFoundError, RateLimitError, BadRequestError, APIError } = Anthropic;
  switch (one) {
    case 401:
    case 403:
      return { status: 502, class: InternalServerError, words: ["api_error"], message: REFUSED };
    case 404:
      return { status: 404, class: NotFoundError, words: ["not_found_error"], message: reason };
    case 413:
      return { status: 413, class: APIError, words: ["request_too_large"], message: reason };
    case 429:
      return { status: 429, class: RateLimitError, words: ["rate_limit_error"], message: SATURATED };
    case 500:
      return { status: 500, class: InternalServerError, words: ["api_error"], message: reason };
    case 503:
    case 529:
      return { status: one, class: InternalServerError, words: ["overloaded_error"], message: reason };
    case "too long":
      return { status: 400, class: BadRequestError, words: ["invalid_request_error"], message: /prompt is too long/ };
  }
}

function googleTold(one: Case): Told {
  const told = (status: number, word: string, message = reason): Told => ({
    status,
    class: ApiError,
    words: [word],
    message,
  });
  switch (one) {
    case 401:
    case 403:
      return told(502, "INTERNAL", REFUSED);
    case 429:
      return told(429, "RESOURCE_EXHAUSTED", SATURATED);
    case "too long":
      return told(400, "INVALID_ARGUMENT", /token count .*exceeds/i);
    case 529:
      return told(503, "UNAVAILABLE");
    default:
      return told(one, GOOGLE_STATUSES[one] ?? "");
  }
}

const modelOf = (side: Side, one: Case): string => `${side}-${String(one).replace(" ", "-")}`;
const models = SIDES.flatMap((side) => CASES.map((one) => modelOf(side, one)));
const relay = setUpRelay({ prices: models.join(","), options: { RetryTimes: 0 } });
let upstream: Server;
let key: string;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume();
    const [, side = "", one = ""] = (request.url ?? "").split("/");
    const found = CASES.find((known) => String(known).replace(" ", "-") === one) ?? 500;
    response.writeHead(statusOf(found), { "content-type": "application/json" });
    response.end(JSON.stringify(UPSTREAMS[side as Side](found)));
  });
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  for (const side of SIDES) {
    for (const one of CASES) {
      const baseUrl = `${base}/${side}/${String(one).replace(" ", "-")}`;
      await relay.addChannel({ type: CHANNEL_TYPE[side], baseUrl, models: modelOf(side, one) });
    }
  }
  await relay.inForce();
  key = (await relay.addCaller({ balance: 10_000_000 })).token.key;
});
afterAll(() => upstream.close());

const messages = [{ role: "user" as const, content: "hello" }];
const failureOf = (asking: Promise<unknown>): Promise<unknown> =>
  asking.then(
    () => null,
    (error: unknown) => error,
  );

type Caller = {
  ask: (model: string) => Promise<unknown>;
  told: (one: Case, side: Side) => Told;
  wordsOf: (error: unknown) => readonly unknown[];
};

const openai = () => new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
const openaiWords = (error: unknown): readonly unknown[] => {
  const { type, code } = error as { type?: string; code?: string | null };
  return [type, code];
};

const CALLERS: Record<string, Caller> = {
  "chat completions": {
    ask: (model) => openai().chat.completions.create({ model, messages }),
    told: openaiTold,
    wordsOf: openaiWords,
  },
  responses: {
    ask: (model) => openai().responses.create({ model, input: "hello" }),
    told: openaiTold,
    wordsOf: openaiWords,
  },
  "Anthropic's messages": {
    ask: (model) =>
      new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 }).messages.create({
        model,
        messages,
        max_tokens: 50,
      }),
    told: anthropicTold,
    wordsOf: (error) => [(error as { error?: { error?: { type?: string } } }).error?.error?.type],
  },
  "Google's generateContent": {
    ask: (model) =>
      new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: relay.url } }).models.generateContent({
        model,
        contents: "hello",
      }),
    told: googleTold,
    wordsOf: (error) => [/"status":\s*"([A-Z_]+)"/.exec((error as Error).message)?.[1]],
  },
};

describe.each(Object.entries(CALLERS))("a caller of %s", (_name, { ask, told, wordsOf }) => {
  test.each(SIDES.flatMap((side) => CASES.map((one) => [side, one] as const)))(
    "reads an error of %s with %s in the words of his own API",
    async (side, one) => {
      const error = await failureOf(ask(modelOf(side, one)));
      const expected = told(one, side);
      expect(error).toBeInstanceOf(expected.class);
      expect([(error as { status: number }).status, wordsOf(error)]).toEqual([expected.status, expected.words]);
      expect((error as Error).message).toMatch(expected.message);
    },
  );
});

describe("a model that nobody has", () => {
  const classes = [OpenAI.NotFoundError, OpenAI.NotFoundError, Anthropic.NotFoundError, ApiError];
  const words = [
    ["invalid_request_error", "model_not_found"],
    ["invalid_request_error", "model_not_found"],
    ["not_found_error"],
    ["NOT_FOUND"],
  ];

  test.each(Object.entries(CALLERS).map(([name, caller], at) => [name, caller, at] as const))(
    "is 404 for a caller of %s, whose client does not try again",
    async (_name, { ask, wordsOf }, at) => {
      const error = await failureOf(ask("nobody-has-it"));
      expect(error).toBeInstanceOf(classes[at]);
      expect([(error as { status: number }).status, wordsOf(error)]).toEqual([404, words[at]]);
    },
  );

  test("a model whose only channel has failed is 503, one that is switched off or of another group 404: none is asked for again", async () => {
    await relay.addChannel({ models: "resting", status: 3 });
    await relay.addChannel({ models: "off", status: 2 });
    await relay.addChannel({ models: "elsewhere", group: "vip" });
    await relay.inForce();
    const told = [
      ["resting", { status: 503, code: "no_available_channel" }],
      ["off", { status: 404, code: "model_not_found" }],
      ["elsewhere", { status: 404, code: "model_not_found" }],
    ] as const;
    for (const [model, wanted] of told) {
      const error = await failureOf(openai().chat.completions.create({ model, messages }));
      expect(error).toMatchObject(wanted);
      expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get("x-should-retry")).toBe("false");
    }
  });
});
