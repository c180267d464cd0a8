import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { GET as exportRoute } from "@/app/(console)/log/export/route";
import { GET as tailRoute } from "@/app/(console)/log/tail/route";
import { auditEntries, channels, usageLogs } from "@/db/schema";
import type { UsageLog } from "@/lib/usage-log/columns";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
const DAY = 86_400;
const ROWS = 20_000;
const now = Math.floor(Date.now() / 1000);
let sequence = 0;

async function write(owner: Person, fields: Partial<typeof usageLogs.$inferInsert> = {}): Promise<string> {
  sequence += 1;
  const requestId = `stream-${sequence}`;
  await api.database.db.insert(usageLogs).values({
    requestId,
    createdAt: Math.floor(Date.now() / 1000),
    userId: owner.id,
    username: owner.username,
    tokenName: "main",
    channelId: 7,
    modelName: "gpt-4o",
    group: "default",
    quota: 10,
    other: { model_ratio: 1, admin_info: { use_channel: ["3", "7"] } },
    ...fields,
  });
  return requestId;
}

function get(as: Person | null, path: string, signal?: AbortSignal): Promise<Response> {
  const route = path.startsWith("tail") ? tailRoute : exportRoute;
  const headers = { ...(as ? { cookie: as.cookie } : {}), "x-forwarded-for": "198.51.100.7", "accept-language": "en" };
  return route(new Request(`http://weir.example/log/${path}`, { headers, ...(signal ? { signal } : {}) }));
}

/** Reads the events of a tail one by one. */
function readerOf(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error("no body");
  let text = "";
  return {
    async rows(): Promise<UsageLog[]> {
      for (;;) {
        const at = text.indexOf("\n\n");
        if (at >= 0) {
          const event = text.slice(0, at);
          text = text.slice(at + 2);
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (event.includes("event: rows") && data) return JSON.parse(data).rows;
          if (event.includes("event: ended")) return [];
          continue;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error("the stream ended");
        text += value;
      }
    },
    close: () => reader.cancel(),
  };
}

beforeAll(async () => {
  await api.database.db.insert(channels).values({ id: 7, name: "seven", keyCipher: "x" });
  await api.database.sql`
    insert into usage_logs (request_id, created_at, user_id, username, token_name, channel_id, model_name, "group", quota)
    select 'bulk-' || i, ${now - DAY} + i / 3, ${api.bob.id}, 'bob', 'bulk', 7, case when i % 4 = 0 then 'rare' else 'often' end,
      'default', i from generate_series(1, ${ROWS}) i`;
});

describe("the live tail", () => {
  const open: { close: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const tail of open.splice(0)) await tail.close();
  });
  const follow = async (as: Person, query = "") => {
    const response = await get(as, `tail?since=${Math.floor(Date.now() / 1000)}${query}`);
    expect(response.status).toBe(200);
    const tail = readerOf(response);
    open.push(tail);
    return { response, tail };
  };

  test("pushes new rows that match the filters, each once, as an event stream that nothing compresses", async () => {
    const { response, tail } = await follow(api.admin, "&model=wanted");
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("cache-control")).toContain("no-transform");
    expect(response.headers.get("content-encoding")).toBe("identity");
    await write(api.alice, { modelName: "other" });
    const first = await write(api.alice, { modelName: "wanted" });
    expect((await tail.rows()).map(({ requestId }) => requestId)).toEqual([first]);
    // Booked late: its time is before that of a row already shown.
    const late = await write(api.alice, { modelName: "wanted", createdAt: Math.floor(Date.now() / 1000) - 5 });
    expect((await tail.rows()).map(({ requestId }) => requestId)).toEqual([late]);
  });

  test("shows ordinary users their own rows without channels; nobody else anything", async () => {
    const { tail } = await follow(api.alice, "&username=bob&channel=7");
    await write(api.bob);
    const own = await write(api.alice);
    const rows: UsageLog[] = [];
    while (!rows.some(({ requestId }) => requestId === own)) rows.push(...(await tail.rows()));
    expect(new Set(rows.map(({ username }) => username))).toEqual(new Set(["alice"]));
    expect(rows[0]).toMatchObject({ channelId: 0, channelName: "", other: { model_ratio: 1 } });
    expect(JSON.stringify(rows)).not.toContain("admin_info");
    expect((await get(null, "tail")).status).toBe(401);
  });

  test("a reader has a few at a time; a place is free again when one is closed", async () => {
    for (let i = 0; i < 4; i++) await follow(api.bob);
    const refused = await get(api.bob, "tail");
    expect([refused.status, (await refused.json()).success]).toEqual([429, false]);
    await open.shift()?.close();
    await follow(api.bob);
  });
});

