import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { call, createAccount, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessible, expectInteractive } from "./fixtures";
import { test } from "./own-server";

// Chat clients are site-wide options, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

/** A chat client on loopback: a page that shows the URL's fragment. */
async function startClient() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><html lang=en><title>Client</title><main><h1>Chat client</h1></main></html>");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, close: () => new Promise((done) => server.close(done)) };
}

let client: Awaited<ReturnType<typeof startClient>>;
test.beforeAll(async () => {
  client = await startClient();
});
test.afterAll(() => client.close());

/** Signs in a new user with these tokens and returns the keys. The token named "off" is disabled. */
async function withTokens(page: Page, names: string[]): Promise<string[]> {
  const account = await createAccount("chat");
  const caller = await signInToApi(page, account.username, account.password);
  const keys: string[] = [];
  for (const name of names) {
    const made = (await call(caller, "POST", "/api/token/", { name, unlimited_quota: true })) as {
      id: number;
      key: string;
    };
    if (name === "off") await call(caller, "PUT", "/api/token/?status_only=true", { id: made.id, status: 2 });
    keys.push(`sk-${made.key}`);
  }
  return keys;
}

const CHATS = (address: string) =>
  JSON.stringify([
    { "Client One": `${address}/#/?settings={"key":"{key}","url":"{address}"}` },
    { "Client Two": `${address}/two?key={key}` },
  ]);

/** Chat links come with the server's status, after the page. */
async function openTokens(page: Page): Promise<void> {
  await page.goto("/token");
  await expect.poll(() => page.evaluate(() => localStorage.getItem("status"))).not.toBeNull();
  await expectInteractive(page);
}

test("while no link is configured the chat action and the pages say so (B263)", async ({ page }) => {
  await withTokens(page, ["on"]);
  await openTokens(page);
  await page.getByRole("button", { name: "Chat with on" }).click();
  await expect(page.getByText("Ask the administrator to set up a chat link.")).toBeVisible();
  for (const path of ["/chat", "/chat2link"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "No chat link" })).toBeVisible();
  }
  await expectAccessible(page);
});

test("the chat page frames the client with the first enabled token of one fetch of 100 (B023, B240)", async ({
  page,
  baseURL,
}) => {
  await setOptions({ Chats: CHATS(client.address), ServerAddress: baseURL ?? "" });
  const [oldest = "", , newest = ""] = await withTokens(page, ["first", "off", "on"]);
  const asked = page.waitForRequest((request) => request.url().includes("/api/token/?"));
  await page.goto("/chat/0");
  expect((await asked).url()).toContain("p=0&size=100");
  const frame = page.locator("iframe");
  await expect(frame).toHaveAttribute("src", new RegExp(newest));
  const source = (await frame.getAttribute("src")) ?? "";
  expect(source).toContain(encodeURIComponent(baseURL ?? ""));
  expect(source).not.toContain(oldest);
  await expect(frame).toHaveAttribute("sandbox", /allow-scripts/);
  expect(await frame.getAttribute("sandbox")).not.toContain("allow-top-navigation");
  await expect(page.frameLocator("iframe").getByRole("heading", { name: "Chat client" })).toBeVisible();
  // This client has the key in the query string, which its server would see. So the user is asked once.
  await page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Client Two" }).click();
  await expect(page).toHaveURL(/\/chat\/1$/);
  await page.getByRole("heading", { name: /Give the key to 127\.0\.0\.1/ }).waitFor();
  await expect(page.locator("iframe")).toHaveCount(0);
  await page.getByRole("button", { name: "Open anyway" }).click();
  await expect(page.locator("iframe")).toHaveAttribute("src", `${client.address}/two?key=${newest}`);
  await expect(page.getByRole("navigation", { name: "Main navigation" })).toBeVisible();
  await page.reload();
  await expect(page.locator("iframe")).toHaveAttribute("src", `${client.address}/two?key=${newest}`);
  await page.goto("/chat/7");
  await expect(page.getByRole("heading", { name: "No chat link" })).toBeVisible();
});

test("the chat action opens the first link in a new tab; its menu has all (B080)", async ({ page, baseURL }) => {
  const [key = ""] = await withTokens(page, ["mine"]);
  await openTokens(page);
  const [first] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("button", { name: "Chat with mine" }).click(),
  ]);
  await first.waitForURL((url) => url.hash.includes(key));
  expect(decodeURIComponent(decodeURIComponent(new URL(first.url()).hash))).toContain(`"url":"${baseURL}"`);
  await expect(page.getByText(/full API key to the page of 127\.0\.0\.1/)).toBeVisible();

  await page.getByRole("button", { name: "Chat links for mine" }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["Client One", "Client Two"]);
  const [second] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("menuitem", { name: "Client Two" }).click(),
  ]);
  await second.waitForURL(`${client.address}/two?key=${key}`);
});

