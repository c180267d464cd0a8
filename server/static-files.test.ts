import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request as open, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
// @ts-expect-error A script in plain JavaScript has no types.
import { precompress } from "../scripts/precompress.mjs";
import { createStaticFiles } from "./static-files";

const script = "export const words = 'the same words again';\n".repeat(200);
const folder = mkdtempSync(join(tmpdir(), "weir-static-"));
const server: Server = createServer();

beforeAll(async () => {
  mkdirSync(join(folder, "chunks"));
  writeFileSync(join(folder, "chunks", "a.js"), script);
  writeFileSync(join(folder, "chunks", "tiny.js"), "1");
  writeFileSync(join(folder, "chunks", "old.js.br"), "of an earlier build");
  writeFileSync(join(folder, "font.woff2"), script);
  await precompress(folder);
  const sendStatic = createStaticFiles(folder);
  server.on("request", async (request, response) => {
    if (!(await sendStatic(request, response))) response.end("from Next");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true });
});

async function ask(path: string, headers: Record<string, string>, method = "GET") {
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<IncomingMessage>((done, fail) =>
    open({ port, path, method, headers }, done).once("error", fail).end(),
  );
  return { headers: answer.headers, body: Buffer.concat(await answer.toArray()) };
}

test("the build's files are sent compressed, to be kept for a year", async () => {
  const brotli = await ask("/_next/static/chunks/a.js?dpl=1", { "accept-encoding": "gzip, br" });
  expect(brotli.headers).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-encoding": "br",
    "content-length": String(brotli.body.length),
    "content-type": "application/javascript; charset=UTF-8",
    vary: "Accept-Encoding",
  });
  expect(brotliDecompressSync(brotli.body).toString()).toBe(script);

  const gzip = await ask("/_next/static/chunks/a.js", { "accept-encoding": "br;q=0, gzip" });
  expect(gunzipSync(gzip.body).toString()).toBe(script);

  const head = await ask("/_next/static/chunks/a.js", { "accept-encoding": "br" }, "HEAD");
  expect(head.headers["content-length"]).toBe(brotli.headers["content-length"]);
  expect(head.body).toHaveLength(0);
});

test("Next sends whole files to clients that take no compression, and parts of files", async () => {
  const whole = await ask("/_next/static/chunks/a.js", {});
  expect(whole.headers.vary).toBe("Accept-Encoding");
  expect(whole.body.toString()).toBe("from Next");
  const part = await ask("/_next/static/chunks/a.js", { "accept-encoding": "br", range: "bytes=0-9" });
  expect(part.body.toString()).toBe("from Next");
});

test.each([
  "/_next/static/chunks/a.js.br",
  "/_next/static/chunks/../chunks/a.js",
  "/_next/static/chunks/%2e%2e/chunks/a.js",
  "/_next/static/font.woff2",
  "/chunks/a.js",
  "/_next/static/chunks/tiny.js",
])("%s is no compressed file", async (path) => {
  const answer = await ask(path, { "accept-encoding": "br" });
  expect(answer.body.toString()).toBe("from Next");
});

test("copies exist only where they are smaller, and those of earlier builds go", () => {
  const has = (name: string) => existsSync(join(folder, name));
  expect(has("chunks/a.js.br") && has("chunks/a.js.gz")).toBe(true);
  expect(["chunks/tiny.js.br", "chunks/old.js.br", "font.woff2.br"].filter(has)).toEqual([]);
});
