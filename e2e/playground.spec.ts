import type { Page } from "@playwright/test";
import { asRoot, call, createAccount, deleteChannels, setOptions, signInToApi } from "./accounts";
import { COLOUR_RULES, expect, expectAccessible, expectFits, expectInteractive, turn } from "./fixtures";
import { test } from "./own-server";

// Channels, prices and groups are site-wide, so these tests have their own server.
test.describe.configure({ mode: "serial" });

const MODELS = "gpt-4o-mini,fake-slow,fake-no-usage";

test.beforeAll(async ({ ownServer }) => {
  expect(ownServer).not.toBe("");
  await deleteChannels();
  await asRoot(async (root) => {
    await call(root, "POST", "/api/channel/", {
      type: 1,
      name: "playground upstream",
      base_url: process.env.WEIR_E2E_UPSTREAM,
      key: "sk-upstream",
      models: MODELS,
      group: "default,vip",
    });
    const ratios = Object.fromEntries(MODELS.split(",").map((model) => [model, 1]));
    await call(root, "PUT", "/api/option/", { key: "ModelRatio", value: JSON.stringify(ratios) });
  });
});

const log = (page: Page) => page.getByRole("log");
const answer = (page: Page) => log(page).locator("article[data-role=assistant]").last();

async function open(page: Page, query = ""): Promise<void> {
  await page.goto(`/playground${query}`);
  await page.getByRole("textbox", { name: "Question" }).waitFor();
  await expectInteractive(page);
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Question" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Answers the next requests with this body instead of an upstream's. */
const pretend = (page: Page, body: string, status = 200, contentType = "text/event-stream") =>
  page.route("**/pg/chat/completions", (route) => route.fulfill({ status, contentType, body }));
const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

test("group, model, temperature, max tokens and system prompt begin with the required values, are kept for the next visit and can be reset (B010, B118, B203, B301)", async ({
  rootPage,
}) => {
  await open(rootPage);
  const panel = rootPage.getByRole("complementary", { name: "Parameters" });
  await expect(panel.getByLabel("Group")).toHaveValue("default");
  await expect(panel.getByRole("button", { name: "Model: gpt-4o-mini" })).toBeVisible();
  await expect(panel.getByLabel("Max tokens")).toHaveValue("0");
  await expect(panel.getByLabel("System prompt")).toHaveValue("");
  const slider = panel.getByRole("slider", { name: "Temperature" });
  await expect(slider).toHaveAttribute("min", "0.1");
  await expect(slider).toHaveAttribute("max", "1");
  await expect(slider).toHaveAttribute("step", "0.1");
  await expect(panel.getByTestId("temperature")).toHaveText("Provider default");
  await slider.fill("0.7");
  await expect(panel.getByTestId("temperature")).toHaveText("0.7");
  await panel.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(panel.getByTestId("temperature")).toHaveText("Provider default");
  await panel.getByRole("button", { name: /^Model:/ }).click();
  await rootPage.getByPlaceholder("Search models").fill("slow");
  await rootPage.getByRole("option", { name: "fake-slow" }).click();
  await expect(panel.getByRole("button", { name: "Model: fake-slow" })).toBeVisible();

  await panel.getByLabel("System prompt").fill("Answer in verse.");
  await slider.fill("0.5");
  await rootPage.reload();
  await expect(panel.getByLabel("System prompt")).toHaveValue("Answer in verse.");
  await expect(panel.getByTestId("temperature")).toHaveText("0.5");
  await expect(panel.getByRole("button", { name: "Model: fake-slow" })).toBeVisible();
  // A model in the URL takes precedence.
  await open(rootPage, "?model=fake-no-usage");
  await expect(panel.getByRole("button", { name: "Model: fake-no-usage" })).toBeVisible();
  await panel.getByRole("button", { name: "Reset parameters" }).click();
  await expect(panel.getByLabel("System prompt")).toHaveValue("");
  await expect(panel.getByTestId("temperature")).toHaveText("Provider default");
});

test("a new line and a composition do not send; an answer streams in through its states, with its usage and cost; stop keeps what came; retry, edit and clear work on the context (B119, B120, B171, B217, B256)", async ({
  rootPage,
}) => {
  await open(rootPage, "?model=fake-slow");
  const box = rootPage.getByRole("textbox", { name: "Question" });
  await box.fill("first");
  await box.press("Shift+Enter");
  await box.pressSequentially("second");
  await box.evaluate((field) =>
    field.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", bubbles: true, isComposing: true, cancelable: true }),
    ),
  );
  await expect(box).toHaveValue("first\nsecond");
  await expect(log(rootPage)).toHaveCount(0);

  const sent = rootPage.waitForRequest("**/pg/chat/completions");
  await ask(rootPage, "hello");
  const request = await sent;
  expect(await request.allHeaders()).toMatchObject({ "new-api-user": "1" });
  expect(request.postDataJSON()).toMatchObject({
    messages: [{ role: "user", content: "hello" }],
    stream: true,
    model: "fake-slow",
    group: "default",
    max_tokens: 0,
  });
  expect(request.postDataJSON()).not.toHaveProperty("temperature");
  await expect(answer(rootPage)).toHaveAttribute("data-state", "incomplete");
  await expect(answer(rootPage)).toContainText("The river");
  await expect(answer(rootPage)).toHaveAttribute("data-state", "complete", { timeout: 20_000 });
  await expect(answer(rootPage).getByTestId("answer-figures")).toContainText("12 in · 100 out · ￥");
  await expect(answer(rootPage).getByTestId("answer-figures")).not.toContainText("≈");
  await rootPage.getByRole("button", { name: "Clear context" }).click();
  await expect(log(rootPage)).toHaveCount(0);

  await ask(rootPage, "one");
  await expect(answer(rootPage)).toContainText("The river");
  await rootPage.getByRole("button", { name: "Stop" }).click();
  await expect(answer(rootPage)).toHaveAttribute("data-state", "complete");
  await expect(answer(rootPage).getByTestId("answer-figures")).toContainText("Stopped");

  const panel = rootPage.getByRole("complementary", { name: "Parameters" });
  await panel.getByRole("button", { name: /^Model:/ }).click();
  await rootPage.getByRole("option", { name: "gpt-4o-mini", exact: true }).click();
  await answer(rootPage).getByRole("button", { name: "Regenerate" }).click();
  await expect(answer(rootPage).getByTestId("answer-figures")).toContainText("13 out");
  await expect(log(rootPage).locator("article")).toHaveCount(2);

  await rootPage.getByRole("button", { name: "Edit the question" }).click();
  const edited = rootPage.waitForRequest("**/pg/chat/completions");
  await rootPage.getByRole("textbox", { name: "Edit the question" }).fill("two");
  await rootPage.keyboard.press("Enter");
  expect((await edited).postDataJSON().messages).toEqual([{ role: "user", content: "two" }]);
  await expect(answer(rootPage)).toHaveAttribute("data-state", "complete");
  await rootPage.getByRole("button", { name: "Clear context" }).click();
  await expect(log(rootPage)).toHaveCount(0);
});

