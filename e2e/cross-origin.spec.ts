import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { asRoot, call, createAccount } from "./accounts";
import { expect } from "./fixtures";
import { giveMoney, makeKey } from "./gateway";
import { test } from "./own-server";

// A page of another origin calls the API with OpenAI's own client, as web chats do. The browser decides what it may read.

const PAGE_SCRIPT = `
import OpenAI from "openai";
window.ask = async (baseURL, apiKey) => {
  const client = new OpenAI({ baseURL, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 });
  const { data, request_id } = await client.chat.completions
    .create({ model: "cross-origin-model", messages: [{ role: "user", content: "hi" }] }).withResponse();
  let chunks = 0;
  for await (const _ of await client.chat.completions.create({ model: "cross-origin-model", messages: [{ role: "user", content: "hi" }], stream: true })) chunks += 1;
  const refused = await client.models.retrieve("no-such-model").catch((error) => [error.status, error.requestID !== null]);
  return { text: data.choices[0].message.content, request_id, chunks, refused };
};
window.cookies = async (url) => {
  try {
    return (await fetch(url, { credentials: "include" })).status;
  } catch (error) {
    return error.name;
  }
};`;

test("a web page of another origin uses the API with its own key, and reaches neither /api nor pages", async ({
  context,
  rootCookies,
}) => {
  await asRoot(async (root) => {
    await call(root, "POST", "/api/channel/", {
      type: 1,
      name: "cross-origin upstream",
      base_url: process.env.WEIR_E2E_UPSTREAM,
      key: "sk-upstream",
      models: "cross-origin-model",
      group: "default",
    });
    await call(root, "PUT", "/api/option/", { key: "ModelRatio", value: JSON.stringify({ "cross-origin-model": 1 }) });
  });
  const { outputFiles } = await build({
    stdin: { contents: PAGE_SCRIPT, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
  });
  const script = outputFiles[0]?.text ?? "";
  const other = createServer(({ url }, response) => {
    const isScript = url === "/script.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(
      isScript ? script : '<!doctype html><link rel="icon" href="data:,"><script src="/script.js"></script>',
    );
  });
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", () => done()));
  try {
    const account = await createAccount("crossorigin");
    await giveMoney(account, 1_000_000);
    const key = await makeKey(account);
    await context.addCookies(rootCookies);
    // A page of its own: the errors that the browser logs for refused calls are expected.
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const weir = process.env.WEIR_E2E_URL ?? "";
    const answer = await page.evaluate(
      ([base, apiKey]) =>
        (window as unknown as { ask: (base: string, key: string) => Promise<object> }).ask(base, apiKey),
      [`${weir}/v1`, key] as const,
    );
    expect(answer).toEqual({
      text: expect.stringMatching(/./),
      request_id: expect.stringMatching(/./),
      chunks: expect.any(Number),
      refused: [404, true],
    });
    for (const path of ["/api/user/self", "/token", "/v1/models"]) {
      const read = await page.evaluate(
        (url) => (window as unknown as { cookies: (url: string) => Promise<unknown> }).cookies(url),
        weir + path,
      );
      expect([path, read]).toEqual([path, "TypeError"]);
    }
  } finally {
    other.closeAllConnections();
    other.close();
  }
});