test("a link that sends the key to the other site's server asks once before", async ({ page }) => {
  await setOptions({ Chats: JSON.stringify([{ Sender: `${client.address}/?key={key}` }]) });
  const [key = ""] = await withTokens(page, ["mine"]);
  await openTokens(page);
  const open = page.getByRole("button", { name: "Chat with mine" });
  await open.click();
  const dialog = page.getByRole("dialog", { name: /Give the key to 127\.0\.0\.1/ });
  await expectAccessible(page, { within: dialog });
  const [tab] = await Promise.all([
    page.waitForEvent("popup"),
    dialog.getByRole("button", { name: "Open anyway" }).click(),
  ]);
  await tab.waitForURL(`${client.address}/?key=${key}`);
  const [again] = await Promise.all([page.waitForEvent("popup"), open.click()]);
  await again.waitForURL(`${client.address}/?key=${key}`);
});

test("/chat2link redirects to ChatLink with the key (B024)", async ({ page }) => {
  await setOptions({ ChatLink: client.address });
  const [key = ""] = await withTokens(page, ["mine"]);
  await page.goto("/chat2link");
  await page.waitForURL((url) => url.origin === client.address && url.hash.includes(key));
  await setOptions({ ChatLink: "" });
});

test("broken chat data is said so, on the page and on the chat action (B262, B264)", async ({ page }) => {
  await withTokens(page, ["mine"]);
  const answer = await (await page.request.get("/api/status")).json();
  const broken = { ...answer, data: { ...answer.data, chats: "[{broken" } };
  await page.route("**/api/status", (route) => route.fulfill({ json: broken }));
  await page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await openTokens(page);
  await page.getByRole("button", { name: "用令牌 mine 聊天" }).click();
  await expect(page.getByText("聊天链接配置错误，请联系管理员", { exact: true })).toBeVisible();
  await page.goto("/chat/0");
  await expect(page.getByText("聊天数据解析失败", { exact: true }).first()).toBeVisible();
  // Nothing waits for the answer to a status request that is still running.
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("the texts are the customer's in Chinese (B174, B263)", async ({ page }) => {
  await setOptions({ Chats: "[]" });
  await withTokens(page, ["off", "on"]);
  await page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await openTokens(page);
  await page.getByRole("button", { name: "用令牌 on 聊天" }).click();
  await expect(page.getByText("请联系管理员配置聊天链接", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "on 的更多操作", exact: true }).click();
  await page.getByRole("menuitem", { name: "禁用" }).click();
  await expect(page.getByRole("button", { name: "用令牌 on 聊天" })).toBeDisabled();
  await page.goto("/chat/0");
  await expect(page.getByText("当前没有可用的启用令牌，请确认是否有令牌处于启用状态！", { exact: true })).toBeVisible();
});

test("who has no enabled token reads the message for a second and a half before coming to the tokens (B174, B240)", async ({
  page,
}) => {
  await setOptions({ Chats: CHATS(client.address) });
  await withTokens(page, ["off"]);
  await page.clock.install();
  // Ahead of the browser's clock, which runs until this arrives.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto("/chat/0", { waitUntil: "commit" });
  const message = page.getByText(/You have no enabled API key/);
  await expect(async () => {
    await page.clock.runFor(50);
    await expect(message).toBeVisible({ timeout: 500 });
  }).toPass();
  // Counts requests for the next page itself; prefetches do not count.
  const left: string[] = [];
  page.on("request", (request) => {
    const isAhead = "next-router-prefetch" in request.headers();
    if (new URL(request.url()).pathname === "/token" && !isAhead) left.push(request.url());
  });
  await page.clock.runFor(1_000);
  await page.evaluate(async () => {
    for (let turn = 0; turn < 20; turn++) {
      const { port1, port2 } = new MessageChannel();
      await new Promise((done) => {
        port1.onmessage = done;
        port2.postMessage(null);
      });
    }
  });
  expect(left).toEqual([]);
  await expect(message).toBeVisible();
  await page.clock.runFor(600);
  await page.clock.resume();
  await expect.poll(() => left.length).toBeGreaterThan(0);
  await expect(page).toHaveURL(/\/token$/);
});

test("visitors see the chat client without a key, and a link that is no address is said so (B023, B262)", async ({
  page,
}) => {
  await setOptions({
    Chats: JSON.stringify([{ One: `${client.address}/one#key={key}` }, { Typo: "chat.example/?key={key}" }]),
  });
  await page.goto("/chat/0");
  await expect(page.locator("iframe")).toHaveAttribute("src", `${client.address}/one#key=`);
  await expect(page.getByRole("note")).toContainText("You are not signed in.");
  await expectAccessible(page, { within: page.getByRole("note") });
  await page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await page.goto("/chat/1");
  await expect(page.getByText("聊天链接配置错误，请联系管理员", { exact: true }).first()).toBeVisible();
  await expect(page.locator("iframe")).toHaveCount(0);
});
