import { type APIRequestContext, request } from "@playwright/test";
import { asRoot, call, createAccount, setOptions } from "./accounts";

import { uniqueName } from "./fixtures";
import { withDatabase } from "./media-rows";

/** What a form opens: {id} and {name} of its address. */
export type FormRow = { id: string; name: string };

/** Who is signed in at a form, as a session without a page. */
export type Person = {
  id: number;
  username: string;
  password: string;
  cookies: Awaited<ReturnType<APIRequestContext["storageState"]>>["cookies"];
};

/** A new ordinary user with a session. */
export async function makePerson(prefix: string): Promise<Person> {
  const account = await createAccount(prefix);
  const api = await request.newContext({ baseURL: process.env.WEIR_E2E_URL ?? "" });
  try {
    const { username, password } = account;
    const answer = await api.post("/api/user/login", { data: { username, password } });
    if (!answer.ok()) throw new Error(`sign-in of ${username}: ${answer.status()}`);
    return { ...account, cookies: (await api.storageState()).cookies };
  } finally {
    await api.dispose();
  }
}

/** Writes what /api cannot make. Works only when this run started the server. */
const insert = (table: string, values: Record<string, unknown>): Promise<string> =>
  withDatabase(async (sql) => {
    const [row] = await sql`insert into ${sql(table)} ${sql(values)} returning id`;
    return String(row?.id);
  });

type Listed = { id: number; name: string; username: string }[];

/** The id of the newest row of a list with this name. */
async function idOf(path: string, name: string): Promise<string> {
  const list = (await asRoot((root) => call(root, "GET", path))) as Listed | { items: Listed };
  const rows = Array.isArray(list) ? list : list.items;
  const row = rows.find((one) => one.name === name || one.username === name);
  if (!row) throw new Error(`${path} does not list ${name}`);
  return String(row.id);
}

const post = (path: string, body: object) => asRoot((root) => call(root, "POST", path, body));
const channel = (name: string, tag = "") =>
  post("/api/channel/", { type: 1, name, key: `sk-${name}`, models: "m", group: "default", tag });

/** Its address is sealed by the server, so that only its owner's call makes one. */
async function makeTarget({ id, cookies }: Pick<Person, "id" | "cookies">): Promise<string> {
  const storageState = { cookies, origins: [] };
  const api = await request.newContext({ baseURL: process.env.WEIR_E2E_URL ?? "", storageState });
  const webhook = {
    notify_type: "webhook",
    webhook_url: "https://before.example/hook",
    webhook_secret: "s".repeat(16),
  };
  try {
    await call({ request: api, id }, "PUT", "/api/user/setting", { ...webhook, quota_warning_threshold: 500_000 });
  } finally {
    await api.dispose();
  }
  return withDatabase(async (sql) => {
    const [row] = await sql`select id from notification_targets where user_id = ${id} and kind = 'webhook'`;
    return String(row?.id);
  });
}

const ROWS: Readonly<Record<string, (name: string, owner: Pick<Person, "id" | "cookies">) => Promise<string>>> = {
  token: async (name, { id }) => {
    await post("/api/token/", { user_id: id, name, remain_quota: 500_000 });
    return idOf(`/api/token/search?keyword=${name}&user_id=${id}`, name);
  },
  channel: async (name) => {
    await channel(name);
    return idOf(`/api/channel/search?keyword=${name}`, name);
  },
  tag: async (name) => {
    await channel(`${name}-1`, name);
    await channel(`${name}-2`, name);
    return name;
  },
  user: async (name) => {
    await post("/api/user/", { username: name, password: "password-1", display_name: "Before", quota: 1_000_000 });
    return idOf(`/api/user/search?keyword=${name}`, name);
  },
  "redemption code": async (name) => {
    await post("/api/redemption/", { name, quota: 500_000, count: 1 });
    return idOf(`/api/redemption/search?keyword=${name}&p=1&page_size=10`, name);
  },
  alert: (name, { id }) =>
    insert("alert_rules", {
      user_id: id,
      scope: "own",
      name,
      metric: "spend",
      subject: "account",
      comparison: "above",
      threshold: 500_000,
      window_seconds: 3_600,
      cool_down_seconds: 3_600,
    }),
  incident: (name) => {
    const startedAt = Math.floor(Date.now() / 1_000) - 60;
    const texts = { title_en: name, title_zh: "", text_en: "", text_zh: "" };
    return insert("status_incidents", { ...texts, state: "investigating", started_at: startedAt });
  },
  passkey: (name, { id }) => insert("passkeys", { id: name, user_id: id, name, public_key: "" }),
  view: (name, { id }) => insert("saved_views", { user_id: id, page: "token", name, query: `keyword=${name}` }),
  "notification target": (_name, owner) => makeTarget(owner),
  option: async () => {
    await setOptions({ TopUpLink: "", ChatLink: "" });
    return "";
  },
  "price row": async (name) => {
    await setOptions({ ModelRatio: { [name]: 7 }, CompletionRatio: { [name]: 7 } });
    return "";
  },
  "group ratios": async () => {
    await setOptions({ GroupRatio: { default: 1, vip: 1, svip: 1 } });
    return "";
  },
};

/** A row for a form of the list; a form of the account has none of its own. */
export async function makeFormRow(form: string, owner: Pick<Person, "id" | "cookies">): Promise<FormRow> {
  const make = ROWS[form.replace(/'s cell$/, "").replace("channel routing", "channel")];
  const name = uniqueName("f").replaceAll("-", "");
  return { name, id: make ? await make(name, owner) : "" };
}
