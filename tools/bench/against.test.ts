import { createServer, request as forward, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type OtherGateway, parseAgainst } from "./against";
import { answersTable } from "./answers-table";
import { checkAgainst, NotSetUp, untilSetUp } from "./check-against";
import { parseFlags } from "./flags";
import { type Phase, runRounds } from "./rounds";
import { runFacts } from "./run-facts";
import { seededRandom } from "./statistics";
import { answerAsUpstream } from "./upstream-answers";

const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address at which nothing listens. */
async function nobody(): Promise<string> {
  const url = await serve(() => {});
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return url;
}

let requests = 0;
let upstreamUrl = "";
const upstream = { address: "http://127.0.0.1:4100", requests: async () => requests };

beforeAll(async () => {
  upstreamUrl = await serve((request, response) => {
    requests += 1;
    answerAsUpstream(request, response);
  });
});

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const read = (request: Parameters<RequestListener>[0]) =>
  new Promise<string>((resolve) => {
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => resolve(text));
  });

/** A gateway: it knows one key and one model, which the upstream has under another name. */
function gateway(refuse: () => boolean = () => false): RequestListener {
  return async (request, response): Promise<void> => {
    const body = JSON.parse(await read(request));
    const refused = (status: number, message: string): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
    };
    if (request.headers.authorization !== "Bearer sk-its-own") return refused(401, "Incorrect API key");
    if (body.model !== "gpt-4o") return refused(404, "no channel");
    if (refuse()) return refused(503, "pool exhausted");
    const call = forward(`${upstreamUrl}/v1/chat/completions`, { method: "POST" }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    call.end(JSON.stringify({ ...body, model: "elsewhere" }));
  };
}

const named = (url: string, words = "sk-its-own,gpt-4o"): OtherGateway => {
  const [parsed] = parseAgainst([`other=${url},${words}`]);
  if (!parsed) throw new Error("nothing was parsed");
  return parsed;
};

const WHOLE: Phase = { title: "whole", unit: "answer", callers: 4, isStream: false };
const QUICK = { rounds: 3, seconds: 0.15, warm: 0, key: "sk-bench", random: seededRandom(1) };

