import type { Page, Request } from "@playwright/test";
import { CONSOLE_FORMS, type ConsoleForm, type FormField } from "../lib/testing/console-forms";
import { setOptions } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectInteractive, ROOT } from "./fixtures";
import { type FormRow, makeFormRow, makePerson, type Person } from "./form-rows";
import {
  agree,
  test as base,
  becomes,
  begin,
  expectSaved,
  fieldOf,
  fill,
  isCell,
  openForm,
  renamed,
  send,
  typedOf,
} from "./pages/console-form";
import { barOf, dialogOf, endSession, signInOver } from "./pages/session-page";

/** Two users of the worker's server, so that each test need not make and sign in its own. */
const test = base.extend<object, { alice: Person; bob: Person }>({
  alice: [async ({ ownServer: _ }, use) => use(await makePerson("alice")), { scope: "worker" }],
  bob: [async ({ ownServer: _ }, use) => use(await makePerson("bob")), { scope: "worker" }],
});

const actionOf = (request: Request): string | undefined => request.headers()["next-action"];

const textFieldOf = ({ fields }: ConsoleForm): FormField => {
  const field = fields.find(({ control }) => control === "text");
  if (!field) throw new Error("a form without a text");
  return field;
};

/** Opens the form, and returns its field that is typed into. */
async function open(page: Page, form: ConsoleForm, row: FormRow) {
  const field = textFieldOf(form);
  await openForm(page, form, row);
  await begin(page, form, row, field);
  const input = fieldOf(page, form, row, field);
  await expect(input).toBeVisible();
  return input;
}

test.beforeAll(async ({ ownServer: _ }) => {
  await setOptions({ GroupRatio: { default: 1, vip: 1, svip: 1 }, StatusPageEnabled: true });
});
test.skip(!hasDatabase(), "needs the run's own server");

/** What was sent while no session was is refused, and sent again after the sign-in. `said`: a text that is in it. */
async function sendOver(
  page: Page,
  press: () => Promise<void>,
  { password, said }: { password: string; said: string },
) {
  const address = page.url();
  // Forms ask the server by themselves, too: a channel's whether its models have prices.
  const isIt = (request: Request) =>
    actionOf(request) !== undefined && (request.postData() ?? "").includes(JSON.stringify(said).slice(1, -1));
  const refused = page.waitForRequest(isIt);
  await press();
  await expect(dialogOf(page)).toBeVisible();
  expect(page.url()).toBe(address);
  const action = actionOf(await refused);
  const sentAgain = page.waitForResponse((response) => {
    const request = response.request();
    return isIt(request) && actionOf(request) === action;
  });
  await signInOver(page, password);
  await sentAgain;
}

/** A drawer, a page and the settings, where the other tab is opened as well. The others hear of the sign-in when they are sent. */
const IN_TWO_TABS: ReadonlySet<string> = new Set(["token", "own account", "option"]);

for (const form of CONSOLE_FORMS) {
  const field = textFieldOf(form);

  test(`${form.name}: when the session ends its user signs in over it and it is sent; after another's sign-in it keeps its input and saves nothing (A233, A234)`, async ({
    page,
    alice,
    bob,
    rootCookies,
    problems,
  }) => {
    const who = form.who === "user" ? alice : { id: 1, ...ROOT, cookies: rootCookies };
    const row = await makeFormRow(form.name, who);
    await becomes(page.context(), who);
    const input = await open(page, form, row);
    await fill(input, field, typedOf(field, 0));
    await endSession(page);
    // Of options the whole value is sent, which the list of forms does not know.
    const said = form.action.endsWith("saveOptions") ? "" : String(field.values[0]);
    await sendOver(page, () => send(page, form, input), { password: who.password, said });
    if (form.name === "price row") {
      await agree(page);
      await expectSaved(page, form);
    }
    if (form.name === "tag") await expect(input).toBeHidden();

    // What was saved stands in the form when it is opened again. Another text is typed over it.
    const now = renamed(form, row, field, 0);
    const again = await open(page, form, now);
    if (form.name !== "tag") await expect(again).toHaveValue(typedOf(field, 0));
    const before = await again.inputValue();
    await fill(again, field, typedOf(field, 1));
    await becomes(page.context(), bob);
    if (IN_TWO_TABS.has(form.name)) {
      const other = await page.context().newPage();
      await other.goto("/token");
      await expect(barOf(page)).toContainText(`You are now logged in as ${bob.username}`);
      await expect(again).toHaveValue(typedOf(field, 1));
      await other.close();
    }
    await send(page, form, again);
    await expect(page.getByText(`You are now signed in as ${bob.username}`).first()).toBeVisible();
    await expect(barOf(page)).toContainText(`You are now logged in as ${bob.username}`);
    if (!isCell(form)) await expect(again).toHaveValue(typedOf(field, 1));

    // Nothing was stored: neither for the one nor for the other.
    await becomes(page.context(), who);
    await page.evaluate(() => window.sessionStorage.clear());
    await expect(await open(page, form, now)).toHaveValue(before);
    problems.splice(0);
  });
}

/** The same forms for something new. */
const NEW_ROWS: Record<string, { path: string; press?: string }> = {
  alert: { path: "/alert", press: "New alert" },
  incident: { path: "/status", press: "New incident" },
  "notification target": { path: "/setting?tab=personal&targets=new" },
};

for (const form of CONSOLE_FORMS.filter(({ name }) => name in NEW_ROWS)) {
  const { path, press } = NEW_ROWS[form.name] ?? { path: "" };
  const field = textFieldOf(form);

  test(`a new ${form.name}: when the session ends its user signs in over it and it is made, once (A234)`, async ({
    page,
    alice,
    rootCookies,
    problems,
  }) => {
    const who = form.who === "user" ? alice : { ...ROOT, cookies: rootCookies };
    const name = `made ${process.pid} ${form.name}`;
    await becomes(page.context(), who);
    await page.goto(path);
    await expectInteractive(page);
    if (press) await page.getByRole("button", { name: press }).first().click();
    const input = page.getByRole("dialog").getByLabel(field.label, { exact: true });
    await input.fill(name);
    await endSession(page);
    const submit = () => page.getByRole("dialog").getByRole("button", { name: form.submit, exact: true }).click();
    await sendOver(page, submit, { password: who.password, said: name });
    await expect(page.locator("main").getByText(name)).toHaveCount(1);
    problems.splice(0);
  });
}
