// Anyone with a key sends request bodies that cost far more than they weigh: compressed to a millionth, nested without
// end, made of millions of values, cut into one byte a minute, or huge ones at once. Every one of them must be refused
// with a clear error before it is parsed, in memory and time bounded by constants, and other callers must not notice.
import { connect, type Socket } from "node:net";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { chatBody, MODELS, setUpRelay, startRelay, until } from "../relay/harness";

const MB = 1_048_576;
const relay = setUpRelay({
  prices: `${MODELS},fake-hang`,
  channels: [{ models: `${MODELS},fake-hang` }],
  gateway: { bodyBytesMax: 4 * MB },
  // A request that is read to its end without its caller keeps its body.
  options: { UnseenDrainSeconds: "0" },
});
let key: string;
let poor: string;

beforeAll(async () => {
  key = (await relay.addCaller()).token.key;
  poor = (await relay.addCaller({ balance: 0 })).token.key;
});

const brotli = (text: string): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } });

/** A connection on which a request is written by hand; `answer` resolves with all that came back. */
function open(url = relay.url): { socket: Socket; answer: Promise<string> } {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const parts: Buffer[] = [];
  socket.on("data", (part) => parts.push(part));
  const answer = new Promise<string>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(parts).toString("utf8")));
  });
  return { socket, answer };
}

const head = (bearer: string, length: number, more = ""): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: weir\r\nauthorization: Bearer ${bearer}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n${more}\r\n`;

describe("bodies that grow", () => {
  test("a few hundred bytes of brotli or gzip that become megabytes are 413, within their limit of size", async () => {
    const bomb = `{"model":"fake-gpt","messages":[${"{},".repeat(1_000_000)}{}]}`;
    for (const [encoding, body] of [
      ["br", brotli(bomb)],
      ["gzip", gzipSync(bomb)],
    ] as const) {
      expect(body.length).toBeLessThan(10_000);
      const { status, wire } = await relay.post(key, body, { "content-encoding": encoding });
      expect([status, wire.error.message]).toEqual([413, expect.stringContaining("expands too much")]);
    }
    const large = await relay.post(
      key,
      gzipSync(
        `{"model":"${Buffer.alloc(5 * MB)
          .toString("hex")
          .slice(0, 5 * MB)}"}`,
      ),
      {
        "content-encoding": "gzip",
      },
    );
    expect(large.status).toBe(413);
  });

  test("an honest compressed body is served", async () => {
    const text = JSON.stringify({ role: "user", content: "Say hello ".repeat(30_000) });
    const body = `{"model":"fake-gpt","messages":[${text}]}`;
    const { token } = await relay.addCaller();
    expect((await relay.post(token.key, gzipSync(body), { "content-encoding": "gzip" })).status).toBe(200);
  });
});

describe("bodies that are dear to parse", () => {
  test("nesting beyond the bound is 400, at every length", async () => {
    for (const depth of [200, 100_000]) {
      const body = `{"model":"fake-gpt","messages":${"[".repeat(depth)}${"]".repeat(depth)}}`;
      const { status, wire } = await relay.post(key, body);
      expect([status, wire.error.code]).toEqual([400, "request_too_complex"]);
    }
  });

  test("a body of nothing but small values is 400 and costs hardly anything", async () => {
    const body = Buffer.from(`{"model":"fake-gpt","messages":[${"{},".repeat(1_300_000)}{}]}`);
    const before = process.cpuUsage();
    const { status, wire } = await relay.post(key, body);
    const { user, system } = process.cpuUsage(before);
    expect([status, wire.error.code]).toEqual([400, "request_too_complex"]);
    // Parsing and reading it took twenty times as long.
    expect((user + system) / 1_000_000).toBeLessThan(1);
  });

  test("braces and commas inside of texts are not values", async () => {
    const content = `${"{[,".repeat(150_000)} \\" \\\\`;
    const { token } = await relay.addCaller();
    expect((await relay.post(token.key, chatBody("fake-gpt", { note: content }))).status).toBe(200);
  });
});

describe("bodies that do not come", () => {
  test("one byte and then nothing is 408 after the time that every body gets", async () => {
    const hasty = await startRelay({ gateway: { bodyPace: { graceMs: 200, bytesPerSecond: 1_000, wholeMs: 60_000 } } });
    const { socket, answer } = open(hasty.url);
    socket.write(`${head((await hasty.addCaller()).token.key, 100)}{`);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 .*arrived too slowly/s);
    await hasty.close();
  });
});

describe("many bodies at once", () => {
  test("a caller holds no more than four of the largest size; the next is 429, others are served", async () => {
    const { token } = await relay.addCaller({ balance: 100_000_000 });
    const other = await relay.addCaller();
    const gone = new AbortController();
    const body = chatBody("fake-hang", { note: "x".repeat(3.5 * MB) });
    const held = Array.from({ length: 4 }, () =>
      fetch(`${relay.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
        body,
        signal: gone.signal,
      }).catch(() => null),
    );
    await until(
      async () => relay.upstream.requests.filter((request) => request.body.model === "fake-hang").length === 4,
    );
    const refused = await relay.post(token.key, body);
    expect([refused.status, refused.wire.error.code]).toEqual([429, "body_limit_exceeded"]);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect((await relay.post(other.token.key, chatBody("fake-gpt"))).status).toBe(200);
    gone.abort();
    await Promise.all(held);
    const again = chatBody("fake-gpt", { note: "x".repeat(3.5 * MB) });
    await until(async () => (await relay.post(token.key, again)).status === 200);
  });
});

describe("refused before the body is read", () => {
  const large = 3 * MB;
  /** Sends headers and `start`, never the rest, and expects the error while the gateway could still be waiting. */
  async function refusedEarly(bearer: string, start: string, expected: RegExp): Promise<void> {
    const { socket, answer } = open();
    socket.write(head(bearer, large) + start);
    const seen = new Promise<string>((resolve) => socket.once("data", (part) => resolve(part.toString("utf8"))));
    expect(await seen).toMatch(expected);
    socket.end();
    await answer;
  }

  test("a wrong key", () => refusedEarly(`sk-${"x".repeat(48)}`, "", /^HTTP\/1\.1 401 .*invalid_api_key/s));
  test("an empty balance", () => refusedEarly(poor, "", /^HTTP\/1\.1 429 .*insufficient_quota/s));
  test("a model that nobody offers", () =>
    refusedEarly(key, '{"model":"no-such-model","messages":[', /^HTTP\/1\.1 404 .*model_not_found/s));

  test("who asks before sending (Expect: 100-continue) is told no instead of to go on", async () => {
    const { socket, answer } = open();
    socket.write(head(poor, large, "expect: 100-continue\r\n"));
    const seen = await new Promise<string>((resolve) => socket.once("data", (part) => resolve(part.toString("utf8"))));
    expect(seen).toMatch(/^HTTP\/1\.1 429 /);
    socket.end();
    await answer;
  });

  test("a caller who sends the whole body all the same reads the error, not a broken connection", async () => {
    const { socket, answer } = open();
    socket.write(head(poor, large));
    socket.write(Buffer.alloc(large, 0x20));
    expect(await answer).toMatch(/^HTTP\/1\.1 429 .*insufficient_quota/s);
  });
});
