import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { startFakeStripe } from "../lib/testing/fake-stripe";
import { signEpay } from "../lib/topup/epay";
import { asRoot, call, createAccount, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessible, expectFits, expectInteractive, uniqueName } from "./fixtures";
import { test } from "./own-server";
import { awayFromFullHour } from "./turns";

// Payment options are site-wide, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

const KEY = "merchant-key";

/** A payment page on loopback that keeps the forms it receives. */
async function startFakeEpay() {
  const forms: Record<string, string>[] = [];
  const server: Server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      if (request.method === "POST") forms.push(Object.fromEntries(new URLSearchParams(text)));
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><html lang=en><title>Pay</title><h1>Pay here</h1>");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, forms, close: () => new Promise((done) => server.close(done)) };
}

async function makeCode(quota: number): Promise<string> {
  const name = uniqueName("code").slice(0, 20);
  const codes = await asRoot((root) => call(root, "POST", "/api/redemption/", { name, quota, count: 1 }));
  return (codes as string[])[0] ?? "";
}

/** Signs a new user in on the page. */
async function asUser(page: Page) {
  const account = await createAccount("wallet");
  await signInToApi(page, account.username, account.password);
  return account;
}

let epay: Awaited<ReturnType<typeof startFakeEpay>>;
test.beforeAll(async () => {
  epay = await startFakeEpay();
  // An earlier file may have used the same server.
  await setOptions({ TopUpLink: "", PayAddress: "" });
});
test.afterAll(() => epay.close());

