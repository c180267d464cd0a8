import { addBooksCheck, addRefusedCharge, forgetBooks } from "./database";
import { expect, expectAccessible } from "./fixtures";
import { test } from "./own-server";
import { SettingPage } from "./pages/setting-page";

/** Some hour of the past. */
const HOUR = 1_790_002_800;

test.afterAll(forgetBooks);

test("root sees what the check of the books found, and books refused charges again; without either neither warns", async ({
  rootPage: page,
}) => {
  await forgetBooks();
  const setting = new SettingPage(page);
  await setting.openAt("/setting?tab=operation&page=books");
  const books = page.getByRole("region", { name: "Bookkeeping check" });
  const refused = page.getByRole("region", { name: /^Charges that could not be booked/ });
  await expect(books).toContainText("Not run yet");
  await expect(refused).toHaveCount(0);

  await addBooksCheck(HOUR);
  await addRefusedCharge("refused-in-e2e");
  await page.reload();
  await expect(books).toContainText("1 difference");
  const difference = books.getByRole("row").filter({ hasText: "usage_logs.quota" });
  await expect(difference).toContainText("user 1, token 2, channel 3");
  await expect(difference).not.toContainText(String(HOUR));
  await expect(difference.locator("time")).toHaveAttribute("datetime", new Date(HOUR * 1_000).toISOString());

  await expect(refused).toContainText("Charges that could not be booked: 1");
  await expect(refused.getByRole("row").filter({ hasText: "refused-in-e2e" })).toContainText("integer out of range");
  await expectAccessible(page);
  await refused.getByRole("button", { name: "Book now" }).click();
  await expect(page.getByText("0 booked, 1 still rejected")).toBeVisible();
  await expect(refused.getByRole("row").filter({ hasText: "refused-in-e2e" })).toBeVisible();
});