test("what a model writes cannot run, fetch pictures or lead away unseen; an error in the stream is added to the answer, which is marked as failed (B270)", async ({
  rootPage,
  problems,
}) => {
  const fetched: string[] = [];
  rootPage.on("request", (request) => fetched.push(request.url()));
  await open(rootPage);
  const text =
    "**bold** <img src=x onerror=alert(1)> ![spy](https://spy.example/p.png?secret) [go](javascript:alert(1))\n\n```js\nlet a;\n```\n\n| a | b |\n|-|-|\n| 1 | 2 |\n";
  await pretend(rootPage, `${delta(text)}data: [DONE]\n\n`);
  await ask(rootPage, "hello");
  await expect(answer(rootPage).locator("strong")).toHaveText("bold");
  await expect(answer(rootPage).locator("img")).toHaveCount(0);
  await expect(answer(rootPage).getByText("Image not loaded: spy")).toBeVisible();
  await expect(answer(rootPage).locator('a[href^="javascript"]')).toHaveCount(0);
  await expect(answer(rootPage).getByRole("table")).toBeVisible();
  await expect(answer(rootPage).getByRole("button", { name: "Copy code" })).toBeVisible();
  expect(fetched.filter((url) => url.includes("spy.example"))).toEqual([]);
  await expectAccessible(rootPage, { within: answer(rootPage) });
  await rootPage.unrouteAll();

  await pretend(rootPage, `${delta("half an ")}data: {"error":{"message":"upstream went away"}}\n\n`);
  await ask(rootPage, "hello");
  await expect(answer(rootPage)).toHaveAttribute("data-state", "error");
  await expect(answer(rootPage)).toContainText("half an");
  await expect(answer(rootPage).getByRole("alert")).toContainText("upstream went away");
  await expectAccessible(rootPage, { within: answer(rootPage) });
  await rootPage.unrouteAll();
  await answer(rootPage).getByRole("button", { name: "Regenerate" }).click();
  await expect(answer(rootPage)).toHaveAttribute("data-state", "complete");
  await pretend(rootPage, '{"error":{"message":"no channel"}}', 503, "application/json");
  await ask(rootPage, "again");
  await expect(answer(rootPage).getByRole("alert")).toHaveText("no channel");
  problems.splice(0);
});

