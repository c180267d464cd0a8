import { Secret, TOTP } from "otpauth";
import { asRoot, call, createAccount } from "./accounts";
import { expect, expectAccessible, expectFits, expectInteractive, test, turn, uniqueName } from "./fixtures";
import { LoginPage } from "./pages/login-page";
import { SecurityPage } from "./pages/security-page";
import { barOf, dialogOf, endSession, enter, signInOver } from "./pages/session-page";

/** A sign-in, the page that it renews and the call that is sent again. */
const SLOW = { timeout: 30_000 };

const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

test("without anything typed, a page is loaded for who has signed in by another tab; one who signed out is asked to sign in (A233)", async ({
  page,
  problems,
}) => {
  const alice = await createAccount("alice");
  const bob = await createAccount("bob");
  await enter(page, alice);
  await page.goto("/log");
  await expect(page.getByRole("button", { name: `Account menu: ${alice.username}` })).toBeVisible();
  const other = await page.context().newPage();
  await enter(other, bob);
  await other.goto("/token");
  await expect(page.getByRole("button", { name: `Account menu: ${bob.username}` })).toBeVisible();
  await expect(page).toHaveURL(/\/log$/);
  await other.getByRole("button", { name: `Account menu: ${bob.username}` }).click();
  await other.getByRole("menuitem", { name: "Log out" }).click();
  await expect(other).toHaveURL(/\/login$/);
  await expect(page).toHaveURL(/\/login\?expired=true&redirect=%2Flog$/);
  // A page that waits for somebody to sign in goes on when it hears of it.
  await new LoginPage(other).signIn(alice.username, alice.password);
  await expect(page).toHaveURL(/\/log$/, SLOW);
  await expect(page.getByRole("button", { name: `Account menu: ${alice.username}` })).toBeVisible();
  await other.close();
  problems.splice(0);
});

test("what calls /api is refused for another user: a code redeemed on Alice's page credits nobody; a link on the page of one user does not show the data of another under that name", async ({
  page,
  problems,
}) => {
  const alice = await createAccount("alice");
  const bob = await createAccount("bob");
  const name = uniqueName("code").slice(0, 20);
  const [code = ""] = (await asRoot((root) =>
    call(root, "POST", "/api/redemption/", { name, quota: 700_000, count: 1 }),
  )) as string[];
  await enter(page, alice);
  await page.goto("/topup");
  await expectInteractive(page);
  await page.getByLabel("Redemption code").fill(code);
  await enter(page, bob);
  await page.getByRole("button", { name: "Redeem", exact: true }).click();
  await expect(page.getByText(`You are now signed in as ${bob.username}`).first()).toBeVisible();
  const balances = await asRoot(async (root) =>
    Promise.all([alice, bob].map(({ id }) => call(root, "GET", `/api/user/${id}`) as Promise<{ quota: number }>)),
  );
  expect(balances.every(({ quota }) => quota < 700_000)).toBe(true);
  // The bar leads to Bob's page.
  await page.getByRole("button", { name: "Reload the page" }).click();
  await expect(page.getByRole("button", { name: `Account menu: ${bob.username}` })).toBeVisible();
  await expectInteractive(page);
  // Nothing tells the page: the other sign-in is no page of this site.
  await enter(page, alice);
  await page.locator("nav").getByRole("link", { name: "Logs", exact: true }).first().click();
  await expect(page).toHaveURL(/\/log$/);
  await expect(page.getByRole("button", { name: `Account menu: ${alice.username}` })).toBeVisible();
  // The browser notes the refusals.
  expect(problems.every((text) => text.includes("409"))).toBe(true);
  problems.splice(0);
});

test("over a form another user cannot sign in; with a second factor its user can, and a sign-in in another tab does, too (A234)", async ({
  page,
  problems,
}) => {
  const alice = await createAccount("alice");
  const bob = await createAccount("bob");
  await enter(page, alice);
  const security = new SecurityPage(page);
  await security.open();
  await security.totp.getByRole("button", { name: "Set up" }).click();
  const secret = (await page.getByTestId("totp-secret").textContent()) ?? "";
  await page.getByLabel("Code that the authenticator shows").fill(codeOf(secret));
  await page.getByRole("button", { name: "Verify and turn on" }).click();
  const recovery = (await page.getByTestId("recovery-codes").getByRole("listitem").first().textContent()) ?? "";
  await page.getByRole("button", { name: "I have saved them" }).click();

  const edit = page.getByRole("link", { name: "Edit profile" });
  await edit.click();
  const name = page.getByLabel("Display name");
  await name.fill("Renamed");
  await endSession(page);
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByLabel("Username or e-mail")).toHaveValue(alice.username);
  await expectAccessible(page);
  await dialog.getByLabel("Username or e-mail").fill(bob.username);
  await dialog.getByLabel("Password", { exact: true }).fill(bob.password);
  await dialog.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(dialog.getByText("This page belongs to another user")).toBeVisible();
  expect((await page.context().cookies()).some((cookie) => cookie.name === "session")).toBe(false);
  await dialog.getByLabel("Username or e-mail").fill(alice.username);
  await dialog.getByLabel("Password", { exact: true }).fill(alice.password);
  await dialog.getByRole("button", { name: "Log in", exact: true }).click();
  await dialog.getByLabel("Code", { exact: true }).fill(codeOf(secret, 1));
  await dialog.getByRole("button", { name: "Verify and log in" }).click();
  await expect(page).toHaveURL(/\/setting$/, SLOW);

  await edit.click();
  await expect(name).toHaveValue("Renamed");
  await name.fill("Renamed again");
  await endSession(page);
  await page.getByRole("button", { name: "Submit" }).click();
  const opened = page.context().waitForEvent("page");
  await dialog.getByRole("link", { name: "Other ways to log in, in a new tab" }).click();
  const other = await opened;
  await new LoginPage(other).signIn(alice.username, alice.password);
  await other.getByLabel("Code", { exact: true }).fill(recovery);
  await other.getByRole("button", { name: "Verify and log in" }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/setting$/, SLOW);
  await other.close();
  problems.splice(0);
});

