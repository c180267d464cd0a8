import { describe, expect, test } from "vitest";
import { setUpRelay } from "../relay/harness";
import { REFUSING_SET_UP, type RefusedAs, STATES } from "./refusal-states";

const relay = setUpRelay(REFUSING_SET_UP);

type Reply = { status: number; text: string; message: string };
type Program = {
  headers: Record<string, string>;
  /** Whether it asks again: its own rule, not Weir's. */
  repeats: (reply: Reply) => boolean;
  dialects: readonly Dialect[];
};
type Dialect = "chat" | "responses" | "messages" | "generateContent";

const isOverload = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/** opencode 1.18, packages/opencode/src/session/retry.ts: upon these in the text or the whole body, whatever the status. */
const OPENCODE = [
  /429|500|502|503|504|524/i,
  /rate increased too quickly|rate limit|rate-limit|rate_limit|too many requests/i,
  /overloaded|service unavailable|service_unavailable|service-unavailable|internal error|internal_error|internal server error|server error|server_error|server-error|provider returned error|provider_returned_error|provider-returned-error/i,
  /terminated|fetch failed|failed to fetch|network[-_\s]error|upstream connect|connection error|connection refused|connection lost|socket connection was closed|socket hang up/i,
  /try your request again|retry your request|resource exhausted|resource_exhausted/i,
  /\btry again (?:later|in\b)|\b(?:currently|temporarily) at capacity\b/i,
];

/** litellm 1.81, exception_mapping_utils.py, with what aider 0.86 does not repeat (exceptions.py). */
function aiderRepeats({ status, text }: Reply): boolean {
  const said = `Error code: ${status} - ${text}`;
  if (/\b429\b/.test(said) || /rate[\s_-]*limit/i.test(said)) return true;
  return !said.includes("invalid_request_error") && ![400, 401, 404, 422].includes(status);
}

/** Continue 1.5, extensions/cli/src/util/exponentialBackoff.ts, over what OpenAI's SDK makes of the reply. */
function continueRepeats({ status, text, message }: Reply): boolean {
  const { type } = (JSON.parse(text) as { error: { type: string } }).error;
  if ([429, 502, 503, 504].includes(status) || type === "server_error" || type === "rate_limit_exceeded") return true;
  const words = ["premature close", "premature end", "connection reset", "socket hang up", "aborted", "overloaded"];
  return words.some((one) => `${status} ${message}`.toLowerCase().includes(one));
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  "Claude Code": {
    headers: { "user-agent": "claude-cli/2.1.197 (external, sdk-cli)" },
    repeats: ({ status }) => status >= 500,
    dialects: ["messages"],
  },
  Codex: {
    headers: { "user-agent": "codex_exec/0.171.0 (Debian 12.0.0; x86_64) dumb" },
    repeats: ({ status, text }) => status !== 400 && !(status === 404 && text.includes("model_not_found")),
    dialects: ["responses"],
  },
  opencode: {
    headers: { "user-agent": "opencode/1.18.33 ai-sdk/provider-utils/4.0.1 runtime/bun/1.3.5" },
    repeats: ({ status, text, message }) =>
      isOverload(status) || OPENCODE.some((words) => words.test(text) || words.test(message)),
    dialects: ["chat", "responses", "messages"],
  },
  aider: {
    headers: {
      "user-agent": "OpenAI/Python 2.20.0",
      "x-stainless-raw-response": "true",
      "x-stainless-read-timeout": "600.0",
    },
    repeats: aiderRepeats,
    dialects: ["chat"],
  },
  "Continue's CLI": {
    headers: { "user-agent": "ls/JS 5.23.2", "x-stainless-lang": "js", "x-stainless-package-version": "5.23.2" },
    repeats: continueRepeats,
    dialects: ["chat", "responses"],
  },
  "Gemini CLI": {
    headers: { "user-agent": "GeminiCLI-tui/0.61.0/gpt-5.2 (linux; x64; terminal)" },
    repeats: ({ status }) => status === 429 || status >= 500,
    dialects: ["generateContent"],
  },
  "litellm through Anthropic's format": {
    headers: { "user-agent": "litellm/1.81.10" },
    repeats: ({ status }) => ![400, 401, 404, 413].includes(status),
    dialects: ["messages"],
  },
};

