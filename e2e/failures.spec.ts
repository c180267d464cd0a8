import { hasDatabase } from "./database";
import { expect, expectAccessible, expectFits, expectInteractive, test, uniqueName } from "./fixtures";
import { addUsage, type UsageRow } from "./usage-rows";

const now = () => Math.floor(Date.now() / 1000);
const LONG =
  "no available channel for model made-up in group default, and this text goes on so that a narrow column would cut it";

test.skip(() => !hasDatabase(), "needs the database of the run's own server");

function failures() {
  const token = uniqueName("token");
  const model = uniqueName("model");
  const row = (fields: Partial<UsageRow> = {}): UsageRow => ({
    requestId: crypto.randomUUID(),
    username: "root",
    userId: 1,
    token,
    model,
    createdAt: now() - 120,
    type: 5,
    quota: 0,
    statusCode: 503,
    errorCode: "no_available_channel",
    content: LONG,
    ...fields,
  });
  return { token, row };
}

test("status, code and the whole text of a failure stand in the list at 1440, and a chip narrows it to the code", async ({
  rootPage,
}) => {
  const { token, row } = failures();
  await addUsage([
    row({ repeats: 1_234 }),
    row({ statusCode: 429, errorCode: "rate_limit", content: "slow down" }),
    row({ type: 2, statusCode: null, errorCode: "", content: "" }),
  ]);
  await rootPage.goto(`/log?token=${token}`);
  const lines = rootPage.getByTestId("failure-line");
  await expect(lines).toHaveCount(2);
  const line = lines.filter({ hasText: LONG });
  await expect(line).toContainText("503");
  await expect(line).toContainText("and 1,234 more requests like this");
  await expectFits(rootPage);
  await expectAccessible(rootPage);
  await lines.getByRole("link", { name: "rate_limit" }).click();
  await expect(rootPage).toHaveURL(/code=rate_limit/);
  await expect(lines).toHaveCount(1);
});

test("failures by cause have the filter that was typed just before their tab was pressed, and lead to their rows; a request is found by the message that it had", async ({
  rootPage,
}) => {
  const { token, row } = failures();
  const last = row({ errorCode: "other_code", content: "another cause" });
  await addUsage([row({ repeats: 9 }), row({ createdAt: now() - 60 }), last]);
  await rootPage.goto(`/log?token=${token}`);
  await rootPage.getByRole("textbox", { name: "Status code" }).fill("503");
  await rootPage.getByRole("link", { name: "Failures by cause" }).click();
  await expect(rootPage).toHaveURL(/[?&]status=503(&|$)/);
  await expect(rootPage).toHaveURL(/[?&]view=failures(&|$)/);
  const first = rootPage.getByRole("row").nth(1);
  await expect(first).toContainText("no_available_channel");
  await expectAccessible(rootPage);
  await first.getByRole("link", { name: LONG }).click();
  await expect(rootPage.getByTestId("failure-line")).toHaveCount(2);
  const finder = rootPage.getByLabel("A request failed?");
  await finder.fill("it failed");
  await finder.press("Enter");
  await expect(rootPage.getByText("This text has no request ID.")).toBeVisible();
  await finder.fill(`{"error":{"message":"another cause (request id: ${last.requestId})"}}`);
  await finder.press("Enter");
  await expect(rootPage).toHaveURL(new RegExp(`request=${last.requestId}`));
  await expect(rootPage.getByTestId("failure-line")).toHaveCount(1);
});

test("the bars over the list choose its time, by keyboard too", async ({ rootPage }) => {
  const { token, row } = failures();
  const end = now();
  const start = end - 86_400;
  await addUsage([row({ createdAt: end }), row({ createdAt: end - 7_200 })]);
  // Bars begin at full half hours. With a fixed end the last one has the newest row at every minute.
  await rootPage.goto(`/log?token=${token}&start=${start}&end=${end}`);
  const bars = rootPage.getByTestId("log-bars");
  await expect(bars).toContainText("0 successful · 2 failed");
  await bars.getByRole("slider", { name: "From" }).press("End");
  await bars.getByRole("button", { name: "Show this time" }).click();
  await expect(rootPage).not.toHaveURL(new RegExp(`start=${start}`));
  await expect(rootPage).toHaveURL(/start=\d+/);
  await expect(rootPage.getByTestId("failure-line")).toHaveCount(1);

  await rootPage.goto(`/log?token=${token}&range=24h`);
  await expectInteractive(rootPage);
  const plot = await bars.locator(".cursor-col-resize").boundingBox();
  if (!plot) throw new Error("the bars are not drawn");
  const drag = (share: number) => rootPage.mouse.move(plot.x + plot.width * share, plot.y + plot.height / 2);
  await drag(0.99);
  await rootPage.mouse.down();
  await drag(0.97);
  await rootPage.mouse.up();
  await expect(rootPage).toHaveURL(/start=\d+/);
  await expect(rootPage).not.toHaveURL(/range=/);
  await expect(rootPage.getByTestId("failure-line")).toHaveCount(1);
});
