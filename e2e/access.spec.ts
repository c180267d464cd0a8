import { createAccount, signInToApi } from "./accounts";
import { expect, test } from "./fixtures";

const PROTECTED = [
  "/channel",
  "/channel/add",
  "/playground",
  "/redemption",
  "/user",
  "/setting",
  "/topup",
  "/log",
  "/detail",
  "/midjourney",
  "/task",
  "/audit",
  "/activity",
  "/chat2link",
];

test("nobody sees a page of the console without signing in, and each is where the reader comes to then (B015, B017, B018)", async ({
  page,
}) => {
  for (const path of PROTECTED) {
    const answer = await page.request.get(path, { maxRedirects: 0 });
    expect([path, answer.status()]).toEqual([path, 307]);
    const target = new URL(answer.headers().location ?? "", process.env.WEIR_E2E_URL);
    expect([path, target.pathname, target.searchParams.get("expired")]).toEqual([path, "/login", "true"]);
    expect(await answer.text()).not.toContain("<table");
  }
  for (const path of ["/setting", "/log", "/detail"]) {
    await page.goto(path);
    await expect(page).toHaveURL(`/login?expired=true&redirect=${encodeURIComponent(path)}`);
    await expect(page.getByText("You are not logged in, or your session has expired.")).toBeVisible();
  }
});

test("channels, codes, users and the audit log are in the menu of those only who may open them (B206)", async ({
  page,
  rootPage,
}) => {
  const restricted = ["/channel", "/redemption", "/user", "/audit"];
  const menu = page.getByRole("navigation").locator("a");
  const shown = async () => {
    await expect(menu.filter({ hasText: "API keys" }).first()).toBeVisible();
    return menu.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  };
  await rootPage.goto("/token");
  expect(await shown()).toEqual(expect.arrayContaining(restricted));
  await page.context().clearCookies();
  const account = await createAccount("menu");
  await signInToApi(page, account.username, account.password);
  await page.goto("/token");
  const own = await shown();
  expect(own).toEqual(expect.arrayContaining(["/token", "/topup", "/log", "/setting"]));
  for (const path of restricted) expect(own).not.toContain(path);
});

test("the browser keeps where the site is, where codes are bought and what a top-up takes (B151)", async ({
  rootPage,
}) => {
  const status = {
    server_address: "https://weir.example",
    top_up_link: "https://shop.example/codes",
    min_topup: 5,
    enable_online_topup: true,
  };
  await rootPage.goto("/token");
  const stored = () => rootPage.evaluate(() => JSON.parse(localStorage.getItem("status") ?? "{}"));
  // The server's response has all fields.
  await expect
    .poll(stored)
    .toMatchObject({ server_address: expect.any(String), top_up_link: "", min_topup: 1, enable_online_topup: false });
  await rootPage.route("**/api/status", (route) =>
    route.fulfill({ json: { success: true, message: "", data: status } }),
  );
  await rootPage.reload();
  await expect.poll(stored).toEqual(status);
});
