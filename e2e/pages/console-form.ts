import type { BrowserContext, Locator, Page } from "@playwright/test";
import type { ConsoleForm, FormField } from "../../lib/testing/console-forms";
import { expect, expectInteractive } from "../fixtures";
import type { FormRow } from "../form-rows";

type Both = { cookies: Awaited<ReturnType<BrowserContext["cookies"]>> };

/** Signs the browser in by the cookies of a session, without a page and without a password. */
export async function becomes(context: BrowserContext, { cookies }: Both): Promise<void> {
  await context.clearCookies();
  await context.addCookies(cookies);
}

export const typedOf = (field: FormField, which: 0 | 1): string => field.typed?.[which] ?? String(field.values[which]);
export const isCell = (form: ConsoleForm): boolean => form.submit === "Enter";

/** The row by which the form is found after its field was saved: some are opened by the name that they change. */
export function renamed(form: ConsoleForm, row: FormRow, field: FormField, which: 0 | 1): FormRow {
  const isNamed = ["passkey", "view", "incident"].includes(form.name) && ["name", "titleEn"].includes(field.name);
  return isNamed ? { ...row, name: typedOf(field, which) } : row;
}

const filled = (text: string, { id, name }: FormRow) => text.replaceAll("{id}", id).replaceAll("{name}", name);

/** The drawer or dialog of the form, or the page where it has none. */
function scopeOf(page: Page, form: ConsoleForm): Locator {
  return form.submit === "Submit" && form.name !== "own account"
    ? page.getByRole("dialog").last()
    : page.locator("main");
}

export async function openForm(page: Page, form: ConsoleForm, row: FormRow): Promise<void> {
  await page.goto(filled(form.path, row));
  await expectInteractive(page);
  if (isCell(form)) return;
  for (const press of form.press) {
    const name = filled(press, row);
    await page
      .getByRole("button", { name, exact: true })
      .or(page.getByRole("menuitem", { name, exact: true }))
      .click();
  }
  if (form.name === "price row") await page.locator("section#pricing").getByRole("searchbox").fill(row.name);
}

export function fieldOf(page: Page, form: ConsoleForm, row: FormRow, field: FormField): Locator {
  // The units of amounts stand in their labels.
  const exact = field.name !== "threshold";
  return scopeOf(page, form).getByLabel(filled(field.label, row), { exact }).first();
}

/** A cell becomes an input when it is pressed; what it shows then counts as seen. */
export async function begin(page: Page, form: ConsoleForm, row: FormRow, field: FormField): Promise<void> {
  if (isCell(form)) await page.getByRole("button", { name: `${filled(field.label, row)}:` }).click();
}

export async function fill(input: Locator, field: FormField, text: string): Promise<void> {
  if (field.control === "choice") await input.selectOption(text);
  else await input.fill(text);
  if (field.control === "items") await input.press("Enter");
}

/** The items of a list input stand beside it. */
const itemOf = (input: Locator, text: string): Locator =>
  input.locator("xpath=ancestor::*[.//*[@data-slot='tag-item']][1]").locator("[data-slot=tag-item]", { hasText: text });

/** Fails unless the field still has what was typed into it. */
export async function expectTyped(input: Locator, field: FormField, text: string): Promise<void> {
  if (field.control === "items") await expect(itemOf(input, text)).toBeVisible();
  else await expect(input).toHaveValue(text);
}

/** Gives a filled field back the value that it had before. */
export async function takeBack(input: Locator, field: FormField, shown: string): Promise<void> {
  if (field.control === "items") await itemOf(input, typedOf(field, 0)).getByRole("button").click();
  else if (field.control === "choice") await input.selectOption(shown);
  else await input.fill(shown);
}

/** Sends the form and agrees to what it asks. */
export async function submit(page: Page, form: ConsoleForm, input: Locator): Promise<void> {
  await send(page, form, input);
  if (form.name === "price row") await agree(page);
}

/** What a price does is shown before it is saved. */
export async function agree(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save prices", exact: true }).click();
}

/** Presses the form's button; a cell is sent from its input. */
export async function send(page: Page, form: ConsoleForm, input: Locator): Promise<void> {
  if (isCell(form)) {
    await input.press("Enter");
    // A tag's cell asks first, because it changes several channels.
    if (form.name === "tag's cell") await page.getByRole("button", { name: "Submit", exact: true }).click();
    return;
  }
  const button = scopeOf(page, form).getByRole("button", { name: form.submit, exact: true });
  await (form.name === "channel routing" ? button.last() : button.first()).click();
}

/** A message says that the form was saved; some dialogs only close. */
export async function expectSaved(page: Page, form: ConsoleForm): Promise<void> {
  const closes = ["incident", "passkey", "notification target"].includes(form.name);
  const said = page
    .locator("[data-sonner-toast]")
    .getByText(/^(Saved|Settings saved|View renamed|.* applied|.* updated)\.?$/);
  if (closes) await expect(page.getByRole("dialog")).toBeHidden();
  else if (isCell(form)) await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  else await expect(said.first()).toBeVisible();
}