const PATHS: Readonly<Record<Dialect, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  generateContent: "/v1beta/models/MODEL:generateContent",
};

function bodyOf(dialect: Dialect, { model, text = "hello" }: RefusedAs): object {
  if (dialect === "generateContent") return { contents: [{ role: "user", parts: [{ text }] }] };
  if (dialect === "responses") return { model, input: text };
  return { model, max_tokens: 50, messages: [{ role: "user", content: text }] };
}

async function ask(dialect: Dialect, asking: RefusedAs, headers: Record<string, string>): Promise<Reply & Response> {
  const key = dialect === "messages" ? { "x-api-key": asking.key } : { authorization: `Bearer ${asking.key}` };
  const answer = await fetch(relay.url + PATHS[dialect].replace("MODEL", asking.model), {
    method: "POST",
    headers: { "content-type": "application/json", ...key, ...headers },
    body: JSON.stringify(bodyOf(dialect, asking)),
  });
  const text = await answer.text();
  const { message } = (JSON.parse(text) as { error: { message: string } }).error;
  return Object.assign(answer, { text, message }) as unknown as Reply & Response;
}

const CASES = Object.entries(PROGRAMS).flatMap(([name, { dialects }]) =>
  dialects.map((dialect) => [name, dialect] as const),
);

describe.each(CASES)("%s, which repeats whatever the headers say, by %s", (name, dialect) => {
  const { headers, repeats } = PROGRAMS[name] as Program;

  test("ends with every refusal that waiting does not mend, and has its reason", async () => {
    const asked = Object.entries(STATES).map(async ([state, { make, says }]) => {
      const reply = await ask(dialect, await make(relay), headers);
      expect([state, repeats(reply)], `${reply.status} ${reply.text}`).toEqual([state, false]);
      expect(reply.message.replaceAll("\u2060", ""), state).toMatch(says);
      expect(reply.headers.get("x-should-retry")).toBe("false");
    });
    await Promise.all(asked);
  });
});

describe("a program that is not known to be stubborn", () => {
  test.each([
    ["OpenAI's SDK", { "user-agent": "OpenAI/Python 2.20.0" }],
    [
      "OpenAI's SDK by raw responses",
      { "user-agent": "OpenAI/Python 3.57.0", "x-stainless-raw-response": "true", "x-stainless-read-timeout": "600" },
    ],
    ["OpenAI's SDK for Node", { "user-agent": "OpenAI/JS 6.7.0", "x-stainless-lang": "js" }],
    ["OpenAI's SDK for Azure", { "user-agent": "AzureOpenAI/JS 6.7.0", "x-stainless-lang": "js" }],
    ["curl", { "user-agent": "curl/8.9" }],
  ])("%s gets the statuses of the table", async (_name, headers) => {
    for (const dialect of ["chat", "responses"] as const) {
      const asked = Object.entries(STATES).map(async ([state, { make, status }]) => {
        const reply = await ask(dialect, await make(relay), headers);
        expect([state, reply.status]).toEqual([state, status]);
      });
      await Promise.all(asked);
    }
  });
});

test("a sum and an id with digits of a status do not make opencode ask again", async () => {
  const user = await relay.addUser({ budgetDay: 1 });
  const { key } = await relay.addToken(user);
  for (let i = 0; i < 40; i++) {
    const reply = await ask("chat", { key, model: "fake-gpt" }, (PROGRAMS.opencode as Program).headers);
    expect((PROGRAMS.opencode as Program).repeats(reply), reply.text).toBe(false);
    const id = reply.headers.get("x-oneapi-request-id") ?? "";
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    if (!/429|50[0234]|524/.test(id)) expect(reply.message).toContain(`(request id: ${id})`);
  }
});