test("while nothing is configured the amount is off and each button says why; redeeming says what failed, or what was credited, and raises the balance (B089, B090, B091, B092, B201, B202, B246, B260)", async ({
  page,
  problems,
}) => {
  const code = await makeCode(1_250_000);
  await asUser(page);
  await page.goto("/topup");
  await expect(page.getByLabel("Top-up amount")).toBeDisabled();
  await expect(page.getByRole("button", { name: "Alipay" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Alipay" })).toHaveAccessibleDescription(
    "The administrator has not enabled online top-up.",
  );
  await page.getByRole("button", { name: "Get a code" }).click();
  await expect(page.getByText("The administrator has not set a top-up link.")).toBeVisible();
  await expect(page.getByRole("button", { name: /Stripe/ })).toHaveCount(0);

  await test.step("a network failure keeps the code", async () => {
    await page.route("**/api/user/topup", (route) => route.abort());
    await page.getByLabel("Redemption code").fill("abc");
    await page.getByRole("button", { name: "Redeem", exact: true }).click();
    await expect(page.getByText("The request failed.", { exact: true })).toBeVisible();
    await expect(page.getByLabel("Redemption code")).toHaveValue("abc");
    problems.splice(0, problems.length, ...problems.filter((text) => !text.includes("ERR_FAILED")));
    await page.unroute("**/api/user/topup");
  });

  await expect(page.getByTestId("balance")).toHaveText("￥0.00");
  await page.getByLabel("Redemption code").fill(code);
  await page.route("**/api/user/topup", async (route) => {
    await expect(page.getByRole("button", { name: "Redeeming…" })).toBeDisabled();
    await route.continue();
  });
  await page.getByRole("button", { name: "Redeem", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Code redeemed" });
  await expect(dialog).toContainText("￥2.50 was added to your balance.");
  await expectAccessible(page, { within: dialog });
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByTestId("balance")).toHaveText("￥2.50");
  await expect(page.getByLabel("Redemption code")).toHaveValue("");
  await page.getByRole("button", { name: "Redeem", exact: true }).click();
  await expect(page.getByText("Enter a redemption code.")).toBeVisible();
});

test("the texts of the wallet are the customer's in Chinese (B198, B199, B201, B202)", async ({ page }) => {
  await asUser(page);
  await page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await page.goto("/topup");
  await page.getByRole("button", { name: "兑换", exact: true }).click();
  await expect(page.getByText("请输入兑换码！", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "微信" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "支付宝" })).toBeDisabled();
  await expect(page.getByText("管理员未开启在线充值！", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "获取兑换码" }).click();
  await expect(page.getByText("超级管理员未设置充值链接！", { exact: true })).toBeVisible();
});

test("the link to codes opens in a new tab; common amounts are a click away; the payable sum follows the amount, the last question counts, and refusals are one message (B091, B093, B095, B199, B200, B269)", async ({
  page,
  baseURL,
}) => {
  await setOptions({
    ServerAddress: baseURL ?? "",
    PayAddress: epay.address,
    EpayId: "1001",
    EpayKey: KEY,
    MinTopUp: "5",
    TopUpLink: `${epay.address}/shop`,
  });
  await asUser(page);
  await page.goto("/topup");
  const [shop] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("button", { name: "Get a code" }).click(),
  ]);
  await expect(shop).toHaveURL(`${epay.address}/shop`);
  await shop.close();
  const amount = page.getByLabel("Top-up amount");
  const payable = page.getByTestId("payable");
  await expect(amount).toHaveValue("5");
  await expect(payable).toHaveText("36.50 CNY");
  await amount.fill("10");
  await expect(payable).toHaveText("73.00 CNY");
  await page.getByRole("group", { name: "Common amounts" }).getByRole("button", { name: "￥100.00" }).click();
  await expect(amount).toHaveValue("100");
  await expect(payable).toHaveText("730.00 CNY");
  await amount.fill("");
  await expect(amount).toHaveAttribute("placeholder", "Top-up amount, at least ￥5.00");

  // Holds the first response back until the second one has arrived.
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route("**/api/user/amount", async (route) => {
    if (route.request().postDataJSON().amount === 20) await held;
    await route.continue();
  });
  const first = page.waitForRequest((request) => request.postDataJSON()?.amount === 20);
  await amount.fill("20");
  await first;
  await amount.fill("30");
  await expect(payable).toHaveText("219.00 CNY");
  const late = page.waitForResponse((response) => response.request().postDataJSON()?.amount === 20);
  release();
  await late;
  await expect(payable).toHaveText("219.00 CNY");
  await page.unroute("**/api/user/amount");

  await amount.fill("0");
  await expect(amount).toHaveValue("1");
  await expect(payable).toHaveText("0.00 CNY");
  await amount.fill("2");
  await expect(page.getByText("The amount must be at least 5")).toHaveCount(1);
  await page.getByRole("button", { name: "Alipay" }).click();
  await expect(page.getByText("The amount must be at least ￥5.00")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a purchase is confirmed, posted to the gateway in a new tab, pending, and credited by its notification (B094, B248, B249, B310)", async ({
  page,
  servedPage,
  baseURL,
}) => {
  await asUser(page);
  await page.goto("/topup");
  await page.getByLabel("Top-up amount").fill("10");
  await page.getByRole("button", { name: "Alipay" }).click();
  const dialog = page.getByRole("dialog", { name: "Top up now?" });
  await expect(dialog).toContainText("￥10.00");
  await expect(dialog).toContainText("73.00 CNY");
  await expectAccessible(page, { within: dialog });
  const [gateway] = await Promise.all([
    page.waitForEvent("popup"),
    dialog.getByRole("button", { name: "Top up" }).click(),
  ]);
  await expect(gateway.getByRole("heading", { name: "Pay here" })).toBeVisible();
  expect(gateway.url()).toBe(`${epay.address}/submit.php`);
  const form = epay.forms.at(-1) ?? {};
  expect(form).toMatchObject({ pid: "1001", type: "alipay", money: "73.00", name: "TUC10", sign_type: "MD5" });
  expect(form.sign).toBe(signEpay(form, KEY));

  await servedPage.context().addCookies(await page.context().cookies());
  await servedPage.goto("/topup?tab=orders");
  const row = servedPage.getByRole("row").filter({ hasText: form.out_trade_no ?? "" });
  await expect(row).toContainText("Unpaid");

  const fields: Record<string, string> = {
    pid: "1001",
    trade_no: "gateway-1",
    out_trade_no: form.out_trade_no ?? "",
    type: "alipay",
    name: form.name ?? "",
    money: "73.00",
    trade_status: "TRADE_SUCCESS",
    sign_type: "MD5",
  };
  const query = new URLSearchParams({ ...fields, sign: signEpay(fields, KEY) });
  expect(await (await page.request.get(`${baseURL}/api/user/epay/notify?${query}`)).text()).toBe("success");
  await servedPage.reload();
  await expect(row).toContainText("Credited");
  await servedPage.goto("/topup?tab=ledger");
  await expect(servedPage.getByRole("row").filter({ hasText: "Online top-up" })).toContainText("+￥10.000000");
  await expect(servedPage.getByTestId("statement-sums")).toContainText("￥10.000000");
  await expectAccessible(servedPage);
});

test("payment by card leads to Stripe's page; who returns sees how far the order is", async ({
  page,
  baseURL,
  problems,
}) => {
  const stripe = await startFakeStripe();
  await setOptions({
    StripeApiSecret: "sk_test_right",
    StripeWebhookSecret: "whsec_test",
    StripeApiAddress: stripe.address,
    StripeUnitPrice: "1.5",
  });
  await asUser(page);
  await page.goto("/topup");
  await page.getByLabel("Top-up amount").fill("10");
  await page.getByRole("button", { name: "Card (Stripe)" }).click();
  const dialog = page.getByRole("dialog", { name: "Top up now?" });
  await expect(dialog).toContainText("15.00 USD");
  await dialog.getByRole("button", { name: "Top up" }).click();
  await page.waitForURL(`${stripe.address}/pay/**`);
  const tradeNo = page.url().split("/").at(-1) ?? "";
  await page.goto(`${baseURL}/topup?paid=${tradeNo}`);
  await expect(page.getByText(`Waiting for the provider to confirm order ${tradeNo}`)).toBeVisible();
  await stripe.close();
  // This test's payment page answers 401 without a key.
  problems.splice(0, problems.length, ...problems.filter((text) => !text.includes("401")));
});

