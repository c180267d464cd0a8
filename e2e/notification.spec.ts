import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "@playwright/test";
import { RECEIVER_KEYS, startFakeReceivers } from "../lib/testing/fake-receivers";
import { setOptions } from "./accounts";
import {
  COLOUR_RULES,
  expect,
  expectAccessible,
  expectFits,
  expectInteractive,
  test,
  turn,
  uniqueName,
} from "./fixtures";

type Received = { headers: IncomingHttpHeaders; body: string };

let server: Server;
let url = "";
const received: Received[] = [];
const SECRET = "a-secret-of-this-test";

test.beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(request.url === "/broken" ? 503 : 204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.afterAll(() => new Promise<void>((done) => server.close(() => done())));

async function addWebhook(page: Page, name: string, path: string): Promise<void> {
  await page.goto("/setting?tab=personal&targets=new");
  await fillWebhook(page.getByRole("dialog", { name: "Add notification target" }), name, path);
}

async function fillWebhook(drawer: Locator, name: string, path: string): Promise<void> {
  await drawer.getByLabel("Kind").selectOption("webhook");
  await drawer.getByLabel("Webhook address").fill(url + path);
  await drawer.getByLabel("Signing secret").fill(SECRET);
  await drawer.getByLabel("Name", { exact: true }).fill(name);
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
}

const rowOf = (page: Page, name: string) => page.getByRole("listitem", { name });

async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(rowOf(page, name)).toHaveCount(0);
}

test("a webhook is added, a signed test arrives at it, it is switched off and deleted; a field that does not fit is refused at the field; a test that is refused says why, now and at the target (B004)", async ({
  rootPage,
}) => {
  const name = uniqueName("hook");
  await addWebhook(rootPage, name, "/hook");
  const row = rowOf(rootPage, name);
  await expect(row).toContainText("Nothing sent yet");
  await row.getByRole("button", { name: `Send a test to ${name}` }).click();
  await expect(rootPage.getByText("The test message was sent")).toBeVisible();
  await expect(row).toContainText("Last sent");
  // Root's target also gets what other tests cause just now.
  const { headers, body } = received.find((one) => one.body.includes('"type":"test"')) ?? { headers: {}, body: "{}" };
  const signed = `${headers["x-weir-timestamp"]}.${headers["x-weir-delivery"]}.${body}`;
  expect(headers["x-weir-signature"]).toBe(`v1=${createHmac("sha256", SECRET).update(signed).digest("hex")}`);
  expect(JSON.parse(body)).toMatchObject({ type: "test" });
  await row.getByRole("switch", { name: `Enable ${name}` }).click();
  await expect(row.getByRole("switch")).toHaveAttribute("aria-checked", "false");
  await remove(rootPage, name);

  const broken = uniqueName("broken");
  await rootPage.getByText("Add target", { exact: true }).click();
  const drawer = rootPage.getByRole("dialog", { name: "Add notification target" });
  await drawer.getByLabel("Kind").selectOption("telegram");
  await drawer.getByLabel("Chat ID").fill("not a chat");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer.getByLabel("Chat ID")).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(rootPage, { within: drawer });

  await fillWebhook(drawer, broken, "/broken");
  const refused = rowOf(rootPage, broken);
  await refused.getByRole("button", { name: `Send a test to ${broken}` }).click();
  await expect(refused).toContainText("Last failure: The receiver refused the message (503)");
  await remove(rootPage, broken);
});

test("the threshold and the language of messages are kept", async ({ rootPage, rootServedPage }) => {
  await rootPage.goto("/setting?tab=personal");
  const cardOn = (page: Page) => page.getByRole("region", { name: "Warnings and language" });
  const card = cardOn(rootPage);
  await expectInteractive(rootPage);
  await card.getByRole("button", { name: "￥5.00" }).click();
  await card.getByLabel("Language of messages").selectOption("en");
  await card.getByRole("button", { name: "Save" }).click();
  await expect(rootPage.getByText("Saved").first()).toBeVisible();
  await rootServedPage.goto("/setting?tab=personal");
  await expect(cardOn(rootServedPage).getByLabel("Warning threshold")).toHaveValue("5");
  await expect(cardOn(rootServedPage).getByLabel("Language of messages")).toHaveValue("en");
  await card.getByLabel("Warning threshold").fill("-1");
  await card.getByRole("button", { name: "Save" }).click();
  await expect(card.getByLabel("Warning threshold")).toHaveAttribute("aria-invalid", "true");
});

/** A message that arrives while the page is open. The bell's first request runs when the page loads. */
const notice = {
  id: 1,
  title: "Low balance",
  content: "Your balance is ￥0.50, below your warning threshold of ￥1.00.",
  path: "/token",
  created_at: 1_764_000_000,
  read: false,
};

