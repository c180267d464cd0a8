import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectFits, expectInteractive, test } from "./fixtures";

async function openAlerts(page: Page): Promise<void> {
  await page.goto("/alert");
  await expectInteractive(page);
}

test("an alert on spend is made, is shown as money, and can be muted and deleted; what a metric is measured of, and what is refused, is said in the form", async ({
  rootPage: page,
}) => {
  await openAlerts(page);
  await page.getByRole("button", { name: "New alert" }).first().click();
  const drawer = page.getByRole("dialog", { name: "New alert" });
  await expectAccessible(page);
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  const row = page.getByRole("listitem", { name: "My account" });
  await expect(row).toContainText(/Spend above .10\.00 in 1 d/);
  await row.getByRole("button", { name: "Mute My account for a day" }).click();
  await expect(row).toContainText("Muted");
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectFits(page);
  await row.getByRole("button", { name: "Delete My account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No alerts yet")).toBeVisible();

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "New alert" }).first().click();
  await drawer.getByLabel("Metric").selectOption("error_rate");
  await drawer.getByLabel("Scope").selectOption("site");
  await drawer.getByLabel("Applies to", { exact: true }).selectOption("channel");
  await drawer.getByLabel("Threshold (%)").fill("101");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer.getByRole("alert").first()).toBeVisible();
  await drawer.getByRole("button", { name: "Cancel" }).click();
  await expect(drawer).toBeHidden();
});