test("root sees the callbacks and drives a kept payment again; others do not", async ({
  servedPage,
  rootPage: admin,
  baseURL,
}) => {
  const account = await asUser(servedPage);
  await servedPage.goto("/topup?tab=callbacks");
  await expect(servedPage.getByRole("main")).toBeVisible();
  await expect(servedPage.getByRole("button", { name: "Payment callbacks" })).toHaveCount(0);
  await expect(servedPage.getByRole("button", { name: "Process again" })).toHaveCount(0);

  // A callback for an order that does not exist is stored as refused.
  const tradeNo = `USR${account.id}NOabcdef1`;
  const fields: Record<string, string> = {
    pid: "1001",
    trade_no: `gateway-${tradeNo}`,
    out_trade_no: tradeNo,
    money: "1.00",
    trade_status: "TRADE_SUCCESS",
    sign_type: "MD5",
  };
  const query = new URLSearchParams({ ...fields, sign: signEpay(fields, KEY) });
  expect(await (await servedPage.request.get(`${baseURL}/api/user/epay/notify?${query}`)).text()).toBe("fail");

  await admin.goto(`${baseURL}/topup?tab=callbacks&outcome=refused&keyword=${tradeNo}`);
  const row = admin.getByRole("row").filter({ hasText: tradeNo });
  await expect(row).toContainText("No such order");
  await row.getByRole("button", { name: /^Content of callback/ }).click();
  await expect(admin.locator("pre")).toContainText('"out_trade_no"');
  await expect(admin.locator("pre")).not.toContainText('"sign"');
  await row.getByRole("button", { name: /^Process the callback/ }).click();
  await expect(admin.getByText("Refused No such order")).toBeVisible();
  await admin.goto(`${baseURL}/topup?tab=all&status=success`);
  await expect(admin.getByRole("row").filter({ hasText: "Credited" }).first()).toBeVisible();
  await expectAccessible(admin);
});

test("the statement is filtered by time and taken away as a file", async ({ page, servedPage }) => {
  const account = await asUser(page);
  const key = await makeCode(500_000);
  await call({ request: page.request, id: account.id }, "POST", "/api/user/topup", { key });
  await page.goto("/topup?tab=ledger&kind=redemption");
  const row = page.getByRole("row").filter({ hasText: "+￥1.000000" });
  await expect(row).toHaveCount(1);
  await expectInteractive(page);
  await page.getByRole("button", { name: "Export" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /CSV/ }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^statement-.*\.csv$/);
  const { readFile } = await import("node:fs/promises");
  const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  expect(lines[0]).toContain(
    "Time,Type,Reference,Note,Requests,Amount (￥),Balance after (￥),Amount (quota),Balance after (quota)",
  );
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/,Redemption code,.*,1,1,500000,500000$/);
  await servedPage.context().addCookies(await page.context().cookies());
  await servedPage.goto(`/topup?tab=ledger&kind=redemption&end=${Math.floor(Date.now() / 1000) - 3_600}`);
  await expect(servedPage.getByText("No matches")).toBeVisible();
});

test("a month's statement is there as PDF and CSV, in the reader's language, and nobody gets another's", async ({
  servedPage: page,
}) => {
  await awayFromFullHour();
  const account = await asUser(page);
  const code = await makeCode(750_000);
  await call({ request: page.request, id: account.id }, "POST", "/api/user/topup", { key: code });
  await page.goto("/topup?tab=ledger");
  const monthly = page.getByRole("region", { name: "Monthly statement" });
  const month = new Date().toISOString().slice(0, 7);
  await expect(monthly.getByLabel("Month")).toHaveValue(month);
  const fileOf = async (name: string) => {
    const href = await monthly.getByRole("link", { name }).getAttribute("href");
    const answer = await page.request.get(href ?? "", { headers: { "accept-language": "en" } });
    expect(answer.status()).toBe(200);
    expect(answer.headers()["content-disposition"]).toContain(
      `ST-${month.replace("-", "")}-${account.id}.${name.toLowerCase()}`,
    );
    return answer.body();
  };
  expect((await fileOf("PDF")).subarray(0, 5).toString()).toBe("%PDF-");
  const lines = (await fileOf("CSV")).toString().trim().split("\r\n");
  expect(lines[0]).toMatch(/Opening|No\.,Account,Date,Type/);
  expect(lines.at(-1)).toMatch(/Closing balance,,,,1\.50$/);
  const other = await page.request.get(`/topup/statement?month=${month}&format=pdf&user=1`);
  expect(other.status()).toBe(403);
  await page.context().addCookies([{ name: "locale", value: "zh", url: page.url() }]);
  expect((await fileOf("CSV")).toString()).toContain("期末余额");
});

test("every part of the wallet is usable at 390 px and in the dark theme", async ({ servedPage: page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await asUser(page);
  // The crawl of every screen has the ledger.
  for (const tab of ["wallet", "orders"]) {
    await page.goto(`/topup?tab=${tab}`);
    await expectAccessible(page);
    await expectFits(page);
  }
});
