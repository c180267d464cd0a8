import { type Locator, type Page, type Request, request } from "@playwright/test";
import { CONSOLE_FORMS, type ConsoleForm, type FormField } from "../lib/testing/console-forms";
import { asRoot, call, deleteChannels, setOptions } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectFits, expectInteractive, ROOT } from "./fixtures";
import { type FormRow, makeFormRow, makePerson, type Person } from "./form-rows";
import { withDatabase } from "./media-rows";
import { test } from "./own-server";
import {
  agree,
  becomes,
  begin,
  expectSaved,
  expectTyped,
  fieldOf,
  fill,
  isCell,
  openForm,
  renamed,
  send,
  submit,
  takeBack,
  typedOf,
} from "./pages/console-form";
import { barOf, dialogOf, endSession, signInOver } from "./pages/session-page";

// Groups, incidents and options are site-wide, so these tests have a server of their own.

/** Two users, so that each test need not make and sign in its own. */
let alice: Person;
let bob: Person;

const CHANGED = ["TopUpLink", "ChatLink", "ModelRatio", "CompletionRatio", "GroupRatio", "StatusPageEnabled"];
let before: Record<string, string>;

async function readOptions(): Promise<Record<string, string>> {
  const options = (await asRoot((root) => call(root, "GET", "/api/option/"))) as { key: string; value: string }[];
  return Object.fromEntries(options.filter(({ key }) => CHANGED.includes(key)).map(({ key, value }) => [key, value]));
}

test.beforeAll(async () => {
  alice = await makePerson("alice");
  bob = await makePerson("bob");
  before = await readOptions();
  expect(Object.keys(before).toSorted()).toEqual(CHANGED.toSorted());
  await setOptions({ GroupRatio: { default: 1, vip: 1, svip: 1 }, StatusPageEnabled: true });
});
test.afterAll(async () => {
  await setOptions(before);
  await deleteChannels();
  await withDatabase((sql) => sql`delete from status_incidents`);
});
test.skip(!hasDatabase(), "needs the run's own server");

const actionOf = (request: Request): string | undefined => request.headers()["next-action"];

/** Options are sent as whole values, which the list of forms does not know. */
const savesOptions = ({ action }: ConsoleForm): boolean => action.endsWith("saveOptions");

/** A field with its value, as it stands in what the form sends. */
const sentAs = (field: FormField, which: 0 | 1): string =>
  `"${field.name.split(".").at(-1)}":${JSON.stringify(field.values[which])}`;

/** Forms ask the server by themselves, too: a channel's whether its models have prices. */
const sends = (said: string) => (request: Request) =>
  actionOf(request) !== undefined && (request.postData() ?? "").includes(said);

