import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dialects, upstreamFormats } from "@/lib/relay/wire/dialects";
import type { Dialect } from "@/lib/relay/wire/dialects/dialect";
import { readAbsent } from "@/lib/testing/dialect-fixtures";
import { type FixtureUpstream, startFixtureUpstream } from "@/lib/testing/fixture-upstream";
import { setUpRelay } from "../../harness";
import { judge, type Reply } from "./cell";
import { requestOf, SCENARIOS, type Scenario } from "./scenarios";
import { renderMatrix } from "./table";
import { UPSTREAMS } from "./upstreams";

/** Written anew with WRITE_DOCS=1. */
const page = new URL("../../../../docs/dialect-matrix.md", import.meta.url);
const PLACE = "<!-- matrix -->\n";
const formats = Object.keys(UPSTREAMS);
const callers = [...dialects.values()];
const modelOf = (format: string, scenario: Scenario): string =>
  `${UPSTREAMS[format]?.model ?? ""}${format}.${scenario.name.replaceAll(" ", "-")}`;
const models = formats.flatMap((format) => SCENARIOS.map((scenario) => modelOf(format, scenario)));

const relay = setUpRelay({ prices: models.join(",") });
let upstream: FixtureUpstream;
let key = "";

beforeAll(async () => {
  upstream = await startFixtureUpstream();
  for (const format of formats)
    for (const scenario of SCENARIOS) {
      const { model: _, isWebSocket, ...values } = UPSTREAMS[format] ?? { type: 1 };
      const origin = isWebSocket ? upstream.url.replace("http:", "ws:") : upstream.url;
      const baseUrl = `${origin}/f/${format}/${scenario.answer}`;
      await relay.addChannel({ ...values, baseUrl, models: modelOf(format, scenario) });
    }
  await relay.inForce();
  key = (await relay.addCaller({ balance: 1_000_000_000 })).token.key;
});
afterAll(() => upstream.close());

const PATHS: Readonly<Record<string, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
};

async function ask(caller: Dialect, model: string, scenario: Scenario, isStream: boolean): Promise<Reply> {
  const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = PATHS[caller.id] ?? `/v1beta/models/${model}:${verb}`;
  const named = caller.id in PATHS ? { model, stream: isStream } : {};
  const usage = caller.id === "openai-chat" && isStream ? { stream_options: { include_usage: true } } : {};
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...requestOf(caller.id, scenario), ...named, ...usage }),
  });
  const type = response.headers.get("content-type") ?? "";
  return { status: response.status, text: await response.text(), isStream: type.includes("text/event-stream") };
}

async function cellOf(caller: Dialect, format: string, scenario: Scenario): Promise<string> {
  const speaks = upstreamFormats.get(format);
  if (!speaks) throw new Error(`no format ${format}`);
  const absent = readAbsent(format).answers?.[scenario.answer];
  if (absent !== undefined) return `no: ${absent}`;
  const model = modelOf(format, scenario);
  const told = async (isStream: boolean) =>
    judge(caller, speaks, format, scenario, await ask(caller, model, scenario, isStream));
  const [streamed, whole] = await Promise.all([told(true), told(false)]);
  if (streamed !== whole) throw new Error(`streamed ${streamed}, whole ${whole}`);
  return streamed;
}

test.each(formats)(
  "any caller with an upstream of %s: every conversation works, or is refused with a reason",
  async (format) => {
    const failures: string[] = [];
    const cells = SCENARIOS.map(async (scenario) => {
      const row = callers.map(async (caller) => {
        const cell = await cellOf(caller, format, scenario).catch((error: Error) => {
          failures.push(`${caller.id}, ${scenario.name}: ${error.message}`);
          return "unknown";
        });
        return [caller.id, cell] as const;
      });
      return [scenario.name, new Map(await Promise.all(row))] as const;
    });
    const byScenario = new Map(await Promise.all(cells));
    expect(failures).toEqual([]);
    const faults = upstream.received.filter((one) => one.format === format && one.fault !== "");
    expect(faults.map(({ fault, url }) => `${url}: ${fault}`)).toEqual([]);
    checkPage(
      format,
      renderMatrix(
        new Map([[format, byScenario]]),
        callers.map(({ id }) => id),
        SCENARIOS.map(({ name }) => name),
      ),
    );
  },
);

/** Without the padding of table cells. */
const plain = (markdown: string): string =>
  markdown
    .replace(/ *\| */g, "|")
    .replace(/-{3,}/g, "---")
    .trim();

/** The page says what came out. */
function checkPage(format: string, section: string): void {
  const text = readFileSync(page, "utf8");
  const start = text.indexOf(`## ${format}\n`);
  const end = start === -1 ? -1 : text.indexOf("\n## ", start);
  const present = start === -1 ? "" : text.slice(start, end === -1 ? undefined : end + 1);
  if (process.env.WRITE_DOCS === "1") {
    const [intro = "", tables = ""] = text.split(PLACE);
    const kept = present === "" ? `${tables}${tables === "" ? "" : "\n"}${section}` : tables.replace(present, section);
    writeFileSync(page, `${intro}${PLACE}${kept}`);
    return;
  }
  expect(plain(present)).toBe(plain(section));
}

test("every format that upstreams speak is in the matrix", () => {
  expect([...upstreamFormats.keys()].filter((id) => !formats.includes(id))).toEqual([]);
});
