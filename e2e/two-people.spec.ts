import type { Locator, Page } from "@playwright/test";
import { CONSOLE_FORMS, type ConsoleForm, type FormField } from "../lib/testing/console-forms";
import { asRoot, call, setOptions } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectFits, expectInteractive, watch } from "./fixtures";
import { type FormRow, makeFormRow } from "./form-rows";
import { test } from "./own-server";

// Groups, incidents and options are site-wide, so these tests have their own server.

/**
 * Proved by their commands (tests/attacks/two-people-at-one-form.test.ts) and drafts (components/setting/card-draft.test.ts): the screen
 * needs more than fields and a button, or is not read again behind its input.
 */
const WITHOUT_SCREEN = ["notification target", "view", "price row", "own account", "option"];

const forms = CONSOLE_FORMS.filter(({ name }) => !WITHOUT_SCREEN.includes(name));

const filled = (text: string, { id, name }: FormRow) => text.replaceAll("{id}", id).replaceAll("{name}", name);
const typed = (field: FormField, which: 0 | 1) => field.typed?.[which] ?? String(field.values[which]);
const isCell = (form: ConsoleForm) => form.submit === "Enter";

/** The drawer or dialog of the form, or the page where it has none. */
async function scopeOf(page: Page, form: ConsoleForm): Promise<Locator> {
  return form.submit === "Submit" ? page.getByRole("dialog") : page.locator("main");
}

async function open(page: Page, form: ConsoleForm, row: FormRow): Promise<void> {
  await page.goto(filled(form.path, row));
  await expectInteractive(page);
  if (!isCell(form)) for (const name of form.press) await page.getByRole("button", { name: filled(name, row) }).click();
}

/** A cell becomes an input when it is pressed; what it shows then counts as seen. */
async function begin(page: Page, form: ConsoleForm, row: FormRow, field: FormField): Promise<void> {
  if (isCell(form)) await page.getByRole("button", { name: `${filled(field.label, row)}:` }).click();
}

async function fill(page: Page, form: ConsoleForm, row: FormRow, field: FormField, text: string): Promise<void> {
  const scope = await scopeOf(page, form);
  const input = scope.getByLabel(filled(field.label, row), { exact: field.name !== "threshold" }).first();
  if (field.control === "choice") await input.selectOption(text);
  else await input.fill(text);
  if (field.control === "items") await input.press("Enter");
  if (isCell(form)) await input.press("Enter");
  if (isCell(form) && form.name.startsWith("tag")) await page.getByRole("button", { name: "Submit" }).click();
}

async function submit(page: Page, form: ConsoleForm): Promise<void> {
  if (isCell(form)) return;
  const scope = await scopeOf(page, form);
  const button = scope.getByRole("button", { name: form.submit, exact: true });
  await (form.name === "channel routing" ? button.last() : button.first()).click();
}

/** A message says that the form was saved; an incident's dialog only closes. */
async function expectSaved(page: Page, form: ConsoleForm): Promise<void> {
  if (form.name === "incident" || form.name === "passkey") await expect(page.getByRole("dialog")).toBeHidden();
  else if (isCell(form)) await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  else await expect(page.getByText(/^(Saved|Settings saved|.* applied|.* updated)\.?$/).first()).toBeVisible();
}

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

async function save(page: Page, form: ConsoleForm, row: FormRow, field: FormField, which: 0 | 1): Promise<void> {
  await begin(page, form, row, field);
  await fill(page, form, row, field, typed(field, which));
  await submit(page, form);
  await expectSaved(page, form);
}

const balanceOf = async (row: FormRow) =>
  ((await asRoot((root) => call(root, "GET", `/api/user/${row.id}`))) as { quota: number }).quota;

test.describe("two people at one form", () => {
  test.skip(!hasDatabase(), "needs the run's own server");
  test.beforeAll(() => setOptions({ GroupRatio: { default: 1, vip: 1, svip: 1 }, StatusPageEnabled: true }));

  for (const form of forms) {
    test(`${form.name}: both see the other's value, and what the other changed beside it stays (B326)`, async ({
      rootPage,
      rootCookies,
      browser,
      problems,
    }) => {
      const [first, second] = form.fields;
      if (!first) throw new Error("a form without fields");
      const row = await makeFormRow(form.name);
      const context = await browser.newContext();
      await context.addCookies(rootCookies);
      const other = await context.newPage();
      watch(other, problems);

      await open(rootPage, form, row);
      await open(other, form, row);
      await begin(rootPage, form, row, first);
      if (!isCell(form)) await fill(rootPage, form, row, first, typed(first, 0));
      await save(other, form, row, first, 1);
      if (isCell(form)) await fill(rootPage, form, row, first, typed(first, 0));
      else await renew(rootPage);
      await submit(rootPage, form);
      const clash = rootPage.locator(`[data-clash]`).first();
      await expect(clash).toBeVisible();
      await expect(clash.getByRole("button", { name: "Take theirs" })).toBeVisible();
      await rootPage.setViewportSize({ width: 390, height: 844 });
      await expectFits(rootPage);
      await rootPage.setViewportSize({ width: 1440, height: 900 });
      await clash.getByRole("button", { name: "Keep mine" }).click();
      await submit(rootPage, form);
      await expectSaved(rootPage, form);

      if (second) {
        const renamed = form.name === "channel" ? { ...row, name: typed(first, 0) } : row;
        const now = form.name === "incident" ? { ...row, name: typed(first, 0) } : renamed;
        await open(rootPage, form, now);
        await open(other, form, now);
        await begin(rootPage, form, now, first);
        if (!isCell(form)) await fill(rootPage, form, now, first, typed(first, 1));
        await save(other, form, now, second, 1);
        const before = form.name === "user" ? await balanceOf(row) : 0;
        if (form.name === "user") {
          const spent = { id: Number(row.id), quota: before - 1_248, seen_quota: before };
          await asRoot((root) => call(root, "PUT", "/api/user/", spent));
        }
        if (isCell(form)) await fill(rootPage, form, now, first, typed(first, 1));
        else await renew(rootPage);
        await submit(rootPage, form);
        await expectSaved(rootPage, form);
        if (form.name === "user") expect(await balanceOf(row)).toBe(before - 1_248);
        if (form.submit === "Submit" && form.name !== "tag") {
          await open(rootPage, form, form.name === "incident" ? { ...now, name: typed(first, 1) } : now);
          const scope = await scopeOf(rootPage, form);
          const of = (field: FormField) => scope.getByLabel(field.label, { exact: true }).first();
          await expect(of(first)).toHaveValue(typed(first, 1));
          await expect(of(second)).toHaveValue(typed(second, 1));
        }
      }
      await context.close();
    });
  }
});
