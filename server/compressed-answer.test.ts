import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, request as open, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, createBrotliDecompress, gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { compressAnswer } from "./compressed-answer";

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((done) => server?.close(done));
});

const page = "<!doctype html><p>".padEnd(20_000, "a page of many words ");
const html = { "content-type": "text/html; charset=utf-8" };

/** Sends a request to a server that compresses what `listener` writes. */
async function ask(
  listener: RequestListener,
  headers: Record<string, string>,
  method = "GET",
): Promise<IncomingMessage> {
  server = createServer((request, response) => {
    compressAnswer(request, response);
    listener(request, response);
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return new Promise((done, fail) => open({ port, method, headers }, done).once("error", fail).end());
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await answer.toArray());
}

test("a page is sent by brotli where the client takes it, else by gzip, else as it is", async () => {
  const listener: RequestListener = (_request, response) => {
    response.writeHead(200, { ...html, "content-length": page.length, vary: "rsc", etag: '"1"' }).end(page);
  };
  const brotli = await ask(listener, { "accept-encoding": "gzip, br" });
  expect(brotli.headers).toMatchObject({ "content-encoding": "br", vary: "rsc, Accept-Encoding", etag: 'W/"1"' });
  expect(brotli.headers).not.toHaveProperty("content-length");
  const small = await bodyOf(brotli);
  expect(small.length).toBeLessThan(page.length / 10);
  expect(brotliDecompressSync(small).toString()).toBe(page);

  const gzip = await ask(listener, { "accept-encoding": "gzip" });
  expect(gunzipSync(await bodyOf(gzip)).toString()).toBe(page);

  const plain = await ask(listener, {});
  expect(plain.headers).toMatchObject({ "content-length": String(page.length), vary: "rsc, Accept-Encoding" });
  expect((await bodyOf(plain)).toString()).toBe(page);
});

test("what is written arrives before the answer ends", async () => {
  let finish = () => {};
  const answer = await ask(
    (_request, response) => {
      for (const [name, value] of Object.entries(html)) response.setHeader(name, value);
      response.flushHeaders();
      response.write("<p>the first part");
      finish = () => response.end("<p>the second part");
    },
    { "accept-encoding": "br" },
  );
  const text = answer.pipe(createBrotliDecompress()).setEncoding("utf8");
  let seen = "";
  for await (const part of text) {
    if (seen === "") {
      expect(part).toBe("<p>the first part");
      finish();
    }
    seen += part;
  }
  expect(seen).toBe("<p>the first part<p>the second part");
});

test("a slow reader holds the writer back, and gets everything", async () => {
  const bytes = 64 * 1_024;
  const chunks = 400;
  let written = 0;
  const answer = await ask(
    async (_request, response) => {
      response.setHeader("content-type", "text/plain");
      for (; written < chunks; written += 1)
        // Each is random anew, because compressed ones would fit into the buffers on the way.
        if (!response.write(randomBytes(bytes))) await new Promise((done) => response.once("drain", done));
      response.end();
    },
    { "accept-encoding": "br" },
  );
  let stood = -1;
  const stands = () => {
    const isStill = stood === written;
    stood = written;
    return isStill && written > 0;
  };
  await expect.poll(stands, { interval: 100, timeout: 8_000 }).toBe(true);
  expect(written).toBeLessThan(chunks);
  expect(brotliDecompressSync(await bodyOf(answer))).toHaveLength(chunks * bytes);
}, 20_000);

test.each([
  ["events", { "content-type": "text/event-stream" }],
  ["what must not be changed on the way", { ...html, "cache-control": "no-store, no-transform" }],
  ["what is compressed already", { ...html, "content-encoding": "gzip" }],
  ["pictures", { "content-type": "image/png" }],
  ["small bodies", { ...html, "content-length": "100" }],
])("%s are sent as they are", async (_name, headers) => {
  const body = page.slice(0, "content-length" in headers ? 100 : undefined);
  const answer = await ask((_request, response) => response.writeHead(200, headers).end(body), {
    "accept-encoding": "br",
  });
  expect(answer.headers["content-encoding"]).toBe((headers as Record<string, string>)["content-encoding"]);
  expect((await bodyOf(answer)).toString()).toBe(body);
});

test("no site learns from a size what stands in a user's page (BREACH)", async () => {
  const listener: RequestListener = (_request, response) => response.writeHead(200, html).end(page);
  const session = "locale=en; session=abc";
  for (const site of ["cross-site", "same-site"]) {
    const answer = await ask(listener, { "accept-encoding": "br", "sec-fetch-site": site, cookie: session });
    expect(answer.headers["content-encoding"], site).toBeUndefined();
    expect(await bodyOf(answer)).toHaveLength(page.length);
  }
  for (const site of ["same-origin", "none"]) {
    const answer = await ask(listener, { "accept-encoding": "br", "sec-fetch-site": site, cookie: session });
    expect(answer.headers["content-encoding"], site).toBe("br");
  }
  const visitor = await ask(listener, { "accept-encoding": "br", "sec-fetch-site": "cross-site", cookie: "locale=en" });
  expect(visitor.headers["content-encoding"], "without a session").toBe("br");
});

test("answers without a body have none", async () => {
  const head = await ask(
    (_request, response) => response.writeHead(200, html).end(),
    { "accept-encoding": "br" },
    "HEAD",
  );
  expect(head.headers["content-encoding"]).toBeUndefined();
  const moved = await ask((_request, response) => response.writeHead(304, html).end(), { "accept-encoding": "br" });
  expect(moved.headers["content-encoding"]).toBeUndefined();
  expect(await bodyOf(moved)).toHaveLength(0);
});

test("two cookies stay two", async () => {
  const cookies = ["a=1; Path=/", "b=2; Path=/"];
  const answer = await ask(
    (_request, response) => response.writeHead(200, { ...html, "set-cookie": cookies }).end(page),
    {
      "accept-encoding": "br",
    },
  );
  expect(answer.headers["set-cookie"]).toEqual(cookies);
});

test("a client that leaves ends the answer", async () => {
  let closed = false;
  const answer = await ask(
    (_request, response) => {
      response.writeHead(200, html).write(page);
      response.once("close", () => {
        closed = true;
      });
    },
    { "accept-encoding": "br" },
  );
  answer.destroy();
  await expect.poll(() => closed).toBe(true);
});
