import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onRequestError } from "@/instrumentation";
import { AppError } from "@/lib/errors";
import { compressAnswer } from "./compressed-answer";
import { answerPage } from "./failed-page";
import "@/proxy";

const away = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
const FAILURES: Record<string, unknown> = {
  away,
  wrapped: new Error("Failed query", { cause: Object.assign(new Error("starting"), { code: "57P03" }) }),
  readonly: Object.assign(new Error("read-only"), { code: "25006" }),
  other: new Error("a mistake"),
  upstream: new AppError("upstream", "egressTimeout", {}, away),
};

/** As Next.js does it: says what failed, then answers with 500 and a page in parts. */
async function fail(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, name = "", late] = (request.url ?? "").split("/");
  await new Promise((done) => setImmediate(done));
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.setHeader("content-security-policy", "script-src 'nonce-1'");
  if (late) response.write("<p>the first part</p>");
  if (name in FAILURES) {
    onRequestError(FAILURES[name]);
    if (!late) response.statusCode = 500;
  }
  response.flushHeaders();
  await new Promise((done) => setImmediate(done));
  response.write("<p>Next's own</p>");
  await new Promise<void>((done) => response.end("<p>end</p>", () => done()).once("close", () => done()));
}

let server: Server;
let at = "";
beforeAll(async () => {
  server = createServer((request, response) => {
    compressAnswer(request, response);
    void answerPage(request, response, () => fail(request, response));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test.each(["away", "wrapped", "readonly"])(
  "a page that loses the database while it renders says so with 503: %s",
  async (name) => {
    const answers = await Promise.all(
      ["en", "zh"].map((language) => fetch(`${at}/${name}`, { headers: { "accept-language": language } })),
    );
    expect(
      answers.map(({ status, headers }) => [status, headers.get("retry-after"), headers.get("cache-control")]),
    ).toEqual(Array.from({ length: 2 }, () => [503, "5", "no-store"]));
    expect(answers[0]?.headers.get("content-security-policy")).not.toContain("nonce");
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts[0]).toContain("The database is unavailable. Try again in a moment");
    expect(texts[1]).toContain("数据库暂时不可用，请稍后再试");
    expect(texts.join()).not.toContain("Next's own");
    const probed = await fetch(`${at}/${name}`, { method: "HEAD" });
    expect(probed.status).toBe(503);
  },
);

test("whatever else fails, and what has begun, stays as Next.js answers it", async () => {
  const states = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(at + path, init);
    return [answer.status, (await answer.text()).includes("Next's own")];
  };
  const asked = ["/other", "/upstream", "/fine", "/away/late"].map((path) => states(path));
  const data = states("/away", { headers: { rsc: "1" } });
  const posted = states("/away", { method: "POST" });
  expect(await Promise.all([...asked, data, posted])).toEqual([
    [500, true],
    [500, true],
    [200, true],
    [200, true],
    [500, true],
    [500, true],
  ]);
});

test("one request's failure is not another's", async () => {
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_one, at_) => (await fetch(`${at}/${at_ % 2 ? "away" : "other"}`)).status),
  );
  expect(statuses).toEqual(statuses.map((_one, at_) => (at_ % 2 ? 503 : 500)));
});
