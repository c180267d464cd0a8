import { existsSync } from "node:fs";
import type { OtherGateway } from "./against";
import { chatRequest } from "./load";
import { CHUNK_TEXT, CHUNKS, WHOLE_TEXT } from "./upstream-answers";

export type UpstreamToSet = {
  /** What the other gateway must be told, such as http://127.0.0.1:4100. */
  address: string;
  /** How many requests have reached it. */
  requests: () => Promise<number>;
};

const TIMEOUT_MS = 15_000;

/** What the operator has to set before the run. */
export function whatToSet(gateways: readonly OtherGateway[], { address }: UpstreamToSet): string {
  const models = gateways.map(({ name, model }) => `  ${name}: a channel of OpenAI's type for the model ${model}`);
  return [
    `The fake upstream speaks chat completions at ${address}/v1, takes any key and serves every model.`,
    `Set in the other gateway (base URL ${address}, with /v1 where it wants that, and any key):`,
    ...models,
    "Switch off there what would answer without the upstream or refuse a crowd: caches of answers, limits of the key.",
  ].join("\n");
}

/** The run cannot begin; the message says what to do. */
export class NotSetUp extends Error {}

const RETRY_MS = 2_000;

export type SetUpSettings = {
  wantsStreams: boolean;
  waitSeconds: number;
  retryMs?: number;
  say?: (text: string) => void;
};

/** Says what to set, and checks it; for `waitSeconds` again and again. Throws NotSetUp. */
export async function untilSetUp(
  gateways: readonly OtherGateway[],
  upstream: UpstreamToSet,
  { wantsStreams, waitSeconds, retryMs = RETRY_MS, say = console.log }: SetUpSettings,
): Promise<void> {
  if (gateways.length === 0) return;
  say(`${whatToSet(gateways, upstream)}\n`);
  const until = performance.now() + waitSeconds * 1000;
  let said = "";
  for (;;) {
    const problems = await problemsOf(gateways, upstream, wantsStreams);
    if (problems.length === 0) return say("Checked: their answers come from the fake upstream.\n");
    const text = problems.join("\n");
    if (performance.now() >= until)
      throw new NotSetUp(`\n${text}\n\nNothing was measured. --wait 600 waits until it is set up.`);
    if (text !== said) say(`Not yet:\n${text}\n`);
    said = text;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

async function problemsOf(
  gateways: readonly OtherGateway[],
  upstream: UpstreamToSet,
  wantsStreams: boolean,
): Promise<string[]> {
  const problems: string[] = [];
  // One after the other, because the check counts what reaches the upstream.
  for (const gateway of gateways) {
    const problem = await checkAgainst(gateway, upstream, wantsStreams);
    if (problem) problems.push(`${gateway.name}: ${problem}`);
  }
  return problems;
}

type Asked = { status: number; text: string };

/**
 * Asks the gateway for a whole answer twice, and for a stream. Returns null if all came from the fake upstream,
 * otherwise what is wrong and what to do about it.
 */
export async function checkAgainst(
  gateway: OtherGateway,
  upstream: UpstreamToSet,
  wantsStreams: boolean,
): Promise<string | null> {
  if (gateway.pid !== null && !existsSync(`/proc/${gateway.pid}`))
    return `no process of this machine has the id ${gateway.pid}`;
  try {
    const before = await upstream.requests();
    const first = await ask(gateway, false);
    const arrived = (await upstream.requests()) - before;
    const problem =
      first.status === 200 ? otherAnswer(first, upstream, arrived) : refusal(first, gateway, upstream, arrived);
    if (problem) return problem;
    await ask(gateway, false);
    if ((await upstream.requests()) - before === arrived)
      return "the second, equal request was answered without the upstream: switch its cache of answers off";
    return wantsStreams ? streamProblem(await ask(gateway, true)) : null;
  } catch (error) {
    return unreachable(error, gateway);
  }
}

async function ask({ url, key, model, headers }: OtherGateway, isStream: boolean): Promise<Asked> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }), ...headers },
    body: JSON.stringify(chatRequest(model, isStream)),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

function otherAnswer({ text }: Asked, { address }: UpstreamToSet, arrived: number): string | null {
  if (text.includes(WHOLE_TEXT)) return null;
  if (text.trimStart().startsWith("<"))
    return "it answered with a web page: the address must be that of its API, as OpenAI's clients take it (often …/v1)";
  return arrived === 0
    ? `it answered with another text, and not from the fake upstream: does the channel of this model point to ${address}? It said ${short(text)}`
    : `it asked the fake upstream, but answered with another text: ${short(text)}`;
}

function refusal({ status, text }: Asked, gateway: OtherGateway, { address }: UpstreamToSet, arrived: number): string {
  const said = `it answered with status ${status}: ${short(text)}`;
  const hint = /model/i.test(text) && status >= 400 && status < 500 && status !== 429;
  if (status === 401 || status === 403)
    return `${said}\n  It refuses the key, or the key may not use ${gateway.model}: KEY must be one of its own keys.`;
  if (status === 402 || status === 429)
    return `${said}\n  Give the key a balance and limits that the run does not reach.`;
  if (status === 404 || hint)
    return `${said}\n  It has no channel for the model ${gateway.model}, or takes chat completions elsewhere than at ${gateway.url}.`;
  if (status >= 300 && status < 400) return `${said}\n  The address leads elsewhere: give the one it leads to.`;
  return arrived === 0
    ? `${said}\n  The request did not reach the fake upstream: does the channel of ${gateway.model} point to ${address}, and can it be reached from there (--upstream-host)?`
    : `${said}\n  It did ask the fake upstream.`;
}

function streamProblem({ status, text }: Asked): string | null {
  const hint = "\n  Whole answers work: leave the streams out with --phases requests,rate,light";
  if (status !== 200) return `a stream was answered with status ${status}: ${short(text)}${hint}`;
  if (!text.includes("[DONE]")) return `a stream had no end: …${text.slice(-EXCERPT)}${hint}`;
  const chunks = text.split(CHUNK_TEXT).length - 1;
  return chunks === CHUNKS ? null : `a stream had ${chunks} of ${CHUNKS} chunks${hint}`;
}

function unreachable(error: unknown, { url }: OtherGateway): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === "TimeoutError") return `it did not answer within ${TIMEOUT_MS / 1000} s at ${url}`;
  if (cause?.code === "ECONNREFUSED") return `nothing listens at ${url}: is it running?`;
  return `it cannot be reached at ${url}: ${cause?.message ?? message}`;
}

const EXCERPT = 200;

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line ? line.slice(0, EXCERPT) : "(nothing)";
}
