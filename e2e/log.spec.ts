import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { ChannelPage } from "./pages/channel-page";
import { TokenPage } from "./pages/token-page";

const amount = (text: string) => Number(text.replace(/[^\d.]/g, ""));

test("a relayed request shows in the log with a bill whose lines add up to its charge", async ({
  rootPage,
  request,
}) => {
  const model = "gpt-4o-mini";
  const name = uniqueName("bill");
  await new ChannelPage(rootPage).make(name, [{ models: model }]);
  const key = await new TokenPage(rootPage).make(name);

  await expect(async () => {
    const answer = await request.post("/v1/chat/completions", {
      headers: { authorization: `Bearer ${key}` },
      data: { model, messages: [{ role: "user", content: "hello there" }] },
    });
    expect(answer.status()).toBe(200);
  }).toPass({ timeout: 10_000 });

  await rootPage.goto(`/log?token=${name}&type=2`);
  const row = rootPage.getByRole("row").filter({ hasText: name }).first();
  await row.getByRole("button", { name: `Show details of ${model}` }).click();
  const bill = rootPage.getByTestId("bill");
  const lines = await bill.locator("tbody tr td:last-child").allTextContents();
  const total = await bill.getByTestId("bill-total").textContent();
  expect(lines.length).toBeGreaterThan(0);
  const sum = lines.map(amount).reduce((all, one) => all + one, 0);
  expect(sum).toBeCloseTo(amount(total ?? ""), 6);
  await expect(rootPage.getByTestId("attempts")).toContainText("#");
  await expectAccessible(rootPage);
  await rootPage.keyboard.press("Escape");
  await expect(row).toContainText(total ?? "");
  await expect(rootPage.getByTestId("sum-quota")).toContainText("￥");
  await expectAccessible(rootPage);
});
