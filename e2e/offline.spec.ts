import type { Page } from "@playwright/test";
import { expect, expectInteractive, test } from "./fixtures";

/** The code of messages comes after the page. */
const expectMessages = (page: Page) => expect(page.locator("section[aria-label^='Notifications ']")).toBeAttached();

test("while the server cannot be reached a list stays on the page and says so; when it is back it loads again", async ({
  rootPage: page,
  context,
  problems,
}) => {
  await page.goto("/log");
  await expectInteractive(page);
  await expectMessages(page);
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toBeVisible();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Refresh" }).click();
  const toast = page.locator("[data-sonner-toast]").filter({ hasText: "offline" });
  await expect(toast).toHaveCount(1);
  await expect(heading).toBeVisible();
  await page.getByRole("navigation").getByRole("link", { name: "API keys", exact: true }).first().click();
  await expect(page).toHaveURL(/\/log/);
  await expect(heading).toBeVisible();

  await context.setOffline(false);
  const loaded = page.waitForResponse((answer) => answer.url().includes("/log") && answer.ok());
  await page.getByRole("button", { name: "Refresh" }).click();
  await loaded;
  await page.getByRole("navigation").getByRole("link", { name: "API keys", exact: true }).first().click();
  await expect(page).toHaveURL(/\/token/);
  // The browser itself logs the requests that failed.
  problems.splice(0);
});

test("a filter that is changed while offline neither loses the page nor is forgotten", async ({
  rootPage: page,
  context,
  problems,
}) => {
  await page.goto("/user");
  await expectInteractive(page);
  await expectMessages(page);
  await context.setOffline(true);
  await page.getByRole("columnheader", { name: "Username" }).getByRole("button").click();
  await expect(page.locator("[data-sonner-toast]").filter({ hasText: "offline" })).toHaveCount(1);
  await expect(page).toHaveURL(/sort=username/);
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const loaded = page.waitForResponse((answer) => answer.url().includes("sort=username") && answer.ok());
  await context.setOffline(false);
  await loaded;
  await expect(page.getByRole("columnheader", { name: "Username" })).toHaveAttribute("aria-sort", "descending");
  problems.splice(0);
});

test("the focus goes to the first mistake of a form, which names what is wrong; a message leaves the close button of a drawer free, on a phone too", async ({
  rootPage: page,
  problems,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/token?create=true");
  await expectInteractive(page);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Submit" }).focus();
  await page.keyboard.press("Enter");
  const wrong = drawer.locator("[aria-invalid=true]").first();
  await expect(wrong).toBeFocused();
  await expect(wrong).toHaveAccessibleDescription(/\S/);
  // Typing goes on where the user is.
  await page.keyboard.type("my key");
  await expect(wrong).toHaveValue("my key");
  await page.route("**/token?create=true", (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 500, body: "" }) : route.continue(),
  );
  await drawer.getByLabel("Name", { exact: true }).fill("a key");
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await drawer.getByRole("button", { name: "Submit" }).click();
    const toast = page.locator("[data-sonner-toast]").first();
    await expect(toast).toBeVisible();
    await expect
      .poll(async () => {
        const [over, close] = await Promise.all([
          toast.boundingBox(),
          drawer.getByRole("button", { name: "Close" }).first().boundingBox(),
        ]);
        if (!over || !close) return "not there";
        const isBeside = over.x + over.width <= close.x || close.x + close.width <= over.x;
        const isBelow = over.y >= close.y + close.height || close.y >= over.y + over.height;
        return isBeside || isBelow ? "free" : "covered";
      })
      .toBe("free");
  }
  await page.unrouteAll();
  problems.splice(0);
});