test("targets, drawer and bell are accessible and fit a phone, in both themes", async ({ rootPage }) => {
  const name = uniqueName("phone");
  const targets = rootPage.getByRole("region", { name: "Notifications", exact: true });
  // The colours are the same at both widths.
  const look = async (within: Locator, isWide: boolean) => {
    if (!isWide) return expectAccessible(rootPage, { within, withoutRules: COLOUR_RULES });
    await turn(rootPage, "light");
    await expectAccessible(rootPage, { within });
    await turn(rootPage, "dark");
    await expectAccessible(rootPage, { within, rules: COLOUR_RULES });
  };
  await addWebhook(rootPage, name, "/hook");
  for (const width of [1440, 390]) {
    await rootPage.setViewportSize({ width, height: 900 });
    await rootPage.getByRole("heading", { name: "Notifications", exact: true }).scrollIntoViewIfNeeded();
    await look(targets, width > 390);
    await expectFits(rootPage);
    await rootPage.getByTestId("notice-bell").click();
    await expect(rootPage.getByRole("dialog", { name: "Notifications" })).toBeInViewport({ ratio: 1 });
    await rootPage.keyboard.press("Escape");
    await rootPage.getByRole("button", { name: `Edit ${name}` }).click();
    const drawer = rootPage.getByRole("dialog", { name: "Edit notification target" });
    await expect(drawer.getByLabel("Webhook address")).toHaveValue(`${url}/hook`);
    await look(drawer, width > 390);
    await rootPage.keyboard.press("Escape");
    await expect(drawer).toBeHidden();
  }
  await remove(rootPage, name);
});

test("an announcement is shown once per content and stays in the notice centre; the bell shows what is unread, a message leads to its page and is read then", async ({
  rootPage,
}) => {
  const marked: unknown[] = [];
  const text = uniqueName("Maintenance on Sunday");
  const setNotice = (value: string) => setOptions({ Notice: value });
  await rootPage.route("**/api/user/notification", (route) =>
    route.fulfill({ json: { success: true, message: "", data: { unread: 1, items: [notice] } } }),
  );
  await rootPage.route("**/api/user/notification/read", (route) => {
    marked.push(route.request().postDataJSON());
    return route.fulfill({ json: { success: true, message: "" } });
  });
  await setNotice(`<p>${text}</p><script>window.stolen = true</script>`);
  try {
    await rootPage.goto("/log");
    const banner = rootPage.getByRole("main").getByRole("region", { name: "Announcement" });
    await expect(banner).toContainText(text);
    expect(await rootPage.evaluate(() => "stolen" in window)).toBe(false);
    await expectAccessible(rootPage, { within: banner });
    const seen = rootPage.waitForResponse("**/api/user/notification/announcement");
    await banner.getByRole("button", { name: "Got it" }).click();
    expect((await (await seen).json()).success).toBe(true);
    await rootPage.reload();
    await expectInteractive(rootPage);
    await expect(banner).toHaveCount(0);
    await rootPage.getByTestId("notice-bell").click();
    const centre = rootPage.getByRole("dialog", { name: "Notifications" });
    await expect(centre).toContainText(text);
    await expect(centre.getByText("Low balance")).toBeVisible();
    await expect(rootPage.getByTestId("notice-bell")).toHaveAccessibleName("Notifications, 1 unread message");
    await expectAccessible(rootPage, { within: centre });
    await rootPage.keyboard.press("Escape");
    await expect(centre).toBeHidden();
    await rootPage.getByTestId("notice-bell").click();
    await centre.getByRole("link", { name: /Low balance/ }).click();
    await expect(rootPage).toHaveURL(/\/token$/);
    expect(marked).toEqual([{ ids: [1] }]);
  } finally {
    await setNotice("");
  }
});

test("WeChat push is bound by a QR code, and the dialog says so by itself (B258)", async ({ rootPage }) => {
  const receivers = await startFakeReceivers();
  await setOptions({ WxPusherAddress: receivers.url, WxPusherAppToken: RECEIVER_KEYS.wxPusherToken });
  await rootPage.goto("/setting?tab=personal&targets=new");
  const drawer = rootPage.getByRole("dialog", { name: "Add notification target" });
  await drawer.getByLabel("Kind").selectOption("wxpusher");
  await drawer.getByRole("button", { name: "Show the QR code" }).click();
  await expect(drawer.getByRole("img", { name: "QR code that links WxPusher" })).toBeVisible();
  await expect(drawer.getByText("Waiting for the scan…")).toBeVisible();
  await expectAccessible(rootPage, { within: drawer });
  const { extra } = receivers.received.find(({ service }) => service === "wxpusher-code")?.body ?? {};
  const scan = { action: "app_subscribe", data: { uid: RECEIVER_KEYS.wxPusherUid, extra } };
  await rootPage.request.post("/api/user/setting/wxpusher", { data: scan });
  await expect(drawer).toBeHidden();
  const name = "WeChat push (WxPusher)";
  await rowOf(rootPage, name)
    .getByRole("button", { name: `Send a test to ${name}` })
    .click();
  await expect(rootPage.getByText("The test message was sent")).toBeVisible();
  expect(receivers.received.at(-1)?.body.uids).toEqual([RECEIVER_KEYS.wxPusherUid]);
  await remove(rootPage, name);
  await receivers.close();
});