describe("--against NAME=URL,KEY[,MODEL]", () => {
  test("an address without a path gets /v1, and one with a path is kept as OpenAI's clients take it", () => {
    const urlOf = (address: string) => named(address, "sk-a").url;
    expect(urlOf("http://127.0.0.1:3000")).toBe("http://127.0.0.1:3000/v1/chat/completions");
    expect(urlOf("http://127.0.0.1:3000/v1/")).toBe("http://127.0.0.1:3000/v1/chat/completions");
    expect(urlOf("https://gateway.lan/openai")).toBe("https://gateway.lan/openai/chat/completions");
    expect(urlOf("http://[::1]:3000/v1/chat/completions")).toBe("http://[::1]:3000/v1/chat/completions");
  });

  test("key, model, process and headers are read; without a model it is asked for the bench's", () => {
    expect(
      named(
        "http://127.0.0.1:1",
        ",version=v2.1.0+main,pid=42,header=X-Provider: openai,header=x-host:http://127.0.0.1:4100/v1",
      ),
    ).toEqual({
      name: "other",
      url: "http://127.0.0.1:1/v1/chat/completions",
      key: "",
      model: "bench-model",
      version: "v2.1.0+main",
      pid: 42,
      headers: { "x-provider": "openai", "x-host": "http://127.0.0.1:4100/v1" },
    });
    expect(named("http://127.0.0.1:1", "sk-a,vendor/model:free")).toMatchObject({
      key: "sk-a",
      model: "vendor/model:free",
      pid: null,
    });
  });

  test.each([
    ["http://127.0.0.1:3000,sk-a", "must begin with a name"],
    ["=http://127.0.0.1:3000,sk-a", "must begin with a name"],
    ["floor=http://127.0.0.1:3000,sk-a", "has anyway"],
    ["weir 2=http://127.0.0.1:3000,sk-a", "has anyway"],
    ["a=127.0.0.1:3000,sk-a", "no http or https address"],
    ["a=ftp://127.0.0.1,sk-a", "no http or https address"],
    ["a=http://127.0.0.1:3000/v1?x=1,sk-a", "must end with its path"],
    ["a=http://127.0.0.1:3000", "the key is missing"],
    ["a=http://127.0.0.1:3000,sk-a,", "a comma too many"],
    ["a=http://127.0.0.1:3000,sk-a,m,n", "too much after the model"],
    ["a=http://127.0.0.1:3000,sk-a,pid=0", "no process id"],
    ["a=http://127.0.0.1:3000,sk-a,header=x", "no header"],
    ["a=http://127.0.0.1:3000,sk-a,version=1|2", "no version"],
    ["a=http://127.0.0.1:3000,env:BENCH_NO_SUCH_KEY", "the environment has no variable BENCH_NO_SUCH_KEY"],
  ])("%s is refused with the reason and the right form", (text, reason) => {
    expect(() => parseAgainst([text])).toThrow(reason);
    expect(() => parseAgainst([text])).toThrow("--against NAME=URL,KEY[,MODEL]");
  });

  test("a key may stand in the environment, where neither a list of processes nor npm shows it", () => {
    vi.stubEnv("BENCH_TEST_KEY", "sk-of,the environment");
    expect(named("http://127.0.0.1:1", "env:BENCH_TEST_KEY,gpt-4o")).toMatchObject({
      key: "sk-of,the environment",
      model: "gpt-4o",
    });
    vi.unstubAllEnvs();
  });

  test("several may be given, each with a name of its own", () => {
    const both = parseFlags(["--against", "a=http://127.0.0.1:1,k", "--against", "b=http://127.0.0.1:2,k"]);
    if (both === "help") throw new Error("not asked for");
    expect(parseAgainst(both.against).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(() => parseAgainst(["a=http://127.0.0.1:1,k", "a=http://127.0.0.1:2,k"])).toThrow("given twice");
  });

  test("flags that are no numbers, or do not exist, are refused", () => {
    expect(() => parseFlags(["--rate", "fast"])).toThrow("--rate must be a number");
    expect(() => parseFlags(["--upstream-port", "x"])).toThrow("must be a port");
    expect(() => parseFlags(["--agianst", "x"])).toThrow("--agianst");
  });
});

describe("before the run", () => {
  const problem = async (listener: RequestListener, words?: string) =>
    checkAgainst(named(await serve(listener), words), upstream, false);

  test("a gateway that passes on the fake upstream's answers is accepted, streams included", async () => {
    expect(await checkAgainst(named(await serve(gateway())), upstream, true)).toBeNull();
  });

  test("what is wrong is explained: key, model, process, nothing listening", async () => {
    expect(await problem(gateway(), "sk-wrong,gpt-4o")).toMatch(/status 401.*Incorrect API key.*one of its own keys/s);
    expect(await problem(gateway(), "sk-its-own,gpt-9")).toMatch(/status 404.*no channel for the model gpt-9/s);
    expect(await problem(gateway(), "sk-its-own,gpt-4o,pid=999999999")).toContain("no process of this machine");
    expect(await checkAgainst(named(await nobody()), upstream, false)).toContain("nothing listens");
  });

  test("an answer of another upstream, of a page or of a cache is not accepted", async () => {
    const hello = JSON.stringify({ choices: [{ message: { content: "Hello!" } }] });
    expect(await problem((_request, response) => response.end(hello))).toMatch(/point to http:.*4100.*Hello!/s);
    expect(await problem((_request, response) => response.end("<!doctype html>"))).toContain("web page");
    expect(await problem((_request, response) => response.writeHead(502).end())).toContain(
      "did not reach the fake upstream",
    );
    let cached: Buffer | null = null;
    const caching: RequestListener = async (_request, response) => {
      if (!cached) {
        const answer = await fetch(upstreamUrl, { method: "POST", body: "{}" });
        cached = Buffer.from(await answer.arrayBuffer());
      }
      response.end(cached);
    };
    expect(await problem(caching)).toContain("switch its cache of answers off");
  });

  test("a gateway whose streams stop early may take part without them", async () => {
    const cut: RequestListener = async (request, response) => {
      const body = await read(request);
      if (body.includes('"stream":true')) return void response.end("data: {}\n\n");
      const answer = await fetch(upstreamUrl, { method: "POST", body });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    const other = named(await serve(cut));
    expect(await checkAgainst(other, upstream, true)).toMatch(/had no end.*--phases requests,rate,light/s);
    expect(await checkAgainst(other, upstream, false)).toBeNull();
  });

  test("nothing is measured while one of them is not set up; --wait gives it time", async () => {
    let isReady = false;
    const inner = gateway();
    const late: RequestListener = (request, response) => {
      if (isReady) return inner(request, response);
      isReady = true;
      response.writeHead(503).end("starting");
    };
    const other = named(await serve(late));
    const said: string[] = [];
    const say = (text: string) => void said.push(text);
    const settings = { wantsStreams: false, waitSeconds: 0, retryMs: 1, say };
    await expect(untilSetUp([other], upstream, settings)).rejects.toThrow(NotSetUp);
    isReady = false;
    said.length = 0;
    await untilSetUp([other], upstream, { ...settings, waitSeconds: 60 });
    expect(said).toEqual([
      expect.stringContaining("4100"),
      expect.stringContaining("Not yet"),
      expect.stringContaining("Checked"),
    ]);
  });
});

describe("the run", () => {
  test("the figures stand below the date, the machine and the versions of all that took part", () => {
    const others = parseAgainst(["a=http://127.0.0.1:1,k,version=v0.6.10", "b=http://127.0.0.1:2,k"]);
    const rows = ["floor", "weir", "a", "b"];
    const text = runFacts({ now: new Date("2026-11-28T17:00:00Z"), rows, others, database: null });
    expect(text).toContain("| date | 2026-11-28 17:00 |");
    expect(text).toMatch(/\| machine \| \d+ × .+, \d+ GiB, \w+ [\d.]+.* \|/);
    expect(text).toContain(`| Node.js | ${process.version} |`);
    expect(text).toMatch(/\| weir \| \d+\.\d+\.\d+/);
    expect(text).toContain("| a | v0.6.10 |");
    expect(text).toContain("| b | version not given |");
    expect(text).not.toContain("nginx");
  });

  test("another gateway is measured in turns with the floor and gets its own key and model", async () => {
    const floor = { name: "floor", url: `${upstreamUrl}/v1/chat/completions`, pid: process.pid };
    const other = named(await serve(gateway()));
    const rows = await runRounds([floor, other], WHOLE, QUICK);
    expect(rows.map(({ name }) => name)).toEqual(["floor", "other", "floor", "other", "floor", "other"]);
    expect(rows.every(({ answers, failures }) => answers > 0 && failures === 0)).toBe(true);
    const [line = ""] = answersTable(rows, "answer").split("\n").slice(-1);
    // No process id: no CPU, no memory; latencies beside the floor's.
    expect(line).toMatch(/^\| other \| \d+ \| 0 \|( – \|){6} [\d.]+ \| -?[\d.]+ \| [\d.]+ \|.*\| – \|$/);
  });

  test("with a process id it has CPU and memory", async () => {
    const own = named(await serve(gateway()), `sk-its-own,gpt-4o,pid=${process.pid}`);
    const [row] = await runRounds([own], WHOLE, { ...QUICK, rounds: 1 });
    expect(row?.answers).toBeGreaterThan(0);
    expect(row?.memoryMib).toBeGreaterThan(1);
    expect(row?.cpuUs).toBeGreaterThanOrEqual(0);
  });

  test("where it fails the table says so, and the run goes on", async () => {
    let calls = 0;
    const floor = { name: "floor", url: `${upstreamUrl}/v1/chat/completions`, pid: null };
    const half = named(await serve(gateway(() => ++calls % 2 === 0)));
    const gone = { ...named(await nobody()), name: "gone" };
    const rows = await runRounds([half, gone, floor], WHOLE, QUICK);
    const text = answersTable(rows, "answer");
    expect(text).toMatch(/other: \d+ of \d+ calls failed: status 503, such as .*pool exhausted/);
    expect(text).toMatch(/gone: (\d+) of \1 calls failed: ECONNREFUSED/);
    expect(text).toMatch(/\| gone \| 0 \| [1-9]\d* \| – /);
    expect(rows.filter(({ name }) => name === "floor").every(({ answers }) => answers > 0)).toBe(true);
  });

  test("a stream that ends early and an answer that never comes are failures", async () => {
    const cut = named(await serve((_request, response) => response.end("data: {}\n\n")));
    const stream: Phase = { title: "streams", unit: "chunk", callers: 2, isStream: true };
    const [early] = await runRounds([cut], stream, { ...QUICK, rounds: 1, seconds: 0.05 });
    expect(early).toMatchObject({ answers: 0, chunks: 0 });
    expect([...(early?.reasons.keys() ?? [])]).toEqual(["a part of the answer"]);
    const silent = named(await serve(() => {}));
    const [never] = await runRounds([silent], WHOLE, { ...QUICK, rounds: 1, seconds: 0.05, graceMs: 50 });
    expect(never).toMatchObject({ answers: 0, failures: 4 });
    expect([...(never?.reasons.keys() ?? [])]).toEqual(["no answer in time"]);
  });
});
