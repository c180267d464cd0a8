import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import enTexts from "@/messages/en.json";
import { closeCodeOf } from "../../side/realtime/error-event";
import { dialects } from "../../wire/dialects";
import { RelayError } from "../relay-error";
import { REFUSALS, RETRY_SECONDS_MAX, type RefusalName, type RefusalRow } from "./refusal-table";
import { errorsMarkdown, refusalTopics } from "./refusal-topics";
import { tellRefusal } from "./tell-refusal";

const NAMES = Object.keys(REFUSALS) as RefusalName[];
const WAITS = [0, 0.25, 1, RETRY_SECONDS_MAX, RETRY_SECONDS_MAX + 1, 83_573];
const DIALECTS = ["openai-chat", "openai-responses", "anthropic-messages", "gemini-generate-content"];
const told = (refused: RelayError, dialect: string, headers = {}) =>
  tellRefusal(refused, { headers, dialect, id: "r1", serverAddress: "https://weir.example" }, 0);

const RELAY = new URL("../..", import.meta.url);
const sources = readdirSync(RELAY, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(new URL(path, RELAY), "utf8") }));

/** Where a status of an upstream's own answer is read, or made for one that failed without it. */
const OF_UPSTREAMS = new Set([
  ...["answers/refusal.ts", "pipeline/attempt-failures.ts", "base/provider-errors.ts"],
  ...["base/classify-failure.ts", "base/refusals/refusal-table.ts"],
]);

