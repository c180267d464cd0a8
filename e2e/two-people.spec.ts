import type { Page } from "@playwright/test";
import { CONSOLE_FORMS, type ConsoleForm, type FormField } from "../lib/testing/console-forms";
import { asRoot, call, setOptions } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectFits, watch } from "./fixtures";
import { type FormRow, makeFormRow, makePerson } from "./form-rows";
import {
  becomes,
  begin,
  expectSaved,
  fieldOf,
  fill,
  isCell,
  openForm,
  renamed,
  submit,
  test,
  typedOf,
} from "./pages/console-form";

/** As a tab does that becomes visible after a while, when the site's status has changed: the page is read again behind the form. */
async function renew(page: Page): Promise<void> {
  await page.route("**/api/status", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { ...body, data: { ...body.data, start_time: 1 } } });
  });
  const renewed = new Promise<void>((done) => {
    void page.route(/[?&]_rsc=/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response });
      if (!route.request().headers()["next-router-prefetch"]) done();
    });
  });
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 60_000;
    document.dispatchEvent(new Event("visibilitychange"));
    Date.now = now;
  });
  await renewed;
  await page.unrouteAll({ behavior: "wait" });
}

/** Changes these fields in the open form and saves them; each cell is a form of its own. */
async function save(page: Page, form: ConsoleForm, row: FormRow, fields: readonly FormField[]): Promise<void> {
  for (const field of fields) {
    await begin(page, form, row, field);
    const input = fieldOf(page, form, row, field);
    await fill(input, field, typedOf(field, 1));
    if (!isCell(form) && field !== fields.at(-1)) continue;
    await submit(page, form, input);
    await expectSaved(page, form);
  }
}

const balanceOf = async (row: FormRow) =>
  ((await asRoot((root) => call(root, "GET", `/api/user/${row.id}`))) as { quota: number }).quota;

test.describe("two people at one form", () => {
  test.skip(!hasDatabase(), "needs the run's own server");
  test.beforeAll(() => setOptions({ GroupRatio: { default: 1, vip: 1, svip: 1 }, StatusPageEnabled: true }));

  for (const form of CONSOLE_FORMS) {
    test(`${form.name}: both see the other's value, and what the other changed beside it stays (B326)`, async ({
      page,
      rootCookies,
      beside,
      problems,
    }) => {
      const [first, second] = form.fields;
      if (!first) throw new Error("a form without fields");
      // Root's own name stays for the other tests.
      const who = form.name === "own account" ? await makePerson("self") : { id: 1, cookies: rootCookies };
      const row = await makeFormRow(form.name, who);
      await Promise.all([becomes(page.context(), who), becomes(beside, who)]);
      const other = await beside.newPage();
      watch(other, problems);

      await Promise.all([openForm(page, form, row), openForm(other, form, row)]);
      await begin(page, form, row, first);
      const input = fieldOf(page, form, row, first);
      if (!isCell(form)) await fill(input, first, typedOf(first, 0));
      await save(other, form, row, second ? [first, second] : [first]);
      const before = form.name === "user" ? await balanceOf(row) : 0;
      if (form.name === "user") {
        const spent = { id: Number(row.id), quota: before - 1_248, seen_quota: before };
        await asRoot((root) => call(root, "PUT", "/api/user/", spent));
      }
      if (isCell(form)) await fill(input, first, typedOf(first, 0));
      else await renew(page);
      await submit(page, form, input);

      // What the other changed beside it is no matter to choose.
      const clash = page.locator("[data-clash]");
      await expect(clash).toHaveCount(1);
      await expect(clash.getByRole("button", { name: "Take theirs" })).toBeVisible();
      await page.setViewportSize({ width: 390, height: 844 });
      await expectFits(page);
      await page.setViewportSize({ width: 1440, height: 900 });
      await clash.getByRole("button", { name: "Keep mine" }).click();
      // A cell has no other button: the choice saves.
      if (!isCell(form)) await submit(page, form, input);
      await expectSaved(page, form);
      if (form.name === "user") expect(await balanceOf(row)).toBe(before - 1_248);

      const now = renamed(form, row, first, 0);
      await openForm(page, form, now);
      if (isCell(form)) {
        const cell = (field: FormField) =>
          page.getByRole("button", { name: `${field.label.replace("{name}", row.name)}:` });
        await expect(cell(first)).toContainText(typedOf(first, 0));
        if (second) await expect(cell(second)).toContainText(typedOf(second, 1));
      } else if (form.name !== "tag") {
        await expect(fieldOf(page, form, now, first)).toHaveValue(typedOf(first, 0));
        if (second) await expect(fieldOf(page, form, now, second)).toHaveValue(typedOf(second, 1));
      }
      await other.close();
    });
  }
});
