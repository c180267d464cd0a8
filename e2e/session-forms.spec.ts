import { type Locator, type Page, type Request, request } from "@playwright/test";
import { CONSOLE_FORMS, type ConsoleForm } from "../lib/testing/console-forms";
import { type Account, asRoot, call, createAccount, setOptions } from "./accounts";
import { expect, expectInteractive, ROOT, uniqueName } from "./fixtures";
import { test } from "./own-server";
import { barOf, dialogOf, endSession, enter, signInOver, type Who } from "./pages/session-page";

// Codes, incidents and options are site-wide, so these tests have their own server.

/** Where a form stands that saves something new, or the row that it changes. `shows`: the page has what was saved; `closes`: the form is empty again. */
type Place = { path: string; press?: string[]; shows?: true; closes?: true };

/** A row for each form of the list, or the same form for a new one. */
const PLACES: Record<string, (account: Account) => Promise<Place>> = {
  token: async (account) => ({ path: `/token?edit=${await makeToken(account)}` }),
  channel: async () => ({ path: `/channel?edit=${(await makeChannel()).id}` }),
  "channel's cell": async () => {
    const { name } = await makeChannel();
    return { path: `/channel?keyword=${name}`, press: [`Priority of ${name}`] };
  },
  tag: async () => ({ path: `/channel?editTag=${(await makeChannel()).tag}`, closes: true }),
  "tag's cell": async () => {
    const { name, tag } = await makeChannel();
    return { path: `/channel?tags=true&keyword=${name}`, press: [`Priority of ${tag}`] };
  },
  user: async () => ({ path: `/user?edit=${(await createAccount("edited")).id}` }),
  "own account": async () => ({ path: "/user/edit" }),
  "redemption code": async () => ({ path: `/redemption?edit=${await makeCode()}` }),
  alert: async () => ({ path: "/alert", press: ["New alert"], shows: true }),
  incident: async () => ({ path: "/status", press: ["New incident"], shows: true }),
  "notification target": async () => ({ path: "/setting?tab=personal&targets=new", shows: true }),
  preferences: async () => ({ path: "/setting?tab=personal" }),
  option: async () => ({ path: "/setting?tab=operation&page=general" }),
};

/** Forms that share the component of one above, and those whose input has another way to the server. */
const LIKE_OTHERS: Record<string, string> = {
  passkey: "a dialog in the personal settings; as the password dialog below",
  view: "a dialog with one name; as the password dialog below",
  "price row": "saved by the form of the options",
  "group ratios": "saved by the action of the options, after a preview",
  "channel routing": "applied after a preview",
};

async function makeToken(account: Account): Promise<number> {
  const name = uniqueName("key");
  const api = await request.newContext({ baseURL: process.env.WEIR_E2E_URL ?? "" });
  try {
    await api.post("/api/user/login", { data: { username: account.username, password: account.password } });
    const caller = { request: api, id: account.id };
    await call(caller, "POST", "/api/token/", { name, unlimited_quota: true });
    const found = (await call(caller, "GET", `/api/token/search?keyword=${name}`)) as { id: number; name: string }[];
    return found.find((one) => one.name === name)?.id ?? 0;
  } finally {
    await api.dispose();
  }
}

async function makeChannel() {
  const name = uniqueName("form");
  const tag = uniqueName("tag");
  const channel = {
    type: 1,
    key: "sk-form",
    group: "default",
    models: "fake-gpt",
    name,
    tag,
    base_url: process.env.WEIR_E2E_UPSTREAM,
  };
  const id = await asRoot(async (root) => {
    await call(root, "POST", "/api/channel/", channel);
    const found = (await call(root, "GET", `/api/channel/search?keyword=${name}`)) as { id: number; name: string }[];
    return found.find((one) => one.name === name)?.id ?? 0;
  });
  return { id, name, tag };
}

async function makeCode(): Promise<number> {
  const name = uniqueName("code").slice(0, 20);
  return asRoot(async (root) => {
    await call(root, "POST", "/api/redemption/", { name, quota: 500_000, count: 1 });
    const found = await call(root, "GET", `/api/redemption/search?keyword=${name}&p=1&page_size=10`);
    const { items } = found as { items: { id: number; name: string }[] };
    return items.find((one) => one.name === name)?.id ?? 0;
  });
}

const typedOf = ({ fields }: ConsoleForm, which: 0 | 1 = 0): { label: string; text: string } => {
  const field = fields.find(({ control }) => control === "text");
  if (!field) throw new Error("a form without a text");
  return { label: field.label, text: field.typed?.[which] ?? String(field.values[which]) };
};