/** What was sent while no session was is refused, and sent again after the sign-in. `said`: a text that is in it. */
async function sendOver(
  page: Page,
  press: () => Promise<void>,
  { password, said }: { password: string; said: string },
) {
  const address = page.url();
  const isIt = sends(said);
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

/** What options are when the other has saved the form. */
const OPTIONS: Readonly<Record<string, (row: FormRow) => Record<string, unknown>>> = {
  option: () => ({ TopUpLink: "https://two.example", ChatLink: "https://two.example/chat" }),
  "price row": ({ name }) => ({ ModelRatio: { [name]: 2 }, CompletionRatio: { [name]: 2 } }),
  "group ratios": () => ({ GroupRatio: { default: 1, vip: 3, svip: 1 } }),
};

const AS_SENT = /^(accept|content-type|next-|origin|referer|x-weir-)/;

/**
 * Saves the other values of these fields, as the same form open in another browser does: it sends what this one has sent
 * in vain. It succeeds only if nothing is stored yet but what the form showed when it opened.
 */
async function saveBeside(sent: Request, fields: readonly FormField[], { cookies }: Pick<Person, "cookies">) {
  const all = await sent.allHeaders();
  const headers = Object.fromEntries(Object.entries(all).filter(([name]) => AS_SENT.test(name)));
  const data = fields.reduce((body, field) => {
    expect(body).toContain(sentAs(field, 0));
    return body.replace(sentAs(field, 0), sentAs(field, 1));
  }, sent.postData() ?? "");
  const beside = await request.newContext({ storageState: { cookies, origins: [] } });
  try {
    const answer = await beside.post(sent.url(), { headers, data });
    expect(await answer.text()).toContain('"ok":true');
  } finally {
    await beside.dispose();
  }
}

const balanceOf = async (row: FormRow) =>
  ((await asRoot((root) => call(root, "GET", `/api/user/${row.id}`))) as { quota: number }).quota;

/** A drawer, a page and the settings, where the other tab is opened as well. The others hear of the sign-in when they are sent. */
const IN_TWO_TABS: ReadonlySet<string> = new Set(["token", "own account", "option"]);

/** Sends the form when somebody else has signed in meanwhile, and returns what was sent. */
async function sendAsOther(page: Page, form: ConsoleForm, { input, field, other }: Filled & { other: Person }) {
  await becomes(page.context(), other);
  if (IN_TWO_TABS.has(form.name)) {
    const tab = await page.context().newPage();
    await tab.goto("/token");
    await expect(barOf(page)).toContainText(`You are now logged in as ${other.username}`);
    await expectTyped(input, field, typedOf(field, 0));
    await tab.close();
  }
  const sent = page.waitForRequest(sends(savesOptions(form) ? "" : sentAs(field, 0)));
  await send(page, form, input);
  await expect(page.getByText(`You are now signed in as ${other.username}`).first()).toBeVisible();
  await expect(barOf(page)).toContainText(`You are now logged in as ${other.username}`);
  if (!isCell(form)) await expectTyped(input, field, typedOf(field, 0));
  return sent;
}

type Filled = { input: Locator; field: FormField };

/** Both values stand beside each other, on a phone too; the own one is kept. */
async function keepMine(page: Page): Promise<void> {
  // What the other changed beside it is no matter to choose.
  const clash = page.locator("[data-clash]");
  await expect(clash).toHaveCount(1);
  await expect(clash.getByRole("button", { name: "Take theirs" })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expectFits(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await clash.getByRole("button", { name: "Keep mine" }).click();
}

for (const form of CONSOLE_FORMS) {
  test(`${form.name}: after another's sign-in it keeps its input and saves nothing; what two people change is shown to both and kept beside each other; when the session ends its user signs in over it and it is sent (A233, A234, B326)`, async ({
    page,
    rootCookies,
    problems,
  }) => {
    test.setTimeout(90_000);
    const [first, second] = form.fields;
    if (!first) throw new Error("a form without fields");
    const own = async () => (form.name === "own account" ? makePerson("self") : alice);
    const who = form.who === "user" ? await own() : { id: 1, ...ROOT, cookies: rootCookies };
    const row = await makeFormRow(form.name, who);
    const stored = savesOptions(form) ? await readOptions() : {};
    await becomes(page.context(), who);
    await openForm(page, form, row);
    const input = fieldOf(page, form, row, first);
    // Each cell is a form of its own.
    const aside = second && !isCell(form) && !savesOptions(form) ? fieldOf(page, form, row, second) : null;

    await begin(page, form, row, first);
    await fill(input, first, typedOf(first, 0));
    const shown = aside ? await aside.inputValue() : "";
    if (aside && second) await fill(aside, second, typedOf(second, 0));
    const sent = await sendAsOther(page, form, { input, field: first, other: bob });

    await becomes(page.context(), who);
    // It shows what the price does, without an answer.
    if (form.name === "price row") await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    if (isCell(form)) await begin(page, form, row, first);
    if (savesOptions(form)) {
      expect(await readOptions(), "nothing was saved").toEqual(stored);
      await setOptions(OPTIONS[form.name]?.(row) ?? {});
    } else await saveBeside(sent, aside && second ? [first, second] : [first], who);
    if (aside && second) await takeBack(aside, second, shown);
    const balance = form.name === "user" ? await balanceOf(row) : 0;
    if (form.name === "user") {
      const spent = { id: Number(row.id), quota: balance - 1_248, seen_quota: balance };
      await asRoot((root) => call(root, "PUT", "/api/user/", spent));
    }
    if (isCell(form)) await fill(input, first, typedOf(first, 0));
    else await renew(page);
    if (!isCell(form)) await expectTyped(input, first, typedOf(first, 0));

    await endSession(page);
    const said = savesOptions(form) ? "" : sentAs(first, 0);
    await sendOver(page, () => send(page, form, input), { password: who.password, said });
    if (form.name === "price row") await agree(page);
    await keepMine(page);
    // A cell has no other button: the choice saves.
    if (!isCell(form)) await submit(page, form, input);
    await expectSaved(page, form);
    if (form.name === "user") expect(await balanceOf(row)).toBe(balance - 1_248);

    const now = renamed(form, row, first, 0);
    await openForm(page, form, now);
    if (isCell(form)) {
      const cell = (field: FormField) =>
        page.getByRole("button", { name: `${field.label.replace("{name}", row.name)}:` });
      await expect(cell(first)).toContainText(typedOf(first, 0));
    } else if (form.name !== "tag") {
      await expect(fieldOf(page, form, now, first)).toHaveValue(typedOf(first, 0));
      const theirs = second && (aside || savesOptions(form)) ? typedOf(second, 1) : null;
      if (second && theirs !== null) await expect(fieldOf(page, form, now, second)).toHaveValue(theirs);
    }
    // The browser notes the refusals.
    expect(problems.splice(0).filter((text) => !/status of (401|409)/.test(text))).toEqual([]);
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
  const [field] = form.fields;

  test(`a new ${form.name}: when the session ends its user signs in over it and it is made, once (A234)`, async ({
    page,
    rootCookies,
    problems,
  }) => {
    const who = form.who === "user" ? alice : { ...ROOT, cookies: rootCookies };
    const name = `made ${process.pid} ${form.name}`;
    await becomes(page.context(), who);
    await page.goto(path);
    await expectInteractive(page);
    if (press) await page.getByRole("button", { name: press }).first().click();
    const input = page.getByRole("dialog").getByLabel(field?.label ?? "", { exact: true });
    await input.fill(name);
    await endSession(page);
    const submit = () => page.getByRole("dialog").getByRole("button", { name: form.submit, exact: true }).click();
    await sendOver(page, submit, { password: who.password, said: name });
    await expect(page.locator("main").getByText(name)).toHaveCount(1);
    problems.splice(0);
  });
}