test("an expired session says so and has the user sign in over the conversation (B271)", async ({
  rootPage,
  problems,
}) => {
  await rootPage.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await rootPage.goto("/playground");
  await rootPage.getByRole("textbox", { name: "问题" }).waitFor();
  await rootPage.getByRole("textbox", { name: "问题" }).fill("你好");
  await rootPage.context().clearCookies({ name: "session" });
  await rootPage.keyboard.press("Enter");
  await expect(rootPage.getByRole("dialog", { name: "重新登录" })).toContainText("登录已过期");
  problems.splice(0);
});

test("conversations are remembered, compared and shown as code; usage that the upstream does not report is estimated and says so", async ({
  rootPage,
}) => {
  await open(rootPage, "?model=fake-no-usage");
  await ask(rootPage, "remember this question");
  await expect(answer(rootPage)).toHaveAttribute("data-state", "complete");
  await expect(answer(rootPage).getByTestId("answer-figures")).toContainText("≈");
  await rootPage.getByRole("button", { name: "View code" }).click();
  const code = rootPage.getByRole("dialog", { name: "View code" });
  await expect(code.locator("pre")).toContainText(`${process.env.WEIR_E2E_URL}/v1/chat/completions`);
  await code.getByRole("button", { name: "Python" }).click();
  await expect(code.locator("pre")).toContainText("remember this question");
  await rootPage.keyboard.press("Escape");

  await rootPage.reload();
  await rootPage.getByRole("button", { name: "History" }).click();
  await rootPage.getByRole("button", { name: /^remember this question/ }).click();
  await expect(answer(rootPage)).toContainText("The river");

  await rootPage.getByRole("button", { name: "Compare with another model" }).click();
  // Compares with the next model in the list, fake-slow, which is still answering when Stop is pressed.
  await expect(rootPage.getByRole("log")).toHaveCount(2);
  await ask(rootPage, "to both");
  const logs = rootPage.getByRole("log");
  for (const at of [0, 1])
    await expect(logs.nth(at).locator("article[data-role=user]").last()).toContainText("to both");
  await rootPage.getByRole("button", { name: "Stop" }).click();
  await expectAccessible(rootPage);
});

test("a user's own group is the first (B121)", async ({ servedPage: page }) => {
  const account = await createAccount("vip");
  await asRoot((root) =>
    call(root, "PUT", "/api/user/", {
      id: account.id,
      username: account.username,
      display_name: "vip",
      group: "vip",
      quota: 500_000,
    }),
  );
  await signInToApi(page, account.username, account.password);
  await page.goto("/playground");
  const options = page.getByRole("complementary", { name: "Parameters" }).getByLabel("Group").locator("option");
  await expect(options.first()).toHaveText(/^vip/);
  await expect(options.nth(1)).toHaveText(/^default/);
});

test("the playground is accessible and fits a phone, in both themes; an announcement takes no room from the question, and on a phone the model is named", async ({
  rootPage,
}) => {
  const look = async () => {
    await turn(rootPage, "light");
    await expectAccessible(rootPage);
    await turn(rootPage, "dark");
    await expectAccessible(rootPage, { rules: COLOUR_RULES });
  };
  await setOptions({ Notice: "One\n\nTwo\n\nThree" });
  await open(rootPage);
  await expect(rootPage.getByRole("region", { name: "Announcement" })).toBeVisible();
  const question = rootPage.getByRole("textbox", { name: "Question" });
  await expect(question).toBeInViewport({ ratio: 1 });
  await rootPage.getByRole("button", { name: "More parameters" }).click();
  await look();
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await expect(question).toBeInViewport({ ratio: 1 });
  await expect(rootPage.getByRole("button", { name: /^Parameters: / })).toContainText("gpt-4o-mini");
  await look();
  await expectFits(rootPage);
  await rootPage.getByRole("button", { name: "Parameters" }).click();
  await expect(rootPage.getByRole("dialog").getByLabel("Group")).toBeVisible();
  await look();
  await rootPage.keyboard.press("Escape");
  await expectFits(rootPage);
  await setOptions({ Notice: "" });
});