describe("the table of refusals", () => {
  test("is the only place where a refusal has a status", () => {
    const bare = sources.filter(({ path, text }) => !OF_UPSTREAMS.has(path) && /\bstatus: (4\d\d|5\d\d)\b/.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  test("is what every error for a caller goes through", () => {
    const sending = sources.filter(({ text }) =>
      /\.sendJson\((?!20\d)|renderError\(error, status, id, terms/.test(text),
    );
    expect(sending.map(({ path }) => path).sort()).toEqual(["http/exchange.ts"]);
  });

  test("has no row that nothing makes", () => {
    const all = sources.filter(({ path }) => path !== "base/refusals/refusal-table.ts").map(({ text }) => text);
    const written = all.join("\n");
    const isMade = (name: string) => written.includes(`"${name}"`) || written.includes(`  ${name}:`);
    const byParameter = new Set(["invalid_documents", "invalid_query"]);
    expect(NAMES.filter((name) => !isMade(name) && !byParameter.has(name))).toEqual([]);
  });

  test("is docs/errors.md", async () => {
    await expect(errorsMarkdown()).toMatchFileSnapshot("../../../../docs/errors.md");
  });

  test("says of every topic in both languages why, and what mends it", () => {
    for (const locale of ["en", "zh"] as const)
      for (const { id, title, cause, mend } of refusalTopics(locale))
        expect(
          [title, cause, mend].every((text) => text.length > 1),
          id,
        ).toBe(true);
  });
});

describe.each(DIALECTS)("a refusal in %s", (dialect) => {
  const bodyOf = ({ status, error, terms }: ReturnType<typeof told>) =>
    JSON.stringify(dialects.get(dialect)?.client?.renderError(error, status, "r1", terms));

  test("says whether to ask again, and never to wait for more than a minute", () => {
    for (const name of NAMES) for (const retryAfter of WAITS) checkWait(name, retryAfter);
  });

  function checkWait(name: RefusalName, retryAfter: number): void {
    const row: RefusalRow = REFUSALS[name];
    const one = told(new RelayError(name, "why", { retryAfter }), dialect);
    const isLong = retryAfter > RETRY_SECONDS_MAX;
    const mayWait = row.retry === "wait" && !isLong;
    const seconds = mayWait && retryAfter > 0 ? String(Math.ceil(retryAfter)) : undefined;
    const resetsAt = row.retry === "wait" && isLong ? new Date(retryAfter * 1_000).toISOString() : undefined;
    const shown = ["x-should-retry", "retry-after", "retry-after-ms", "x-weir-resets-at"].map(
      (key) => one.headers[key],
    );
    const ms = seconds && String(retryAfter * 1_000);
    expect([name, ...shown]).toEqual([name, mayWait ? undefined : "false", seconds, ms, resetsAt]);
    if (dialect === "gemini-generate-content") expect(bodyOf(one).includes("RetryInfo")).toBe(seconds !== undefined);
    expect(bodyOf(one)).toContain("why");
  }

  test("of money is told as its maker does", () => {
    const status = dialect === "anthropic-messages" ? 402 : 429;
    const one = told(new RelayError("insufficient_quota", { needed: "$0.10" }), dialect);
    expect(one.status).toBe(status);
    const words = {
      "anthropic-messages": '"type":"billing_error"',
      "gemini-generate-content": '"status":"RESOURCE_EXHAUSTED"',
    }[dialect];
    expect(bodyOf(one)).toContain(words ?? '"code":"insufficient_quota"');
    expect(bodyOf(one)).toContain("https://weir.example/topup");
  });
});

test("a text has the caller's language, the numbers, and what to do", () => {
  const said = { text: "budgetKey", period: "@month", limit: "$5.00", used: "$4.99", resets: "2027-01-01T00:00:00Z" };
  const refused = new RelayError("budget_exceeded", said, { resetsAt: 1_798_761_600 });
  const read = (language?: string) => told(refused, "openai-chat", { "accept-language": language }).error.message;
  expect(read()).toBe(
    "the API key's budget for this month does not pay for this request: $4.99 of $5.00 are used or reserved; a new month begins at 2027-01-01T00:00:00Z. Raise the key's budget on https://weir.example/token, or ask your administrator. (https://weir.example/errors#budget)",
  );
  expect(read("zh-CN")).toContain("令牌本月的预算不足以支付本次请求：共 $5.00，已用或已预留 $4.99");
  expect([read("*"), read("fr"), read("en")]).toEqual([read(), read(), read()]);
  expect(told(refused, "openai-chat").headers["x-weir-resets-at"]).toBe("2027-01-01T00:00:00.000Z");
});

test("of an account's budget sends nobody to the key's settings", () => {
  const said = { text: "budgetAccount", period: "@day", limit: "$5.00", used: "$5.00", resets: "2027-01-01T00:00:00Z" };
  const refused = new RelayError("budget_exceeded", said);
  expect(told(refused, "openai-chat").error.message).toMatch(/Ask your administrator to raise it\. \(https:/);
  expect(told(refused, "openai-chat", { "accept-language": "zh" }).error.message).toMatch(
    /请联系管理员提高预算。（https:/,
  );
});

test("an operator's own text stands alone in every language", () => {
  const refused = new RelayError("rate_limit_exceeded", "慢一点", { isOwnWords: true });
  for (const language of ["zh", "en", "de"])
    expect(told(refused, "openai-chat", { "accept-language": language }).error.message).toBe("慢一点");
});

test("without ServerAddress no refusal names a host, which may be one of the inside", () => {
  const headers = { host: "10.0.0.7:3000", "x-forwarded-host": "inside.example", "x-forwarded-proto": "http" };
  for (const dialect of DIALECTS)
    for (const name of NAMES) {
      const refused = new RelayError(name, name in enTexts.refusal.says ? {} : "why");
      const one = tellRefusal(refused, { headers, dialect, id: "r1", serverAddress: "" });
      const body = dialects.get(dialect)?.client?.renderError(one.error, one.status, one.id, one.terms);
      const sent = JSON.stringify([one.headers, body]);
      expect(sent, name).not.toMatch(/https?:|10\.0\.0\.7|inside|localhost/);
      expect(one.headers.link).toBe(`</errors#${REFUSALS[name].about}>; rel="help"`);
    }
  const balance = tellRefusal(new RelayError("insufficient_quota", { needed: "$0.10" }), {
    ...{ headers, dialect: "openai-chat", id: "r1", serverAddress: "" },
  });
  expect(balance.error.message).toMatch(/Top up on the console's page \/topup, or ask your administrator\.$/);
});

test("a session is closed with 1013 only where asking again soon may help", () => {
  const codes = [0, 30, RETRY_SECONDS_MAX, 3_600].map((retryAfter) =>
    closeCodeOf(new RelayError("rate_limit_exceeded", "why", { retryAfter })),
  );
  expect(codes).toEqual([1_013, 1_013, 1_013, 1_008]);
  expect(closeCodeOf(new RelayError("insufficient_quota", {}))).toBe(1_008);
});
