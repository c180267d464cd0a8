import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { asRoot, call } from "./accounts";
import { uniqueName } from "./fixtures";

/** What a form opens: {id} and {name} of its address. */
export type FormRow = { id: string; name: string };

/** Writes what /api cannot make. Works only when this run started the server. */
async function insert(table: string, values: Record<string, unknown>): Promise<string> {
  const directory = join(process.env.WEIR_E2E_DATA ?? "", "postgres");
  const read = (file: string) => readFileSync(join(directory, file), "utf8").trim();
  const sql = postgres(`postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`, { max: 1 });
  try {
    const [row] = await sql`insert into ${sql(table)} ${sql(values)} returning id`;
    return String(row?.id);
  } finally {
    await sql.end();
  }
}

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

const ROWS: Readonly<Record<string, (name: string) => Promise<string>>> = {
  token: async (name) => {
    await post("/api/token/", { name, remain_quota: 500_000 });
    return idOf(`/api/token/search?keyword=${name}`, name);
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
  alert: (name) =>
    insert("alert_rules", {
      user_id: 1,
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
  passkey: (name) => insert("passkeys", { id: name, user_id: 1, name, public_key: "" }),
};

/** A row for a form of the list; a form of the site or of the account has none of its own. */
export async function makeFormRow(form: string): Promise<FormRow> {
  const make = ROWS[form.replace(/'s cell$/, "").replace("channel routing", "channel")];
  const name = uniqueName("f").replaceAll("-", "");
  return { name, id: make ? await make(name) : "" };
}