describe("the export", () => {
  const text = async (as: Person, query: string) => (await get(as, `export?${query}`)).text();

  test("holds every row of the filter and nothing else, newest first", async () => {
    const lines = (await text(api.admin, "format=jsonl&model=rare"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(ROWS / 4);
    expect(new Set(lines.map(({ model_name }) => model_name))).toEqual(new Set(["rare"]));
    expect(lines[0]).toMatchObject({ quota: ROWS, channel: 7, channel_name: "seven", user_id: api.bob.id });
    expect(new Set(lines.map(({ request_id }) => request_id)).size).toBe(ROWS / 4);
  });

  test("reads the next batch only when the last one is taken, so that memory stays bounded, and stops with the reader", async () => {
    const response = await get(api.admin, "export?format=csv&token=bulk");
    const reader = response.body?.getReader();
    if (!reader) throw new Error("no body");
    const sizes: number[] = [];
    for (let i = 0; i < 4; i++) sizes.push((await reader.read()).value?.byteLength ?? 0);
    // A batch is a fifth of all rows.
    expect(Math.max(...sizes)).toBeLessThan(800_000);
    await reader.cancel();
    const whole = await text(api.admin, "format=csv&token=bulk");
    expect(whole.trim().split("\r\n")).toHaveLength(ROWS + 1);
  });

  test("is safe in a spreadsheet: quoted, formulas are text, one header", async () => {
    const content = '=HYPERLINK("http://evil.example","a"), b\nc';
    await write(api.alice, { tokenName: "+cmd|'/C calc'!A0", content, modelName: "formula", quota: -5 });
    const bytes = new Uint8Array(await (await get(api.admin, "export?format=csv&model=formula")).arrayBuffer());
    // The UTF-8 byte order mark, for spreadsheets.
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [head = "", row = ""] = new TextDecoder().decode(bytes).split("\r\n");
    expect(head.startsWith("ID,Request ID,Time,Type,User,API key")).toBe(true);
    expect(head).toContain("Channel ID,Channel,Route,Cost (quota)");
    expect(row).toContain(",'+cmd|'/C calc'!A0,");
    expect(row).toContain(`"'=HYPERLINK(""http://evil.example"",""a""), b\nc"`);
    // A negative number stays a number: its sign is not escaped as a formula.
    expect(row).toContain(",-0.00001,");
    expect(row).toContain(",-5,");
    expect(row).toContain("3->7");
  });

  test("has an ordinary user's own rows of three days, without what is about channels (B101, B207)", async () => {
    await write(api.alice, { createdAt: now - 4 * DAY, modelName: "too-old" });
    const own = await text(api.alice, "format=csv&start=1&username=bob&channel=7");
    expect(own).toContain("alice");
    for (const hidden of ["bob", "seven", "Channel", "too-old", "Route"]) expect(own).not.toContain(hidden);
    expect(await text(api.alice, "format=jsonl")).not.toContain("admin_info");
  });

  test("an administrator's export is in the audit log with its filters; a user's is not; a format must be one", async () => {
    await api.database.db.delete(auditEntries);
    await text(api.alice, "format=csv");
    await text(api.admin, "format=jsonl&model=rare&type=2");
    const entries = await api.database.db.select().from(auditEntries);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ action: "log.export", actorId: api.admin.id, clientIp: "198.51.100.7" });
    expect(entries[0]?.after).toMatchObject({ format: "jsonl", modelName: "rare", type: 2 });
    expect((await get(api.admin, "export?format=xls")).status).toBe(400);
    expect((await get(null, "export?format=csv")).status).toBe(401);
  });
});
