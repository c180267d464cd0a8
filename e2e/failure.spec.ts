import type { Page, Route } from "@playwright/test";
import { expect, test } from "./fixtures";
import { holdLateScripts } from "./late-scripts";

const inChinese = (page: Page) =>
  page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);

const MESSAGES = [
  { status: 429, text: "请求次数过多，请稍后再试！", type: "error" },
  { status: 500, text: "服务器内部错误，请联系管理员！", type: "error" },
  { status: 405, text: "本站仅作演示之用，无服务端！", type: "info" },
  { status: 502, text: "错误：HTTP 502", type: "error" },
];
const REFUSED = "该邮箱地址未注册";

async function askForReset(page: Page): Promise<void> {
  await page.goto("/reset");
  await send(page);
}

async function send(page: Page): Promise<void> {
  await page.getByLabel("邮箱").fill("somebody@example.com");
  await page.getByRole("button", { name: "发送链接" }).click();
}

/** How long the button rests, whatever the answer was. */
const REST_MS = 30_000;

test("each HTTP status has the required words, without a prefix for 429, 500 and 405; a lost network has its own, a refusal the server's; a call that says 401 leads to sign-in (A204, A205, A206, A207, A208, A209, B259)", async ({
  page,
  problems,
}) => {
  await inChinese(page);
  await page.clock.install();
  await page.goto("/reset");
  const answers = [
    ...MESSAGES.map(({ status, ...shown }) => ({
      ...shown,
      answer: (route: Route) => route.fulfill({ status, body: "{}" }),
    })),
    { text: "请求失败，请检查网络后重试。", type: "error", answer: (route: Route) => route.abort() },
  ];
  for (const { text, type, answer } of answers) {
    await page.unrouteAll();
    await page.route("**/api/reset_password?**", answer);
    await send(page);
    await expect(page.locator(`[data-sonner-toast][data-type="${type}"]`)).toHaveText(text);
    await page.clock.runFor(REST_MS);
    await expect(page.locator("[data-sonner-toast]")).toHaveCount(0);
  }
  // The browser itself logs each.
  expect(problems.splice(0)).toHaveLength(answers.length);
  await page.unrouteAll();
  await page.route("**/api/reset_password?**", (route) =>
    route.fulfill({ json: { success: false, message: REFUSED } }),
  );
  await send(page);
  await expect(page.locator('[data-sonner-toast][data-type="error"]')).toHaveText(REFUSED);

  await page.clock.runFor(REST_MS);
  await page.unrouteAll();
  await page.route("**/api/reset_password?**", (route) => route.fulfill({ status: 401, body: "{}" }));
  await send(page);
  await expect(page).toHaveURL(/\/login\?expired=true$/);
  await expect(page.getByText("未登录或登录已过期，请重新登录！")).toBeVisible();
  problems.splice(0);
});

test("a message that is said before the code of messages is there shows when it is (A209)", async ({ page }) => {
  await inChinese(page);
  const release = await holdLateScripts(page, "/reset");
  const refused = page.waitForResponse("**/api/reset_password?**");
  await page.route("**/api/reset_password?**", (route) =>
    route.fulfill({ json: { success: false, message: REFUSED } }),
  );
  await askForReset(page);
  await refused;
  release();
  await expect(page.locator('[data-sonner-toast][data-type="error"]')).toHaveText(REFUSED);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("a server action that is refused on the way shows its status too (A205, A208)", async ({ rootPage, problems }) => {
  await inChinese(rootPage);
  await rootPage.goto("/user?create=true");
  const states = [MESSAGES[0], MESSAGES[3]];
  for (const state of states) {
    if (!state) continue;
    await rootPage.route("**/user?create=true", (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: state.status, body: "" }) : route.continue(),
    );
    const drawer = rootPage.getByRole("dialog");
    await drawer.getByLabel("用户名").fill("nobody");
    await drawer.getByLabel("密码", { exact: true }).fill("password-1");
    await drawer.getByRole("button", { name: "提交" }).click();
    await expect(rootPage.locator("[data-sonner-toast]").filter({ hasText: state.text })).toBeVisible();
    await rootPage.unrouteAll();
  }
  problems.splice(0);
});

test("calls carry the reader's id, -1 for nobody, and are never cached; the status of the server is stored at every start, and its failure is told in the required words (A112, A113, A161, A162, A198, B151, B265)", async ({
  page,
  rootCookies,
  problems,
}) => {
  const asked = page.waitForRequest("**/api/status");
  await page.goto("/reset");
  expect(await (await asked).allHeaders()).toMatchObject({ "new-api-user": "-1", "cache-control": "no-store" });
  await page.context().addCookies(rootCookies);

  const stored = (key: string) => page.evaluate((name) => localStorage.getItem(name), key);
  await page.goto("/channel?create=true");
  await expect(async () => expect(await stored("status")).not.toBeNull()).toPass();
  // The server's response has all fields.
  expect(JSON.parse((await stored("status")) ?? "{}")).toMatchObject({
    system_name: "Weir",
    server_address: expect.any(String),
    top_up_link: "",
    min_topup: 1,
    enable_online_topup: false,
  });
  expect(await stored("quota_per_unit")).toBe("500000");
  expect(await stored("display_in_currency")).toBe("true");
  expect(JSON.parse((await stored("channel_models")) ?? "{}")["1"]).toContain("gpt-4o");
  expect(JSON.parse((await stored("user")) ?? "{}")).toMatchObject({ username: "root", role: 100, status: 1 });
  const data = {
    system_name: "Renamed",
    server_address: "https://weir.example",
    top_up_link: "https://shop.example/codes",
    min_topup: 5,
    enable_online_topup: true,
  };
  await page.route("**/api/status", (route) => route.fulfill({ json: { success: true, message: "", data } }));
  const call = page.waitForRequest("**/api/status");
  await page.reload();
  expect(await (await call).allHeaders()).toMatchObject({ "new-api-user": "1", "cache-control": "no-store" });
  await expect(async () => expect(await stored("system_name")).toBe("Renamed")).toPass();
  expect(JSON.parse((await stored("status")) ?? "{}")).toEqual(data);
  await page.unrouteAll();
  await page.route("**/api/status", (route) => route.fulfill({ status: 500, body: "{}" }));
  await page.reload();
  await expect(page.getByText("Failed to load status")).toBeVisible();
  await page.unrouteAll();
  await page.route("**/api/status", (route) => route.fulfill({ json: { success: false, message: "" } }));
  await page.reload();
  await expect(page.getByText("Unable to connect to server")).toBeVisible();
  await page.unrouteAll();
  await page.route("**/api/status", (route) => route.abort());
  await page.reload();
  await expect(page.getByText("Failed to load status")).toBeVisible();
  problems.splice(0);
});