/** Opens the form, and returns its field that is typed into. */
async function open(page: Page, form: ConsoleForm, { path, press = [] }: Place): Promise<Locator> {
  await page.goto(path);
  await expectInteractive(page);
  for (const name of press)
    await page
      .getByRole("button", { name: new RegExp(`^${name}`) })
      .first()
      .click();
  const { label } = typedOf(form);
  const named = press.find((one) => one.startsWith("Priority of"));
  const part = page.getByRole("dialog").or(page.locator("main"));
  const field = named ? page.getByRole("textbox", { name: named }) : part.getByLabel(label, { exact: true }).last();
  await expect(field).toBeVisible();
  return field;
}

async function submit(page: Page, { name: form, submit: name }: ConsoleForm, field: Locator): Promise<void> {
  if (name === "Enter") await field.press("Enter");
  // A tag's cell asks first, because it changes several channels.
  if (form === "tag's cell") await page.getByRole("button", { name: "Submit", exact: true }).click();
  else if (name !== "Enter") await page.getByRole("button", { name, exact: true }).last().click();
}

const actionOf = (request: Request): string | undefined => request.headers()["next-action"];

test.beforeAll(async ({ ownServer: _ }) => {
  await setOptions({ StatusPageEnabled: true });
});

test("the list of forms has a place for each", () => {
  const known = [...Object.keys(PLACES), ...Object.keys(LIKE_OTHERS)];
  expect(known.sort()).toEqual(CONSOLE_FORMS.map(({ name }) => name).sort());
});

for (const form of CONSOLE_FORMS.filter(({ name }) => name in PLACES)) {
  const textOf = () => (typeof typedOf(form).text === "string" ? typedOf(form).text : "");

  test(`${form.name}: when the session ends in the form, its user signs in over it and it is sent (A234)`, async ({
    page,
    problems,
  }) => {
    const account = await createAccount("ended");
    const who: Who = form.who === "user" ? account : ROOT;
    const place = await PLACES[form.name]?.(account);
    if (!place) throw new Error(form.name);
    await enter(page, who);
    const field = await open(page, form, place);
    await field.fill(textOf());
    const address = page.url();
    await endSession(page);
    const refused = page.waitForRequest((request) => actionOf(request) !== undefined);
    await submit(page, form, field);
    await expect(dialogOf(page)).toBeVisible();
    expect(page.url()).toBe(address);
    const action = actionOf(await refused);
    const sentAgain = page.waitForResponse((response) => actionOf(response.request()) === action);
    await signInOver(page, who.password);
    await sentAgain;
    if (place.shows) await expect(page.getByText(textOf()).first()).toBeVisible();
    else if (place.closes) await expect(field).toBeHidden();
    else {
      await expect(async () => {
        const again = await open(page, form, place);
        await expect(again).toHaveValue(textOf(), { timeout: 2_000 });
      }).toPass();
    }
    problems.splice(0);
  });

  test(`${form.name}: after a sign-in in another tab the form says so, keeps its input and saves nothing (A233)`, async ({
    page,
    problems,
  }) => {
    const account = await createAccount("first");
    const bob = await createAccount("second");
    const who: Who = form.who === "user" ? account : ROOT;
    const place = await PLACES[form.name]?.(account);
    if (!place) throw new Error(form.name);
    await enter(page, who);
    const field = await open(page, form, place);
    // Another one than the test before has saved.
    const { text } = typedOf(form, 1);
    const before = await field.inputValue();
    const saved = page.locator("main").getByText(text);
    const savedBefore = await saved.count();
    await field.fill(text);
    await endSession(page);
    const other = await page.context().newPage();
    await enter(other, bob);
    await other.goto("/token");
    await expect(barOf(page)).toContainText(`You are now logged in as ${bob.username}`);
    await expect(field).toHaveValue(text);
    await submit(page, form, field);
    await expect(page.getByText(`You are now signed in as ${bob.username}`).first()).toBeVisible();
    await other.close();
    // Nothing was stored: neither for the one nor for the other.
    await page.context().clearCookies({ name: "session" });
    await enter(page, who);
    await page.evaluate(() => window.sessionStorage.clear());
    if (place.shows) {
      await page.goto(place.path);
      await expectInteractive(page);
      await expect(saved).toHaveCount(savedBefore);
    } else await expect(await open(page, form, place)).toHaveValue(before);
    problems.splice(0);
  });
}