test("a conversation and a call of the playground go on after the sign-in", async ({ page, problems }) => {
  const alice = await createAccount("alice");
  const channel = { type: 1, key: "sk-ask", group: "default", models: "gpt-4o-mini", name: uniqueName("ask") };
  await asRoot((root) => call(root, "POST", "/api/channel/", { ...channel, base_url: process.env.WEIR_E2E_UPSTREAM }));
  await enter(page, alice);
  await page.goto("/playground");
  const question = page.getByRole("textbox", { name: "Question" });
  await expect(question).toBeVisible();
  await expectInteractive(page);
  await page.route("**/pg/chat/completions", async (route) => {
    const answer = await route.fetch();
    if (answer.status() === 401) return route.fulfill({ response: answer });
    const delta = JSON.stringify({ choices: [{ delta: { content: "an answer" } }] });
    return route.fulfill({ status: 200, contentType: "text/event-stream", body: `data: ${delta}\n\ndata: [DONE]\n\n` });
  });
  await question.fill("hello");
  await endSession(page);
  await page.keyboard.press("Enter");
  await signInOver(page, alice.password);
  await expect(page.getByText("an answer")).toBeVisible();
  // Whoever does not sign in is told so, and can ask again.
  await question.fill("and now?");
  await endSession(page);
  await page.keyboard.press("Enter");
  await expect(dialogOf(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialogOf(page)).toBeHidden();
  await expect(page.getByText("You are not logged in. Log in and try again.").first()).toBeVisible();
  problems.splice(0);
});

test("a page that is left for the sign-in gets its input back, without passwords, and only for the same user", async ({
  page,
  problems,
}) => {
  const bob = await createAccount("bob");
  const administrator = await createAccount("keeper");
  await asRoot((root) => call(root, "POST", "/api/user/manage", { id: administrator.id, action: "promote" }));
  await enter(page, administrator);
  const edited = await createAccount("kept");
  const path = `/user?edit=${edited.id}`;
  await page.goto(path);
  await expectInteractive(page);
  const drawer = page.getByRole("dialog");
  await drawer.getByLabel("Display name").fill("Kept name");
  await drawer.getByLabel("Password", { exact: true }).fill("never-kept-1");
  await endSession(page);
  await page.reload();
  await expect(page).toHaveURL(/\/login\?expired=true&redirect=/);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain("never-kept-1");
  await new LoginPage(page).signIn(administrator.username, administrator.password);
  await expect(drawer.getByLabel("Display name")).toHaveValue("Kept name");
  await expect(drawer.getByLabel("Password", { exact: true })).toHaveValue("");
  await expect(page.getByText("What you had typed was put back.")).toBeVisible();

  await endSession(page);
  await page.reload();
  await expect(page).toHaveURL(/\/login\?expired=true&redirect=/);
  await enter(page, bob);
  await page.goto("/user/edit");
  await expectInteractive(page);
  expect(await page.evaluate(() => sessionStorage.getItem("weir-kept-input"))).toBeNull();
  problems.splice(0);
});

test("the bar and the dialog fit a phone, in both themes and languages; a message shows below the bar about the session", async ({
  page,
  problems,
}) => {
  const [alice, bob] = [await createAccount("alice"), await createAccount("bob")];
  const folder = process.env.WEIR_E2E_SHOTS;
  for (const locale of ["zh", "en"]) {
    await page.context().addCookies([{ name: "locale", value: locale, url: process.env.WEIR_E2E_URL ?? "" }]);
    await enter(page, alice);
    await page.goto("/user/edit");
    await expectInteractive(page);
    await page.locator("main input").first().fill("Somebody");
    await endSession(page);
    await page.locator("main button[type=submit]").click();
    await expect(page.getByRole("dialog")).toBeVisible();
    for (const [theme, width] of [
      ["light", 1440],
      ["dark", 390],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await turn(page, theme);
      await expectFits(page);
      if (folder) await page.screenshot({ path: `${folder}/dialog-${locale}-${theme}-${width}.png` });
    }
    await page.keyboard.press("Escape");
    await expect(barOf(page)).toBeVisible();
    for (const [theme, width] of [
      ["dark", 1440],
      ["light", 390],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await turn(page, theme);
      await expectFits(page);
      if (folder) await page.screenshot({ path: `${folder}/bar-${locale}-${theme}-${width}.png` });
    }
  }

  await enter(page, bob);
  await page.locator("main button[type=submit]").click();
  const message = page.locator("[data-sonner-toast]").filter({ hasText: `You are now signed in as ${bob.username}` });
  await expect(message).toBeVisible();
  await expect(barOf(page)).toContainText(`You are now logged in as ${bob.username}`);
  const endOf = async () => {
    const box = await barOf(page).boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await expect.poll(async () => ((await message.boundingBox())?.y ?? 0) - (await endOf())).toBeGreaterThanOrEqual(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  problems.splice(0);
});
